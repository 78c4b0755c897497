// All the work on one page that needs no other page: read -> parse -> chunk -> prepare.
//
// Idea: the result is a function of the file's bytes, its path, the options, the survey and the files it includes. So
// any thread may compute it, and it can be cached for as long as all these stay the same (page_cache.h). The page's
// address depends on other files, so it is set later: see pipeline.h.
#ifndef SHEAF_PACKER_PIPELINE_PREPARE_FILE_H_
#define SHEAF_PACKER_PIPELINE_PREPARE_FILE_H_

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "packer/document/document.h"
#include "packer/include/include_files.h"
#include "packer/pipeline/top_pages.h"
#include "packer/rules/search_rules.h"
#include "packer/source/source.h"
#include "packer/source/url.h"
#include "packer/survey/survey.h"
#include "search/bundle_builder.h"

namespace sheaf {
class Analyzer;
class StaticEncoder;
}  // namespace sheaf

namespace sheaf::packer {

struct FileOptions {
  uint64_t max_file_size = uint64_t(100) << 20;
  uint32_t passage_characters = 800;
  std::string version;         // of the bundle, for pages that state none
  bool honor_noindex = false;  // leave out pages that ask for it, and unmarked ones (pipeline.h)
};

struct PreparedFile {
  PreparedPagePtr page;    // without a URL; null: there is nothing to index
  std::string stated_url;  // the URL that the page states, if trusted
  bool states_place = false;
  std::string left_out;  // why there is nothing to index, else empty: "it holds no text"
  uint64_t text_bytes = 0, passages = 0;
  uint64_t frame_blocks = 0;  // that were removed: menus, banners
  uint64_t text_hash = 0;     // of title and text
  bool has_vectors = false;
  std::vector<PageLink> links;  // to other pages, perhaps
  BodyMark body_mark = BodyMark::kNone;
  std::string language;  // the tag that the page names, or empty
  std::vector<std::string> warnings;
  std::map<std::string, uint32_t> undrawn;  // Document::left_out
  std::set<uint32_t> ignored_parts;         // Document::ignored_parts
  std::set<uint32_t> weights;               // numbers of SearchRules::weights that hold
  std::vector<std::string> looked_at;       // paths of its includes, missing ones too
  uint64_t included = 0;                    // a hash of its includes
};
using PreparedFilePtr = std::shared_ptr<PreparedFile>;  // shared by a cache and the round that packs it

// What the owner's rules say of a page.
struct PageRules {
  std::vector<std::pair<std::string, std::string>> pins;  // anchor or empty; the term that pins it (PinTerm)
  const SynonymTerms* synonyms = nullptr;
  const SearchRules* all = nullptr;  // REQUIRES: not null
};

// `encoder` may be null: no vectors are made. Errors are those of ParseFile; a parser that throws gives
// kInternal. Safe on any thread as long as `analyzer` is that thread's own.
Result<PreparedFilePtr> PrepareFile(std::string bytes, const SourceFile& file, const IncludeRoots& roots,
                                    const UrlMapper& urls, const FileOptions& options, const Survey& survey,
                                    const PageRules& rules, const Analyzer& analyzer, const StaticEncoder* encoder);

// The survey of the listed files, which takes some out of the list. What `ignored` names is no part of their pages.
Survey SurveyOf(SourceList* list, const std::function<bool()>& cancelled,
                const std::vector<PartSelector>& ignored = {});

// The path by which ParseFile chooses the parser: a README without a known extension is Markdown, a source of Sphinx
// reStructuredText whatever its extension.
std::string PathForParser(const SourceFile& file);

// ReadFileBytes, with a message of its own for a file that has gone since it was listed (kNotFound).
Result<std::string> ReadListedFile(const SourceFile& file, uint64_t max_bytes);

// Runs `body`, which returns an Error, Status or Result, and turns exceptions from libraries into an Error.
template <typename Body>
auto Guarded(Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kTooLarge, "not enough memory for it; lower --jobs or --max-file-size"};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kInternal, std::string("its parser failed: ") + exception.what()};
  }
}

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_PREPARE_FILE_H_
