// Dot products of int8 codes: a scalar reference and its SIMD twin, chosen at compile time.
//
// Idea: a passage vector is a direction. Its codes are integers in -127..127 (8 bits) or
// odd integers in -15..15 (4 bits: code c in 0..15 stands for 2c - 15), and its length carries no meaning. So the
// cosine is dot(q, p) / (|q| |p|) with |p| computed from the codes themselves. No scale is stored, so a shared one
// costs no accuracy.
//
// Layout of a stored row: 8 bits: `dimensions` signed bytes. 4 bits: dimensions/2 bytes, dimension
// 2i in the low nibble and 2i + 1 in the high nibble. In memory both are unpacked to int8.
//
// Invariants: dimensions is a positive multiple of 16 and at most kMaxDimensions; sums fit int32.
// Stored bytes are untrusted: any byte is a valid code to the dot products, -128 included (which
// QuantizeRow never writes), and the results are exact.
// Cost of a row of 256: about 10 ns with SSE2, 5 with AVX2, 7 in WASM SIMD128 (110 without).
#ifndef SHEAF_VECTOR_DISTANCE_H_
#define SHEAF_VECTOR_DISTANCE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sheaf {

inline constexpr uint32_t kMaxDimensions = 4096;

// Scalar reference. REQUIRES: a and b hold n codes, n a multiple of 16.
int32_t DotScalar(const int8_t* a, const int8_t* b, size_t n);
// SIMD where the target has it (SSE2 or AVX2 by compiler target, WASM SIMD128, NEON); the same
// result as DotScalar.
int32_t Dot(const int8_t* a, const int8_t* b, size_t n);

// out[i] = dot of `query` and the i-th of `count` contiguous rows of n codes. The query is widened
// to 16 bits once by the caller, and four rows share each load of it: the inner loop of every scan.
// REQUIRES: query values lie in -128..127; n a positive multiple of 16.
void DotRows(const int16_t* query, const int8_t* rows, size_t n, size_t count, int32_t* out);

// Bytes of one stored row. REQUIRES: bits is 4 or 8.
constexpr size_t RowBytes(uint32_t dimensions, uint32_t bits) { return size_t(dimensions) * bits / 8; }

// Codes of a float vector. Rounds to nearest. At 8 bits the largest component uses the full range. At 4 bits the scale
// is the one of a few that maximises the cosine between codes and vector. Returns the packed row. The same bytes on
// every compiler and machine with IEEE 754 doubles. A zero vector, or one with a component that is not finite, gives
// zero codes at 8 bits and the smallest codes (alternating -1, +1) at 4 bits, which have no zero.
// REQUIRES: bits is 4 or 8; at 4 bits the length is even.
std::vector<uint8_t> QuantizeRow(std::span<const float> vector, uint32_t bits);

// Unpacks a stored row to int8 codes. REQUIRES: row holds RowBytes, out holds `dimensions`.
void UnpackRow(const uint8_t* row, uint32_t dimensions, uint32_t bits, int8_t* out);

// 1 / |codes|, or 0 for a zero vector.
float InverseNorm(const int8_t* codes, size_t n);

}  // namespace sheaf

#endif  // SHEAF_VECTOR_DISTANCE_H_
