#include "packer/source/source.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "packer/base/paths.h"
#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/base/read_file.h"
#include "packer/source/glob.h"
#include "packer/source/site_parts.h"
#include "packer/source/sphinx_project.h"
#include "packer/source/url.h"

namespace sheaf::packer {
namespace {

// ---- paths ----------------------------------------------------------------------------------

std::string Join(const std::string& folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  if (name.empty()) return folder;
  return folder.ends_with('/') ? folder + std::string(name) : folder + "/" + std::string(name);
}

std::string CommonFolder(std::string_view a, std::string_view b) {
  while (!IsInside(b, a)) {
    a = a.substr(0, a.rfind('/'));
    if (a.empty()) a = "/";
  }
  return std::string(a);
}

// ---- inputs ---------------------------------------------------------------------------------

struct Input {
  std::string given;
  std::string folder;        // resolved: the folder of the file, or where the walk begins
  std::string file;          // name within `folder`; empty for folders and globs
  std::optional<Glob> glob;  // against the path below `folder`
};

Result<Input> Understand(const std::string& given) {
  Input input;
  input.given = given;
  if (given.empty()) {
    return Error{ErrorCode::kInvalidArgument, "an input is empty; expected a file, a folder or a glob"};
  }
  struct stat info;
  if (::stat(given.c_str(), &info) == 0) {
    std::string folder = given;
    if (!S_ISDIR(info.st_mode)) {
      const size_t slash = given.rfind('/');
      folder = slash == std::string::npos ? "." : given.substr(0, slash + 1);
      input.file = given.substr(slash + 1);  // npos + 1 is 0
    }
    std::optional<std::string> resolved = ResolvePath(folder);
    if (!resolved) {
      return Error{ErrorCode::kNotFound, PrintablePath(given) + ": cannot be reached: " + ErrnoText(errno)};
    }
    input.folder = *resolved;
    return input;
  }
  const int why = errno;
  if (!HasGlobCharacters(given)) {
    const std::string reason = why == ENOENT ? "no such file or folder" : "cannot be reached: " + ErrnoText(why);
    return Error{ErrorCode::kNotFound, PrintablePath(given) + ": " + reason + "; check the path"};
  }
  const size_t special = given.find_first_of("*?[{\\");
  const size_t slash = given.rfind('/', special);
  const std::string folder = slash == std::string::npos ? "." : given.substr(0, slash + 1);
  std::optional<std::string> resolved = ResolvePath(folder);
  if (!resolved) {
    return Error{ErrorCode::kNotFound, PrintablePath(given) + ": the folder " + PrintablePath(folder) +
                                           " where this glob begins does not exist"};
  }
  input.folder = *resolved;
  SHEAF_ASSIGN_OR_RETURN(input.glob, Glob::Parse(given.substr(slash + 1)));
  return input;
}

// ---- the walk -------------------------------------------------------------------------------

class Walker {
 public:
  Walker(const SourceOptions& options, const PathFilter& filter, const std::function<bool()>& cancelled,
         SourceList* list)
      : options_(options), filter_(filter), cancelled_(cancelled), list_(list) {}

  // Returns how many files the input yielded before the user's filter.
  uint64_t Walk(const Input& input) {
    input_ = &input;
    found_ = 0;
    base_ = Below(input.folder, list_->root);
    if (!input.file.empty()) {
      NamedFile();
      return found_;
    }
    // First real folders, then folders reached only through links, then links found in those.
    visited_.clear();
    std::set<std::string> links;
    Folders("", &links);
    while (!links.empty()) {
      const std::string link = *links.begin();
      links.erase(links.begin());
      Folders(link, &links);
    }
    for (const auto& [folder, files] : parts_) {
      Note(folder.empty() ? "." : folder,
           "left out: " + FormatPlural(files, "MDX file") + " whose name begins with '_': parts that pages include");
    }
    parts_.clear();
    return found_;
  }

