#include "search/bundle_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>

#include "base/logarithm.h"
#include "bundle/compression_level.h"
#include "bundle/container_builder.h"
#include "bundle/passage_store_builder.h"
#include "bundle/settings.h"
#include "encode/static_encoder.h"
#include "lexical/bm25.h"
#include "lexical/lexicon_builder.h"
#include "lexical/postings_accumulator_builder.h"
#include "lexical/spellings.h"
#include "search/bundle_view.h"
#include "search/compounds_builder.h"
#include "search/facets_builder.h"
#include "search/name_roles_builder.h"
#include "search/repeated_text_builder.h"
#include "search/symbols.h"
#include "search/term_tally_builder.h"
#include "search/unspaced_builder.h"
#include "text/analyzer.h"
#include "vector/distance.h"
#include "vector/flat.h"
#include "vector/hnsw_builder.h"
#include "vector/partition.h"
#include "vector/row_code.h"

namespace sheaf {
namespace {

// Raw bytes a block.
constexpr uint32_t kRawBlock = 4 * 1024;
constexpr uint32_t kGraphBlock = 64 * 1024;
constexpr uint32_t kSmallBlock = 16 * 1024;
constexpr uint32_t kIndexBlock = 256 * 1024;  // read as a whole by everyone

constexpr uint32_t kTermsBetweenAsking = 256;  // whether to go on
constexpr uint32_t kGraphFrom = 50000;         // below, the flat scan is exact and as fast

// The weights of a passage's parts in its vector. Tuned on the development sets.
constexpr float kTitleShare = 1.0f, kHeadingShare = 1.0f, kProseShare = 1.0f, kCodeShare = 0.5f;

std::string Join(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += '\n';
    joined += part;
  }
  return joined;
}

// The headings of a page seen so far. A heading without an anchor takes that of its nearest ancestor.
class Outline {
 public:
  // Walks down from the top, taking the latest heading that fits; the innermost must have the anchor.
  std::string AnchorOf(const std::vector<std::string>& path, const std::string& anchor) {
    uint32_t parent = 0;
    for (size_t depth = 0; depth < path.size(); ++depth) {
      const bool innermost = depth + 1 == path.size();
      const Name name(parent, path[depth]);
      const std::string own = innermost ? anchor : std::string();
      uint32_t found = innermost ? anchored_[{name, own}] : latest_[name];
      if (!found) {
        headings_.push_back({parent, own});
        found = uint32_t(headings_.size());
        latest_[name] = anchored_[{name, own}] = found;
      }
      parent = found;
    }
    if (path.empty()) return anchor;
    for (uint32_t h = parent; h != 0; h = headings_[h - 1].parent) {
      if (!headings_[h - 1].anchor.empty()) return headings_[h - 1].anchor;
    }
    return {};
  }

 private:
  struct Heading {
    uint32_t parent = 0;
    std::string anchor;
  };
  using Name = std::pair<uint32_t, std::string>;  // parent, text
  std::vector<Heading> headings_;
  // Numbers of headings, from 1; 0: none. Kept, because a change log has a heading a line.
  std::map<Name, uint32_t> latest_;
  std::map<std::pair<Name, std::string>, uint32_t> anchored_;
};

// Marks the names that begin with the passage: the page's title, the headings that are not those of the passage before,
// and its terms.
void NamePassage(const PageInput& page, size_t number, const Analyzer& analyzer, TermTally* tally) {
  const PassageInput& passage = page.passages[number];
  size_t open = 0;  // headings that began earlier
  if (number == 0) {
    NameByHeading(page.title, analyzer, tally);
  } else {
    const PassageInput& before = page.passages[number - 1];
    const auto end =
        std::mismatch(passage.headings.begin(), passage.headings.end(), before.headings.begin(), before.headings.end());
    open = size_t(end.first - passage.headings.begin());
    // Two sections of one name, one after the other.
    if (open == passage.headings.size() && open > 0 && passage.anchor != before.anchor) --open;
  }
  const size_t outer = passage.headings.size() - std::min<size_t>(passage.inner_headings, passage.headings.size());
  for (size_t i = open; i < outer; ++i) NameByHeading(passage.headings[i], analyzer, tally);
  if (passage.body_weight < 1) return;
  for (const std::string& term : passage.terms) NameByTerm(term, analyzer, tally);
}

struct FieldTokens {
  Field field;
  std::string_view text;
  const std::vector<Token>& tokens;
};

}  // namespace

