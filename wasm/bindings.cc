// The border: search/engine.h as exported functions. Translation only; the conventions stand in
// module.d.ts, which declares exactly what is exported here.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "border.h"
#include "search/engine.h"
#include "wire.h"
#ifdef SHEAF_ROWS
#include "search/row_search.h"
#endif

namespace {

struct Core {
  sheaf::Engine engine;
  std::vector<uint8_t> staged, message;

  std::string_view text() const { return sheaf::AsText(staged); }
};

template <typename T>
size_t Reply(Core* core, T&& outcome) {
  core->message = sheaf::wire::Message(std::forward<T>(outcome));
  return core->message.size();
}

uint64_t Whole(double v) { return v > 0 && v < 9007199254740992.0 ? uint64_t(v) : 0; }
// Anything that is no page number becomes one that no bundle has.
uint32_t Id(double v) { return v >= 0 && v < 4294967295.0 && v == std::floor(v) ? uint32_t(v) : UINT32_MAX; }

}  // namespace

SHEAF_EXPORT(create) Core* Create() { return new Core; }
SHEAF_EXPORT(destroy) void Destroy(Core* core) { delete core; }

SHEAF_EXPORT(stage) uint8_t* Stage(Core* core, double size) {
  std::vector<uint8_t>().swap(core->staged);
  core->staged.resize(size_t(std::min(Whole(size), uint64_t(INT32_MAX))));
  return core->staged.data();
}

SHEAF_EXPORT(setSource) size_t SetSource(Core* core, int source, double size) {
  return Reply(core, core->engine.SetSource(uint8_t(source), Whole(size)));
}
SHEAF_EXPORT(supply) size_t Supply(Core* core, int source, double offset) {
  return Reply(core, core->engine.SupplyOwned(uint8_t(source), Whole(offset), std::move(core->staged)));
}
SHEAF_EXPORT(open) size_t Open(Core* core) { return Reply(core, core->engine.Open()); }
SHEAF_EXPORT(openEncoder) size_t OpenEncoder(Core* core) { return Reply(core, core->engine.OpenEncoder()); }

SHEAF_EXPORT(search)
size_t Search(Core* core, int mode, double top_k, int flags, double semantic_weight, uint32_t dimensions,
              uint32_t chosen) {
  const size_t size = core->staged.size();
  if (mode < 0 || mode > 2 || dimensions > size / sizeof(float) || chosen > size - dimensions * sizeof(float)) {
    return Reply(core, sheaf::Status(sheaf::Error{
                           sheaf::ErrorCode::kInvalidArgument,
                           "mode must be 0, 1 or 2, and the vector and selection be staged before the text"}));
  }
  sheaf::Query query;
  query.mode = sheaf::Mode(mode);
  query.top_k = uint32_t(std::min(Whole(top_k), uint64_t(UINT32_MAX)));
  query.explain = flags & 1;
  query.rrf = flags & 2;
  query.prefix = !(flags & 4);
  query.typo = !(flags & 8);
  query.by_passage = flags & 16;
  query.facets = flags & 32;
  query.descending = flags & 64;
  if (flags >> 8) query.kind = sheaf::SymbolKind((flags >> 8) - 1);
  query.semantic_weight = float(semantic_weight);
  query.vector.resize(dimensions);
  if (dimensions) std::memcpy(query.vector.data(), core->staged.data(), dimensions * sizeof(float));
  query.selection = core->text().substr(dimensions * sizeof(float), chosen);
  query.text = core->text().substr(dimensions * sizeof(float) + chosen);
  return Reply(core, core->engine.Search(query));
}

SHEAF_EXPORT(embed) size_t Embed(Core* core) { return Reply(core, core->engine.Embed(core->text())); }
SHEAF_EXPORT(knowsWord) size_t KnowsWord(Core* core) { return Reply(core, core->engine.KnowsWord(core->text())); }
SHEAF_EXPORT(page) size_t Page(Core* core, double id) { return Reply(core, core->engine.GetPage(Id(id))); }
SHEAF_EXPORT(findPage) size_t FindPage(Core* core) { return Reply(core, core->engine.FindPage(core->text())); }
SHEAF_EXPORT(passage) size_t Passage(Core* core, double id) { return Reply(core, core->engine.GetPassage(Id(id))); }
SHEAF_EXPORT(verify) size_t Verify(Core* core) { return Reply(core, core->engine.Verify()); }
#ifdef SHEAF_ROWS
// For databases, in the module that reads bundles for them (rows.d.ts).
SHEAF_EXPORT(terms) size_t Terms(Core* core, double first, double count) {
  return Reply(core, core->engine.GetTerms(Id(first), Id(count)));
}
SHEAF_EXPORT(vector) size_t Vector(Core* core, double id) { return Reply(core, core->engine.GetVector(Id(id))); }
SHEAF_EXPORT(groups) size_t Groups(Core* core) { return Reply(core, core->engine.GetGroups()); }
#endif
SHEAF_EXPORT(messageAddress) const uint8_t* MessageAddress(Core* core) { return core->message.data(); }
