#include "search/bundle_view.h"

#include <algorithm>

#include "base/gather.h"
#include "text/json_object.h"
#include "text/utf8.h"

namespace sheaf {
namespace {

// Up to so many passages are no background in full: they are what the documentation is about, and one alone is its own
// centroid.
constexpr float kFewPassages = 32;

Error Bad(const std::string& what) {
  return Error{ErrorCode::kCorrupt, what + "; the file is damaged, fetch or pack it again"};
}

bool HasText(const StoredPassage& stored) {
  const auto all = [](const std::vector<std::string>& texts) {
    return std::all_of(texts.begin(), texts.end(), IsUtf8);
  };
  for (const std::string* text : {&stored.title, &stored.url, &stored.source, &stored.description,
                                  &stored.last_modified, &stored.anchor, &stored.text}) {
    if (!IsUtf8(*text)) return false;
  }
  for (const auto& [key, value] : stored.entries) {
    if (!IsUtf8(key) || !IsUtf8(value)) return false;
  }
  return all(stored.place) && all(stored.headings);
}

}  // namespace

Status BundleView::Open() {
  if (open_) return {};
  SHEAF_RETURN_IF_ERROR(container_.Open(ContainerKind::kBundle));
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* passages_section, container_.Require(SectionId::kPassages));
  // One round trip brings all of them, and the manifest that every host shows.
  std::vector<uint8_t> settings_bytes, index_bytes, map_bytes, passage_index_bytes;
  Gather gather;
  for (const auto& [id, bytes] :
       {std::pair(SectionId::kSettings, &settings_bytes), std::pair(SectionId::kTermIndex, &index_bytes),
        std::pair(SectionId::kPassageMap, &map_bytes), std::pair(SectionId::kPassageIndex, &passage_index_bytes)}) {
    SHEAF_RETURN_IF_ERROR(gather.Take(container_.ReadAll(id), bytes));
  }
  SHEAF_RETURN_IF_ERROR(gather.Note(Manifest()));
  SHEAF_RETURN_IF_ERROR(gather.status());

  SHEAF_ASSIGN_OR_RETURN(Settings settings, ReadSettings(settings_bytes));
  for (const std::string* text : {&settings.language, &settings.library, &settings.version, &settings.space}) {
    if (!IsUtf8(*text)) return Bad("the settings hold text that is no UTF-8");
  }
  const auto stored = [&](SectionId id) {
    const SectionInfo* section = container_.Find(id);
    return section ? section->stored_size : uint64_t(0);
  };
  ByteReader index(index_bytes);
  SHEAF_ASSIGN_OR_RETURN(Lexicon lexicon, Lexicon::Open(&index, stored(SectionId::kTerms)));
  SHEAF_ASSIGN_OR_RETURN(Spellings spellings, Spellings::Open(&index, stored(SectionId::kSpellings)));
  // Their index follows that of spellings.
  SHEAF_ASSIGN_OR_RETURN(Symbols symbols,
                         Symbols::Open(&index, stored(SectionId::kSpellings) > 0 ? stored(SectionId::kSymbols) : 0));
  SHEAF_ASSIGN_OR_RETURN(PassageIndex passage_index,
                         PassageIndex::Open(passage_index_bytes, settings.passages, passages_section->stored_size));
  if (map_bytes.size() != (settings.passages + size_t(7)) / 8) {
    return Bad("the passage map has " + std::to_string(map_bytes.size()) + " bytes for " +
               std::to_string(settings.passages) + " passages");
  }
  std::vector<uint32_t> page_of(settings.passages), first_passage;
  first_passage.reserve(settings.pages);
  for (uint32_t passage = 0; passage < settings.passages; ++passage) {
    if (map_bytes[passage / 8] >> (passage % 8) & 1) first_passage.push_back(passage);
    if (first_passage.empty()) return Bad("the passage map does not begin with a page");
    page_of[passage] = uint32_t(first_passage.size()) - 1;
  }
  if (first_passage.size() != settings.pages) {
    return Bad("the passage map counts " + std::to_string(first_passage.size()) + " pages, the settings " +
               std::to_string(settings.pages));
  }
  if (settings.vector_bits) {
    SHEAF_ASSIGN_OR_RETURN(const SectionInfo* vectors, container_.Require(SectionId::kVectors));
    SHEAF_RETURN_IF_ERROR(container_.Require(SectionId::kPartitionIndex));
    if (vectors->codec != Codec::kRawPieces) return Bad("the vectors section does not consist of raw pieces");
  }
  row_code_ = RowCode(settings.centroid);
  const float share = std::min(1.0f, float(settings.passages - 1) / kFewPassages);
  for (float& c : settings.centroid) c *= share;
  settings_ = std::move(settings);
  lexicon_ = std::move(lexicon);
  spellings_ = std::move(spellings);
  symbols_ = std::move(symbols);
  passage_index_ = std::move(passage_index);
  page_of_ = std::move(page_of);
  first_passage_ = std::move(first_passage);
  open_ = true;
  return {};
}

