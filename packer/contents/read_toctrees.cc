#include <algorithm>
#include <utility>

#include "base/result.h"
#include "packer/base/paths.h"
#include "packer/base/text_scan.h"
#include "packer/contents/contents_tree.h"
#include "packer/source/glob.h"
#include "packer/source/url.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxGlobs = 1000;  // each is tried on every file

// "Contents:" above the list of all pages says nothing about where a page stands.
bool SaysNothing(std::string_view caption) {
  while (caption.ends_with(':')) caption.remove_suffix(1);
  const std::string folded = Lower(Trim(caption));
  return folded.empty() || folded == "contents" || folded == "table of contents";
}

// One directive, line by line.
class TreeDirective {
 public:
  explicit TreeDirective(std::vector<ToctreeEntry>* entries) : entries_(entries) {}

  void Line(std::string_view text) {
    if (text.starts_with(':')) {
      const size_t end = text.find(':', 1);
      if (end == std::string_view::npos) return;
      const std::string_view option = text.substr(1, end - 1), value = Trim(text.substr(end + 1));
      if (option == "caption" && !SaysNothing(value)) caption_ = ClipName(value);
      is_glob_ = is_glob_ || option == "glob";
      return;
    }
    if (entries_->size() == kMaxTreeNodes) return;
    ToctreeEntry entry{caption_, "", std::string(text), is_glob_};
    const size_t open = text.rfind('<');
    if (open != std::string_view::npos && open > 0 && text.ends_with('>')) {
      entry.name = ClipName(Trim(text.substr(0, open)));
      entry.target = text.substr(open + 1, text.size() - open - 2);
    }
    entry.is_glob = is_glob_ && entry.name.empty() && HasGlobCharacters(entry.target);
    entries_->push_back(std::move(entry));
  }

 private:
  std::vector<ToctreeEntry>* entries_;
  std::string caption_;
  bool is_glob_ = false;
};

std::string_view NextLine(std::string_view source, size_t* at) {
  const size_t end = std::min(source.find('\n', *at), source.size());
  const std::string_view line = source.substr(*at, end - *at);
  *at = end + 1;
  return line;
}

// The pages that an entry names, in the order of the list.
std::vector<size_t> PagesOf(const ToctreeEntry& entry, size_t file, const FileIndex& index) {
  const std::string_view folder = FolderOf(index.files()[file].relative);
  if (!entry.is_glob) {
    const size_t page = index.Find(folder, entry.target);
    return page == kNone ? std::vector<size_t>() : std::vector<size_t>{page};
  }
  const bool is_absolute = entry.target.starts_with('/');
  const Result<Glob> glob =
      Glob::Parse(is_absolute ? entry.target.substr(1) : std::string(folder) + entry.target);  // no folder has a '*'
  std::vector<size_t> pages;
  if (!glob.ok()) return pages;
  for (size_t i = 0; i < index.files().size(); ++i) {
    const std::string_view other = index.files()[i].relative;
    if (i != file && (glob->Matches(std::string(other)) || glob->Matches(std::string(WithoutExtension(other)))))
      pages.push_back(i);
  }
  return pages;
}

}  // namespace

std::vector<ToctreeEntry> ReadToctrees(std::string_view source, bool is_markdown) {
  std::vector<ToctreeEntry> entries;
  if (source.find("toctree") == std::string_view::npos) return entries;
  for (size_t at = 0; at < source.size();) {
    const std::string_view opening = NextLine(source, &at), text = Trim(opening);
    TreeDirective directive(&entries);
    if (is_markdown) {
      const size_t ticks = std::min(text.find_first_not_of(text.empty() ? '`' : text.front()), text.size());
      if (ticks < 3 || (text.front() != '`' && text.front() != ':') || !text.substr(ticks).starts_with("{toctree}"))
        continue;
      while (at < source.size()) {
        const std::string_view line = Trim(NextLine(source, &at));
        if (line == text.substr(0, ticks)) break;
        if (!line.empty()) directive.Line(line);
      }
    } else if (text.starts_with(".. toctree::")) {
      const size_t indent = Indent(opening);
      for (size_t next = at; at < source.size(); at = next) {
        const std::string_view line = NextLine(source, &next);
        if (!IsBlank(line) && Indent(line) <= indent) break;
        if (!IsBlank(line)) directive.Line(Trim(line));
      }
    }
  }
  return entries;
}

std::vector<ContentsTree> BuildToctrees(const std::vector<std::vector<ToctreeEntry>>& entries, const FileIndex& index) {
  const size_t count = entries.size();
  std::vector<std::vector<std::pair<const ToctreeEntry*, size_t>>> below(count);  // the pages of each
  std::vector<bool> is_listed(count), is_taken(count);
  size_t all = 0, globs = 0;
  for (size_t file = 0; file < count; ++file) {
    for (const ToctreeEntry& entry : entries[file]) {
      if (entry.is_glob && ++globs > kMaxGlobs) continue;
      for (const size_t page : PagesOf(entry, file, index)) {
        if (page == file || ++all > kMaxTreeNodes) continue;
        below[file].emplace_back(&entry, page);
        is_listed[page] = true;
      }
    }
  }

  std::vector<ContentsTree> trees;
  const auto grow = [&](size_t root) {
    struct Step {
      size_t file, node;  // `node`: of the file
      size_t depth = 0, next = 0;
      size_t caption = kNone;  // the node of the caption that was added last
      const std::string* caption_name = nullptr;
    };
    ContentsTree tree{{kNone, "", root}};
    is_taken[root] = true;
    std::vector<Step> open{{root, 0}};
    while (!open.empty()) {
      Step& step = open.back();
      if (step.next == below[step.file].size() || step.depth == kMaxTreeDepth) {
        open.pop_back();
        continue;
      }
      const auto [entry, page] = below[step.file][step.next++];
      if (is_taken[page]) continue;
      is_taken[page] = true;
      if (entry->caption.empty()) {
        step.caption = kNone;
      } else if (step.caption == kNone || entry->caption != *step.caption_name) {
        step.caption = tree.size();
        tree.push_back({step.node, entry->caption, kNone});
      }
      step.caption_name = &entry->caption;
      const size_t above = step.caption == kNone ? step.node : step.caption;
      tree.push_back({above, entry->name, page});
      const size_t depth = step.depth + 1;
      open.push_back({page, tree.size() - 1, depth});
    }
    trees.push_back(std::move(tree));
  };
  for (size_t file = 0; file < count; ++file) {
    if (!below[file].empty() && !is_listed[file]) grow(file);
  }
  for (size_t file = 0; file < count; ++file) {
    if (!below[file].empty() && !is_taken[file]) grow(file);  // of a circle
  }
  return trees;
}

}  // namespace sheaf::packer
