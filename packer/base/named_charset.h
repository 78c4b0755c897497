// Decodes bytes in a named encoding, with ICU.
//
// Names have their meaning in browsers: "latin1" is Windows-1252. Supported are the single-byte and multibyte
// encodings of browsers that contain ASCII unchanged (named_charset.inc), however many more this ICU knows: all builds
// must read a page alike.
//
// Cost: one pass.
#ifndef SHEAF_PACKER_BASE_NAMED_CHARSET_H_
#define SHEAF_PACKER_BASE_NAMED_CHARSET_H_

#include <optional>
#include <string>
#include <string_view>

namespace sheaf::packer {

// Decodes to UTF-8, not yet clean (base/charset.h). Bytes without a character become U+FFFD. Nullopt: an unsupported
// encoding. `charset` is in lower case.
std::optional<std::string> DecodeCharset(std::string_view bytes, const std::string& charset);

// The same for two encodings that need no declared name. Nullopt: this ICU was built without them.
std::optional<std::string> DecodeWindows1252(std::string_view bytes);
std::optional<std::string> DecodeUtf16(std::string_view bytes, bool big_endian);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_NAMED_CHARSET_H_