struct PreparedPage {
  struct Prepared {
    std::vector<TermCounts> terms;
    std::array<uint32_t, kFieldCount> lengths{};
    std::vector<float> vector;  // unit length, or empty
  };
  PageInput page;
  std::vector<Prepared> passages;
};

void PreparedPageDeleter::operator()(PreparedPage* page) const { delete page; }

Result<PreparedPagePtr> PreparePage(PageInput page, const Analyzer& analyzer, const StaticEncoder* encoder,
                                    const SynonymTerms* synonyms) {
  uint32_t at = 0;
  for (const PassageInput& passage : page.passages) {
    if (passage.end < at || passage.end > page.text.size() || passage.first_line > passage.last_line) {
      return Error{ErrorCode::kInvalidArgument, "the passages of " + page.source + " do not tile its text"};
    }
    at = passage.end;
  }
  if (page.passages.empty() || at != page.text.size()) {
    return Error{ErrorCode::kInvalidArgument, "the passages of " + page.source + " do not tile its text"};
  }
  PreparedPagePtr prepared(new PreparedPage);
  std::vector<Token> title, headings, prose, code;
  const auto tokenize = [&](std::string_view text, std::vector<Token>* tokens) {
    tokens->clear();
    analyzer.Tokenize(text, tokens);
  };
  tokenize(page.title, &title);
  std::vector<float> of_title;
  if (encoder) {
    of_title.resize(encoder->dimensions());
    SHEAF_RETURN_IF_ERROR(encoder->AddTo(title, kTitleShare, &of_title));
  }
  TermTally tally;
  struct RuleTerm {
    std::string rule, word;
    Field field;
  };
  std::vector<RuleTerm> rules;
  for (const PassageInput& passage : page.passages) {
    PreparedPage::Prepared out;
    const std::string headings_text = Join(passage.headings);
    tokenize(headings_text, &headings);
    tokenize(passage.prose, &prose);
    tokenize(passage.code, &code);
    if (passage.weight > 0) {  // words find it
      const FieldTokens fields[] = {{kTitle, page.title, title},
                                    {kHeadings, headings_text, headings},
                                    {kProse, passage.prose, prose},
                                    {kCode, passage.code, code}};
      size_t terms = 0;
      std::vector<std::string> further[kFieldCount];
      for (const auto& [field, text, tokens] : fields) {
        if (!analyzer.IsEnglish()) AddUnspaced(text, tokens, field <= kHeadings, &further[field]);
        terms += further[field].size();
        for (const Token& token : tokens) terms += 1 + size_t(std::count(token.keys.begin(), token.keys.end(), '*'));
      }
      rules.clear();
      for (const auto& [field, text, tokens] : fields) {
        if (!synonyms) break;
        synonyms->Find(tokens, analyzer, [&, of = field](const std::string& rule, std::string_view word) {
          rules.push_back({rule, std::string(word), of});
        });
      }
      tally.Begin(terms + rules.size() + passage.pins.size());
      for (const auto& [field, text, tokens] : fields) {
        for (const std::string& term : further[field]) tally.Add(term, field);
        for (const Token& token : tokens) {
          tally.Add(token.term, field);
          for (std::string_view keys = token.keys; !keys.empty();) tally.Add(NextKey(&keys), field);
          if (token.kind != TokenKind::kWhole) ++out.lengths[field];
        }
      }
      // The words of lists of links, and of other passages that weigh less, define no name.
      if (passage.weight >= 1) NamePassage(page, size_t(&passage - page.passages.data()), analyzer, &tally);
      for (const auto& [rule, word, field] : rules) {
        tally.Add(rule, field);
        tally.CopyRole(word, rule);
      }
      for (const std::string& pin : passage.pins) tally.Add(pin, kTitle);
      out.terms = tally.Take();
    }
    if (encoder) {
      std::vector<float> sum = of_title;
      SHEAF_RETURN_IF_ERROR(encoder->AddTo(headings, kHeadingShare, &sum));
      SHEAF_RETURN_IF_ERROR(encoder->AddTo(prose, kProseShare, &sum));
      SHEAF_RETURN_IF_ERROR(encoder->AddTo(code, kCodeShare, &sum));
      Normalize(&sum);  // a passage without known words keeps a zero vector and is never near
      out.vector = std::move(sum);
    }
    prepared->passages.push_back(std::move(out));
  }
  prepared->page = std::move(page);
  return prepared;
}

