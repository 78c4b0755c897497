// The encoding that an HTML page declares: `<meta charset>`, `<meta http-equiv=content-type>`, or the `encoding` of
// an XML declaration, within the first kilobytes, as browsers look for it.
//
// Used only if the bytes are not valid UTF-8 (base/charset.h) and base/named_charset.h supports the encoding.
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
