// The C interface through which gumbo charges the budget that html_tree.cc gives each page.
//
// Idea: gumbo's source is compiled through gumbo_parser.c and gumbo_tokenizer.c. They insert calls of ours where
// gumbo's work can grow faster than the page: before each token, and where it searches or moves its elements.
// Gumbo's own source stays unchanged.
//
// A step is one element, attribute or child that gumbo may have to look at. The steps of a plain page are free,
// so only tangled markup uses up the budget.
#ifndef SHEAF_PACKER_PARSE_HTML_GUMBO_BUDGET_H_
#define SHEAF_PACKER_PARSE_HTML_GUMBO_BUDGET_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  kSheafFreeSteps = 64,              // of each call of SheafGumboSpend
  kSheafMaxAttributes = 256,         // of one tag; those behind them are dropped
  kSheafMaxAttributeNameBytes = 256  // an attribute with a longer name is dropped
};

// Both take the options' `userdata`. Neither returns if the page exceeds its budget.
void SheafGumboSpendSteps(void* budget, size_t steps);
void SheafGumboCheckNesting(void* budget, size_t open_elements);

#ifdef __cplusplus
}
#endif

#endif  // SHEAF_PACKER_PARSE_HTML_GUMBO_BUDGET_H_
