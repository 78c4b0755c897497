// Turns bytes of unknown encoding into clean UTF-8. Every source file passes through here.
//
// Idea: documentation is UTF-8, with a few old files among it. A byte order mark decides where
// there is one. Without one, valid UTF-8 is UTF-8; a file that is mostly valid keeps its good
// characters and gets U+FFFD for the bad bytes; anything else is read as Windows-1252, which includes
// printable Latin-1. Each of these guesses gives a warning.
//
// Invariants of clean text
//  1. Valid UTF-8 (no surrogates, no overlong forms), without byte order mark.
//  2. Lines end with '\n' alone; there are as many as in the source.
//  3. No control characters but '\n' and '\t': each other one (NUL and U+0080..9F too) becomes one
//     space.
//
// Cost: one pass to check, one to convert; clean ASCII runs at memory speed.
#ifndef SHEAF_PACKER_BASE_CHARSET_H_
#define SHEAF_PACKER_BASE_CHARSET_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sheaf::packer {

struct DecodedText {
  std::string text;                   // clean, see above
  std::vector<std::string> warnings;  // sentences without the file's name
};

// Errors: kInvalidArgument for a binary file (many NUL bytes or control characters and no byte
// order mark) and for UTF-32. `path` names the file in the message; `declared` is the encoding that
// the file declares, or empty.
Result<DecodedText> DecodeText(std::string_view bytes, std::string_view path, const std::string& declared = {});

// Whether `text` already satisfies the three invariants.
bool IsCleanText(std::string_view text);

// Cleans UTF-8: bad bytes become U+FFFD, control characters spaces, line ends '\n'. Parsers call this
// on their input, so that a caller who skipped DecodeText still gets a sane result.
std::string CleanText(std::string_view text);

// Appends the UTF-8 form of `code_point`; U+FFFD for surrogates and what lies beyond U+10FFFF.
void AppendUtf8(uint32_t code_point, std::string* out);

// Decodes the character at `*position` and steps over it. A bad byte gives U+FFFD and one step.
// REQUIRES: *position < text.size()
uint32_t NextCodePoint(std::string_view text, size_t* position);

// Number of code points of valid UTF-8.
size_t CountCodePoints(std::string_view text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_CHARSET_H_
