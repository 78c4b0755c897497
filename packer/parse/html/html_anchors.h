// Finds the anchors that hits link to: the ids of headings, and ids just before them.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_ANCHORS_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_ANCHORS_H_

#include <string>
#include <vector>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

class HtmlAnchors {
 public:
  // Remembers the id of an element, for a heading inside or right after it. `text_waits`: the current paragraph
  // already has words before it.
  void Note(const GumboNode* element, bool text_waits);
  // Call when text intervenes: the noted ids belong to that text.
  void Forget();
  // The anchor of a heading or term: its own id, else that of its link to itself, of an anchor inside it, or the
  // id noted before it. REQUIRES: call before Forget
  std::string Of(const GumboNode* heading) const;
  // All ids of the heading: those noted before it, in their order, then its own and those inside it.
  std::vector<std::string> AllOf(const GumboNode* heading) const;
  // The id noted last, for a heading that is only words.
  const std::string& noted() const { return section_.empty() ? mark_ : section_; }

 private:
  std::string section_, mark_;
  std::vector<std::string> noted_;
};

// True for a section of a DocBook manual, whose id is an anchor even where it is all of the page's content.
bool IsNamedSection(const GumboNode* element);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_ANCHORS_H_
