// Pages in, bundle bytes out. Native only: write code never ships to browsers.
//
// Idea: the costly work per page (analysis, embedding) is a pure function, `PreparePage`, that
// any thread may run; `BundleBuilder::Add` then takes prepared pages in their final order on one
// thread. So the bytes depend on the pages and the options alone, never on the number of threads.
//
// Memory: the builder keeps compressed text, compact postings and vector codes. With a Spill, postings beyond the limit
// go to it as sorted runs and are merged in Finish. Finish takes the most, about 0.8 kB a passage with vectors of 256
// dimensions and a graph, besides text and words; `bytes_to_finish` says how much.
#ifndef SHEAF_SEARCH_BUNDLE_BUILDER_H_
#define SHEAF_SEARCH_BUNDLE_BUILDER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "bundle/compression_level.h"
#include "search/document_encoder.h"
#include "search/owner_rules.h"
#include "search/page_facets.h"
#include "search/query.h"
#include "text/language.h"

namespace sheaf {

class Analyzer;       // text/analyzer.h
class FacetsBuilder;  // search/facets_builder.h
class StaticEncoder;  // encode/static_encoder.h

enum class GraphMode : uint8_t { kAuto, kAlways, kNever };  // auto: from 50,000 passages on

struct BuildOptions {
  std::string library;
  std::string version;
  std::string title;                       // for people; the library's name when empty
  std::string base_url;                    // as given to the packer, for the manifest
  Language language = Language::kEnglish;  // of the analysis
  std::string language_tag;                // of the pages, for the manifest; empty: that of the analysis
  uint32_t vector_bits = 4;                // 4, 8, or 0 for a bundle without vectors
  GraphMode graph = GraphMode::kAuto;
  uint32_t graph_m = 16;
  uint32_t graph_ef_construction = 200;
  // zstd, 1..22, of texts and words. Blocks take 19 unless this is lower than usual.
  int compression_level = kUsualLevel;
  uint32_t passage_characters = 800;  // written to the manifest
  // Set: every page comes with vectors attached (SetVectors) and there is no StaticEncoder.
  std::optional<DocumentEncoder> document_encoder;
  // Further manifest entries, in order: key, value (written as JSON strings).
  std::vector<std::pair<std::string, std::string>> extra;
};

// A page that a search box may offer before anything is typed.
struct TopPage {
  std::string title, url;
};

struct TextRange {
  uint32_t begin = 0, size = 0;  // bytes
};

// A thing that a passage defines by its name (symbols.h).
struct SymbolInput {
  std::string name;    // whole, as it is written; at most kMaxSymbolName bytes, else it is left out
  std::string anchor;  // of its entry, where that is not the passage's
  SymbolKind kind = SymbolKind::kModule;
  bool deprecated = false;
  TextRange signature;  // of the passage's text
};

struct PassageInput {
  uint32_t end = 0;  // byte offset in PageInput::text; passages tile it from 0
  std::vector<std::string> headings;
  std::string anchor;
  uint32_t first_line = 0, last_line = 0;
  std::string prose, code;  // the indexed text
  float weight = 1;         // a word counts as so many; 0: words do not find it. REQUIRES: 0..10
  // The terms it explains besides its heading, each as it begins: "-m MESSAGE, --message=MESSAGE". Parts of its words.
  std::vector<std::string> terms;
  // A further factor of words of prose or code: less where the passage is a log or a list. REQUIRES: 0..1
  float body_weight = 1;
  uint32_t inner_headings = 0;  // at the end of the path: headings of parts of a log or list, which are no names
  std::vector<SymbolInput> symbols;
  std::vector<std::string> pins;  // terms that pin it to queries (PinTerm)
};

struct PageInput {
  std::string title, url, source, description, last_modified;
  std::vector<std::string> place;  // in the documentation, outermost first, without its title; at most kMaxPlaceLevels
  std::string text;
  std::vector<TextRange> targets;      // of text, ascending: marks and addresses of links, which no encoder is to see
  std::vector<PassageInput> passages;  // at least one
  PageFacets facets;
};

// A page with its terms counted and its vectors made; opaque to callers.
struct PreparedPage;
struct PreparedPageDeleter {
  void operator()(PreparedPage*) const;
};
using PreparedPagePtr = std::unique_ptr<PreparedPage, PreparedPageDeleter>;

// Pure; safe on any thread as long as `analyzer` is that thread's own. `encoder` and `synonyms` may be null: no
// vectors are made, there are no synonyms. Errors: kInvalidArgument (passages do not tile the text).
Result<PreparedPagePtr> PreparePage(PageInput page, const Analyzer& analyzer, const StaticEncoder* encoder,
                                    const SynonymTerms* synonyms = nullptr);

// The page as it was given to PreparePage.
const PageInput& InputOf(const PreparedPage& page);
// PreparePage does not look at the URL: it may be set at any time before Add.
void SetUrl(PreparedPage* page, std::string url);
void SetPlace(PreparedPage* page, std::vector<std::string> place);  // likewise
// Bytes that a page takes while it is kept, about.
uint64_t MemoryOf(const PreparedPage& page);
// Attaches vectors made elsewhere: `rows` holds one a passage, one after the other, each of unit
// length or zero. Error: kInvalidArgument, they are not as many.
Status SetVectors(PreparedPage* page, std::span<const float> rows, uint32_t dimensions);

// Somewhere to put sorted runs: appended to, later read back at random.
struct Spill {
  std::function<Status(ByteSpan bytes)> append;
  std::function<Status(uint64_t offset, size_t size, uint8_t* out)> read;
  uint64_t memory_limit = 0;  // bytes of postings to hold before spilling
};

// Bytes that the builder may take, besides the postings of the Spill.
struct BuilderMemory {
  uint64_t adding = UINT64_MAX;     // while pages come
  uint64_t finishing = UINT64_MAX;  // in Finish
};

class BundleBuilder {
 public:
  // `encoder` (may be null) must outlive the builder; its space and hash are stored.
  // REQUIRES: it is null when the options name a document encoder.
  BundleBuilder(BuildOptions options, const StaticEncoder* encoder);
  ~BundleBuilder();

  void SetSpill(Spill spill);
  void SetMemory(BuilderMemory memory);
  // Pages get numbers in the order of Add. Errors: kInvalidArgument (a passage has no vector, or one of other
  // dimensions than the encoder's), kTooLarge (the pages so far need more memory than is allowed), and those of the
  // Spill.
  Status Add(const PreparedPage& page);
  Status Add(PreparedPagePtr page) { return Add(*page); }
  // For the manifest, in this order; the caller keeps them few and short.
  void SetTopPages(std::vector<TopPage> pages);
  // How many pages link to each page, by number: of namesakes, those that more link to come first.
  void SetLinks(std::vector<uint32_t> links);
  uint32_t pages() const;
  uint32_t passages() const;
  // The bytes that the pages so far take, and will take at most in Finish, about.
  uint64_t bytes_held() const;
  uint64_t bytes_to_finish() const;
  const FacetsBuilder& facets() const;

  // The whole bundle. `progress` (may be empty) gets a stage name and a share of it, 0..1, and returns whether to
  // go on. Errors: kInvalidArgument when no page was added or an option is out of range, kAborted when `progress`
  // said so, and those of the Spill.
  Result<std::vector<uint8_t>> Finish(const std::function<bool(const char* stage, double share)>& progress);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_BUNDLE_BUILDER_H_
