// gumbo's tokenizer with a limit on the attributes of a tag (gumbo_budget.h): it compares the name of each one
// with all those before it. Plain letters take a shorter way (gumbo_letters.h, gumbo_text.h).
#include <gumbo.h>
#include <util.h>
#include <vector.h>

#include "packer/parse/html/gumbo_budget.h"
#include "packer/parse/html/gumbo_letters.h"
#include "packer/parse/html/gumbo_text.h"

struct GumboInternalParser;
static void KeepAttribute(struct GumboInternalParser* parser, void* attribute, GumboVector* attributes);

#define gumbo_vector_add KeepAttribute  // its only use there: a tag's next attribute
#define gumbo_debug(...) ((void)0)
#include <tokenizer.c>
#undef gumbo_vector_add

static void KeepAttribute(GumboParser* parser, void* attribute, GumboVector* attributes) {
  SheafGumboSpendSteps(parser->_options->userdata, attributes->length);
  if (attributes->length >= kSheafMaxAttributes ||
      strlen(((const GumboAttribute*)attribute)->name) > kSheafMaxAttributeNameBytes) {
    parser->_tokenizer_state->_tag_state._drop_next_attr_value = true;  // as for a duplicate name
    return;
  }
  gumbo_vector_add(parser, attribute, attributes);
}

GumboStringPiece SheafGumboTakeText(GumboParser* parser) {
  GumboTokenizerState* tokenizer = parser->_tokenizer_state;
  Utf8Iterator* input = &tokenizer->_input;
  GumboStringPiece text = {input->_start, 0};
  if (tokenizer->_state != GUMBO_LEX_DATA || tokenizer->_buffered_emit_char != kGumboNoChar ||
      tokenizer->_temporary_buffer_emit != NULL) {
    return text;
  }
  const char* at = text.data;
  while (at < input->_end && ((IsPlainLetter(*at) && *at != '<' && *at != '&') || *at == '\n')) ++at;
  if (at == text.data) return text;
  text.length = (size_t)(at - text.data);
  // On to the last letter of the text, then past it, which reads what follows.
  for (const char* c = text.data; c < at - 1; ++c) {
    ++input->_pos.column;
    if (*c == '\n') {
      ++input->_pos.line;
      input->_pos.column = 1;
    }
  }
  input->_pos.offset += (unsigned int)(text.length - 1);
  input->_start = at - 1;
  input->_width = 1;
  input->_current = *input->_start;
  utf8iterator_next(input);
  reset_token_start_point(tokenizer);
  return text;
}
