#include "packer/source/site_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "packer/base/paths.h"
#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/base/read_file.h"
#include "packer/base/text_scan.h"
#include "packer/source/url.h"

namespace sheaf::packer {
namespace {

constexpr size_t kPartHeadBytes = 4096;
constexpr size_t kMaxRead = size_t(4) << 20;

bool IsMarkdownFile(const SourceFile& file) { return file.kind == FileKind::kMarkdown || file.kind == FileKind::kMdx; }

// The folder up to the part of the path that is called so, with its '/'.
std::optional<std::string_view> FolderCalled(std::string_view path, std::string_view name) {
  for (size_t at = 0; (at = path.find(name, at)) != path.npos; at += name.size()) {
    const bool begins = at == 0 || path[at - 1] == '/';
    const size_t end = at + name.size();
    if (begins && end < path.size() && path[end] == '/') return path.substr(0, end + 1);
  }
  return std::nullopt;
}

// The front matter of an index says that it, and what lies below, is no page.
bool IsHeadless(const SourceFile& file) {
  const std::string beginning = ReadBeginning(file.path, kPartHeadBytes);
  const std::string_view text = beginning;
  if (!text.starts_with("---") && !text.starts_with("+++")) return false;
  const std::string_view head = text.substr(0, text.find("\n" + std::string(text.substr(0, 3)), 3));
  const bool is_section = NameOf(file.relative).starts_with("_index.");
  bool cascades = false;
  for (size_t at = 0; at < head.size();) {
    const size_t end = std::min(head.find('\n', at), head.size());
    std::string line = Lower(Trim(head.substr(at, end - at)));
    line.erase(std::remove_if(line.begin(), line.end(), [](char c) { return c == ' ' || c == '"' || c == '\''; }),
               line.end());
    if (line.starts_with("cascade")) cascades = true;
    if (!is_section && (line == "headless:true" || line == "headless=true")) return true;
    const bool never = line.find("render:never") != line.npos || line.find("render=never") != line.npos ||
                       line.find("render:false") != line.npos || line.find("render=false") != line.npos;
    if (never && (cascades || !is_section)) return true;
    at = end + 1;
  }
  return false;
}

// The name, or a folder's, begins with '_': "guide/_parts/a.md", "_a.md". Indexes and Jekyll's collections do not count.
bool IsUnderscored(const SourceFile& file) {
  if (!IsMarkdownFile(file)) return false;
  const std::string_view path = file.relative;
  const std::string_view name = NameOf(path);
  if (name.starts_with('_') && !IsFolderIndex(path) && name != "_sidebar.md" && name != "_navbar.md") return true;
  return path.starts_with('_') || path.find("/_") < path.rfind('/');
}

// Targets of include lines, as written, without backslashes.
void CollectTargets(std::string_view text, std::set<std::string>* targets) {
  for (const std::string_view mark : {"import ", "{{<", "{{%", "8<-", "@include", "{% include", "{%- include", "{!"}) {
    for (size_t at = 0; (at = text.find(mark, at)) != text.npos;) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, std::min<size_t>(end - at, 1000));
      at = end;
      if (line.find('_') == line.npos) continue;
      std::string word;
      for (size_t i = 0; i <= line.size(); ++i) {
        const char c = i < line.size() ? line[i] : ' ';
        if (IsWordByte(c) || c == '.' || c == '/' || c == '-' || c == '@') {
          word += c;
        } else if (c != '\\') {
          if (word.find('_') != word.npos && word.find('.') != word.npos) targets->insert(word);
          word.clear();
        }
      }
    }
  }
}

// Whether one of the targets is this file: its name, and as many folders as the target writes.
bool IsTarget(std::string_view path, const std::set<std::string>& targets) {
  return std::any_of(targets.begin(), targets.end(), [&](std::string_view target) {
    for (bool again = true; again;) {
      again = false;
      for (const std::string_view start : {"./", "../", "/", "@site/", "@/"}) {
        if (!target.starts_with(start)) continue;
        target.remove_prefix(start.size());
        again = true;
      }
    }
    return !target.empty() && path.ends_with(target) &&
           (path.size() == target.size() || path[path.size() - target.size() - 1] == '/');
  });
}

class Parts {
 public:
  Parts(const SiteFolders& sites, SourceList* list) : sites_(sites), list_(list), out_(list->files.size()) {}

