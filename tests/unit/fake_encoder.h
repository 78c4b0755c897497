// The vector that tests/unit/fake_encoder.cc gives to an input, for its tests to compare.
#ifndef SHEAF_TESTS_UNIT_FAKE_ENCODER_H_
#define SHEAF_TESTS_UNIT_FAKE_ENCODER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "encode/static_encoder.h"

namespace sheaf::test {

// A direction that depends on the bytes of the input alone; of unit length.
inline std::vector<float> FakeVector(ByteSpan input, uint32_t dimensions) {
  uint64_t state = Hash64(input);
  std::vector<float> vector(dimensions);
  for (float& component : vector) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    component = float(int32_t(state >> 32)) / 2147483648.0f;
  }
  Normalize(&vector);
  return vector;
}

inline std::vector<float> FakeVector(std::span<const uint32_t> ids, uint32_t dimensions) {
  ByteWriter w;
  for (uint32_t id : ids) w.U32(id);
  return FakeVector(w.bytes(), dimensions);
}

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_UNIT_FAKE_ENCODER_H_
