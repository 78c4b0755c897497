// The border: search/engine.h as Embind sees it. Translation only; the conventions stand in
// module.d.ts, which declares exactly what is bound here.
#include <emscripten/bind.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "search/engine.h"
#include "wire.h"

namespace {

class Core {
 public:
  double SetSource(int source, double size) {
    return Reply(sheaf::wire::Message(engine_.SetSource(uint8_t(source), Whole(size))));
  }
  // emscripten's operator new traps when memory runs out, so ask malloc's way and say so.
  double Stage(double size) {
    staged_.clear();
    staged_.shrink_to_fit();
    staged_.resize(size_t(Whole(size)));
    return double(reinterpret_cast<uintptr_t>(staged_.data()));
  }
  double Supply(int source, double offset) {
    return Reply(sheaf::wire::Message(engine_.SupplyOwned(uint8_t(source), Whole(offset), std::move(staged_))));
  }
  double Open() { return Reply(sheaf::wire::Message(engine_.Open())); }
  double OpenEncoder() { return Reply(sheaf::wire::Message(engine_.OpenEncoder())); }
  double Search(const std::string& text, int mode, double top_k, int flags, double semantic_weight) {
    if (mode < 0 || mode > 2) {
      return Reply(sheaf::wire::Message(sheaf::Error{
          sheaf::ErrorCode::kInvalidArgument, "mode must be 0 (keyword), 1 (semantic) or 2 (hybrid), got " + std::to_string(mode)}));
    }
    sheaf::Query query;
    query.text = text;
    query.mode = sheaf::Mode(mode);
    query.top_k = uint32_t(std::min(Whole(top_k), uint64_t(UINT32_MAX)));
    query.explain = flags & 1;
    query.rrf = flags & 2;
    query.prefix = !(flags & 4);
    query.typo = !(flags & 8);
    query.by_passage = flags & 32;
    query.semantic_weight = float(semantic_weight);
    if (flags & 16) {
      // The vector may be asked for again after a Needs, so it is copied, and dropped with the flag.
      if (!staged_.empty()) {
        vector_.resize(staged_.size() / sizeof(float));
        std::memcpy(vector_.data(), staged_.data(), vector_.size() * sizeof(float));
        staged_.clear();
      }
      query.vector = vector_;
    } else {
      vector_.clear();
    }
    return Reply(sheaf::wire::Message(engine_.Search(query)));
  }
  double Embed(const std::string& text) { return Reply(sheaf::wire::Message(engine_.Embed(text))); }
  double Page(double id) { return Reply(sheaf::wire::Message(engine_.GetPage(Id(id)))); }
  double FindPage(const std::string& url) { return Reply(sheaf::wire::Message(engine_.FindPage(url))); }
  double Passage(double id) { return Reply(sheaf::wire::Message(engine_.GetPassage(Id(id)))); }
  double Verify() { return Reply(sheaf::wire::Message(engine_.Verify())); }
  double MessageAddress() { return double(reinterpret_cast<uintptr_t>(message_.data())); }

 private:
  static uint64_t Whole(double v) { return v > 0 && v < 9007199254740992.0 ? uint64_t(v) : 0; }
  // Anything that is no page number becomes one that no bundle has.
  static uint32_t Id(double v) { return v >= 0 && v < 4294967295.0 && v == std::floor(v) ? uint32_t(v) : UINT32_MAX; }
  double Reply(std::vector<uint8_t> message) {
    message_ = std::move(message);
    return double(message_.size());
  }

  sheaf::Engine engine_;
  std::vector<uint8_t> staged_, message_;
  std::vector<float> vector_;
};

std::string ErrorCodes() {
  std::string lines;
  for (int code = 0; code < 100; ++code) {
    const std::string name = sheaf::ErrorCodeName(sheaf::ErrorCode(code));
    if (name != "UNKNOWN") lines += std::to_string(code) + " " + name + "\n";
  }
  return lines;
}

}  // namespace

EMSCRIPTEN_BINDINGS(sheaf) {
  emscripten::function("errorCodes", &ErrorCodes);
  emscripten::class_<Core>("Core")
      .constructor<>()
      .function("setSource", &Core::SetSource)
      .function("stage", &Core::Stage)
      .function("supply", &Core::Supply)
      .function("open", &Core::Open)
      .function("openEncoder", &Core::OpenEncoder)
      .function("search", &Core::Search)
      .function("embed", &Core::Embed)
      .function("page", &Core::Page)
      .function("findPage", &Core::FindPage)
      .function("passage", &Core::Passage)
      .function("verify", &Core::Verify)
      .function("messageAddress", &Core::MessageAddress);
}
