#include "packer/contents/contents.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "packer/base/charset.h"
#include "packer/base/paths.h"
#include "packer/base/read_file.h"
#include "packer/contents/contents_tree.h"
#include "packer/source/url.h"

namespace sheaf::packer {
namespace {

std::optional<std::string> ReadTextFile(const std::string& path) {
  const Result<std::string> bytes = ReadFileBytes(path, kMaxTableBytes);
  if (!bytes.ok()) return std::nullopt;
  Result<DecodedText> decoded = DecodeText(*bytes, path);
  if (!decoded.ok()) return std::nullopt;
  return std::move(decoded->text);
}

bool IsFile(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool IsSphinx(const SourceList& list) {
  for (const std::string& folder : FoldersUpTo(list.root, list.includes_from)) {
    for (const char* below : {"", "/source", "/doc", "/docs", "/doc/source", "/docs/source"}) {
      if (IsFile(folder + below + "/conf.py")) return true;
    }
  }
  return false;
}

std::optional<ContentsTree> MkdocsNav(const SourceList& list, const FileIndex& index) {
  for (const std::string& folder : FoldersUpTo(list.root, list.includes_from)) {
    for (const char* name : {"/mkdocs.yml", "/mkdocs.yaml"}) {
      const std::optional<std::string> text = IsFile(folder + name) ? ReadTextFile(folder + name) : std::nullopt;
      if (!text) continue;
      ContentsTree tree = ReadMkdocsNav(*text, folder, list.root, index);
      if (!tree.empty()) return tree;
    }
  }
  return std::nullopt;
}

// Takes the SUMMARY.md out that were read: they are tables, not pages.
std::vector<ContentsTree> Summaries(SourceList* list) {
  std::map<std::string, std::string> texts;  // of those that name pages, by their paths
  const FileIndex all(list->files);
  for (const SourceFile& file : list->files) {
    if (NameOf(file.relative) != "SUMMARY.md") continue;
    std::optional<std::string> text = ReadTextFile(file.path);
    if (text && !ReadSummary(*text, FolderOf(file.relative), all).empty())
      texts.emplace(file.relative, std::move(*text));
  }
  if (texts.empty()) return {};
  std::erase_if(list->files, [&](const SourceFile& file) {
    if (!texts.contains(file.relative)) return false;
    list->notes.push_back({file.source, "left out: it is the table of contents, which orders the pages"});
    list->bytes -= file.size;
    return true;
  });
  const FileIndex index(list->files);
  std::vector<ContentsTree> trees;
  for (const auto& [path, text] : texts) trees.push_back(ReadSummary(text, FolderOf(path), index));
  return trees;
}

std::vector<ContentsTree> Toctrees(const SourceList& list, const FileIndex& index) {
  std::vector<std::vector<ToctreeEntry>> entries(list.files.size());
  const bool is_sphinx = IsSphinx(list);
  for (size_t i = 0; i < list.files.size(); ++i) {
    const bool is_rst = list.files[i].kind == FileKind::kRst;
    if (!is_rst && !(is_sphinx && list.files[i].kind == FileKind::kMarkdown)) continue;
    const std::optional<std::string> text = ReadTextFile(list.files[i].path);
    if (text) entries[i] = ReadToctrees(*text, !is_rst);
  }
  return BuildToctrees(entries, index);
}

// The names above `node`; what stands for the whole documentation says nothing.
std::vector<Chapter> ChaptersAbove(const ContentsTree& tree, size_t node, const std::vector<SourceFile>& files) {
  std::vector<Chapter> chapters;
  for (size_t at = tree[node].above; at != kNone; at = tree[at].above) {
    const std::string* page = tree[at].file == kNone ? nullptr : &files[tree[at].file].source;
    const bool is_top = tree[at].above == kNone && page != nullptr && IsFolderIndex(*page) && tree[at].name.empty();
    if (!is_top) chapters.push_back({tree[at].name, page == nullptr ? "" : *page});
  }
  std::reverse(chapters.begin(), chapters.end());
  return chapters;
}

}  // namespace

std::string ClipName(std::string_view name) {
  constexpr size_t kMostBytes = 400;
  if (name.size() <= kMostBytes) return std::string(name);
  size_t end = kMostBytes;
  while (end > 0 && (uint8_t(name[end]) & 0xC0) == 0x80) --end;  // not within a character
  return std::string(name.substr(0, end));
}

FileIndex::FileIndex(const std::vector<SourceFile>& files) : files_(files) {
  for (size_t i = 0; i < files.size(); ++i) by_path_.emplace(files[i].relative, i);
}

size_t FileIndex::Find(std::string_view folder, std::string_view target) const {
  const std::string_view name = target.substr(0, target.find_first_of("?#"));
  if (name.empty() || name.size() > kMaxTargetBytes || name.find("://") != std::string_view::npos) return kNone;
  const std::string decoded = DecodePercent(name);
  if (decoded.starts_with("//")) return kNone;
  const std::optional<std::string> joined = JoinPaths(decoded.starts_with('/') ? "" : folder, decoded);
  if (!joined || joined->empty()) return kNone;
  const std::string_view last = NameOf(decoded);
  const std::string path = *joined + (last.empty() || last == "." || last == ".." ? "/" : "");
  for (const char* ending : {"", ".md", ".rst", ".txt", ".ipynb", "/index.md", "/README.md", "index.md", "README.md"}) {
    const auto found = by_path_.find(path + ending);
    if (found != by_path_.end()) return found->second;
  }
  return kNone;
}

void OrderByContents(SourceList* list) {
  std::vector<ContentsTree> trees = Summaries(list);
  auto& files = list->files;
  const FileIndex index(files);
  if (std::optional<ContentsTree> nav = MkdocsNav(*list, index)) trees.push_back(std::move(*nav));
  for (ContentsTree& tree : Toctrees(*list, index)) trees.push_back(std::move(tree));
  if (trees.empty()) return;

  std::vector<size_t> tree_of(files.size(), kNone), node_of(files.size());
  for (size_t t = 0; t < trees.size(); ++t) {
    for (size_t n = 0; n < trees[t].size(); ++n) {
      const size_t file = trees[t][n].file;
      if (file == kNone || tree_of[file] != kNone) continue;
      tree_of[file] = t;
      node_of[file] = n;
    }
  }
  std::vector<size_t> order;
  std::vector<bool> is_emitted(trees.size());
  for (size_t i = 0; i < files.size(); ++i) {
    const size_t t = tree_of[i];
    if (t == kNone) {
      order.push_back(i);
    } else if (!is_emitted[t]) {
      is_emitted[t] = true;
      for (size_t n = 0; n < trees[t].size(); ++n) {
        const size_t file = trees[t][n].file;
        if (file != kNone && tree_of[file] == t && node_of[file] == n) order.push_back(file);
      }
    }
  }
  for (size_t i = 0; i < files.size(); ++i) {
    if (tree_of[i] != kNone) files[i].chapters = ChaptersAbove(trees[tree_of[i]], node_of[i], files);
  }
  std::vector<SourceFile> ordered;
  ordered.reserve(files.size());
  for (const size_t i : order) ordered.push_back(std::move(files[i]));
  files = std::move(ordered);
}

}  // namespace sheaf::packer
