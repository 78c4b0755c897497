// gumbo's tokenizer with a limit on the attributes of a tag (gumbo_budget.h): it compares the name of each one
// with all those before it.
#include <gumbo.h>
#include <util.h>
#include <vector.h>

#include "packer/parse/html/gumbo_budget.h"

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
