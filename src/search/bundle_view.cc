#include "search/bundle_view.h"

#include <algorithm>

namespace sheaf {
namespace {

Error Bad(const std::string& what) {
  return Error{ErrorCode::kCorrupt, what + "; the file is damaged, fetch or pack it again"};
}

}  // namespace

Status BundleView::Open() {
  if (open_) return {};
  SHEAF_RETURN_IF_ERROR(container_.Open(ContainerKind::kBundle));
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* settings_section, container_.Require(SectionId::kSettings));
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* index_section, container_.Require(SectionId::kTermIndex));
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* map_section, container_.Require(SectionId::kPassageMap));
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* pages_section, container_.Require(SectionId::kPageIndex));
  for (SectionId id : {SectionId::kPageHeads, SectionId::kText}) SHEAF_RETURN_IF_ERROR(container_.Require(id));
  // Ask for all three before looking at any, so that a lazy host needs one round trip.
  const auto settings_bytes = container_.ReadAll(*settings_section);
  const auto index_bytes = container_.ReadAll(*index_section);
  const auto map_bytes = container_.ReadAll(*map_section);
  for (const auto* bytes : {&settings_bytes, &index_bytes, &map_bytes}) {
    if (!bytes->ok()) return bytes->error();
  }

  SHEAF_ASSIGN_OR_RETURN(Settings settings, ReadSettings(*settings_bytes));
  SHEAF_ASSIGN_OR_RETURN(Lexicon lexicon, Lexicon::Open(*index_bytes));
  const SectionInfo* terms = container_.Find(SectionId::kTerms);
  if (lexicon.page_count() != (terms ? terms->block_count : 0) || (terms && terms->block_size != kTermPageBytes)) {
    return Bad("the term index does not fit the lexicon");
  }
  if (map_bytes->size() != (settings.passages + size_t(7)) / 8) {
    return Bad("the passage map has " + std::to_string(map_bytes->size()) + " bytes for " +
               std::to_string(settings.passages) + " passages");
  }
  if (pages_section->raw_size != uint64_t(settings.pages) * kPageRecordBytes) {
    return Bad("the page index does not have " + std::to_string(settings.pages) + " records");
  }
  std::vector<uint32_t> page_of(settings.passages), first_passage;
  first_passage.reserve(settings.pages);
  for (uint32_t passage = 0; passage < settings.passages; ++passage) {
    if ((*map_bytes)[passage / 8] >> (passage % 8) & 1) first_passage.push_back(passage);
    if (first_passage.empty()) return Bad("the passage map does not begin with a page");
    page_of[passage] = uint32_t(first_passage.size()) - 1;
  }
  if (first_passage.size() != settings.pages) {
    return Bad("the passage map counts " + std::to_string(first_passage.size()) + " pages, the settings " +
               std::to_string(settings.pages));
  }
  if (settings.vector_bits) {
    SHEAF_ASSIGN_OR_RETURN(const SectionInfo* vectors, container_.Require(SectionId::kVectors));
    if (vectors->raw_size != uint64_t(settings.passages) * RowBytes(settings.dimensions, settings.vector_bits)) {
      return Bad("the vectors section does not hold one row for each passage");
    }
  }
  settings_ = std::move(settings);
  lexicon_ = std::move(lexicon);
  page_of_ = std::move(page_of);
  first_passage_ = std::move(first_passage);
  open_ = true;
  return {};
}

Result<std::string> BundleView::Manifest() {
  const SectionInfo* section = container_.Find(SectionId::kManifest);
  if (!section) return std::string("{}");
  SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, container_.ReadAll(*section));
  return std::string(AsText(bytes));
}

Result<ByteSpan> BundleView::TermPage(uint32_t index) {
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container_.Require(SectionId::kTerms));
  return container_.Block(*section, index);
}

Status BundleView::ReadPostings(const TermEntry& entry, std::vector<Posting>* out) {
  out->clear();
  if (entry.bytes == 0) {
    if (entry.passage >= passages()) return Bad("the lexicon names a passage that does not exist");
    out->push_back({entry.passage, std::min<uint8_t>(entry.level, 31)});
    return {};
  }
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container_.Require(SectionId::kPostings));
  // A list within one block, the usual case, is read in place.
  const uint32_t block = uint32_t(std::min<uint64_t>(entry.offset / section->block_size, UINT32_MAX));
  const uint64_t inside = entry.offset % section->block_size;
  if (inside + entry.bytes <= section->block_size) {
    SHEAF_ASSIGN_OR_RETURN(const ByteSpan bytes, container_.Block(*section, block));
    if (inside + entry.bytes > bytes.size()) return Bad("the lexicon points past the postings");
    return DecodePostings(bytes.subspan(size_t(inside), entry.bytes), entry.postings, passages(), out);
  }
  std::vector<uint8_t> bytes;
  SHEAF_RETURN_IF_ERROR(container_.Read(*section, entry.offset, entry.bytes, &bytes));
  return DecodePostings(bytes, entry.postings, passages(), out);
}

Result<PageRecord> BundleView::Record(uint32_t page) {
  if (page >= settings_.pages) {
    return Error{ErrorCode::kNotFound, "no page " + std::to_string(page) + ": the bundle has pages 0.." +
                                           std::to_string(settings_.pages - 1)};
  }
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container_.Require(SectionId::kPageIndex));
  std::vector<uint8_t> bytes;
  SHEAF_RETURN_IF_ERROR(container_.Read(*section, uint64_t(page) * kPageRecordBytes, kPageRecordBytes, &bytes));
  PageRecord record = ReadPageRecord(bytes);
  if (record.first_passage != first_passage_[page]) return Bad("page " + std::to_string(page) + " begins at another passage than the map says");
  return record;
}

