// Bytes of unknown encoding to clean UTF-8: the door through which every source file comes.
//
// Idea: documentation is UTF-8, with a few old files among it. A byte order mark decides where
// there is one. Without one, valid UTF-8 is UTF-8; a file that is mostly valid keeps its good
// characters and gets U+FFFD for the bad bytes; anything else is read as Windows-1252, of which
// Latin-1 is the printable part. Each of these guesses is a warning.
//
// Invariants of clean text
//  1. Valid UTF-8 (no surrogates, no overlong forms), without byte order mark.
//  2. Lines end with '\n' alone; the number of lines is that of the source.
//  3. No control characters but '\n' and '\t': each of the others (NUL and U+0080..9F too) became
//     one space.
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
// order mark) and for UTF-32. `path` names the file in the message; `declared` is the encoding that the
// file says it is in, empty when it says none.
Result<DecodedText> DecodeText(std::string_view bytes, std::string_view path, const std::string& declared = {});

// True when `text` holds the three invariants already.
bool IsCleanText(std::string_view text);

// UTF-8 made clean: bad bytes become U+FFFD, control characters spaces, line ends '\n'. Parsers
// call this on what they are handed, so that a caller who skipped DecodeText gets a sane answer.
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
