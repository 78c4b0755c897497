// BM25F, as small pure functions of numbers.
// Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009,
// section 3.6 (weights inside the term frequency, one saturation); idf in the always positive form
// that Lucene uses.
//
//   frequency  x = Σ_f  weight_f · tf_f / (1 - b_f + b_f · length_f / average_f)
//   score        = idf · x (k1 + 1) / (k1 + x)
//   idf          = ln(1 + (N - n + 0.5) / (n + 0.5))
//
// x depends on the passage alone, so the packer computes it once and stores it in one of 32 steps (`level`), a quarter
// of an octave each. The reader needs no field lengths, hence fewer bytes. The rounding error is at most 9 % of x, and
// less of the score, which saturates (docs/decisions/0001-levels-instead-of-counts.md).
#ifndef SHEAF_LEXICAL_BM25_H_
#define SHEAF_LEXICAL_BM25_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/logarithm.h"

namespace sheaf {

enum Field : uint8_t { kTitle = 0, kHeadings = 1, kProse = 2, kCode = 3, kFieldCount = 4 };

struct Bm25Params {
  // Saturation of repeated terms. 0: presence alone counts; large: counts grow without end.
  float k1 = 1.2f;
  // Weight of one occurrence in a field, relative to one in prose.
  float weight[kFieldCount] = {4.0f, 2.5f, 1.0f, 1.2f};
  // Length normalisation: how much long fields lower a passage's score. 0: not at all; 1: fully.
  float b[kFieldCount] = {0.4f, 0.4f, 0.75f, 0.75f};
};

// REQUIRES: 0 <= n <= N
inline float Idf(double N, double n) { return float(Log(1.0 + (N - n + 0.5) / (n + 0.5))); }
// The inverse: how many of N have a term of this idf. 0..N, not rounded.
inline double HoldersOf(double N, float idf) { return std::clamp((N + 1) / Exp(idf) - 0.5, 0.0, N); }

inline float FieldFrequency(float tf, float length, float average, float weight, float b) {
  if (tf <= 0) return 0;
  const float relative = average > 0 ? length / average : 1;
  return weight * tf / (1 - b + b * relative);
}

// 0..idf * (k1 + 1), growing with x.
inline float TermScore(float idf, float x, float k1) { return idf * x * (k1 + 1) / (k1 + x); }

inline constexpr int kLevels = 32;
inline constexpr float kLevelsPerOctave = 4.0f;
inline constexpr float kFirstOctave = -2.0f;  // level 0 stands for x = 2^-2; level 31 for 2^5.75

// The nearest level by ratio. Borders lie half a step from each level, at odd eighths of an octave: comparing with
// them gives the same bits everywhere, which rounding a logarithm would not. REQUIRES: x is finite and not negative
inline uint8_t LevelOf(float x) {
  // 2^(1/8), 2^(3/8), 2^(5/8), 2^(7/8), rounded up.
  constexpr float kBorders[4] = {1.09050775f, 1.29683959f, 1.54221094f, 1.8340081f};
  int octave;
  const float within = 2 * std::frexp(std::max(x, 1e-6f), &octave);  // 1 to 2; exact
  int level = (octave - 1 - int(kFirstOctave)) * int(kLevelsPerOctave);
  for (const float border : kBorders) level += within >= border;
  return uint8_t(std::clamp(level, 0, kLevels - 1));
}
// Written out, so that every platform gives the same bits.
inline float FrequencyOf(uint8_t level) {
  constexpr float kQuarterOctaves[4] = {0.25f, 0.29730178f, 0.35355339f, 0.42044821f};
  return kQuarterOctaves[level % 4] * float(1u << (level / 4));
}
static_assert(kLevelsPerOctave == 4 && kFirstOctave == -2);

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_BM25_H_