  void Drop() {
    ByFolder();
    Headless();
    Underscored();
    size_t i = 0;
    std::erase_if(list_->files, [&](const SourceFile&) { return out_[i++]; });
    for (const auto& [folder_and_kind, files] : dropped_) {
      const auto& [folder, kind] = folder_and_kind;
      list_->notes.push_back({folder.empty() ? "." : PrintablePath(folder),
                              "left out: " + FormatPlural(files, "file") + " " + kind + "; --no-ignore keeps them"});
    }
  }

 private:
  void Out(size_t i, std::string_view folder, const char* kind) {
    if (out_[i]) return;
    out_[i] = true;
    ++dropped_[{std::string(folder), kind}];
  }

  void ByFolder() {
    for (size_t i = 0; i < out_.size(); ++i) {
      const std::string_view path = list_->files[i].relative;
      for (const std::string_view name : {"_layouts", "_includes", "_sass"}) {
        if (const auto folder = FolderCalled(path, name))
          Out(i, *folder, "of layouts and includes, which are no pages");
      }
      for (const std::string& site : sites_.hugo) {
        if (!path.starts_with(site)) continue;
        const std::string_view below = path.substr(site.size());
        for (const std::string_view name : {"layouts/", "archetypes/", "themes/", "i18n/"}) {
          if (below.starts_with(name))
            Out(i, path.substr(0, site.size() + name.size()), "of layouts and themes, which are no pages");
        }
      }
    }
  }

  void Headless() {
    std::vector<std::string> folders;
    for (size_t i = 0; i < out_.size(); ++i) {
      const SourceFile& file = list_->files[i];
      const std::string_view name = NameOf(file.relative);
      if (out_[i] || file.kind != FileKind::kMarkdown || (name != "index.md" && name != "_index.md")) continue;
      if (IsHeadless(file)) folders.emplace_back(FolderOf(file.relative));
    }
    if (folders.empty()) return;
    for (size_t i = 0; i < out_.size(); ++i) {
      if (!IsMarkdownFile(list_->files[i])) continue;
      for (const std::string& folder : folders) {
        if (std::string_view(list_->files[i].relative).starts_with(folder))
          Out(i, folder, "of a headless folder: parts that pages include");
      }
    }
  }

  void Underscored() {
    std::vector<size_t> candidates;
    std::set<std::string> targets;
    for (size_t i = 0; i < out_.size(); ++i) {
      if (out_[i] || !IsUnderscored(list_->files[i])) continue;
      const std::string_view path = list_->files[i].relative;
      const bool certain = std::any_of(sites_.docusaurus.begin(), sites_.docusaurus.end(),
                                       [&](const std::string& site) { return path.starts_with(site); });
      if (certain)
        Out(i, FolderOf(path), "whose name or folder begins with '_': parts that pages include");
      else
        candidates.push_back(i);
    }
    if (candidates.empty()) return;
    for (const SourceFile& file : list_->files) {
      if (!IsMarkdownFile(file)) continue;
      const Result<std::string> bytes = ReadFileBytes(file.path, kMaxRead);
      if (bytes.ok()) CollectTargets(*bytes, &targets);
    }
    for (const size_t i : candidates) {
      const std::string_view path = list_->files[i].relative;
      if (IsTarget(path, targets))
        Out(i, FolderOf(path), "whose name or folder begins with '_': parts that pages include");
    }
  }

  const SiteFolders& sites_;
  SourceList* const list_;
  std::vector<bool> out_;
  std::map<std::pair<std::string, std::string>, uint64_t> dropped_;  // by folder and kind
};

}  // namespace

void SiteFolders::Note(std::string_view path) {
  const std::string_view name = NameOf(path);
  const std::string folder(FolderOf(path));
  if (name == "hugo.toml" || name == "hugo.yaml" || name == "hugo.yml" || name == "hugo.json" || name == "archetypes")
    hugo.insert(folder);
  if (name == "_default" || name == "shortcodes" || name == "_shortcodes") {
    // "site/layouts/_default"
    if (folder == "layouts/" || folder.ends_with("/layouts/")) hugo.insert(folder.substr(0, folder.size() - 8));
  }
  if (name.starts_with("docusaurus.config.")) docusaurus.insert(folder);
}

void DropSiteParts(const SiteFolders& sites, SourceList* list) { Parts(sites, list).Drop(); }

}  // namespace sheaf::packer