  // Folders with what Sphinx built, with their '/'.
  const std::set<std::string>& built() const { return built_; }
  // The commonest kind first; what is no documentation last.
  std::vector<LeftOut> NotRead() {
    std::vector<LeftOut> kinds;
    for (auto& [kind, counted] : not_read_) {
      counted.kind = kind;
      kinds.push_back(std::move(counted));
    }
    const auto key = [](const LeftOut& one) {
      return std::pair(one.kind == "data files" || one.kind == "other files", -int64_t(one.files));
    };
    std::stable_sort(kinds.begin(), kinds.end(), [&](const LeftOut& a, const LeftOut& b) { return key(a) < key(b); });
    return kinds;
  }
  const SiteFolders& sites() const { return sites_; }
  // Whether the walk was called off; the list is then not whole.
  bool stopped() const { return stopped_; }

 private:
  static constexpr uint32_t kEntriesBetweenAsking = 64;
  static constexpr size_t kMostCounted = 2000;

  bool GoesOn() {
    stopped_ = stopped_ || (cancelled_ && cancelled_());
    return !stopped_;
  }
  std::string OnDisk(const std::string& below) const { return Join(input_->folder, below); }
  std::string Relative(const std::string& below) const { return Join(base_, below); }
  void Problem(const std::string& below, std::string reason) {
    list_->problems.push_back({PrintablePath(Relative(below)), std::move(reason)});
  }
  void Note(const std::string& below, std::string reason) {
    list_->notes.push_back({PrintablePath(Relative(below)), std::move(reason)});
  }

  // All folders from `top` down (a path below the input), without recursion.
  void Folders(const std::string& top, std::set<std::string>* links) {
    std::vector<std::string> pending = {top};
    while (!pending.empty() && GoesOn()) {
      const std::string folder = std::move(pending.back());
      pending.pop_back();
      struct stat info;
      if (::stat(OnDisk(folder).c_str(), &info) != 0) {
        Problem(folder.empty() ? "." : folder, "folder cannot be read: " + ErrnoText(errno));
        continue;
      }
      if (!visited_.emplace(uint64_t(info.st_dev), uint64_t(info.st_ino)).second) continue;
      OneFolder(folder, &pending, links);
    }
  }

  void OneFolder(const std::string& folder, std::vector<std::string>* pending, std::set<std::string>* links) {
    std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(OnDisk(folder).c_str()), &::closedir);
    if (!dir) {
      Problem(folder.empty() ? "." : folder, "folder cannot be read: " + ErrnoText(errno));
      return;
    }
    for (uint32_t entries = 0; entries % kEntriesBetweenAsking != 0 || GoesOn(); ++entries) {
      errno = 0;
      const dirent* entry = ::readdir(dir.get());
      if (entry == nullptr) {
        if (errno != 0) Problem(folder, "folder could be read in part only: " + ErrnoText(errno));
        return;
      }
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      Entry(Join(folder, name), std::string(name), entry->d_type, pending, links);
    }
  }