const PageInput& InputOf(const PreparedPage& page) { return page.page; }

void SetUrl(PreparedPage* page, std::string url) { page->page.url = std::move(url); }

void SetPlace(PreparedPage* page, std::vector<std::string> place) { page->page.place = std::move(place); }

uint64_t MemoryOf(const PreparedPage& page) {
  const auto outside = [](const std::string& text) { return text.capacity() > 15 ? text.capacity() + 17 : 0; };
  uint64_t bytes = sizeof page + page.page.text.capacity() + page.page.description.capacity() + 512;
  bytes += page.page.targets.capacity() * sizeof(TextRange);
  for (const std::string& name : page.page.place) bytes += sizeof name + outside(name);
  for (const PassageInput& passage : page.page.passages) {
    bytes += sizeof passage + passage.prose.capacity() + passage.code.capacity() + outside(passage.anchor);
    for (const auto* texts : {&passage.headings, &passage.terms}) {
      for (const std::string& text : *texts) bytes += sizeof text + outside(text);
    }
    for (const SymbolInput& symbol : passage.symbols) {
      bytes += sizeof symbol + outside(symbol.name) + outside(symbol.anchor);
    }
  }
  for (const auto* entries : {&page.page.facets.filters, &page.page.facets.meta, &page.page.facets.sorts}) {
    for (const auto& [key, value] : *entries) bytes += sizeof key + sizeof value + outside(key) + outside(value);
  }
  for (const PreparedPage::Prepared& passage : page.passages) {
    bytes += sizeof passage + passage.vector.capacity() * sizeof(float) + passage.terms.capacity() * sizeof(TermCounts);
    for (const TermCounts& term : passage.terms) bytes += outside(term.term);
  }
  return bytes;
}

Status SetVectors(PreparedPage* page, std::span<const float> rows, uint32_t dimensions) {
  if (dimensions == 0 || rows.size() != page->passages.size() * dimensions) {
    return Error{ErrorCode::kInvalidArgument, page->page.source + " has " + std::to_string(page->passages.size()) +
                                                  " passages of " + std::to_string(dimensions) + " dimensions, got " +
                                                  std::to_string(rows.size()) + " numbers"};
  }
  for (PreparedPage::Prepared& passage : page->passages) {
    passage.vector.assign(rows.begin(), rows.begin() + dimensions);
    rows = rows.subspan(dimensions);
  }
  return {};
}

struct BundleBuilder::Impl {
  Impl(BuildOptions o, const StaticEncoder* e)
      : options(std::move(o)),
        encoder(e),
        analyzer(options.language),
        accumulator(params, [this](std::string_view term) { return StemOfTerm(analyzer, term); }),
        store(options.compression_level) {}

  BuildOptions options;
  const StaticEncoder* encoder;
  Analyzer analyzer;
  Bm25Params params;
  PostingsAccumulator accumulator;

  PassageStoreBuilder store;
  FacetsBuilder facets;
  std::vector<TopPage> top_pages;
  SymbolsBuilder symbols;
  std::vector<uint32_t> links;           // by page
  std::vector<uint32_t> first_passages;  // by page
  RepeatedText repeated;
  std::vector<uint8_t> passage_map;
  std::vector<std::pair<uint32_t, uint32_t>> urls;  // hash, page
  ByteChunks rows;                                  // 8 bits a dimension
  std::vector<double> centroid;
  uint32_t pages = 0, passages = 0;
  bool has_hebrew = false;  // in a bundle of no language

  BuilderMemory memory;

