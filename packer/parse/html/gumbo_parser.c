// gumbo's tree builder, with calls that charge the page's budget for what each token may cost (gumbo_budget.h).
//
// A token may make the builder search all open elements and all active formatting elements. A start tag may
// also compare its attributes with those of each formatting element. Adding or moving a node may shift all of
// its siblings.
//
// Letters behind a letter of text only lengthen it, so they are taken together (gumbo_text.h).
#include <stdbool.h>

#include <gumbo.h>
#include <tokenizer.h>
#include <util.h>
#include <vector.h>

#include "packer/parse/html/gumbo_budget.h"
#include "packer/parse/html/gumbo_letters.h"
#include "packer/parse/html/gumbo_text.h"

static bool BudgetedLex(struct GumboInternalParser* parser, GumboToken* token);
static void BudgetedAdd(struct GumboInternalParser* parser, void* element, GumboVector* vector);
static void BudgetedInsertAt(struct GumboInternalParser* parser, void* element, unsigned int index,
                             GumboVector* vector);
static void* BudgetedRemoveAt(struct GumboInternalParser* parser, unsigned int index, GumboVector* vector);

enum { kStepsPerComparison = 4 };  // comparing two names costs four times as much as looking at an element

#define gumbo_lex BudgetedLex
#define gumbo_vector_add BudgetedAdd
#define gumbo_vector_insert_at BudgetedInsertAt
#define gumbo_vector_remove_at BudgetedRemoveAt
#define gumbo_debug(...) ((void)0)  // it would be called several times a letter
#include <parser.c>
#undef gumbo_lex
#undef gumbo_vector_add
#undef gumbo_vector_insert_at
#undef gumbo_vector_remove_at

static void Spend(const GumboParser* parser, size_t steps) {
  if (steps > kSheafFreeSteps) SheafGumboSpendSteps(parser->_options->userdata, steps - kSheafFreeSteps);
}

static size_t OpenElements(const GumboParser* parser) { return parser->_parser_state->_open_elements.length; }
static size_t FormattingElements(const GumboParser* parser) {
  return parser->_parser_state->_active_formatting_elements.length;
}

// A repeated <html> or <body> adds its attributes to the first one, up to the limit for a tag.
static bool IsFullAlready(const GumboParser* parser, GumboTag tag) {
  const GumboVector* open = &parser->_parser_state->_open_elements;
  const size_t place = tag == GUMBO_TAG_HTML ? 0 : 1;
  return (tag == GUMBO_TAG_HTML || tag == GUMBO_TAG_BODY) && open->length > place &&
         ((const GumboNode*)open->data[place])->v.element.attributes.length >= kSheafMaxAttributes;
}

// Takes the text that follows `last`, a letter that the body's own rules have just added to the text before it.
static void TakeText(GumboParser* parser, const GumboToken* last) {
  GumboParserState* state = parser->_parser_state;
  if (state->_insertion_mode != GUMBO_INSERTION_MODE_IN_BODY || last->type != GUMBO_TOKEN_CHARACTER ||
      state->_text_node._buffer.length == 0 ||
      get_current_node(parser)->v.element.tag_namespace != GUMBO_NAMESPACE_HTML) {
    return;
  }
  GumboStringPiece text = SheafGumboTakeText(parser);
  if (text.length > 0) gumbo_string_buffer_append_string(parser, &text, &state->_text_node._buffer);
}

static bool BudgetedLex(GumboParser* parser, GumboToken* token) {
  TakeText(parser, token);
  const size_t open = OpenElements(parser), formatting = FormattingElements(parser);
  SheafGumboCheckNesting(parser->_options->userdata, open);
  const bool valid = gumbo_lex(parser, token);
  size_t steps = open + formatting;
  if (token->type == GUMBO_TOKEN_START_TAG) {
    if (IsFullAlready(parser, token->v.start_tag.tag)) token->v.start_tag.attributes.length = 0;
    const size_t attributes = token->v.start_tag.attributes.length;
    steps += kStepsPerComparison * attributes * attributes * formatting;
  }
  Spend(parser, steps);
  return valid;
}

// One token may clone many formatting elements, and each clone searches the open elements.
static void BudgetedAdd(GumboParser* parser, void* element, GumboVector* vector) {
  Spend(parser, OpenElements(parser) + FormattingElements(parser));
  gumbo_vector_add(parser, element, vector);
}

static void BudgetedInsertAt(GumboParser* parser, void* element, unsigned int index, GumboVector* vector) {
  Spend(parser, vector->length - index);
  gumbo_vector_insert_at(parser, element, index, vector);
}

static void* BudgetedRemoveAt(GumboParser* parser, unsigned int index, GumboVector* vector) {
  Spend(parser, vector->length);
  return gumbo_vector_remove_at(parser, index, vector);
}
