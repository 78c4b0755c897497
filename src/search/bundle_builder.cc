#include "search/bundle_builder.h"

#include <zdict.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "bundle/container_builder.h"
#include "bundle/page_store.h"
#include "bundle/settings.h"
#include "encode/static_encoder.h"
#include "lexical/bm25.h"
#include "lexical/lexicon_builder.h"
#include "lexical/postings_accumulator_builder.h"
#include "vector/distance.h"
#include "vector/flat.h"
#include "vector/hnsw_builder.h"

namespace sheaf {
namespace {

// Raw bytes a block. Text: large enough to compress, small enough to fetch for one hit.
constexpr uint32_t kTextBlock = 16 * 1024;
constexpr uint32_t kHeadBlock = 16 * 1024;
constexpr uint32_t kRecordBlock = 4 * 1024;
constexpr uint32_t kPostingsBlock = 8 * 1024;
constexpr uint32_t kVectorBlock = 16 * 1024;
constexpr uint32_t kGraphBlock = 64 * 1024;
constexpr uint32_t kSmallBlock = 16 * 1024;

// The dictionary is trained on the first pages, cut into samples. From a quarter megabyte of text on
// it saves more than it costs.
constexpr size_t kDictionaryText = 8 << 20;
constexpr size_t kDictionaryFrom = 256 << 10;
constexpr size_t kDictionarySample = 4 << 10;
constexpr size_t kDictionaryBytes = 32 << 10;
constexpr uint32_t kGraphFrom = 50000;  // below, the flat scan is exact and as fast

// What the parts of a passage are worth in its vector. Tuned on the development sets.
constexpr float kTitleShare = 1.0f, kHeadingShare = 1.0f, kProseShare = 1.0f, kCodeShare = 0.5f;

std::string Join(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += '\n';
    joined += part;
  }
  return joined;
}

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

Result<PreparedPagePtr> PreparePage(PageInput page, const Analyzer& analyzer, const StaticEncoder* encoder) {
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
  std::vector<Token> title_tokens, tokens;
  analyzer.Tokenize(page.title, &title_tokens);
  for (const PassageInput& passage : page.passages) {
    PreparedPage::Prepared out;
    std::map<std::string, std::array<uint32_t, kFieldCount>> counts;
    const auto count = [&](Field field, const std::vector<Token>& field_tokens) {
      for (const Token& token : field_tokens) {
        ++counts[token.term][field];
        if (token.kind != TokenKind::kWhole) ++out.lengths[field];
      }
    };
    const std::string headings = Join(passage.headings);
    count(kTitle, title_tokens);
    const auto analyze = [&](Field field, std::string_view text) {
      tokens.clear();
      analyzer.Tokenize(text, &tokens);
      count(field, tokens);
    };
    analyze(kHeadings, headings);
    analyze(kProse, passage.prose);
    analyze(kCode, passage.code);
    out.terms.reserve(counts.size());
    for (const auto& [term, fields] : counts) {
      TermCounts t;
      t.term = term;
      for (size_t f = 0; f < kFieldCount; ++f) t.counts[f] = uint16_t(std::min<uint32_t>(fields[f], UINT16_MAX));
      out.terms.push_back(std::move(t));
    }
    if (encoder) {
      std::vector<float> sum(encoder->dimensions());
      SHEAF_RETURN_IF_ERROR(encoder->AddTo(page.title, analyzer, kTitleShare, &sum));
      SHEAF_RETURN_IF_ERROR(encoder->AddTo(headings, analyzer, kHeadingShare, &sum));
      SHEAF_RETURN_IF_ERROR(encoder->AddTo(passage.prose, analyzer, kProseShare, &sum));
      SHEAF_RETURN_IF_ERROR(encoder->AddTo(passage.code, analyzer, kCodeShare, &sum));
      Normalize(&sum);  // a passage without known words keeps a zero vector and is never near
      out.vector = std::move(sum);
    }
    prepared->passages.push_back(std::move(out));
  }
  prepared->page = std::move(page);
  return prepared;
}

const PageInput& InputOf(const PreparedPage& page) { return page.page; }

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
        accumulator(params, [this](std::string_view term) { return analyzer.Stem(term); }),
        page_index(SectionId::kPageIndex, Codec::kZstd, kRecordBlock, options.compression_level) {}

  BuildOptions options;
  const StaticEncoder* encoder;
  Analyzer analyzer;
  Bm25Params params;
  PostingsAccumulator accumulator;

  // Texts wait here until the dictionary is made, then go straight into their sections.
  bool text_open = false;
  std::string waiting;
  std::string waiting_heads;
  std::vector<uint8_t> dictionary;
  std::unique_ptr<SectionBuilder> text, heads;
  uint64_t text_size = 0, heads_size = 0;

