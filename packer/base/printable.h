// Text of strangers made fit to be shown, and the system's reasons in words.
//
// Idea: names of files, titles and snippets may hold anything. What goes into a bundle or a message passes
// PrintablePath; what goes to a terminal passes TerminalText, so that no document can move the cursor, forge a
// line or turn the order of text around.
#ifndef SHEAF_PACKER_BASE_PRINTABLE_H_
#define SHEAF_PACKER_BASE_PRINTABLE_H_

#include <string>
#include <string_view>

namespace sheaf::packer {

// `name` as valid UTF-8 without control characters. A name that is neither gets each '%' and each offending byte
// written as %XX.
std::string PrintablePath(std::string_view name);

// One printable line: control characters, line breaks and marks that reorder text become spaces;
// bytes that are not UTF-8 become '?'.
std::string TerminalText(std::string_view text);

// strerror, thread-safe.
std::string ErrnoText(int error);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_PRINTABLE_H_
