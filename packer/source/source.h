// Lists the files to pack: files, folders and globs become one sorted list.
//
// Root      One input: the folder itself, the folder of the file, or the longest part of the glob
//           without special characters. Several: the deepest folder that holds them all. Or the
//           caller's. A page's `source` is its path below the root.
// Links     A link to a file or folder is followed if its target, fully resolved, is inside the input.
//           Each folder is walked once: its real path first, then links in path order. So loops end,
//           and no folder is packed twice. A link that leads outside is left out with a note; a
//           dangling one is a problem. An input may itself be a link.
// Git       Files below a `.git` folder within an input are never read, not even through a link or
//           without ignore rules: a repository's configuration may hold passwords.
// Left out  Each folder that the rules of ignore.h pass over, with the number of its files of documentation if they are
//           quickly counted. A folder with `pyvenv.cfg` is a virtual environment. Pages that Sphinx built (`.buildinfo`
//           beside them) are left out where their sources are packed.
// Parts     MDX files whose name begins with '_' are parts that pages include (Docusaurus' convention), no pages.
// Unread    Files in formats that converters read (unread.h) are packed as the pages that these made; without a page they
//           are listed, and a note for each folder counts them.
// Others    Devices, pipes and sockets are left out with a note and never opened for reading.
//
// Invariants
//  1. Files are unique and sorted by the bytes of `relative`, whatever order the disk lists them in; but a folder's
//     index comes before everything else in the folder, as a reader would meet it.
//  2. `source` is valid UTF-8 without control characters. In a name that is not, '%' and
//     the offending bytes are written %XX, and a note says so.
//
// Cost: one readdir per folder, one stat per documentation file; memory about 300 bytes a file.
#ifndef SHEAF_PACKER_SOURCE_SOURCE_H_
#define SHEAF_PACKER_SOURCE_SOURCE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "packer/source/ignore.h"
#include "packer/source/unread.h"

namespace sheaf::packer {

// An entry above a page in a table of contents.
struct Chapter {
  std::string name;  // empty: as the page is titled
  std::string page;  // its `source`, or empty
};

// A file of this name is no page: it has the owner's rules (packer/rules).
inline constexpr std::string_view kRulesName = "sheaf.search.yaml";

struct SourceFile {
  std::string path;      // as it is opened
  std::string relative;  // below the root, raw bytes, '/' between segments
  std::string source;    // `relative` as the bundle keeps it
  uint64_t size = 0;     // when it was listed
  int64_t modified_ns = 0;
  FileKind kind = FileKind::kOther;
  bool is_input = false;  // named by the user
  bool is_list = false;   // lists what other pages explain, so it ranks behind them (survey/generated_pages.h)
  // Of a page that a converter made of a file of another format (unread.h): what was said of it. Such a page's `path` is
  // the converter's file, its `relative` and `source` are those of the file that it stands for.
  std::string conversion;
  // From the outermost to its parent, where a table of contents lists the page (contents/contents.h).
  std::optional<std::vector<Chapter>> chapters;
};

// Something that will not be in the bundle.
struct Remark {
  std::string path;     // printable
  std::string reason;   // "cannot be read: Permission denied"
  bool packed = false;  // the page is in the bundle anyway, without the part that the reason names
};

// Files that are left out for one reason.
struct LeftOut {
  std::string kind;  // "Doxygen's sources", "images"
  uint64_t files = 0;
  std::string example;  // the first, printable
};

// A file of a format that the packer does not read, which a converter does.
struct UnreadFile {
  std::string path;      // absolute
  std::string relative;  // as SourceFile's
  uint64_t size = 0;
  UnreadFormat format = UnreadFormat::kNone;
  bool named = false;  // by the user, or by a glob
};

// A folder whose files are not packed, by the rules of ignore.h.
struct PassedOver {
  std::string folder;             // printable, below the root
  std::optional<uint64_t> files;  // of documentation in it; none: too many to count
};

struct SourceList {
  std::string root;           // resolved, absolute
  std::string includes_from;  // the same: what pages include lies in it
  std::vector<SourceFile> files;
  std::vector<UnreadFile> unread;  // of those for which there is a converter; sorted, each once
  std::vector<Remark> problems;    // meant to be packed, but failed: they change the exit code
  std::vector<Remark> notes;       // left out on purpose, worth saying
  std::vector<LeftOut> left_out;   // that are no documentation or are packed in another form (survey/)
  std::vector<LeftOut> not_read;   // files of other kinds that are not known here, the commonest first
  uint64_t bytes = 0;
  uint64_t ignored_folders = 0;         // by the rules of ignore.h
  std::vector<PassedOver> passed_over;  // those of them that hold documentation, or may
  uint64_t filtered_files = 0;          // documentation, but not wanted by --include or --exclude
};

struct SourceOptions {
  std::vector<std::string> include, exclude;  // see PathFilter
  bool ignore_rules = true;                   // false: hidden files, ignored folders and generated pages are taken too
  FolderRules folder_rules = FolderRules::kOwn;
  std::string root;           // empty: as above
  std::string converted;      // folder with what converters made (unread.h); empty: none
  std::string includes_from;  // folder within which pages may include files, the root in it; empty: the root
};

// `cancelled` (may be empty) is asked at every folder and every few entries. Errors: kInvalidArgument (no input, a
// broken pattern, an input outside the given root, a root outside `includes_from`), kNotFound (an input that does not
// exist or a glob that matches nothing), kAborted.
Result<SourceList> FindSources(const std::vector<std::string>& inputs, const SourceOptions& options,
                               const std::function<bool()>& cancelled = {});

// Whether each input is there, without reading any. Errors: kNotFound, kInvalidArgument.
Status CheckInputs(const std::vector<std::string>& inputs);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SOURCE_SOURCE_H_
