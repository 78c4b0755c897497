// The encoding that an HTML page says it is in: `<meta charset>`, `<meta http-equiv=content-type>`, or the `encoding` of
// an XML declaration, within the first kilobytes, as browsers look for it.
//
// It is asked where bytes are not valid UTF-8 (charset.h), and believed when ICU knows it as an encoding of one or more
// bytes a character that holds ASCII, which leaves out UTF-7, EBCDIC and those with escape sequences.
//
// Cost: a search of the first 4 KiB; one pass to convert.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_CHARSET_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_CHARSET_H_

#include <optional>
#include <string>
#include <string_view>

namespace sheaf::packer {

// In lower case; empty when the page names none.
std::string DeclaredCharset(std::string_view html);

// Bytes as UTF-8, not yet clean; what the encoding has no character for is U+FFFD. Nullopt: an encoding that is not
// read here.
std::optional<std::string> DecodeCharset(std::string_view bytes, const std::string& charset);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_CHARSET_H_
