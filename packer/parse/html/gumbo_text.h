// Text that gumbo's parser takes from its tokenizer at once, where each letter would otherwise be a token.
#ifndef SHEAF_PACKER_PARSE_HTML_GUMBO_TEXT_H_
#define SHEAF_PACKER_PARSE_HTML_GUMBO_TEXT_H_

#include <gumbo.h>

struct GumboInternalParser;

// The plain letters and line ends ahead, which the tokenizer passes over; none where it is not in the middle of text.
GumboStringPiece SheafGumboTakeText(struct GumboInternalParser* parser);

#endif  // SHEAF_PACKER_PARSE_HTML_GUMBO_TEXT_H_
