#include "packer/embed/embedding_protocol.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "text/utf8.h"
#include "vector/distance.h"

namespace sheaf::packer {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxName = 200, kMaxPrecision = 32, kMaxPath = 4096, kMaxPrefix = 1024, kMaxMessage = 1000;
constexpr uint32_t kMaxTokensCap = 8192, kBatchTokensCap = 262144, kInFlightCap = 64;
constexpr size_t kBytesPerToken = 64;
constexpr size_t kMaxReady = 1 << 20;

Error BrokenFrame(std::string what) { return Error{ErrorCode::kCorrupt, std::move(what)}; }
Error Refused(std::string what) { return Error{ErrorCode::kInvalidArgument, "`ready`: " + std::move(what)}; }

// Rejects JSON nested deeper than any `ready`, before it can exhaust the stack.
Json ParseShallow(std::string_view text) {
  constexpr int kMaxDepth = 8;
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  Json json = Json::parse(text, watch, /*allow_exceptions=*/false);
  return too_deep ? Json(Json::value_t::discarded) : json;
}

// Reads members one by one and remembers the first error.
class ReadyReader {
 public:
  explicit ReadyReader(const Json& json) : json_(json) {}

  void String(const char* name, bool required, size_t limit, std::string* out) {
    const Json* member = Find(name, required);
    if (member == nullptr) return;
    if (!member->is_string()) return Fail(std::string(name) + " must be a string");
    std::string text = member->get<std::string>();
    if (text.size() > limit) return Fail(std::string(name) + " is longer than " + std::to_string(limit) + " bytes");
    if (required && text.empty()) return Fail(std::string(name) + " is empty");
    if (text.find('\0') != std::string::npos) return Fail(std::string(name) + " holds a NUL character");
    *out = std::move(text);
  }

  void Number(const char* name, bool required, uint32_t least, uint32_t most, uint32_t* out) {
    const Json* member = Find(name, required);
    if (member == nullptr) return;
    const bool fits =
        member->is_number_unsigned() && member->get<uint64_t>() >= least && member->get<uint64_t>() <= most;
    if (!fits) {
      return Fail(std::string(name) + " must be a whole number from " + std::to_string(least) + " to " +
                  std::to_string(most) + ", got " +
                  member->dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 40));
    }
    *out = uint32_t(member->get<uint64_t>());
  }

  void Flag(const char* name, bool* out) {
    const Json* member = Find(name, false);
    if (member == nullptr) return;
    if (!member->is_boolean()) return Fail(std::string(name) + " must be true or false");
    *out = member->get<bool>();
  }