  void Entry(const std::string& below, const std::string& name, unsigned char type, std::vector<std::string>* pending,
             std::set<std::string>* links) {
    sites_.Note(Relative(below));
    if (name == ".buildinfo") built_.insert(Relative(below.substr(0, below.size() - name.size())));
    if (options_.ignore_rules && IsHidden(name)) {
      if (type == DT_DIR && !HasGitPart(name)) PassOver(below);
      return;
    }
    const FileKind kind = KindOf(name);
    const UnreadFormat format = kind == FileKind::kOther ? UnreadFormatOf(name) : UnreadFormat::kNone;
    const bool is_other = kind == FileKind::kOther && format == UnreadFormat::kNone;
    // Most entries need no stat: ordinary files of no interest and ordinary folders.
    if (type == DT_REG && is_other) return CountUnread(below, name);
    struct stat info;
    bool is_link = type == DT_LNK;
    if (type == DT_UNKNOWN) {
      if (::lstat(OnDisk(below).c_str(), &info) != 0) return Problem(below, "cannot be read: " + ErrnoText(errno));
      is_link = S_ISLNK(info.st_mode);
      if (S_ISDIR(info.st_mode)) type = DT_DIR;
    }
    if (type == DT_DIR) return SubFolder(below, name, false, pending, links);

    if (::stat(OnDisk(below).c_str(), &info) != 0) {
      if (is_other) return;
      const int why = errno;
      struct stat link;
      const bool dangling = why == ENOENT && ::lstat(OnDisk(below).c_str(), &link) == 0;
      return Problem(below, dangling ? "a link to something that does not exist" : "cannot be read: " + ErrnoText(why));
    }
    if (S_ISDIR(info.st_mode) && Passes(below, name, is_link)) return;
    if (is_link && !StaysInside(below)) {
      if (!is_other || S_ISDIR(info.st_mode)) {
        Note(below, "left out: a link that leads outside " + PrintablePath(input_->folder));
      }
      return;
    }
    if (is_link && LeadsIntoGit(below)) {
      if (!is_other || S_ISDIR(info.st_mode)) Note(below, kInGit);
      return;
    }
    if (S_ISDIR(info.st_mode)) return SubFolder(below, name, true, pending, links);
    if (is_other) return S_ISREG(info.st_mode) ? CountUnread(below, name) : void();
    if (!S_ISREG(info.st_mode)) return Note(below, std::string("left out: ") + KindOfSpecial(info.st_mode));
    if (input_->glob && !input_->glob->Matches(below)) return;
    if (options_.ignore_rules && kind == FileKind::kMdx && name.starts_with('_') && !IsFolderIndex(name)) {
      ++parts_[below.substr(0, below.rfind('/') + 1)];
      return;
    }
    if (format != UnreadFormat::kNone) return Unread(below, info, format);
    Take(below, info, kind);
  }

  void CountUnread(const std::string& below, const std::string& name) {
    if (input_->glob || name == kRulesName) return;  // it names what is wanted, or is read elsewhere
    const std::string relative = Relative(below);
    if (!filter_.Takes(relative)) return;
    LeftOut& counted = not_read_[UnreadKind(name)];
    std::string path = PrintablePath(relative);
    if (counted.files++ == 0 || path < counted.example) counted.example = std::move(path);
  }

  bool StaysInside(const std::string& below) const {
    const std::optional<std::string> target = ResolvePath(OnDisk(below));
    return target && IsInside(*target, input_->folder);
  }

  // A .git folder belongs to Git: its configuration may hold passwords, and a repository's author may have
  // planted a link to it.
  static constexpr char kInGit[] = "left out: files in a .git folder are never read";
  bool LeadsIntoGit(const std::string& below) const {
    const std::optional<std::string> target = ResolvePath(OnDisk(below));
    return target && HasGitPart(Below(*target, CommonFolder(*target, input_->folder)));
  }

  void SubFolder(const std::string& below, const std::string& name, bool is_link, std::vector<std::string>* pending,
                 std::set<std::string>* links) {
    if (HasGitPart(name)) return Note(below, kInGit);
    if (!is_link && Passes(below, name, false)) return;
    if (input_->glob && !input_->glob->MayMatchBelow(below)) return;
    if (filter_.Prunes(Relative(below))) return;
    if (is_link)
      links->insert(below);
    else
      pending->push_back(below);
  }

  // Whether the rules of ignore.h pass the folder over, which is then counted.
  bool Passes(const std::string& below, const std::string& name, bool is_link) {
    if (!options_.ignore_rules) return false;
    if (IsIgnoredFolder(name, options_.folder_rules)) {
      ++list_->ignored_folders;
      if (!is_link) PassOver(below);
      return true;
    }
    if (is_link || ::access(OnDisk(Join(below, "pyvenv.cfg")).c_str(), F_OK) != 0) return false;
    ++list_->ignored_folders;
    PassOver(below);
    return true;
  }