  SectionBuilder page_index;
  std::vector<uint8_t> passage_map;
  std::vector<std::pair<uint32_t, uint32_t>> urls;  // hash, page
  std::vector<uint8_t> rows;
  std::vector<double> centroid;
  uint32_t pages = 0, passages = 0;

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

  void OpenText() {
    if (text_open) return;
    text_open = true;
    if (waiting.size() >= kDictionaryFrom) {
      const std::vector<size_t> samples(waiting.size() / kDictionarySample, kDictionarySample);
      dictionary.resize(kDictionaryBytes);
      const size_t size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), waiting.data(),
                                                samples.data(), unsigned(samples.size()));
      dictionary.resize(ZDICT_isError(size) ? 0 : size);
    }
    text = std::make_unique<SectionBuilder>(SectionId::kText, Codec::kZstdDictionary, kTextBlock,
                                            options.compression_level, &dictionary);
    heads = std::make_unique<SectionBuilder>(SectionId::kPageHeads, Codec::kZstdDictionary, kHeadBlock,
                                             options.compression_level, &dictionary);
    text->Append(AsBytes(waiting));
    heads->Append(AsBytes(waiting_heads));
    std::string().swap(waiting);
    std::string().swap(waiting_heads);
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
    m["language"] = options.language == Language::kEnglish ? "en" : "none";
    m["base_url"] = options.base_url;
    m["pages"] = pages;
    m["passages"] = passages;
    m["text_bytes"] = text_size;
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
    if (graph) m["graph"] = {{"kind", "hnsw"}, {"m", options.graph_m}, {"ef_construction", options.graph_ef_construction}};
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

uint32_t BundleBuilder::pages() const { return impl_->pages; }
uint32_t BundleBuilder::passages() const { return impl_->passages; }

uint64_t BundleBuilder::MemoryUsed() const {
  const Impl& i = *impl_;
  return i.accumulator.memory_used() + i.waiting.size() + i.waiting_heads.size() + i.rows.size() +
         (i.text ? i.text->stored_size() + i.heads->stored_size() : 0) + i.page_index.stored_size();
}

Status BundleBuilder::Add(PreparedPagePtr prepared) {
  Impl& b = *impl_;
  PageInput& page = prepared->page;

  PageRecord record;
  record.head_offset = b.heads_size;
  record.text_offset = b.text_size;
  record.first_passage = b.passages;

  PageHead head;
  head.title = page.title;
  head.url = page.url;
  head.source = page.source;
  head.description = page.description;
  head.last_modified = page.last_modified;
  uint32_t at = 0;
  for (size_t i = 0; i < page.passages.size(); ++i) {
    const PassageInput& in = page.passages[i];
    StoredPassage stored;
    stored.length = in.end - at;
    stored.first_line = in.first_line;
    stored.last_line = in.last_line;
    at = in.end;
    // Walk down the outline, taking the latest heading that fits; the innermost must have the anchor.
    uint32_t parent = 0;
    for (size_t depth = 0; depth < in.headings.size(); ++depth) {
      const bool innermost = depth + 1 == in.headings.size();
      uint32_t found = 0;
      for (uint32_t h = uint32_t(head.headings.size()); h > 0 && !found; --h) {
        const StoredHeading& heading = head.headings[h - 1];
        if (heading.parent == parent && heading.text == in.headings[depth] &&
            (!innermost || heading.anchor == in.anchor)) {
          found = h;
        }
      }
      if (!found) {
        head.headings.push_back({parent, in.headings[depth], innermost ? in.anchor : std::string()});
        found = uint32_t(head.headings.size());
      }
      parent = found;
    }
    // An anchor without a heading path (the page's own first heading) stands on a nameless heading.
    if (in.headings.empty() && !in.anchor.empty()) {
      uint32_t found = 0;
      for (uint32_t h = uint32_t(head.headings.size()); h > 0 && !found; --h) {
        const StoredHeading& heading = head.headings[h - 1];
        if (heading.parent == 0 && heading.text.empty() && heading.anchor == in.anchor) found = h;
      }
      if (!found) {
        head.headings.push_back({0, std::string(), in.anchor});
        found = uint32_t(head.headings.size());
      }
      parent = found;
    }
    stored.heading = parent;
    head.passages.push_back(stored);

    const uint32_t passage = b.passages++;
    if (passage % 8 == 0) b.passage_map.push_back(0);
    if (i == 0) b.passage_map.back() |= uint8_t(1u << (passage % 8));
    PreparedPage::Prepared& p = prepared->passages[i];
    SHEAF_RETURN_IF_ERROR(b.accumulator.Add(p.terms, p.lengths));
    if (b.bits()) {
      if (p.vector.size() != b.dimensions()) {
        return Error{ErrorCode::kInvalidArgument, "passage " + std::to_string(i) + " of " + page.source +
                                                      " has a vector of " + std::to_string(p.vector.size()) +
                                                      " dimensions, expected " + std::to_string(b.dimensions())};
      }
      const std::vector<uint8_t> row = QuantizeRow(p.vector, b.bits());
      b.rows.insert(b.rows.end(), row.begin(), row.end());
      b.centroid.resize(p.vector.size());
      for (size_t d = 0; d < p.vector.size(); ++d) b.centroid[d] += p.vector[d];
    }
  }

  const std::vector<uint8_t> head_bytes = WritePageHead(head);
  record.head_length = uint32_t(head_bytes.size());
  ByteWriter record_bytes;
  WritePageRecord(record, &record_bytes);
  b.page_index.Append(record_bytes.bytes());
  b.urls.emplace_back(UrlHash(WithoutAnchor(page.url)), b.pages);
  b.urls.emplace_back(UrlHash(page.source), b.pages);
  b.text_size += page.text.size();
  b.heads_size += head_bytes.size();
  if (b.text_open) {
    b.text->Append(AsBytes(page.text));
    b.heads->Append(head_bytes);
  } else {
    b.waiting += page.text;
    b.waiting_heads += AsText(head_bytes);
    if (b.waiting.size() >= kDictionaryText) b.OpenText();
  }
  ++b.pages;
  return {};
}

