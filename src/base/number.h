// Decimal numbers from text, read alike on every machine.
//
// std::from_chars for doubles is not in every standard library that builds Sheaf (libc++ before 20 has none).
//
// Invariant: the result is the double nearest to the text, and independent of the locale as long as no code calls
// setlocale. Cost: one pass and a copy of the text.
#ifndef SHEAF_BASE_NUMBER_H_
#define SHEAF_BASE_NUMBER_H_

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace sheaf {

// The number if all of `text` is one: -1, .5, 2., 6.02e23; no leading plus, no blanks, no hexadecimal, infinity or NaN.
// Nullopt also where it is too large for a double.
inline std::optional<double> ParseNumber(std::string_view text) {
  size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  size_t count = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    count += digits();
  }
  if (count == 0) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (digits() == 0) return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  const double value = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace sheaf

#endif  // SHEAF_BASE_NUMBER_H_
