// The natural logarithm and its inverse, with the same bits on every machine.
//
// C leaves the last bit of std::log to each library, and glibc, musl and macOS differ. A score that differs in one bit
// can order two hits differently, and a rounded one can differ by one in a bundle's bytes. Here only additions,
// multiplications and divisions of doubles are used, which IEEE 754 fixes to the last bit.
//
// Idea: x = 2^e m with m within 1/sqrt(2)..sqrt(2); ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| < 0.172, by its
// series s + s^3/3 + s^5/5 + …, whose eleventh term is below 2^-55.
//
// Cost: two divisions and a dozen multiplications, about as much as the library's.
#ifndef SHEAF_BASE_LOGARITHM_H_
#define SHEAF_BASE_LOGARITHM_H_

#include <cmath>

namespace sheaf {

inline constexpr double kLn2 = 0.69314718055994530942;

// Within 1e-15 of the true value, relatively. REQUIRES: x is finite and positive
inline double Log(double x) {
  int exponent;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double series = 0;
  for (int k = 21; k > 0; k -= 2) series = series * square + 1.0 / k;
  return double(exponent) * kLn2 + 2 * s * series;
}

// The inverse of Log: e^x = (e^(x / 1024))^1024, by the series of the small power. Within 1e-12 of the true value,
// relatively, for |x| < 40.
inline double Exp(double x) {
  constexpr int kHalvings = 10;
  const double small = x / (1 << kHalvings);
  double power = 1;
  for (int k = 8; k > 0; --k) power = 1 + power * small / k;
  for (int i = 0; i < kHalvings; ++i) power *= power;
  return power;
}

}  // namespace sheaf

#endif  // SHEAF_BASE_LOGARITHM_H_