Result<std::vector<uint8_t>> BundleBuilder::Finish(const std::function<void(const char*, double)>& progress) {
  Impl& b = *impl_;
  const BuildOptions& o = b.options;
  const auto bad = [](std::string what) { return Error{ErrorCode::kInvalidArgument, std::move(what)}; };
  if (b.pages == 0) return bad("nothing to pack: no page was added");
  if (b.bits() != 0 && b.bits() != 4 && b.bits() != 8) return bad("vector bits must be 0, 4 or 8, got " + std::to_string(b.bits()));
  if (o.compression_level < 1 || o.compression_level > 22) {
    return bad("the compression level must be 1..22, got " + std::to_string(o.compression_level));
  }
  const auto report = [&](const char* stage, double share) {
    if (progress) progress(stage, share);
  };

  report("text", 0);
  b.OpenText();

  report("lexicon", 0);
  LexiconBuilder lexicon;
  SHEAF_RETURN_IF_ERROR(b.accumulator.Finish([&](std::string_view stem, std::string_view term, const std::vector<Posting>& postings) {
    lexicon.Add(stem, term, postings);
  }));
  lexicon.Finish();

  std::vector<uint8_t> graph;
  if (b.bits() && o.graph != GraphMode::kNever && (o.graph == GraphMode::kAlways || b.passages >= kGraphFrom)) {
    report("graph", 0);
    VectorTable table(b.dimensions(), b.bits());
    table.Append(b.rows);
    HnswOptions options;
    options.m = o.graph_m;
    options.ef_construction = o.graph_ef_construction;
    SHEAF_ASSIGN_OR_RETURN(graph, BuildHnsw(table, options, [&](uint32_t done) {
      report("graph", double(done) / double(b.passages));
    }));
  }

  report("bundle", 0);
  Settings settings;
  settings.pages = b.pages;
  settings.passages = b.passages;
  settings.terms = lexicon.terms();
  settings.language = uint8_t(o.language);
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

  const int level = o.compression_level;
  std::vector<SectionBuilder> sections;
  const auto add = [&](SectionId id, Codec codec, uint32_t block, ByteSpan bytes) {
    sections.emplace_back(id, codec, block, level).Append(bytes);
  };
  // From what every query needs to what few need.
  add(SectionId::kSettings, Codec::kRaw, kRecordBlock, WriteSettings(settings));
  add(SectionId::kTermIndex, Codec::kZstd, kSmallBlock, lexicon.index());
  add(SectionId::kPassageMap, Codec::kZstd, kSmallBlock, b.passage_map);
  add(SectionId::kManifest, Codec::kZstd, kSmallBlock, AsBytes(b.Manifest(!graph.empty())));
  sections.push_back(std::move(b.page_index));
  add(SectionId::kDictionary, Codec::kZstd, kMaxBlockBytes, b.dictionary);
  add(SectionId::kTerms, Codec::kZstd, kTermPageBytes, lexicon.pages());
  sections.push_back(std::move(*b.heads));
  add(SectionId::kPostings, Codec::kRaw, kPostingsBlock, lexicon.postings());
  std::sort(b.urls.begin(), b.urls.end());
  ByteWriter urls;
  for (const auto& [hash, page] : b.urls) {
    urls.U32(hash);
    urls.U32(page);
  }
  add(SectionId::kUrlIndex, Codec::kZstd, kSmallBlock, urls.bytes());
  add(SectionId::kVectors, Codec::kRaw, kVectorBlock, b.rows);
  add(SectionId::kGraph, Codec::kZstd, kGraphBlock, graph);
  sections.push_back(std::move(*b.text));
  return BuildContainer(ContainerKind::kBundle, std::move(sections));
}

}  // namespace sheaf
