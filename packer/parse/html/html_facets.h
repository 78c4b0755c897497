// Reads the attributes of an HTML page for filters, meta, sorts and weights. Ours and Pagefind's mean the same:
//
//   data-sheaf-filter="author"              the element's text is a value of the filter `author`
//   data-sheaf-filter="author[data-who]"    the value of that attribute is
//   data-sheaf-filter="author:Anne, or Bo"  this is, to the end
//   data-sheaf-filter="tag, kind[data-kind], author:Anne"
//   data-sheaf-meta, data-sheaf-sort        likewise; of several values of a key the last one counts
//   data-sheaf-default-meta="image:/x.png"  a meta entry, where the page states no other of its key
//   data-sheaf-index-attrs="title,data-x"   the values of these attributes are text of the page
//   data-sheaf-weight="2"                   each word of the element counts that many times
//
// Filters, meta and sorts are read anywhere in the page: also in its <head>, and in elements that are left out, unless
// they say `data-sheaf-ignore="all"`. If an element has both spellings, ours wins. docs/attributes.md is for users.
//
// Cost: one pass over the tree; the text of at most kMaxFacetTexts elements.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_FACETS_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_FACETS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/document/page_facets.h"
#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

void ReadFacets(const GumboNode* html, FacetCollector* facets);

// The values of those attributes that an element wants read as text, clean; the `alt` of an image is read anyway.
std::string IndexedAttributes(const GumboNode* element);

// Tracks the weight of text during a walk of the tree: the innermost enclosing element that states one decides.
class WeightStack {
 public:
  explicit WeightStack(FacetCollector* facets) : facets_(facets) {}

  // Begins at `root`, under the weight of the elements around it.
  void Begin(const GumboNode* root);
  // Call for each element that is gone into, after the text before it was written, and once its own was. `blocks` are
  // those written so far; `text_waits` for the end of a block that began before the element.
  void Enter(const GumboNode* element, size_t blocks);
  void Leave(const GumboNode* element, size_t blocks, bool text_waits);
  // Whether an element states it.
  bool stated() const { return outside_.has_value() || !open_.empty(); }
  float weight() const { return open_.empty() ? outside_.value_or(1) : open_.back().weight; }

 private:
  struct Open {
    const GumboNode* element;
    float weight;
    size_t blocks;  // written before it
  };
  std::optional<float> WeightOf(const GumboNode* element);

  FacetCollector* facets_;
  std::optional<float> outside_;  // stated around the root
  std::vector<Open> open_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_FACETS_H_
