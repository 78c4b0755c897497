// Input and output of a search: plain structs without behaviour.
//
// Text is UTF-8. Scores lie in 0..1, higher is better, and never increase down a list that is not sorted by a key.
// Highlight offsets count UTF-16 code units, as JavaScript strings do.
#ifndef SHEAF_SEARCH_QUERY_H_
#define SHEAF_SEARCH_QUERY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sheaf {

enum class Mode : uint8_t { kKeyword = 0, kSemantic = 1, kHybrid = 2 };

// Caps that hold for every caller. A query beyond kMaxQueryBytes is refused (kTooLarge); words
// beyond kMaxQueryWords are ignored and counted in Answer::ignored_words.
inline constexpr size_t kMaxQueryBytes = 1 << 20;
inline constexpr size_t kMaxQueryWords = 64;
inline constexpr uint32_t kMaxTopK = 1000;  // a larger top_k is taken as this

// What a symbol is: a thing that the documentation defines by its name (search/symbols.h). The numbers stand in bundles.
enum class SymbolKind : uint8_t {
  kModule = 0,
  kClass = 1,
  kFunction = 2,
  kMethod = 3,
  kProperty = 4,  // a field, constant or variant too
  kSetting = 5,
  kCommand = 6,
  kOption = 7,
  kVariable = 8,  // of the environment
  kError = 9,
  kOperator = 10,
  kType = 11,
  kMacro = 12,
  kEndpoint = 13,
};
inline constexpr uint8_t kSymbolKinds = 14;

// As programs show it, and as `kind:` of a query asks for it.
constexpr const char* SymbolKindName(SymbolKind kind) {
  constexpr const char* kNames[kSymbolKinds] = {"module",   "class",   "function", "method",   "property",
                                                "setting",  "command", "option",   "variable", "error",
                                                "operator", "type",    "macro",    "endpoint"};
  return kNames[size_t(kind)];
}

struct Query {
  std::string text;            // invalid UTF-8 and NUL bytes are allowed and match no word
  Mode mode = Mode::kHybrid;   // hybrid falls back to keyword where no encoder or vectors exist
  uint32_t top_k = 10;         // hits to return; 0 gives counts alone
  bool prefix = true;          // the last word may be unfinished
  bool typo = true;            // words that the index lacks may match with one or two edits
  bool rrf = false;            // reciprocal rank fusion (k = 60) instead of the convex combination
  bool explain = false;        // fill Hit::explanation
  bool by_passage = false;     // top_k passages, several of one page where they are good, not pages
  float semantic_weight = -1;  // 0..1 share of the semantic signal; negative: the engine chooses
  std::vector<float> vector;   // query vector in the bundle's space; empty: use the encoder table
  // Which pages, and in which order: lines that each end in a newline; empty: all, by score.
  //   first line  the key whose values order the hits, pages without one last; empty: by score. Then only pages that hold
  //               a word of the query are listed, in every mode: an order cannot express "a little near"
  //   others      a key, its values, each of them ended by a tab. Pages must have, of every key named, one of its values
  //               named; a key or value that no page has lets no page pass. A key stands in one line
  std::string selection;
  bool descending = false;         // sorted by a key: largest values first
  bool facets = false;             // fill Answer::facets
  std::optional<SymbolKind> kind;  // set: only symbols of this kind that the text names
};

// How a term of the index came to stand for a word of the query.
enum class MatchKind : uint8_t {
  kExact = 0,    // the word itself
  kStem = 1,     // another form of the word
  kPart = 2,     // part of an identifier in the query
  kJoined = 3,   // two neighbouring words written as one ("use effect" -> useeffect)
  kPrefix = 4,   // the word is the beginning of the term
  kTypo = 5,     // the term is one or two edits away
  kWording = 6,  // another wording of it (encode/wordings.h)
  kSynonym = 7,  // a synonym of it, by the owner's rules (owner_rules.h)
  kPinned = 8,   // the owner's rules pin the page to the query
};

struct TermMatch {
  std::string word;  // as it stood in the query, folded
  std::string term;  // as it stands in the index
  MatchKind kind = MatchKind::kExact;
  float idf = 0;        // of the word with all its forms
  float weight = 0;     // 0..1, of this form against an exact match
  float frequency = 0;  // weighted, length-normalised term frequency in the passage (BM25F x)
  float score = 0;      // contribution to the keyword score
};

struct Explanation {
  float keyword_raw = 0;      // BM25F sum over the query's words, of the best passage
  float keyword = 0;          // normalised to 0..1
  float cosine = 0;           // cosine of query and passage, -1..1; 0 without vectors
  float semantic = 0;         // normalised to 0..1
  float semantic_weight = 0;  // the share that was used
  float coverage = 0;         // 0..1 share of the query's words, by idf, found in the passage
  // Added for further good passages of the page, its title, the query's own words in a row, and a definition of the
  // name that the query is.
  float page_bonus = 0;
  std::vector<TermMatch> terms;  // each matched term of the best passage
};