  uint32_t PageOf(uint32_t passage) const {
    return uint32_t(std::upper_bound(first_passages.begin(), first_passages.end(), passage) - first_passages.begin()) -
           1;
  }
  bool CutsWords() const { return JoinsWords(options.language) || has_hebrew; }
  bool WantsGraph() const {
    return bits() && options.graph != GraphMode::kNever &&
           (options.graph == GraphMode::kAlways || passages >= kGraphFrom);
  }
  uint32_t bits() const { return encoder || options.document_encoder ? options.vector_bits : 0; }
  uint32_t dimensions() const {
    return options.document_encoder ? options.document_encoder->dimensions : encoder->dimensions();
  }
  const std::string& space() const {
    return options.document_encoder ? options.document_encoder->space : encoder->space();
  }
  // Of a model: the first 8 bytes of its SHA-256, most significant first, so that both print alike.
  uint64_t encoder_hash() const {
    if (!options.document_encoder) return encoder->content_hash();
    return std::strtoull(options.document_encoder->hash.substr(0, 16).c_str(), nullptr, 16);
  }

  nlohmann::ordered_json ManifestVectors() const {
    nlohmann::ordered_json m = {{"space", space()}, {"dimensions", dimensions()}, {"bits", bits()}};
    if (options.document_encoder) {
      m["encoder"] = options.document_encoder->name;
      m["encoder_hash"] = options.document_encoder->hash;
      m["precision"] = options.document_encoder->precision;
    } else {
      char hash[17];
      std::snprintf(hash, sizeof(hash), "%016llx", static_cast<unsigned long long>(encoder_hash()));
      m["encoder"] = "static";
      m["encoder_hash"] = hash;
    }
    return m;
  }

