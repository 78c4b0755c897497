// Bytes in an encoding that is known by its name, by ICU.
//
// Names mean what browsers mean by them: "latin1" is Windows-1252. Read are encodings of one or more bytes a
// character that hold ASCII as it is, which leaves out UTF-7, EBCDIC and those with escape sequences.
//
// Cost: one pass.
#ifndef SHEAF_PACKER_BASE_NAMED_CHARSET_H_
#define SHEAF_PACKER_BASE_NAMED_CHARSET_H_

#include <optional>
#include <string>
#include <string_view>

namespace sheaf::packer {

// As UTF-8, not yet clean (base/charset.h); what the encoding has no character for is U+FFFD. Nullopt: an encoding that
// is not read here. `charset` in lower case.
std::optional<std::string> DecodeCharset(std::string_view bytes, const std::string& charset);

// Two that are known without being named, in the same form. Nullopt: this ICU was built without them.
std::optional<std::string> DecodeWindows1252(std::string_view bytes);
std::optional<std::string> DecodeUtf16(std::string_view bytes, bool big_endian);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_NAMED_CHARSET_H_
