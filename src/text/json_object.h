// Whether a text is one JSON object, as RFC 8259 has it: what every parser of JSON takes.
//
// Idea: the core keeps a manifest as text and never reads it, but whoever opens a bundle gets one that can be read, natively
// and in a browser alike. So it is checked here, once, and not by the parsers of the hosts, which differ.
//
// Limits: at most kMaxJsonDepth objects and arrays within one another. Duplicate keys, numbers of any size and escapes of
// halves of surrogate pairs pass.
//
// Cost: one pass, no allocation.
#ifndef SHEAF_TEXT_JSON_OBJECT_H_
#define SHEAF_TEXT_JSON_OBJECT_H_

#include <cstddef>
#include <string_view>

namespace sheaf {

inline constexpr size_t kMaxJsonDepth = 64;

bool IsJsonObject(std::string_view text);

}  // namespace sheaf

#endif  // SHEAF_TEXT_JSON_OBJECT_H_