struct Highlight {
  uint32_t start = 0;   // UTF-16 code units from the start of the text
  uint32_t length = 0;  // UTF-16 code units
};

// The symbol that the query names, where a hit is its entry.
struct HitSymbol {
  SymbolKind kind = SymbolKind::kModule;
  bool deprecated = false;
  std::string name;       // whole: std::collections::HashMap::insert
  std::string signature;  // on one line, as its entry has it; may be empty
};

// What the snippet of a hit shows.
enum class HitKind : uint8_t {
  kHeading = 0,  // prose that follows a heading with words of the query
  kCode = 1,     // lines of a code block
  kText = 2,     // prose
};

struct Hit {
  uint32_t page = 0;                  // page number, 0-based
  uint32_t passage = 0;               // the page's best, or the hit itself by passage; 0-based in the bundle
  float score = 0;                    // 0..1
  std::string title;                  // of the page
  std::vector<std::string> place;     // of the page in the documentation, outermost first, without its title
  std::string url;                    // of the page, without anchor
  std::string source;                 // path relative to the packed root
  std::string anchor;                 // of the passage, without '#'; empty at the top of the page
  std::vector<std::string> headings;  // heading path of the passage, outermost first
  uint32_t first_line = 0;            // 1-based, in the source file; 0 when unknown
  uint32_t last_line = 0;
  HitKind kind = HitKind::kText;
  std::string snippet;                        // plain text, at most about 200 characters; of code, with its lines
  std::vector<Highlight> highlights;          // in the snippet
  std::vector<Highlight> title_highlights;    // in the title
  std::vector<Highlight> heading_highlights;  // in the last heading
  // Of the page: key, value; text of strangers, like all of a hit.
  std::vector<std::pair<std::string, std::string>> meta;
  std::optional<HitSymbol> symbol;
  std::optional<Explanation> explanation;
};

struct Correction {
  std::string word;  // as typed, folded
  std::string term;  // as searched instead
};

struct Answer {
  std::vector<Hit> hits;
  // One for each mistyped word: the answer is that of the query with these words replaced.
  std::vector<Correction> corrections;
  // When asked for: of each value, the number of pages that have it and pass the filters of the other keys: how many
  // there would be, were it chosen too. Counts pages that hold a word of the query, or are among the hits; all pages
  // where the text is empty. Lines `key TAB value TAB pages`, ascending; values without pages are left out.
  std::string facets;
  uint32_t matching_passages = 0;  // passages with at least one query word, on pages that pass the filters
  uint32_t ignored_words = 0;      // beyond kMaxQueryWords
  bool used_keyword = false;
  bool used_semantic = false;
  // No word of the query is found, and no passage is clearly near its meaning: the hits are the nearest there are, and
  // most likely no answer. Never in an answer without hits, or by meaning alone.
  bool weak = false;
};

struct Passage {
  uint32_t id = 0;
  uint32_t page = 0;
  std::string anchor;
  std::vector<std::string> headings;
  uint32_t first_line = 0;
  uint32_t last_line = 0;
  std::string text;  // exact slice of the page's text
};

struct Page {
  uint32_t id = 0;
  std::string title;
  std::string url;
  std::string source;
  std::string description;
  std::string last_modified;      // ISO 8601 date or empty
  std::vector<Passage> passages;  // their texts, joined, are the page's text
};

// The words of a passage, as a database is to keep them.
struct PassageTerms {
  struct Term {
    std::string stem, term;
    uint8_t level = 0, role = 0;  // lexical/postings.h
  };
  std::vector<Term> terms;  // by stem, then term
  bool begins_page = false;
};

// The terms of a stem, and how many pages have them.
struct TermGroup {
  std::string stem;
  uint32_t pages = 0;                                   // with any of them
  std::vector<std::pair<std::string, uint32_t>> terms;  // each with its pages
};

// The facts that `open` tells about a bundle.
struct BundleInfo {
  std::string library;
  std::string version;
  std::string manifest;  // JSON, as the packer wrote it
  uint32_t pages = 0;
  uint32_t passages = 0;
  uint32_t terms = 0;        // distinct terms in the index
  uint32_t dimensions = 0;   // 0: no vectors
  uint32_t vector_bits = 0;  // 4 or 8; 0: no vectors
  bool has_graph = false;    // HNSW
  std::string space;         // of the vectors, for example "minilm-l6-256"; empty: no vectors
  uint64_t file_size = 0;
  std::string language;  // of its analysis: but for none and en, a host must have its rules (text/language.h)
};

// Bytes that a host must bring before the same call can be answered.
struct Range {
  uint8_t source = 0;   // 0: bundle, 1: encoder table
  uint64_t offset = 0;  // from the start of that file
  uint64_t length = 0;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_QUERY_H_
