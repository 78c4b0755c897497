// HTML pages: html_tree.h parses, html_content.h says where the author's text is, html_reader.h writes it out,
// html_head.h and html_facets.h read the facts that the page states of itself.
//
// Caps (kTooLarge): see html_tree.h.
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/charset.h"
#include "packer/document/document.h"
#include "packer/document/place.h"
#include "packer/parse/html/html_content.h"
#include "packer/parse/html/html_facets.h"
#include "packer/parse/html/html_head.h"
#include "packer/parse/html/html_parts.h"
#include "packer/parse/html/html_place.h"
#include "packer/parse/html/html_reader.h"
#include "packer/parse/html/html_tree.h"
#include "packer/parse/parse.h"
#include "packer/parse/shared/title.h"

namespace sheaf::packer {

Result<Document> ParseHtml(std::string_view source, std::string_view path, const LinkAddress& address,
                           const std::vector<PartSelector>& ignored) {
  std::string cleaned;
  if (source.size() <= kMaxHtmlBytes && !IsCleanText(source)) source = cleaned = CleanText(source);
  SHEAF_ASSIGN_OR_RETURN(HtmlTree tree, HtmlTree::Parse(source, path));
  std::set<uint32_t> ignored_parts = IgnoreParts(&tree, ignored);
  const HtmlContent content = FindContent(tree.root());
  HtmlHead head = ReadHead(tree.root());
  Document document;
  FacetCollector facets;
  ReadFacets(tree.root(), &facets);
  LinkTargets links;
  const std::vector<std::string> losses = ReadBlocks(content, &facets, &links, address, &document.blocks);
  document.title = TidyNumber(ChooseTitle(head.title, document.blocks));
  document.stated_title = TidyNumber(std::move(head.title));
  for (Block& block : document.blocks) {
    if (block.kind == BlockKind::kHeading) block.title = TidyNumber(std::move(block.title));
  }
  document.description = std::move(head.description);
  document.last_modified = std::move(head.last_modified);
  document.url = std::move(head.url);
  document.no_index = head.no_index;
  document.body_mark = content.mark;
  document.ignored_parts = std::move(ignored_parts);
  document.forwards_to = std::move(head.forwards_to);
  TakePageMeta(&facets.facets, &document.title, &document.description);
  document.links = links.Take();
  document.facets = std::move(facets.facets);
  document.warnings = facets.TakeWarnings();
  document.warnings.insert(document.warnings.end(), losses.begin(), losses.end());
  CompleteTitle(path, &document);
  document.place = ReadPlace(tree.root(), document.title, path);
  return document;
}

}  // namespace sheaf::packer