Status BundleView::PrepareHits() {
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container_.Require(SectionId::kPassages));
  return NeedsDictionary(section->codec) ? container_.PrepareDictionary() : Status();
}

Result<std::string> BundleView::Manifest() {
  SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, container_.ReadAllIfAny(SectionId::kManifest));
  const std::string_view json = bytes.empty() ? "{}" : AsText(bytes);
  if (!IsJsonObject(json)) return Bad("the manifest is no JSON object");
  return std::string(json);
}

Result<ByteSpan> BundleView::ReadTermLeaf(uint64_t offset, uint64_t length) {
  return container_.Piece(SectionId::kTerms, offset, length);
}

Result<ByteSpan> BundleView::ReadSpellingLeaf(uint64_t offset, uint64_t length) {
  return container_.Piece(SectionId::kSpellings, offset, length);
}

Status BundleView::RequirePage(uint32_t page) const {
  if (page < settings_.pages) return {};
  return Error{ErrorCode::kNotFound,
               "no page " + std::to_string(page) + ": the bundle has pages 0.." + std::to_string(settings_.pages - 1)};
}

Result<StoredPassage> BundleView::ReadPassage(uint32_t passage) {
  const PassageIndex::Location at = passage_index_.Find(passage);
  SHEAF_ASSIGN_OR_RETURN(const ByteSpan piece, container_.Piece(SectionId::kPassages, at.offset, at.length));
  SHEAF_ASSIGN_OR_RETURN(StoredPassage stored, ReadStoredPassage(piece, at.count, passage - at.first));
  if (stored.page_begins != (first_passage_[page_of_[passage]] == passage)) {
    return Bad("passage " + std::to_string(passage) + " begins a page where the passage map says otherwise");
  }
  return stored;
}

Result<uint32_t> BundleView::FindPage(std::string_view url_or_source) {
  SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> urls, container_.ReadAllIfAny(SectionId::kUrlIndex));
  return FindPage(url_or_source, urls);
}

Result<uint32_t> BundleView::FindPage(std::string_view url_or_source, ByteSpan bytes) {
  const size_t entries = bytes.size() / kUrlEntryBytes;
  const auto bad = [] { return Bad("the url index names a page that does not exist"); };
  if (!bytes.empty() && bytes.size() != uint64_t(settings_.pages) * 2 * kUrlEntryBytes) return bad();
  // A path may hold a '#' ("C#.md"), a URL's ends there: try the whole name, then the part before it.
  for (const std::string_view wanted : {url_or_source, WithoutAnchor(url_or_source)}) {
    const uint32_t hash = UrlHash(wanted);
    size_t low = 0, high = entries;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (LoadU32(&bytes[middle * kUrlEntryBytes]) < hash)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < entries && LoadU32(&bytes[low * kUrlEntryBytes]) == hash; ++low) {
      const uint32_t page = LoadU32(&bytes[low * kUrlEntryBytes + 4]);
      if (page >= settings_.pages) return bad();
      SHEAF_ASSIGN_OR_RETURN(const StoredPassage first, ReadPassage(first_passage_[page]));
      if (WithoutAnchor(first.url) == wanted || first.source == wanted) return page;
    }
  }
  return Error{ErrorCode::kNotFound, "no page has the URL or source path '" +
                                         std::string(url_or_source.substr(0, 200)) + "' in " + settings_.library + " " +
                                         settings_.version};
}

Result<Language> BundleView::RequireAnalysis() const {
  const Settings& s = settings_;
  const Language language = LanguageOf(s.language);
  const bool has_rules = s.stemmer != 0 || s.language.empty();
  if (has_rules && s.tokenizer == kTokenizerVersion && s.stemmer == StemmerVersion(language)) return language;
  static_assert(kTokenizerVersion == 1, "as the message says");
  std::string what = "the words of " + s.library;
  what += " are of language '";
  what += s.language;
  what += "', tokenizer ";
  what += std::to_string(s.tokenizer);
  what += ", stemmer ";
  what += std::to_string(s.stemmer);
  what += "; this reader lacks them: update Sheaf, pack again, or search by meaning";
  return Error{ErrorCode::kUnknownAnalysis, std::move(what)};
}

Status BundleView::RequireVectors() const {
  if (has_vectors()) return {};
  return Error{ErrorCode::kNoVectors,
               settings_.library + " " + settings_.version +
                   " was packed without vectors; search by keyword, or pack it again with an encoder"};
}