  // Counts the documentation in a folder that is passed over, without following links, up to kMostCounted entries.
  void PassOver(const std::string& top) {
    PassedOver passed{PrintablePath(Relative(top)), 0};
    size_t entries = 0;
    std::vector<std::string> pending = {top};
    while (!pending.empty() && passed.files && GoesOn()) {
      const std::string folder = std::move(pending.back());
      pending.pop_back();
      std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(OnDisk(folder).c_str()), &::closedir);
      if (!dir) continue;
      for (const dirent* entry; passed.files && (entry = ::readdir(dir.get())) != nullptr;) {
        const std::string name = entry->d_name;
        if (name == "." || name == ".." || HasGitPart(name)) continue;
        if (++entries > kMostCounted) passed.files.reset();
        unsigned char type = entry->d_type;
        struct stat info;
        if (type == DT_UNKNOWN && ::lstat(OnDisk(Join(folder, name)).c_str(), &info) == 0)
          type = S_ISDIR(info.st_mode) ? DT_DIR : S_ISREG(info.st_mode) ? DT_REG : DT_UNKNOWN;
        if (type == DT_DIR) pending.push_back(Join(folder, name));
        if (type == DT_REG && passed.files && KindOf(name) != FileKind::kOther) ++*passed.files;
      }
    }
    if (!passed.files || *passed.files > 0) list_->passed_over.push_back(std::move(passed));
  }

  void NamedFile() {
    struct stat info;
    const std::string& name = input_->file;
    if (LeadsIntoGit(name)) return Note(name, kInGit);
    if (::stat(OnDisk(name).c_str(), &info) != 0) return Problem(name, "cannot be read: " + ErrnoText(errno));
    if (!S_ISREG(info.st_mode)) return Note(name, std::string("left out: ") + KindOfSpecial(info.st_mode));
    const FileKind kind = KindOf(name);
    const UnreadFormat format = kind == FileKind::kOther ? UnreadFormatOf(name) : UnreadFormat::kNone;
    if (format != UnreadFormat::kNone && BeginsAs(format, OnDisk(name))) return Unread(name, info, format);
    if (kind == FileKind::kOther) {
      return Note(name, std::string("left out: not a kind of file known here (") + kKnownExtensions + ")");
    }
    Take(name, info, kind);
  }

  void Unread(const std::string& below, const struct stat& info, UnreadFormat format) {
    std::string relative = Relative(below);
    if (!filter_.Takes(relative)) return;
    if (!BeginsAs(format, OnDisk(below))) return CountUnread(below, std::string(NameOf(below)));
    ++found_;
    const bool is_named = !input_->file.empty() || input_->glob;
    list_->unread.push_back({OnDisk(below), std::move(relative), uint64_t(info.st_size), format, is_named});
  }

