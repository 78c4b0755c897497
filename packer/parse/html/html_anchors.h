// Where a reader who follows a hit is sent: the ids that headings have, and those that stand just before them.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_ANCHORS_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_ANCHORS_H_

#include <string>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

class HtmlAnchors {
 public:
  // Remembers the id of an element that a heading may follow in or after. `text_waits`: words of the paragraph
  // stand before it.
  void Note(const GumboNode* element, bool text_waits);
  // Call when text comes between: what was noted belongs to it.
  void Forget();
  // The anchor of a heading or term: its own id, else that of its link to itself, of an anchor inside it, or what
  // was noted before it. REQUIRES: call before Forget
  std::string Of(const GumboNode* heading) const;

 private:
  std::string section_, mark_;
};

// True for a section of a DocBook manual, whose id is an anchor even where it is all of the page's content.
bool IsNamedSection(const GumboNode* element);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_ANCHORS_H_
