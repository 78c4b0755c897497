// Makes untrusted text safe to show, and turns errno into words.
//
// Idea: file names, titles and snippets may hold anything. Text for a bundle or a message passes PrintablePath;
// text for a terminal passes TerminalText, so that no document can move the cursor, forge a line or reorder
// text.
#ifndef SHEAF_PACKER_BASE_PRINTABLE_H_
#define SHEAF_PACKER_BASE_PRINTABLE_H_

#include <string>
#include <string_view>

namespace sheaf::packer {

// `name` as valid UTF-8 without control characters. In any other name, each '%' and each offending
// byte is written as %XX.
std::string PrintablePath(std::string_view name);

// One printable line: control characters, line breaks and marks that reorder text become spaces;
// bytes that are not UTF-8 become '?'.
std::string TerminalText(std::string_view text);

// strerror, thread-safe.
std::string ErrnoText(int error);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_PRINTABLE_H_