  void Take(const std::string& below, const struct stat& info, FileKind kind) {
    ++found_;
    std::string relative = Relative(below);
    if (!filter_.Takes(relative)) {
      ++list_->filtered_files;
      return;
    }
    SourceFile file;
    file.path = OnDisk(below);
    file.source = PrintablePath(relative);
    file.relative = std::move(relative);
    file.size = uint64_t(info.st_size);
#ifdef __APPLE__
    file.modified_ns = int64_t(info.st_mtimespec.tv_sec) * 1'000'000'000 + info.st_mtimespec.tv_nsec;
#else
    file.modified_ns = int64_t(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
#endif
    file.kind = kind;
    file.is_input = !input_->file.empty();
    list_->files.push_back(std::move(file));
  }

  const SourceOptions& options_;
  const PathFilter& filter_;
  const std::function<bool()>& cancelled_;
  SourceList* list_;
  bool stopped_ = false;
  const Input* input_ = nullptr;
  std::string base_;  // path of the input's folder below the root
  uint64_t found_ = 0;
  std::set<std::string> built_;
  std::map<std::string, LeftOut> not_read_;  // by kind
  SiteFolders sites_;
  std::map<std::string, uint64_t> parts_;            // of MDX, the same
  std::set<std::pair<uint64_t, uint64_t>> visited_;  // device and inode of folders
};

Result<std::string> ChooseRoot(const std::vector<Input>& inputs, const std::string& wanted) {
  if (wanted.empty()) {
    std::string root = inputs.front().folder;
    for (const Input& input : inputs) root = CommonFolder(root, input.folder);
    return root;
  }
  const std::optional<std::string> root = ResolvePath(wanted);
  struct stat info;
  if (!root || ::stat(root->c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return Error{ErrorCode::kNotFound, "root " + PrintablePath(wanted) + ": no such folder"};
  }
  for (const Input& input : inputs) {
    if (IsInside(input.folder, *root)) continue;
    return Error{ErrorCode::kInvalidArgument, PrintablePath(input.given) + " lies outside the root " +
                                                  PrintablePath(wanted) + "; choose a root above both"};
  }
  return *root;
}

Result<std::string> IncludesFrom(const std::string& root, const std::string& wanted) {
  if (wanted.empty()) return root;
  const std::optional<std::string> folder = ResolvePath(wanted);
  if (!folder) return Error{ErrorCode::kNotFound, "includes-from " + PrintablePath(wanted) + ": no such folder"};
  if (IsInside(root, *folder)) return *folder;
  return Error{ErrorCode::kInvalidArgument, "the root " + PrintablePath(root) + " lies outside includes-from " +
                                                PrintablePath(wanted) + "; choose a folder above it"};
}

// A folder of HTML often holds the same text as one PDF, or PDFs of another kind: logos, contracts. So PDFs count where
// the user names them, or where there is not more of other documentation.
void DropPdfsBesidePages(SourceList* list) {
  const auto is_pdf = [](const UnreadFile& file) { return file.format == UnreadFormat::kPdf; };
  const auto pdfs = size_t(std::count_if(list->unread.begin(), list->unread.end(), is_pdf));
  if (list->files.size() + list->unread.size() - pdfs <= pdfs) return;
  std::string first;
  uint64_t dropped = 0;
  std::erase_if(list->unread, [&](const UnreadFile& file) {
    if (!is_pdf(file) || file.named) return false;
    if (dropped++ == 0) first = PrintablePath(file.relative);
    return true;
  });
  if (dropped == 0) return;
  const std::string more = dropped > 1 ? ", like " + FormatPlural(dropped - 1, "other") : "";
  list->notes.push_back({first,
                         "left out: a PDF beside other documentation, which often repeats it; name it as an input to "
                         "pack it" +
                             more});
}

// Servers send a compressed file in the place of the page beside it. And Debian compresses what Sphinx copied.
void DropCompressedTwins(bool keeps_copies, SourceList* list) {
  std::unordered_set<std::string_view> there;
  for (const SourceFile& file : list->files) there.insert(file.relative);
  std::string first;
  const size_t dropped = std::erase_if(list->unread, [&](const UnreadFile& file) {
    const std::string_view page = CompressedPage(file.relative);
    if (page.empty()) return false;
    const SphinxCopy copy = SphinxCopyOf(page);
    const bool is_copy = !keeps_copies && (there.contains(copy.page) || there.contains(copy.folder_page));
    if (!is_copy && !there.contains(page)) return false;
    if (first.empty() || file.relative < first) first = file.relative;
    return true;
  });
  if (dropped == 0) return;
  const std::string more = dropped > 1 ? ", like " + FormatPlural(dropped - 1, "other file") : "";
  list->notes.push_back({PrintablePath(first), "left out: a compressed copy of a page, which is packed" + more});
}

// Takes the pages that converters made. Notes count the files without one, by folder and format.
void TakeConverted(const std::string& folder, SourceList* list) {
  auto& unread = list->unread;
  const auto path = [](const UnreadFile& file) -> const std::string& { return file.relative; };
  std::sort(unread.begin(), unread.end(),
            [&](const auto& a, const auto& b) { return path(a) != path(b) ? path(a) < path(b) : a.named > b.named; });
  unread.erase(
      std::unique(unread.begin(), unread.end(), [&](const auto& a, const auto& b) { return path(a) == path(b); }),
      unread.end());
  DropPdfsBesidePages(list);
  std::map<std::pair<std::string, UnreadFormat>, uint64_t> left;
  std::map<std::string, std::pair<std::string, uint64_t>> on_purpose;  // by reason: the first file, and how many
  for (const UnreadFile& file : unread) {
    const bool has_converter = !FormatWord(file.format).empty();
    if (!folder.empty() && has_converter) {
      const FileKind kind = ConvertedKind(file.format, NameOf(file.relative));
      const std::string beside = Join(folder, file.relative), made = beside + ExtensionOf(kind);
      struct stat info;
      if (::stat(made.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
        SourceFile page;
        page.path = made;
        page.source = PrintablePath(file.relative);
        page.relative = file.relative;
        page.size = uint64_t(info.st_size);
        page.kind = kind;
        page.conversion = beside + ".json";
        list->files.push_back(std::move(page));
        continue;
      }
      const Conversion said = ReadConversion(beside + ".json");
      if (!said.problem.empty()) {
        list->problems.push_back({PrintablePath(file.relative), said.problem});
        continue;
      }
      if (!said.left_out.empty()) {
        std::pair<std::string, uint64_t>& seen = on_purpose[said.left_out];
        if (seen.second++ == 0) seen.first = PrintablePath(file.relative);
        continue;
      }
    }
    ++left[{std::string(FolderOf(file.relative)), file.format}];
  }
  for (const auto& [reason, seen] : on_purpose) {
    const std::string more = seen.second > 1 ? ", like " + FormatPlural(seen.second - 1, "other file") : "";
    list->notes.push_back({seen.first, "left out: " + reason + more});
  }
  for (const auto& [key, files] : left) {
    list->notes.push_back(
        {key.first.empty() ? "." : PrintablePath(key.first),
         "left out: " + FormatPlural(files, "file") + " of " + FormatName(key.second) + ", " + Advice(key.second)});
  }
  std::erase_if(unread, [](const UnreadFile& file) { return FormatWord(file.format).empty(); });
}

// Sorts, removes duplicate paths, and renames files that escaping gave the same name.
void Settle(SourceList* list) {
  auto& files = list->files;
  // An index stands for its folder, whose path with '/' precedes its files.
  const auto sort_key = [](const SourceFile& file) {
    const std::string_view path = file.relative;
    return IsFolderIndex(path) ? path.substr(0, path.rfind('/') + 1) : path;  // npos + 1 is 0
  };
  std::sort(files.begin(), files.end(), [&](const SourceFile& a, const SourceFile& b) {
    const int order = sort_key(a).compare(sort_key(b));
    return order != 0 ? order < 0 : a.relative < b.relative;
  });
  files.erase(std::unique(files.begin(), files.end(),
                          [](const SourceFile& a, const SourceFile& b) { return a.relative == b.relative; }),
              files.end());
  std::unordered_set<std::string> escaped;  // copies, because removing files moves the others
  for (const SourceFile& file : files) {
    if (file.source == file.relative) continue;
    escaped.insert(file.source);
    list->notes.push_back({file.source, "its name is not printable UTF-8 and was percent-escaped"});
  }
  if (!escaped.empty()) {
    std::erase_if(files, [&](const SourceFile& file) {
      if (file.source != file.relative || !escaped.contains(file.source)) return false;
      list->problems.push_back({file.source, "another file's escaped name is the same; rename one of them"});
      return true;
    });
  }
  for (const SourceFile& file : files) list->bytes += file.size;
  // Folders are listed in the file system's order. Remarks must neither depend on it nor repeat.
  const auto order = [](std::vector<Remark>* remarks) {
    const auto key = [](const Remark& r) { return std::tie(r.path, r.reason); };
    std::sort(remarks->begin(), remarks->end(), [&](const Remark& a, const Remark& b) { return key(a) < key(b); });
    remarks->erase(std::unique(remarks->begin(), remarks->end(),
                               [&](const Remark& a, const Remark& b) { return key(a) == key(b); }),
                   remarks->end());
  };
  order(&list->problems);
  order(&list->notes);
  const auto by_folder = [](const PassedOver& a, const PassedOver& b) { return a.folder < b.folder; };
  std::sort(list->passed_over.begin(), list->passed_over.end(), by_folder);
}

// Otherwise a search would find both a page and Sphinx's copy of its source, with the same words.
void DropSphinxCopies(SourceList* list) {
  std::unordered_set<std::string_view> there;
  for (const SourceFile& file : list->files) there.insert(file.relative);
  std::map<std::string, size_t> dropped;
  std::vector<bool> copy(list->files.size());
  for (size_t i = 0; i < copy.size(); ++i) {
    const SphinxCopy found = SphinxCopyOf(list->files[i].relative);
    copy[i] = there.contains(found.page) || there.contains(found.folder_page);
    if (copy[i]) ++dropped[found.folder + "_sources"];
  }
  size_t i = 0;
  std::erase_if(list->files, [&](const SourceFile&) { return copy[i++]; });
  for (const auto& [folder, files] : dropped) {
    list->notes.push_back({PrintablePath(folder),
                           "left out: " + std::to_string(files) + (files == 1 ? " copy" : " copies") +
                               " of sources from which Sphinx built pages, which are packed; --no-ignore keeps both"});
  }
}

// Otherwise a search would find both a page and its source, with the same words. A page that Sphinx built is left out
// where its source is packed: below a folder above, or below `source` there.
void DropSphinxBuilds(const std::set<std::string>& built, SourceList* list) {
  std::unordered_set<std::string> sources;
  for (const SourceFile& file : list->files) {
    if (file.kind != FileKind::kHtml) sources.emplace(WithoutExtension(file.relative));
  }
  const auto has_source = [&](const std::string& folder, std::string_view page) {
    for (std::string above = folder; !above.empty();) {
      above.pop_back();
      above.resize(above.rfind('/') + 1);  // npos + 1 is 0
      for (const char* below : {"", "source/"}) {
        if (sources.contains(above + below + std::string(page))) return true;
      }
    }
    return false;
  };
  for (const std::string& folder : built) {
    const size_t dropped = std::erase_if(list->files, [&](const SourceFile& file) {
      if (file.kind != FileKind::kHtml || !file.relative.starts_with(folder)) return false;
      const std::string_view below = std::string_view(file.relative).substr(folder.size());
      return has_source(folder, WithoutExtension(below));
    });
    if (dropped == 0) continue;
    list->notes.push_back({PrintablePath(folder), "left out: " + FormatPlural(dropped, "page") +
                                                      " that Sphinx built from sources, which are packed; --no-ignore "
                                                      "keeps both"});
  }
}

}  // namespace

Status CheckInputs(const std::vector<std::string>& given) {
  for (const std::string& one : given) {
    if (Result<Input> input = Understand(one); !input.ok()) return input.error();
  }
  return {};
}

Result<SourceList> FindSources(const std::vector<std::string>& given, const SourceOptions& options,
                               const std::function<bool()>& cancelled) {
  if (given.empty()) {
    return Error{ErrorCode::kInvalidArgument, "nothing to pack: name a file, a folder or a glob"};
  }
  SHEAF_ASSIGN_OR_RETURN(const PathFilter filter, PathFilter::Create(options.include, options.exclude));
  std::vector<Input> inputs;
  for (const std::string& one : given) {
    SHEAF_ASSIGN_OR_RETURN(Input input, Understand(one));
    inputs.push_back(std::move(input));
  }
  SourceList list;
  SHEAF_ASSIGN_OR_RETURN(list.root, ChooseRoot(inputs, options.root));
  SHEAF_ASSIGN_OR_RETURN(list.includes_from, IncludesFrom(list.root, options.includes_from));
  Walker walker(options, filter, cancelled, &list);
  for (const Input& input : inputs) {
    const uint64_t found = walker.Walk(input);
    if (walker.stopped()) return Aborted();
    if (input.glob && found == 0 && list.problems.empty()) {
      return Error{ErrorCode::kNotFound, PrintablePath(input.given) + ": this glob matches no documentation (" +
                                             kKnownExtensions +
                                             "); '**' spans folders, hidden files and folders such as node_modules "
                                             "are passed over"};
    }
  }
  list.not_read = walker.NotRead();
  if (options.ignore_rules) {
    DropSphinxCopies(&list);
    DropSphinxBuilds(walker.built(), &list);
    DropSiteParts(walker.sites(), &list);
  }
  std::set<std::string> named;
  for (const Input& input : inputs) {
    if (!input.file.empty()) named.insert(Join(Below(input.folder, list.root), input.file));
  }
  FollowSphinxProjects(named, options.ignore_rules, &list);
  DropCompressedTwins(!options.ignore_rules, &list);
  TakeConverted(options.converted, &list);
  Settle(&list);
  return list;
}

}  // namespace sheaf::packer