  std::string Manifest(bool graph) const {
    nlohmann::ordered_json m;
    m["format"] = kFormatVersion;
    m["library"] = options.library;
    m["version"] = options.version;
    m["title"] = options.title.empty() ? options.library : options.title;
    const std::string analysis = LanguageTag(options.language);
    m["language"] = !options.language_tag.empty() ? options.language_tag : analysis.empty() ? "none" : analysis;
    m["base_url"] = options.base_url;
    m["pages"] = pages;
    m["passages"] = passages;
    m["text_bytes"] = store.text_bytes();
    m["passage_characters"] = options.passage_characters;
    // Four decimals: floats as JSON doubles would show their rounding.
    const auto decimal = [](float v) { return std::round(double(v) * 1e4) / 1e4; };
    nlohmann::ordered_json weights, b;
    for (size_t f = 0; f < kFieldCount; ++f) {
      weights.push_back(decimal(params.weight[f]));
      b.push_back(decimal(params.b[f]));
    }
    m["bm25"] = {{"k1", decimal(params.k1)}, {"weights", weights}, {"b", b}};
    if (bits()) m["vectors"] = ManifestVectors();
    if (graph)
      m["graph"] = {{"kind", "hnsw"}, {"m", options.graph_m}, {"ef_construction", options.graph_ef_construction}};
    if (!facets.filters().empty()) m["filters"] = facets.filters();
    if (!facets.sorts().empty()) m["sorts"] = facets.sorts();
    for (const TopPage& page : top_pages) m["top_pages"].push_back({{"title", page.title}, {"url", page.url}});
    for (const auto& [key, value] : options.extra) m[key] = value;
    return m.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
};

BundleBuilder::BundleBuilder(BuildOptions options, const StaticEncoder* encoder)
    : impl_(std::make_unique<Impl>(std::move(options), encoder)) {}
BundleBuilder::~BundleBuilder() = default;

void BundleBuilder::SetSpill(Spill spill) {
  impl_->accumulator.SetSpill(spill.memory_limit, std::move(spill.append), std::move(spill.read));
}

void BundleBuilder::SetMemory(BuilderMemory memory) { impl_->memory = memory; }

uint64_t BundleBuilder::bytes_held() const {
  const Impl& b = *impl_;
  // Lengths, weights and hashes of texts; addresses.
  return b.store.bytes_held() + b.rows.size() + uint64_t(b.passages) * 28 + uint64_t(b.pages) * 36 +
         b.symbols.bytes_held();
}

uint64_t BundleBuilder::bytes_to_finish() const {
  const Impl& b = *impl_;
  // Leaves of the lexicon take less than half of their postings as they are collected.
  uint64_t bytes = bytes_held() + b.accumulator.collected() / 2;
  // Where words are cut into parts, all postings are held at once (Compounds): three bytes are eight then, and a term
  // takes a hundred.
  if (b.CutsWords()) bytes += 4 * b.accumulator.collected();
  if (!b.bits()) return bytes;
  const uint64_t coded = StoredRowBytes(b.dimensions(), b.bits());
  uint64_t a_passage = coded + sizeof(float) + kPartitionBytesARow;
  if (b.WantsGraph()) a_passage += HnswBytesARow(b.dimensions(), b.options.graph_m);
  return bytes + uint64_t(b.passages) * a_passage;
}

void BundleBuilder::SetTopPages(std::vector<TopPage> pages) { impl_->top_pages = std::move(pages); }

void BundleBuilder::SetLinks(std::vector<uint32_t> links) { impl_->links = std::move(links); }

uint32_t BundleBuilder::pages() const { return impl_->pages; }
uint32_t BundleBuilder::passages() const { return impl_->passages; }
const FacetsBuilder& BundleBuilder::facets() const { return impl_->facets; }

Status BundleBuilder::Add(const PreparedPage& prepared) {
  Impl& b = *impl_;
  const PageInput& page = prepared.page;

  std::vector<StoredPassage> stored(page.passages.size());
  Outline outline;
  b.facets.Add(b.pages, page.facets);
  b.first_passages.push_back(b.passages);
  uint32_t at = 0;
  for (size_t i = 0; i < page.passages.size(); ++i) {
    const PassageInput& in = page.passages[i];
    StoredPassage& out = stored[i];
    out.page_begins = i == 0;
    out.title = page.title;
    out.url = page.url;
    out.source = page.source;
    out.place.assign(page.place.begin(),
                     page.place.begin() + ptrdiff_t(std::min<size_t>(page.place.size(), kMaxPlaceLevels)));
    out.entries = page.facets.meta;
    if (i == 0) {
      out.description = page.description;
      out.last_modified = page.last_modified;
    }
    out.anchor = outline.AnchorOf(in.headings, in.anchor);
    out.headings = in.headings;
    out.first_line = in.first_line;
    out.last_line = in.last_line;
    out.text = page.text.substr(at, in.end - at);
    at = in.end;

    const uint32_t passage = b.passages++;
    for (const SymbolInput& symbol : in.symbols) {
      // The first passage's own anchor may be left out of a hit, since it stands for the page.
      const bool same = i > 0 && symbol.anchor == out.anchor;
      b.symbols.Add({symbol.name,
                     {},
                     same ? std::string() : symbol.anchor,
                     symbol.kind,
                     symbol.deprecated,
                     0,
                     passage,
                     symbol.signature.begin,
                     symbol.signature.size});
    }
    if (passage % 8 == 0) b.passage_map.push_back(0);
    if (i == 0) b.passage_map.back() |= uint8_t(1u << (passage % 8));
    const PreparedPage::Prepared& p = prepared.passages[i];
    b.has_hebrew = b.has_hebrew || (b.options.language == Language::kNone &&
                                    std::any_of(p.terms.begin(), p.terms.end(),
                                                [](const TermCounts& term) { return IsHebrew(term.term); }));
    SHEAF_RETURN_IF_ERROR(b.accumulator.Add(p.terms, p.lengths, in.weight, in.body_weight));
    b.repeated.Add(b.pages, in.headings.empty() ? std::string_view() : in.headings.back(), in.prose, in.code);
    if (b.bits()) {
      if (p.vector.size() != b.dimensions()) {
        return Error{ErrorCode::kInvalidArgument, "passage " + std::to_string(i) + " of " + page.source +
                                                      " has a vector of " + std::to_string(p.vector.size()) +
                                                      " dimensions, expected " + std::to_string(b.dimensions())};
      }
      // Kept finely until the mean is known, which rows are written against.
      const std::vector<uint8_t> row = QuantizeRow(p.vector, 8);
      b.rows.Append(row);
      b.centroid.resize(p.vector.size());
      for (size_t d = 0; d < p.vector.size(); ++d) b.centroid[d] += p.vector[d];
    }
  }

  b.urls.emplace_back(UrlHash(WithoutAnchor(page.url)), b.pages);
  b.urls.emplace_back(UrlHash(page.source), b.pages);
  b.store.Add(std::move(stored));
  ++b.pages;
  const auto within = [&](uint64_t bytes, uint64_t most, const char* when) -> Status {
    if (bytes <= most) return {};
    constexpr uint64_t kMega = 1 << 20;
    return Error{ErrorCode::kTooLarge,
                 std::to_string(b.pages) + " pages with " + std::to_string(b.passages) + " passages take about " +
                     std::to_string(bytes / kMega) + " MiB " + when + ", at most " + std::to_string(most / kMega) +
                     " MiB are allowed; allow more memory, leave out the graph or the vectors, or pack the "
                     "documentation as several libraries"};
  };
  SHEAF_RETURN_IF_ERROR(within(bytes_held(), b.memory.adding, "so far"));
  return within(bytes_to_finish(), b.memory.finishing, "when the bundle is finished");
}

Result<std::vector<uint8_t>> BundleBuilder::Finish(const std::function<bool(const char*, double)>& progress) {
  Impl& b = *impl_;
  const BuildOptions& o = b.options;
  const auto bad = [](std::string what) { return Error{ErrorCode::kInvalidArgument, std::move(what)}; };
  if (b.pages == 0) return bad("nothing to pack: no page was added");
  if (b.bits() != 0 && b.bits() != 4 && b.bits() != 8)
    return bad("vector bits must be 0, 4 or 8, got " + std::to_string(b.bits()));
  if (o.compression_level < 1 || o.compression_level > 22) {
    return bad("the compression level must be 1..22, got " + std::to_string(o.compression_level));
  }
  const Error aborted{ErrorCode::kAborted, "the bundle was not finished: the caller called it off"};
  bool stopped = false;  // once it is, work that still runs is skipped and thrown away
  const auto goes_on = [&](const char* stage, double share) {
    stopped = stopped || (progress && !progress(stage, share));
    return !stopped;
  };

  const int level = o.compression_level;
  if (!goes_on("text", 0)) return aborted;
  b.store.Finish();

  if (!goes_on("lexicon", 0)) return aborted;
  b.repeated.Each([&](uint32_t passage, float weight) { b.accumulator.WeighUnlessSet(passage, weight); });
  const int level_of_words = b.store.dictionary().empty() ? TightLevel(level) : level;
  SectionBuilder terms(SectionId::kTerms, Codec::kZstdPieces, kMaxPieceBytes, level_of_words);
  SectionBuilder spelled(SectionId::kSpellings, Codec::kZstdPieces, kMaxPieceBytes, level_of_words);
  LexiconBuilder lexicon([&](ByteSpan leaf) { return terms.AddPiece(leaf); }, TermLeafBytes(b.passages));
  SectionBuilder symbols(SectionId::kSymbols, Codec::kZstdPieces, kMaxPieceBytes, level_of_words);
  SpellingsBuilder spellings;
  uint32_t terms_done = 0;
  const auto take = [&](std::string_view stem, std::string_view term, const std::vector<Posting>& postings) {
    if (++terms_done % kTermsBetweenAsking == 0) goes_on("lexicon", 0);
    if (stopped) return;
    lexicon.Add(stem, term, postings);
    // A pair with another byte is another word, and a run with one wrong character is found by its other pairs.
    if (o.language == Language::kEnglish || !IsUnspaced(term)) spellings.Add(term, uint32_t(postings.size()));
  };
  if (b.CutsWords()) {
    Compounds compounds(b.analyzer);
    SHEAF_RETURN_IF_ERROR(
        b.accumulator.Finish([&](std::string_view, std::string_view term, const std::vector<Posting>& postings) {
          compounds.Add(term, postings);
        }));
    compounds.Finish(take);
  } else {
    SHEAF_RETURN_IF_ERROR(b.accumulator.Finish(take));
  }
  if (stopped) return aborted;
  lexicon.Finish();
  if (lexicon.largest_leaf() > kMaxPieceBytes) {
    return Error{
        ErrorCode::kTooLarge,
        "a word stands in so many passages that its list exceeds 16 MiB; pack the documentation as several libraries"};
  }
  ByteWriter term_index;
  term_index.Bytes(lexicon.index());
  spellings.Finish([&](ByteSpan leaf) { return spelled.AddPiece(leaf); }, &term_index);
  b.symbols.Finish(
      [&](uint32_t passage) {
        const uint32_t page = b.PageOf(passage);
        const double links = page < b.links.size() ? b.links[page] : 0;
        return uint8_t(std::min(255.0, std::round(8 * Log(1 + links) / kLn2)));
      },
      [&](ByteSpan leaf) { return symbols.AddPiece(leaf); }, &term_index);

  Settings settings;
  settings.pages = b.pages;
  settings.passages = b.passages;
  settings.terms = lexicon.terms();
  settings.language = LanguageTag(o.language);
  settings.tokenizer = kTokenizerVersion;
  settings.stemmer = StemmerVersion(o.language);
  settings.k1 = b.params.k1;
  settings.vector_bits = uint8_t(b.bits());
  settings.library = o.library;
  settings.version = o.version;
  if (b.bits()) {
    settings.dimensions = b.dimensions();
    settings.encoder_hash = b.encoder_hash();
    settings.space = b.space();
    settings.document_encoder = o.document_encoder ? kTransformerEncoder : kStaticTableEncoder;
    for (double c : b.centroid) settings.centroid.push_back(float(c / b.passages));
  }
  const std::vector<uint8_t> settings_bytes = WriteSettings(settings);

  SectionBuilder vectors(SectionId::kVectors, Codec::kRawPieces, kMaxPieceBytes, level);
  BuiltPartitions partitions;
  if (b.bits()) {
    if (!goes_on("partitions", 0)) return aborted;
    // The mean as readers have it.
    SHEAF_ASSIGN_OR_RETURN(const Settings read, ReadSettings(settings_bytes));
    VectorTable fine(b.dimensions(), 8);
    fine.Reserve(b.passages);
    b.rows.Drain([&](ByteSpan rows) { fine.Append(rows); });
    partitions = BuildPartitions(std::move(fine), RowCode(read.centroid), b.bits(),
                                 [&](ByteSpan piece) { vectors.AddPiece(piece); });
  }

  std::vector<uint8_t> graph;
  if (b.WantsGraph()) {
    if (!goes_on("graph", 0)) return aborted;
    HnswOptions options;
    options.m = o.graph_m;
    options.ef_construction = o.graph_ef_construction;
    Result<std::vector<uint8_t>> built = BuildHnsw(partitions.rows, options, [&](uint32_t done) {
      // An exception is the only way out of hnswlib; BuildHnsw catches it.
      if (!goes_on("graph", double(done) / double(b.passages))) throw std::runtime_error("called off");
    });
    if (stopped) return aborted;
    if (!built.ok()) return built.error();
    graph = std::move(*built);
  }
  partitions.rows = VectorTable();

  if (!goes_on("bundle", 0)) return aborted;
  std::vector<SectionBuilder> sections;
  const auto add = [&](SectionId id, Codec codec, uint32_t block, ByteSpan bytes) {
    sections.emplace_back(id, codec, block, TightLevel(level)).Append(bytes);
  };
  // Sections that every query needs come first, rarely used ones last.
  add(SectionId::kSettings, Codec::kRaw, kRawBlock, settings_bytes);
  add(SectionId::kTermIndex, Codec::kZstd, kIndexBlock, term_index.bytes());
  add(SectionId::kPassageIndex, Codec::kZstd, kIndexBlock, b.store.Index());
  add(SectionId::kPassageMap, Codec::kZstd, kIndexBlock, b.passage_map);
  add(SectionId::kManifest, Codec::kZstd, kSmallBlock, AsBytes(b.Manifest(!graph.empty())));
  add(SectionId::kDictionary, Codec::kZstd, kMaxBlockBytes, b.store.dictionary());
  add(SectionId::kPartitionIndex, Codec::kZstd, kIndexBlock, partitions.index);
  add(SectionId::kFacets, Codec::kZstd, kIndexBlock, b.facets.Finish(b.pages));
  sections.push_back(std::move(terms));
  sections.push_back(std::move(spelled));
  sections.push_back(std::move(symbols));
  std::sort(b.urls.begin(), b.urls.end());
  ByteWriter urls;
  for (const auto& [hash, page] : b.urls) {
    urls.U32(hash);
    urls.U32(page);
  }
  add(SectionId::kUrlIndex, Codec::kZstd, kSmallBlock, urls.bytes());
  sections.push_back(std::move(vectors));
  add(SectionId::kGraph, Codec::kZstd, kGraphBlock, graph);
  sections.push_back(b.store.TakePieces());
  return BuildContainer(ContainerKind::kBundle, std::move(sections));
}

}  // namespace sheaf
