// Dot products, quantisation and packing of codes. See distance.h for the layout of a row.
//
// One kernel serves all targets. Only a `Lanes` type with four operations differs (load 16-bit codes, load
// and widen 8-bit codes, multiply and add pairs into 32 bits, sum). Widening before
// multiplying keeps every step exact: a pair of products is at most 2 * 128 * 128 and fits 32 bits.
#include "vector/distance.h"

#include <algorithm>
#include <cassert>
#include <cfloat>
#include <cmath>

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#if defined(__SSE4_1__)
#include <smmintrin.h>
#endif
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// Always inlined: a build for size would otherwise call these and run seven times slower.
#if defined(__GNUC__)
#define SHEAF_INLINE __attribute__((always_inline)) inline
#else
#define SHEAF_INLINE inline
#endif

// Bundles and scores are the same on every machine, so a float is computed as a float (x87 would keep more bits).
static_assert(FLT_EVAL_METHOD == 0, "compile for SSE2 (-mfpmath=sse), or for a machine that computes floats as floats");

namespace sheaf {
namespace {

#if defined(__wasm_simd128__)

struct Lanes {
  static constexpr size_t kCount = 8;
  using Codes = v128_t;
  using Sums = v128_t;
  SHEAF_INLINE static Sums Zero() { return wasm_i32x4_splat(0); }
  SHEAF_INLINE static Codes Load(const int16_t* p) { return wasm_v128_load(p); }
  SHEAF_INLINE static Codes Widen(const int8_t* p) { return wasm_i16x8_load8x8(p); }
  SHEAF_INLINE static Sums MultiplyAdd(Sums sums, Codes a, Codes b) {
    return wasm_i32x4_add(sums, wasm_i32x4_dot_i16x8(a, b));
  }
  SHEAF_INLINE static int32_t Total(Sums s) {
    return wasm_i32x4_extract_lane(s, 0) + wasm_i32x4_extract_lane(s, 1) + wasm_i32x4_extract_lane(s, 2) +
           wasm_i32x4_extract_lane(s, 3);
  }
};
#define SHEAF_VECTOR_LANES 1

#elif defined(__AVX2__)

struct Lanes {
  static constexpr size_t kCount = 16;
  using Codes = __m256i;
  using Sums = __m256i;
  SHEAF_INLINE static Sums Zero() { return _mm256_setzero_si256(); }
  SHEAF_INLINE static Codes Load(const int16_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  SHEAF_INLINE static Codes Widen(const int8_t* p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  SHEAF_INLINE static Sums MultiplyAdd(Sums sums, Codes a, Codes b) {
    return _mm256_add_epi32(sums, _mm256_madd_epi16(a, b));
  }
  SHEAF_INLINE static int32_t Total(Sums s) {
    __m128i x = _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, _MM_SHUFFLE(1, 0, 3, 2)));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm_cvtsi128_si32(x);
  }
};
#define SHEAF_VECTOR_LANES 1

#elif defined(__SSE2__)

struct Lanes {
  static constexpr size_t kCount = 8;
  using Codes = __m128i;
  using Sums = __m128i;
  SHEAF_INLINE static Sums Zero() { return _mm_setzero_si128(); }
  SHEAF_INLINE static Codes Load(const int16_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  SHEAF_INLINE static Codes Widen(const int8_t* p) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
#if defined(__SSE4_1__)
    return _mm_cvtepi8_epi16(bytes);
#else
    // Each byte doubled into a 16-bit lane, then shifted down with its sign.
    return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
#endif
  }
  SHEAF_INLINE static Sums MultiplyAdd(Sums sums, Codes a, Codes b) {
    return _mm_add_epi32(sums, _mm_madd_epi16(a, b));
  }
  SHEAF_INLINE static int32_t Total(Sums x) {
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, _MM_SHUFFLE(1, 0, 3, 2)));
    x = _mm_add_epi32(x, _mm_shuffle_epi32(x, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm_cvtsi128_si32(x);
  }
};
#define SHEAF_VECTOR_LANES 1

#elif defined(__ARM_NEON)

struct Lanes {
  static constexpr size_t kCount = 8;
  using Codes = int16x8_t;
  using Sums = int32x4_t;
  SHEAF_INLINE static Sums Zero() { return vdupq_n_s32(0); }
  SHEAF_INLINE static Codes Load(const int16_t* p) { return vld1q_s16(p); }
  SHEAF_INLINE static Codes Widen(const int8_t* p) { return vmovl_s8(vld1_s8(p)); }
  SHEAF_INLINE static Sums MultiplyAdd(Sums sums, Codes a, Codes b) {
    sums = vmlal_s16(sums, vget_low_s16(a), vget_low_s16(b));
    return vmlal_s16(sums, vget_high_s16(a), vget_high_s16(b));
  }
  SHEAF_INLINE static int32_t Total(Sums s) {
    return vgetq_lane_s32(s, 0) + vgetq_lane_s32(s, 1) + vgetq_lane_s32(s, 2) + vgetq_lane_s32(s, 3);
  }
};
#define SHEAF_VECTOR_LANES 1

#endif

// A vector that no code can follow: all zeros, or not all finite.
bool IsDirectionless(std::span<const float> vector, double* largest) {
  *largest = 0;
  for (const float v : vector) {
    if (!std::isfinite(v)) return true;
    *largest = std::max(*largest, std::fabs(double(v)));
  }
  return *largest == 0;
}

// The 4-bit code 0..15 of a component, where `half_scale` maps it to half the value of a code:
// code c stands for 2c - 15, the middle of the interval (2c - 16, 2c - 14).
int Code4(float v, double half_scale) {
  const double half = double(v) * half_scale;
  return std::clamp(int(std::floor(std::clamp(half, -8.0, 8.0))) + 8, 0, 15);
}

// Squared cosine of the vector and its 4-bit codes, up to the factor |vector|^2 that all
// candidates share. Products of a float and a code are exact in double, so that a compiler that
// fuses multiplication and addition gets the same sum.
double Fit4(std::span<const float> vector, double half_scale) {
  double dot = 0;
  int64_t norm2 = 0;
  for (const float v : vector) {
    const int value = 2 * Code4(v, half_scale) - 15;
    dot += double(v) * double(value);
    norm2 += value * value;
  }
  return dot * dot / double(norm2);
}

}  // namespace

int32_t DotScalar(const int8_t* a, const int8_t* b, size_t n) {
  int32_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += int32_t(a[i]) * int32_t(b[i]);
  return sum;
}

#if defined(SHEAF_VECTOR_LANES)

int32_t Dot(const int8_t* a, const int8_t* b, size_t n) {
  assert(n % 16 == 0 && n <= kMaxDimensions);
  constexpr size_t kStep = Lanes::kCount;
  // Two sums, so that one addition does not wait for the other. 16 codes a turn, or 32 with AVX2
  // (which leaves at most one step of 16).
  auto even = Lanes::Zero(), odd = Lanes::Zero();
  size_t i = 0;
  for (; i + 2 * kStep <= n; i += 2 * kStep) {
    even = Lanes::MultiplyAdd(even, Lanes::Widen(a + i), Lanes::Widen(b + i));
    odd = Lanes::MultiplyAdd(odd, Lanes::Widen(a + i + kStep), Lanes::Widen(b + i + kStep));
  }
  if (i < n) even = Lanes::MultiplyAdd(even, Lanes::Widen(a + i), Lanes::Widen(b + i));
  return Lanes::Total(even) + Lanes::Total(odd);
}

void DotRows(const int16_t* query, const int8_t* rows, size_t n, size_t count, int32_t* out) {
  assert(n > 0 && n % 16 == 0 && n <= kMaxDimensions);
  constexpr size_t kStep = Lanes::kCount;
  size_t row = 0;
  for (; row + 4 <= count; row += 4, rows += 4 * n) {
    const int8_t* r0 = rows;
    const int8_t* r1 = r0 + n;
    const int8_t* r2 = r1 + n;
    const int8_t* r3 = r2 + n;
    auto s0 = Lanes::Zero(), s1 = s0, s2 = s0, s3 = s0;
    for (size_t i = 0; i < n; i += kStep) {
      const auto q = Lanes::Load(query + i);
      s0 = Lanes::MultiplyAdd(s0, q, Lanes::Widen(r0 + i));
      s1 = Lanes::MultiplyAdd(s1, q, Lanes::Widen(r1 + i));
      s2 = Lanes::MultiplyAdd(s2, q, Lanes::Widen(r2 + i));
      s3 = Lanes::MultiplyAdd(s3, q, Lanes::Widen(r3 + i));
    }
    out[row] = Lanes::Total(s0);
    out[row + 1] = Lanes::Total(s1);
    out[row + 2] = Lanes::Total(s2);
    out[row + 3] = Lanes::Total(s3);
  }
  for (; row < count; ++row, rows += n) {
    auto even = Lanes::Zero(), odd = even;
    size_t i = 0;
    for (; i + 2 * kStep <= n; i += 2 * kStep) {
      even = Lanes::MultiplyAdd(even, Lanes::Load(query + i), Lanes::Widen(rows + i));
      odd = Lanes::MultiplyAdd(odd, Lanes::Load(query + i + kStep), Lanes::Widen(rows + i + kStep));
    }
    if (i < n) even = Lanes::MultiplyAdd(even, Lanes::Load(query + i), Lanes::Widen(rows + i));
    out[row] = Lanes::Total(even) + Lanes::Total(odd);
  }
}

#else

int32_t Dot(const int8_t* a, const int8_t* b, size_t n) { return DotScalar(a, b, n); }

void DotRows(const int16_t* query, const int8_t* rows, size_t n, size_t count, int32_t* out) {
  for (size_t row = 0; row < count; ++row, rows += n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; ++i) sum += int32_t(query[i]) * int32_t(rows[i]);
    out[row] = sum;
  }
}

