// The frames between packer and embedding process, as pure functions of bytes.
//
// Idea: docs/embedding-protocol.md is the specification; this file implements it. Input from the process
// is untrusted: lengths are capped before anything is allocated, each JSON member has a limit, and
// numbers are checked.
//
//     u32 length of what follows · u8 type · payload          little-endian, at most 64 MiB
//
// Cost: one copy of a payload.
#ifndef SHEAF_PACKER_EMBED_EMBEDDING_PROTOCOL_H_
#define SHEAF_PACKER_EMBED_EMBEDDING_PROTOCOL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf::packer {

inline constexpr uint32_t kEmbeddingProtocol = 1;
inline constexpr uint32_t kMaxFrameBytes = 64u << 20;  // type and payload
inline constexpr uint32_t kMaxBatchItems = 1024;
inline constexpr uint32_t kWhole = UINT32_MAX;  // in an error: the whole process, the whole batch

enum class FrameType : uint8_t { kHello = 1, kReady = 2, kBatch = 3, kVectors = 4, kError = 5 };

struct Frame {
  FrameType type = FrameType::kError;
  std::vector<uint8_t> payload;
};

// The facts of `ready`. Everything is within the limits of the specification.
struct EncoderInfo {
  std::string name, hash, precision, space;
  uint32_t dimensions = 0;
  bool takes_tokens = false;
  std::string vocabulary;  // path; with tokens
  bool lowercase = true, strip_accents = true, split_cjk = true;
  uint32_t max_tokens = 256;
  std::string prefix;
  uint32_t batch_tokens = 4096;
  uint32_t in_flight = 2;

  bool operator==(const EncoderInfo&) const = default;
};

// One passage to embed: token ids or text, and its cost in a batch.
struct EmbeddingItem {
  std::vector<uint32_t> ids;
  std::string text;
  uint32_t cost = 0;
};

struct VectorsFrame {
  uint32_t batch = 0, count = 0;
  std::vector<float> rows;
};

struct ErrorFrame {
  uint32_t batch = kWhole, item = kWhole;
  std::string message;  // at most 1,000 bytes of it
};

// ---- writing ----------------------------------------------------------------------------------

// A whole frame. REQUIRES: the payload is below kMaxFrameBytes.
std::vector<uint8_t> WriteFrame(FrameType type, ByteSpan payload);
std::vector<uint8_t> WriteHello(std::string_view packer);
// The batch `id` of items[order[0]], items[order[1]], …
std::vector<uint8_t> WriteBatch(uint32_t id, std::span<const EmbeddingItem> items, std::span<const uint32_t> order,
                                bool tokens);

// ---- reading ----------------------------------------------------------------------------------

// Removes the first frame from `buffer` if it is complete. Error: kCorrupt for a length or type that no
// frame has.
Result<std::optional<Frame>> TakeFrame(std::vector<uint8_t>* buffer);
// Errors: kCorrupt (not JSON), kInvalidArgument (a member is missing or out of its limits),
// kUnsupportedVersion (another protocol).
Result<EncoderInfo> ReadReady(ByteSpan payload);
// Errors: kCorrupt: lengths disagree, or a number is not finite.
Result<VectorsFrame> ReadVectors(ByteSpan payload, uint32_t dimensions);
Result<ErrorFrame> ReadError(ByteSpan payload);

// ---- batches ----------------------------------------------------------------------------------

// Makes an item of a text: cut between characters to 64 bytes per token, with its cost.
EmbeddingItem TextItem(std::string text, uint32_t max_tokens);

// Groups item numbers, longest first, into batches with items × longest cost <= batch_tokens, of one
// item at least and kMaxBatchItems at most. Deterministic: equal costs give equal batches.
std::vector<std::vector<uint32_t>> MakeBatches(std::span<const EmbeddingItem> items, uint32_t batch_tokens);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_EMBEDDING_PROTOCOL_H_
