// Which part of an HTML page its author wrote: the content root, and what inside it is furniture.
//
// Idea: furniture (navigation, controls, page headers and footers) is told by tag, role and the
// class names that documentation generators use; each list below is matched whole token by whole
// token, since `has-sidebar` is no sidebar. The content root is chosen by evidence: elements
// that claim to be the content (<main>, role=main, <article>, the generators' containers) are
// measured by the text they hold, and a claim without text behind it does not count.
//
// Cost: one pass over the tree.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_CONTENT_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_CONTENT_H_

#include <string>
#include <unordered_set>
#include <vector>

#include "packer/document/document.h"
#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

// True for what is no text of the author, with everything inside.
bool IsFurniture(const GumboNode* element);

// True for a <header> that belongs to the site rather than to an article.
bool IsSiteHeader(const GumboNode* element);

struct HtmlContent {
  std::vector<const GumboNode*> roots;  // in document order, none inside another
  bool whole_body = false;              // no better root was found
  BodyMark mark = BodyMark::kNone;      // kPagefind where any root is marked so
  // Tables that arrange blocks (code beside line numbers, whole articles) instead of data.
  std::unordered_set<const GumboNode*> layout_tables;
};
HtmlContent FindContent(const GumboNode* html);

// What the <head> says; empty where it says nothing.
struct HtmlHead {
  std::string title;  // as written, white space collapsed
  std::string description;
  std::string last_modified;  // ISO 8601
  std::string url;            // canonical, http(s) or an absolute path
  bool no_index = false;      // <meta name=robots content=noindex>, or name=sheaf
  std::string forwards_to;    // <meta http-equiv=refresh> with an address, within ten seconds
};
HtmlHead ReadHead(const GumboNode* html);

// All text below `node`, white space as it stands; stops after `limit` bytes or that many nodes.
std::string TextOf(const GumboNode* node, size_t limit, size_t most_nodes = size_t(-1));

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_CONTENT_H_
