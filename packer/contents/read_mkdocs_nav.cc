#include <yaml-cpp/yaml.h>

#include <exception>
#include <filesystem>
#include <utility>

#include "packer/base/paths.h"
#include "packer/contents/contents_tree.h"

namespace sheaf::packer {
namespace {

class NavReader {
 public:
  NavReader(std::string docs, std::string root, const FileIndex& index)
      : docs_(std::move(docs)), root_(std::move(root)), index_(index) {}

  // `nav`: a sequence of "page.md", {name: page.md} and {name: sequence}. Aliases may make a small file a huge tree.
  void Read(const YAML::Node& nav, size_t above, size_t depth) {
    if (!nav.IsSequence() || depth == kMaxTreeDepth) return;
    for (const YAML::Node& entry : nav) {
      if (++visited_ > kMaxTreeNodes) return;
      if (entry.IsScalar()) {
        Add({above, "", Find(entry.Scalar())});
      } else if (entry.IsMap()) {
        for (const auto& pair : entry) {
          if (++visited_ > kMaxTreeNodes) return;
          const YAML::Node &name = pair.first, &value = pair.second;
          if (!name.IsScalar()) continue;
          if (value.IsScalar())
            Add({above, ClipName(name.Scalar()), Find(value.Scalar())});
          else if (Add({above, ClipName(name.Scalar()), kNone}))
            Read(value, tree_.size() - 1, depth + 1);
        }
      }
    }
  }

  ContentsTree Take() { return has_page_ ? std::move(tree_) : ContentsTree(); }

 private:
  // docs_dir may lie above the root, or below.
  size_t Find(const std::string& target) const {
    if (target.size() > kMaxTargetBytes) return kNone;
    const std::string path = std::filesystem::path(docs_ + "/" + target).lexically_normal().generic_string();
    return IsInside(path, root_) ? index_.Find("", Below(path, root_)) : kNone;
  }

  bool Add(ContentsNode node) {
    if (tree_.size() >= kMaxTreeNodes) return false;
    has_page_ = has_page_ || node.file != kNone;
    tree_.push_back(std::move(node));
    return true;
  }

  const std::string docs_, root_;
  const FileIndex& index_;
  ContentsTree tree_;
  size_t visited_ = 0;  // entries, whether they name something or not
  bool has_page_ = false;
};

}  // namespace

ContentsTree ReadMkdocsNav(const std::string& text, const std::string& folder, const std::string& root,
                           const FileIndex& index) {
  try {
    const YAML::Node settings = YAML::Load(text);
    if (!settings.IsMap() || !settings["nav"]) return {};
    const YAML::Node docs = settings["docs_dir"];
    NavReader reader(folder + "/" + (docs && docs.IsScalar() ? docs.Scalar() : "docs"), root, index);
    reader.Read(settings["nav"], kNone, 0);
    return reader.Take();
  } catch (const std::exception&) {
    return {};  // a broken mkdocs.yml costs the order alone
  }
}

}  // namespace sheaf::packer