#endif

// Rounding decides codes here, so no product feeds an addition that a compiler might fuse with it:
// codes come from one multiplication in double, then lrint or floor.
std::vector<uint8_t> QuantizeRow(std::span<const float> vector, uint32_t bits) {
  assert(bits == 8 || (bits == 4 && vector.size() % 2 == 0));
  std::vector<uint8_t> row(vector.size() * bits / 8);
  double largest = 0;
  const bool directionless = IsDirectionless(vector, &largest);
  if (bits == 8) {
    if (directionless) return row;
    const double scale = 127.0 / largest;
    for (size_t i = 0; i < vector.size(); ++i) {
      const long code = std::lrint(double(vector[i]) * scale);
      row[i] = uint8_t(int8_t(std::clamp(code, -127L, 127L)));
    }
    return row;
  }

  if (directionless) {
    std::fill(row.begin(), row.end(), uint8_t(0x87));  // 7 is -1, 8 is +1
    return row;
  }
  // Clipping the few largest components leaves finer steps for the many small ones. The best limit for a
  // dense vector lies near half of its largest component; a sparse one is best left unclipped.
  double best_scale = 0, best_fit = -1;
  for (int cut = 6; cut <= 20; ++cut) {
    const double half_scale = 8.0 * 20.0 / (double(cut) * largest);
    const double fit = Fit4(vector, half_scale);
    if (fit > best_fit) {
      best_fit = fit;
      best_scale = half_scale;
    }
  }
  for (size_t i = 0; i < row.size(); ++i) {
    const int low = Code4(vector[2 * i], best_scale), high = Code4(vector[2 * i + 1], best_scale);
    row[i] = uint8_t(low | high << 4);
  }
  return row;
}

void UnpackRow(const uint8_t* row, uint32_t dimensions, uint32_t bits, int8_t* out) {
  assert(bits == 4 || bits == 8);
  if (bits == 8) {
    std::copy_n(reinterpret_cast<const int8_t*>(row), dimensions, out);
    return;
  }
  for (uint32_t i = 0; i < dimensions / 2; ++i) {
    out[2 * i] = int8_t(2 * (row[i] & 15) - 15);
    out[2 * i + 1] = int8_t(2 * (row[i] >> 4) - 15);
  }
}

float InverseNorm(const int8_t* codes, size_t n) {
  int64_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += int32_t(codes[i]) * int32_t(codes[i]);
  return sum == 0 ? 0.0f : float(1.0 / std::sqrt(double(sum)));
}

}  // namespace sheaf