Result<BundleView::PageParts> BundleView::ReadPage(uint32_t page) {
  PageParts parts;
  SHEAF_ASSIGN_OR_RETURN(parts.record, Record(page));
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container_.Require(SectionId::kPageHeads));
  std::vector<uint8_t> bytes;
  SHEAF_RETURN_IF_ERROR(container_.Read(*section, parts.record.head_offset, parts.record.head_length, &bytes));
  SHEAF_ASSIGN_OR_RETURN(parts.head, ReadPageHead(bytes));
  const uint32_t end = page + 1 < settings_.pages ? first_passage_[page + 1] : settings_.passages;
  if (parts.head.passages.size() != end - parts.record.first_passage) {
    return Bad("page " + std::to_string(page) + " has another number of passages than the map says");
  }
  return parts;
}

Result<std::string> BundleView::ReadText(const PageParts& page, size_t index) {
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container_.Require(SectionId::kText));
  uint64_t offset = page.record.text_offset;
  for (size_t i = 0; i < index; ++i) offset += page.head.passages[i].length;
  std::vector<uint8_t> bytes;
  SHEAF_RETURN_IF_ERROR(container_.Read(*section, offset, page.head.passages[index].length, &bytes));
  return std::string(AsText(bytes));
}

Result<uint32_t> BundleView::FindPage(std::string_view url_or_source) {
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container_.Require(SectionId::kUrlIndex));
  SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, container_.ReadAll(*section));
  const size_t entries = bytes.size() / kUrlEntryBytes;
  // A path may hold a '#' ("C#.md"), a URL's ends there: try the whole name, then the part before it.
  for (const std::string_view wanted : {url_or_source, WithoutAnchor(url_or_source)}) {
    const uint32_t hash = UrlHash(wanted);
    size_t low = 0, high = entries;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (LoadU32(&bytes[middle * kUrlEntryBytes]) < hash) low = middle + 1;
      else high = middle;
    }
    for (; low < entries && LoadU32(&bytes[low * kUrlEntryBytes]) == hash; ++low) {
      const uint32_t page = LoadU32(&bytes[low * kUrlEntryBytes + 4]);
      SHEAF_ASSIGN_OR_RETURN(const PageParts parts, ReadPage(page));
      if (WithoutAnchor(parts.head.url) == wanted || parts.head.source == wanted) return page;
    }
  }
  return Error{ErrorCode::kNotFound, "no page has the URL or source path '" + std::string(url_or_source.substr(0, 200)) + "' in " +
                                         settings_.library + " " + settings_.version};
}

Status BundleView::RequireVectors() const {
  if (has_vectors()) return {};
  return Error{ErrorCode::kNoVectors, settings_.library + " " + settings_.version +
                   " was packed without vectors; search by keyword, or pack it again with an encoder"};
}

Result<const VectorTable*> BundleView::Vectors() {
  SHEAF_RETURN_IF_ERROR(RequireVectors());
  if (vectors_) return &*vectors_;
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, container_.Require(SectionId::kVectors));
  // Rows must not be split by blocks for this walk; gather the whole section otherwise.
  const size_t row = RowBytes(settings_.dimensions, settings_.vector_bits);
  VectorTable table(settings_.dimensions, settings_.vector_bits);
  if (section->block_size % row == 0) {
    bool missing = false;
    for (uint32_t index = 0; index < section->block_count; ++index) {
      const Result<ByteSpan> block = container_.Block(*section, index);
      if (!block.ok()) {
        if (block.code() != ErrorCode::kNeedsBytes) return block.error();
        missing = true;
      } else if (!missing) {
        table.Append(*block);
      }
    }
    if (missing) return Error{ErrorCode::kNeedsBytes, {}};
  } else {
    SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, container_.ReadAll(*section));
    table.Append(bytes);
  }
  vectors_ = std::move(table);
  return &*vectors_;
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
  graph_ = std::move(graph);
  return &*graph_;
}

Status BundleView::VerifyContents() {
  SHEAF_RETURN_IF_ERROR(Manifest());
  uint32_t terms = 0;
  Status status;
  std::vector<Posting> postings;
  std::string last_stem, last_term;
  const Status scanned = lexicon_.Scan(this, {}, [&](const TermPageView& page, std::string_view stem, const TermPageView::Form& form) {
    const TermEntry entry = page.Entry(form);
    status = ReadPostings(entry, &postings);
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
    return Bad("the lexicon holds " + std::to_string(terms) + " terms, the settings say " + std::to_string(settings_.terms));
  }
  for (uint32_t page = 0; page < settings_.pages; ++page) {
    SHEAF_ASSIGN_OR_RETURN(const PageParts parts, ReadPage(page));
    for (size_t i = 0; i < parts.head.passages.size(); ++i) SHEAF_RETURN_IF_ERROR(ReadText(parts, i));
    for (std::string_view name : {std::string_view(parts.head.url), std::string_view(parts.head.source)}) {
      if (!name.empty()) SHEAF_RETURN_IF_ERROR(FindPage(name));
    }
  }
  if (has_vectors()) {
    SHEAF_RETURN_IF_ERROR(Vectors());
    SHEAF_RETURN_IF_ERROR(Graph());
  }
  return {};
}

}  // namespace sheaf
