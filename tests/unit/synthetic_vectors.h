// Vectors that look like those of passages: clusters on a low-dimensional sheet, plus noise.
// Deterministic on every machine up to the rounding of the maths library, so that a failure can be
// repeated. Used by the tests and benchmarks of src/vector.
#ifndef SHEAF_TESTS_UNIT_SYNTHETIC_VECTORS_H_
#define SHEAF_TESTS_UNIT_SYNTHETIC_VECTORS_H_

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "vector/flat.h"

namespace sheaf {

// SplitMix64.
class TestRandom {
 public:
  explicit TestRandom(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint32_t Below(uint32_t bound) { return uint32_t(Next() % bound); }
  double Uniform() { return double(Next() >> 11) * 0x1p-53; }
  // Standard normal (Box and Muller).
  double Normal() { return std::sqrt(-2 * std::log(1 - Uniform())) * std::cos(6.283185307179586 * Uniform()); }

 private:
  uint64_t state_;
};

inline std::vector<float> RandomUnitVector(TestRandom* random, size_t dimensions) {
  std::vector<float> vector(dimensions);
  double norm2 = 0;
  for (float& v : vector) {
    v = float(random->Normal());
    norm2 += double(v) * double(v);
  }
  for (float& v : vector) v = float(double(v) / std::sqrt(norm2));
  return vector;
}

// Passages of a made-up corpus: points of `kHidden` dimensions around 100 centres, mapped linearly
// to `dimensions` with decreasing variance, as a PCA leaves them, plus a little noise everywhere.
class LatentVectors {
 public:
  LatentVectors(uint64_t seed, size_t dimensions) : random_(seed), dimensions_(dimensions) {
    map_.resize(kHidden * dimensions);
    for (float& v : map_) v = float(random_.Normal());
    centres_.resize(100 * kHidden);
    for (float& v : centres_) v = float(random_.Normal());
  }

  std::vector<float> Next() {
    const float* centre = &centres_[random_.Below(100) * kHidden];
    float hidden[kHidden];
    for (size_t h = 0; h < kHidden; ++h)
      hidden[h] = (centre[h] + 0.7f * float(random_.Normal())) / std::sqrt(1.0f + float(h));
    std::vector<float> vector(dimensions_);
    for (size_t i = 0; i < dimensions_; ++i) {
      float sum = 0.3f * float(random_.Normal());
      for (size_t h = 0; h < kHidden; ++h) sum += hidden[h] * map_[h * dimensions_ + i];
      vector[i] = sum;
    }
    return vector;
  }

  VectorTable Table(uint32_t rows, uint32_t bits) {
    VectorTable table{uint32_t(dimensions_), bits};
    table.Reserve(rows);
    for (uint32_t i = 0; i < rows; ++i) table.Append(QuantizeRow(Next(), bits));
    return table;
  }

 private:
  static constexpr size_t kHidden = 32;
  TestRandom random_;
  size_t dimensions_;
  std::vector<float> map_, centres_;
};

}  // namespace sheaf

#endif  // SHEAF_TESTS_UNIT_SYNTHETIC_VECTORS_H_
