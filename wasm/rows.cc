// The border of search/row_search.h, beside that of the core (bindings.cc) in sheaf-rows.wasm. Translation only; the
// conventions stand in rows.d.ts.
#include "search/row_search.h"

#include <algorithm>
#include <string>
#include <vector>

#include "border.h"
#include "wire.h"

namespace {

using sheaf::ByteReader;

std::vector<uint8_t> staged;

struct Search {
  sheaf::RowSearch search;
  std::vector<uint8_t> message;
};

std::string Text(ByteReader* in) { return std::string(in->String()); }

// A count that the bytes left can hold.
size_t Count(ByteReader* in) { return size_t(std::min<uint64_t>(in->Varint(), in->remaining())); }

std::vector<float> Floats(ByteReader* in) {
  std::vector<float> floats(std::min(Count(in), in->remaining() / sizeof(float)));
  for (float& each : floats) each = in->F32();
  return floats;
}

sheaf::RowSearch::Terms Terms(ByteReader* in) {
  sheaf::RowSearch::Terms terms(Count(in));
  for (auto& [term, pages] : terms) {
    term = Text(in);
    pages = in->Varint32();
  }
  return terms;
}

sheaf::Row ReadRow(ByteReader* in) {
  sheaf::Row row;
  for (uint32_t* number : {&row.page, &row.passage, &row.first_line, &row.last_line}) *number = in->Varint32();
  row.cosine = in->F32();
  for (std::string* text : {&row.title, &row.url, &row.source, &row.anchor, &row.text, &row.words}) *text = Text(in);
  row.headings.resize(Count(in));
  for (std::string& heading : row.headings) heading = Text(in);
  return row;
}

}  // namespace

SHEAF_EXPORT(stageRows) uint8_t* StageRows(size_t size) {
  std::vector<uint8_t>().swap(staged);
  staged.resize(std::min(size, size_t(INT32_MAX)));
  return staged.data();
}

SHEAF_EXPORT(analysis) uint32_t Analysis(uint32_t language) { return sheaf::RowAnalysis(sheaf::Language(language)); }

SHEAF_EXPORT(createSearch) Search* CreateSearch() {
  ByteReader in(staged);
  sheaf::RowLibrary library;
  library.language = sheaf::Language(in.Varint32());
  library.pages = in.Varint32();
  library.centroid = Floats(&in);
  sheaf::Query query;
  query.mode = sheaf::Mode(std::min<uint8_t>(in.U8(), 2));
  query.top_k = in.Varint32();
  const uint8_t flags = in.U8();
  query.explain = flags & 1;
  query.rrf = flags & 2;
  query.typo = !(flags & 8);
  query.by_passage = flags & 16;
  query.semantic_weight = in.F32();
  query.text = Text(&in);
  return new Search{sheaf::RowSearch(std::move(library), std::move(query), flags & 32), {}};
}
SHEAF_EXPORT(destroySearch) void DestroySearch(Search* search) { delete search; }

SHEAF_EXPORT(supplyGroups) void SupplyGroups(Search* search) {
  ByteReader in(staged);
  for (size_t count = Count(&in); count > 0; --count) {
    std::string stem = Text(&in);
    const uint32_t pages = in.Varint32();
    search->search.SupplyGroup(std::move(stem), pages, Terms(&in));
  }
}
SHEAF_EXPORT(supplyLengths) void SupplyLengths(Search* search, uint32_t shortest, uint32_t longest) {
  ByteReader in(staged);
  search->search.SupplyLengths({shortest, longest}, Terms(&in));
}
SHEAF_EXPORT(supplyKnown) void SupplyKnown(Search* search, int is_known) {
  search->search.SupplyKnown(std::string(sheaf::AsText(staged)), is_known);
}
SHEAF_EXPORT(supplyCandidates) size_t SupplyCandidates(Search* search, int by_table) {
  ByteReader in(staged);
  std::vector<float> vector = Floats(&in);
  std::vector<sheaf::Row> rows(Count(&in));
  for (sheaf::Row& row : rows) row = ReadRow(&in);
  search->message = sheaf::wire::Message(search->search.SupplyCandidates(std::move(rows), std::move(vector), by_table));
  return search->message.size();
}

SHEAF_EXPORT(ask) size_t Ask(Search* search) {
  const auto outcome = search->search.Search();
  if (!outcome.ok()) {
    search->message = sheaf::wire::Message(outcome.error());
    return search->message.size();
  }
  sheaf::wire::MessageWriter writer;
  const auto* needs = std::get_if<sheaf::RowNeeds>(&*outcome);
  writer.PutByte(needs != nullptr);
  if (needs)
    writer.Put(*needs);
  else
    writer.Put(std::get<sheaf::Answer>(*outcome));
  search->message = writer.Take();
  return search->message.size();
}
SHEAF_EXPORT(askMessage) const uint8_t* AskMessage(Search* search) { return search->message.data(); }
