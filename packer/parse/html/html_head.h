// Reads the <head> of an HTML page.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_HEAD_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_HEAD_H_

#include <string>
#include <vector>

#include "packer/document/document.h"
#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

// Facts of the <head>; empty where it has none.
struct HtmlHead {
  std::string title;  // as written, white space collapsed
  std::string description;
  std::string last_modified;  // ISO 8601
  std::string url;            // canonical, http(s) or an absolute path
  bool no_index = false;      // <meta name=robots content=noindex>, or name=sheaf
  // Where the page sends its readers: <meta http-equiv=refresh> within ten seconds, a script that does nothing else, or a
  // few words that say that the page has moved.
  std::string forwards_to;
};
HtmlHead ReadHead(const GumboNode* html);

// The page's own title: <title> without the site's name where the first heading tells them apart.
std::string ChooseTitle(const std::string& title, const std::vector<Block>& blocks);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_HEAD_H_