bool BundleView::ProbesVectors() {
  const SectionInfo* section = container_.Find(SectionId::kVectors);
  return !vectors_ && section && !container_.Holds(*section);
}

Result<const VectorTable*> BundleView::Vectors() {
  if (vectors_) return &*vectors_;
  SHEAF_ASSIGN_OR_RETURN(const PartitionIndex* partitions, Partitions());
  SHEAF_ASSIGN_OR_RETURN(
      vectors_, partitions->ReadAll([&](uint64_t offset, uint64_t length) { return Partition(offset, length); }));
  return &*vectors_;
}

Result<const PartitionIndex*> BundleView::Partitions() {
  SHEAF_RETURN_IF_ERROR(RequireVectors());
  if (partitions_) return &*partitions_;
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container_.Require(SectionId::kVectors));
  SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, container_.ReadAll(SectionId::kPartitionIndex));
  SHEAF_ASSIGN_OR_RETURN(partitions_, PartitionIndex::Open(bytes, settings_.passages, row_code_, settings_.vector_bits,
                                                           section->stored_size));
  return &*partitions_;
}

Result<ByteSpan> BundleView::Partition(uint64_t offset, uint64_t length) {
  return container_.Piece(SectionId::kVectors, offset, length);
}

Result<const HnswGraph*> BundleView::Graph() {
  const SectionInfo* section = container_.Find(SectionId::kGraph);
  if (!section || !has_vectors()) return static_cast<const HnswGraph*>(nullptr);
  if (graph_) return &*graph_;
  SHEAF_ASSIGN_OR_RETURN(graph_bytes_, container_.ReadAll(*section));
  SHEAF_ASSIGN_OR_RETURN(HnswGraph graph, HnswGraph::Open(graph_bytes_));
  if (graph.node_count() != settings_.passages || graph.dimensions() != settings_.dimensions) {
    return Bad("the graph has another number of nodes than there are passages");
  }
  graph_ = graph;
  return &*graph_;
}

Status BundleView::VerifyContents() {
  uint32_t terms = 0, leaves = 0;
  Status status;
  std::vector<Posting> postings;
  std::string last_stem, last_term;
  const Status scanned =
      lexicon_.Scan(this, {}, [&](const TermLeaf& leaf, std::string_view stem, const TermLeaf::Form& form) {
        const TermEntry entry = leaf.Entry(form);
        status = ReadPostings(entry, &postings);
        if (status.ok() && leaf.number >= leaves) {
          const std::string_view separator = lexicon_.separator(leaf.number);
          if (leaf.number > leaves || stem < separator || (leaves > 0 && last_stem >= separator)) {
            status = Bad("the separator of term leaf " + std::to_string(leaves) + " is wrong");
          }
          ++leaves;
        }
        if (status.ok() && terms > 0 && (stem < last_stem || (stem == last_stem && entry.term <= last_term))) {
          status = Bad("the lexicon is out of order at '" + entry.term + "'");
        }
        last_stem = stem;
        last_term = entry.term;
        ++terms;
        return status.ok();
      });
  SHEAF_RETURN_IF_ERROR(scanned);
  SHEAF_RETURN_IF_ERROR(status);
  if (terms != settings_.terms) {
    return Bad("the lexicon holds " + std::to_string(terms) + " terms, the settings say " +
               std::to_string(settings_.terms));
  }
  SHEAF_RETURN_IF_ERROR(spellings_.Verify(this));
  SHEAF_RETURN_IF_ERROR(symbols_.Verify(this));
  // Once for all pages.
  SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> urls, container_.ReadAllIfAny(SectionId::kUrlIndex));
  for (uint32_t page = 0; page < settings_.pages; ++page) {
    for (uint32_t passage = FirstPassage(page); passage < EndPassage(page); ++passage) {
      SHEAF_ASSIGN_OR_RETURN(const StoredPassage stored, ReadPassage(passage));
      if (!HasText(stored)) return Bad("passage " + std::to_string(passage) + " holds text that is no UTF-8");
      if (!stored.page_begins) continue;
      for (const std::string& name : {stored.url, stored.source}) {
        if (name.empty() || urls.empty()) continue;
        const Result<uint32_t> found = FindPage(name, urls);
        if (found.code() == ErrorCode::kNotFound)
          return Bad("the url index does not find page " + std::to_string(page));
        SHEAF_RETURN_IF_ERROR(found);
      }
    }
  }
  if (has_vectors()) {
    SHEAF_RETURN_IF_ERROR(Vectors());
    SHEAF_RETURN_IF_ERROR(Graph());
  }
  return {};
}

}  // namespace sheaf
