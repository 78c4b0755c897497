// What gumbo, which is C, asks of the budget that html_tree.cc gives each page.
//
// Idea: gumbo's source is compiled through gumbo_parser.c and gumbo_tokenizer.c, which put calls of ours where
// its work can grow with more than the page: before each token, and where it looks through or moves what it
// holds. Nothing of gumbo's own is changed.
//
// A step is one element, attribute or child that gumbo may have to look at. What a plain page needs is free, so
// that the budget stands for tangled markup alone.
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

// Both take the options' `userdata`, and do not return when the page goes beyond its budget.
void SheafGumboSpendSteps(void* budget, size_t steps);
void SheafGumboCheckNesting(void* budget, size_t open_elements);

#ifdef __cplusplus
}
#endif

#endif  // SHEAF_PACKER_PARSE_HTML_GUMBO_BUDGET_H_
