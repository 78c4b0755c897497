// The encoding that an HTML page says it is in: `<meta charset>`, `<meta http-equiv=content-type>`, or the `encoding` of
// an XML declaration, within the first kilobytes, as browsers look for it.
//
// It is asked where bytes are not valid UTF-8 (base/charset.h), and believed when base/named_charset.h reads it.
//
// Cost: a search of the first 4 KiB.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_CHARSET_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_CHARSET_H_

#include <string>
#include <string_view>

namespace sheaf::packer {

// In lower case; empty when the page names none.
std::string DeclaredCharset(std::string_view html);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_CHARSET_H_