  void Fail(std::string why) {
    if (!error_) error_ = Refused(std::move(why));
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const Json* Find(const char* name, bool required) {
    const auto at = json_.find(name);
    if (at != json_.end() && !at->is_null()) return &*at;
    if (required) Fail(std::string(name) + " is missing");
    return nullptr;
  }

  const Json& json_;
  std::optional<Error> error_;
};

bool IsSha256(std::string_view text) {
  return text.size() == 64 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

// ---- writing ----------------------------------------------------------------------------------

std::vector<uint8_t> WriteFrame(FrameType type, ByteSpan payload) {
  ByteWriter w;
  w.U32(uint32_t(payload.size() + 1));
  w.U8(uint8_t(type));
  w.Bytes(payload);
  return w.Take();
}

std::vector<uint8_t> WriteHello(std::string_view packer) {
  const Json hello = {{"protocol", kEmbeddingProtocol}, {"packer", packer}};
  const std::string text = hello.dump(-1, ' ', false, Json::error_handler_t::replace);
  return WriteFrame(FrameType::kHello, AsBytes(text));
}

std::vector<uint8_t> WriteBatch(uint32_t id, std::span<const EmbeddingItem> items, std::span<const uint32_t> order,
                                bool tokens) {
  ByteWriter w;
  w.U32(0);  // the length, known at the end
  w.U8(uint8_t(FrameType::kBatch));
  w.U32(id);
  w.U32(uint32_t(order.size()));
  for (uint32_t number : order) {
    const EmbeddingItem& item = items[number];
    if (tokens) {
      w.U32(uint32_t(item.ids.size()));
      for (uint32_t token : item.ids) w.U32(token);
    } else {
      w.U32(uint32_t(item.text.size()));
      w.Bytes(AsBytes(item.text));
    }
  }
  w.PatchU32(0, uint32_t(w.size() - 4));
  return w.Take();
}

// ---- reading ----------------------------------------------------------------------------------

Result<std::optional<Frame>> TakeFrame(std::vector<uint8_t>* buffer) {
  if (buffer->size() < 5) return std::optional<Frame>();
  const uint32_t length = LoadU32(buffer->data());
  const uint8_t type = (*buffer)[4];
  if (length == 0 || length > kMaxFrameBytes) {
    return BrokenFrame("it sent a frame of " + std::to_string(length) + " bytes; 1 to " +
                       std::to_string(kMaxFrameBytes) + " are allowed (does it print to stdout?)");
  }
  if (type < uint8_t(FrameType::kHello) || type > uint8_t(FrameType::kError)) {
    return BrokenFrame("it sent a frame of type " + std::to_string(type) + ", which protocol " +
                       std::to_string(kEmbeddingProtocol) + " does not have (does it print to stdout?)");
  }
  if (buffer->size() - 4 < length) return std::optional<Frame>();
  Frame frame;
  frame.type = FrameType(type);
  const auto end = buffer->begin() + 4 + ptrdiff_t(length);
  frame.payload.assign(buffer->begin() + 5, end);
  buffer->erase(buffer->begin(), end);
  return std::optional<Frame>(std::move(frame));
}

Result<EncoderInfo> ReadReady(ByteSpan payload) {
  if (payload.size() > kMaxReady)
    return BrokenFrame("its `ready` has " + std::to_string(payload.size()) + " bytes, more than " +
                       std::to_string(kMaxReady));
  const Json json = ParseShallow(AsText(payload));
  if (!json.is_object()) return BrokenFrame("its `ready` is not a JSON object");
  const auto version = json.find("protocol");
  if (version == json.end() || !version->is_number_unsigned() || version->get<uint64_t>() != kEmbeddingProtocol) {
    return Error{ErrorCode::kUnsupportedVersion,
                 "`ready`: this packer speaks version " + std::to_string(kEmbeddingProtocol) +
                     " of the embedding protocol, the process " +
                     (version == json.end()
                          ? "names none"
                          : "version " + version->dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 40)) +
                     "; install versions of both that match"};
  }
  EncoderInfo info;
  ReadyReader read(json);
  read.String("encoder", true, kMaxName, &info.name);
  read.String("hash", true, kMaxName, &info.hash);
  read.String("precision", true, kMaxPrecision, &info.precision);
  read.String("space", true, kMaxName, &info.space);
  read.Number("dimensions", true, 16, kMaxDimensions, &info.dimensions);
  std::string input = "text";
  read.String("input", false, kMaxName, &input);
  info.takes_tokens = input == "tokens";
  if (input != "tokens" && input != "text") read.Fail("input must be tokens or text");
  read.String("vocabulary", info.takes_tokens, kMaxPath, &info.vocabulary);
  read.Flag("lowercase", &info.lowercase);
  read.Flag("stripAccents", &info.strip_accents);
  read.Flag("splitCjk", &info.split_cjk);
  read.Number("maxTokens", false, 2, kMaxTokensCap, &info.max_tokens);
  read.String("prefix", false, kMaxPrefix, &info.prefix);
  read.Number("batchTokens", false, 1, kBatchTokensCap, &info.batch_tokens);
  read.Number("inFlight", false, 1, kInFlightCap, &info.in_flight);
  if (read.error()) return *read.error();
  if (!IsSha256(info.hash)) return Refused("hash must be a SHA-256, 64 hexadecimal digits in lower case");
  if (info.dimensions % 16 != 0) {
    return Refused("dimensions must be a multiple of 16, got " + std::to_string(info.dimensions));
  }
  return info;
}

Result<VectorsFrame> ReadVectors(ByteSpan payload, uint32_t dimensions) {
  ByteReader r(payload);
  VectorsFrame frame;
  frame.batch = r.U32();
  frame.count = r.U32();
  if (!r.ok() || r.remaining() != uint64_t(frame.count) * dimensions * 4) {
    return BrokenFrame("its `vectors` of " + std::to_string(payload.size()) + " bytes do not hold " +
                       std::to_string(frame.count) + " rows of " + std::to_string(dimensions) + " float32");
  }
  frame.rows.resize(size_t(frame.count) * dimensions);
  for (size_t i = 0; i < frame.rows.size(); ++i) {
    frame.rows[i] = r.F32();
    if (!std::isfinite(frame.rows[i])) {
      return BrokenFrame("row " + std::to_string(i / dimensions) + " of its `vectors` for batch " +
                         std::to_string(frame.batch) + " has a number that is not finite");
    }
  }
  return frame;
}

Result<ErrorFrame> ReadError(ByteSpan payload) {
  ByteReader r(payload);
  ErrorFrame frame;
  frame.batch = r.U32();
  frame.item = r.U32();
  if (!r.ok())
    return BrokenFrame("it sent an `error` of " + std::to_string(payload.size()) + " bytes, shorter than any");
  frame.message = std::string(AsText(r.Bytes(std::min(r.remaining(), kMaxMessage))));
  if (frame.message.empty()) frame.message = "it gave no reason";
  return frame;
}

// ---- batches ----------------------------------------------------------------------------------

EmbeddingItem TextItem(std::string text, uint32_t max_tokens) {
  size_t end = size_t(max_tokens) * kBytesPerToken;
  if (text.size() > end) {
    while (end > 0 && IsUtf8Continuation(text[end])) --end;  // not inside a character
    text.resize(end);
    text.shrink_to_fit();
  }
  EmbeddingItem item;
  item.cost = uint32_t(std::min<size_t>(text.size() / 4 + 2, max_tokens));
  item.text = std::move(text);
  return item;
}

std::vector<std::vector<uint32_t>> MakeBatches(std::span<const EmbeddingItem> items, uint32_t batch_tokens) {
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return items[a].cost > items[b].cost; });
  std::vector<std::vector<uint32_t>> batches;
  for (uint32_t number : order) {
    const bool fits = !batches.empty() && batches.back().size() < kMaxBatchItems &&
                      (batches.back().size() + 1) * uint64_t(items[batches.back().front()].cost) <= batch_tokens;
    if (!fits) batches.emplace_back();
    batches.back().push_back(number);
  }
  return batches;
}

}  // namespace sheaf::packer
