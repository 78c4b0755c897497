#include "packer/parse/html/html_furniture.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>

#include "packer/base/text_scan.h"
#include "packer/parse/html/html_elements.h"

namespace sheaf::packer {
namespace {

using Names = std::unordered_set<std::string_view>;

const Names& FurnitureClasses() {
  static const Names names = {
      // navigation
      "nav", "navbar", "navigation", "navheader", "navfooter", "nav-panel", "navpath", "navrow", "sidebar",
      "sphinxsidebar", "related", "relations", "breadcrumb", "breadcrumbs", "pager", "pagination", "pagination-nav",
      "prevnext", "prev-next", "prev-next-area", "page-nav", "nav-wrapper", "nav-chapters", "mobile-nav",
      "mobile-nav-chapters", "sub-logo-container", "related-pages", "rst-footer-buttons", "rst-versions", "t-navbar",
      "mw-jump-link",
      // tables of contents and back-of-book indexes
      "toc", "table-of-contents", "tableofcontents", "table_of_contents", "shortcontents", "toc-wrapper",
      "toctree-wrapper", "list-of-tables", "list-of-figures", "list-of-examples", "bd-toc", "on-this-page", "indexdiv",
      "indextable", "genindex-jumpbox", "theme-doc-toc-mobile", "page-toc", "mini-toc",
      // links that point at their own heading, edit and source links
      "headerlink", "permalink", "header-anchor", "heading-anchor", "anchorjs-link", "hash-link", "anchor-link",
      "anchorlink", "self-link", "sl-anchor-link", "edit-link", "edit-this-page", "theme-edit-this-page",
      "edit-page-link", "mw-editsection", "viewcode-link", "viewcode-back", "srclink", "src-link", "out-of-band",
      "rightside", "since", "view-on-github", "last-updated-wrapper",
      // line numbers and buttons of code blocks
      "lineno", "linenos", "linenodiv", "linenums", "gutter", "rouge-gutter", "blob-num", "line-numbers-wrapper",
      "line-numbers-rows", "hljs-ln-numbers", "ln-num", "code-line-number", "copy", "copybtn", "copy-button",
      "copy-btn", "btn-clipboard", "clipboard", "clip-button", "copy-code-button", "zeroclipboard-container", "boring",
      "fn-backref", "md-clipboard",
      // words for screen readers, tooltips, toggles
      "sr-only", "visually-hidden", "screen-reader-text", "skip-link", "skip-to-content", "skiplink", "skip-nav",
      "tooltip", "notable-traits", "hideme", "test-arrow", "docblock-toggle", "toggle-all", "edit-page", "no-print",
      "noprint", "printfooter", "search-box", "searchbox", "search-form",
      // ends of pages
      "footer", "site-footer", "page-footer", "theme-doc-footer", "cookie-banner", "feedback", "site-header",
      "footnote-backref", "sidebar-toggle", "sphinx-bs-toggle"};
  return names;
}

// Class names that carry a hash or a part's name behind these.
constexpr std::array<std::string_view, 26> kFurniturePrefixes = {"tableOfContents",
                                                                 "docSidebarContainer",
                                                                 "breadcrumbsContainer",
                                                                 "tocCollapsible",
                                                                 "buttonGroup",
                                                                 "VPDocAside",
                                                                 "VPDocFooter",
                                                                 "VPNav",
                                                                 "VPSidebar",
                                                                 "VPLocalNav",
                                                                 "VPDocOutline",
                                                                 "VPSkipLink",
                                                                 "wy-nav-side",
                                                                 "wy-nav-top",
                                                                 "wy-breadcrumbs",
                                                                 "md-sidebar",
                                                                 "md-nav",
                                                                 "md-header",
                                                                 "md-footer",
                                                                 "md-tabs",
                                                                 "md-search",
                                                                 "bd-sidebar",
                                                                 "bd-header",
                                                                 "bd-footer",
                                                                 "devsite-nav",
                                                                 "devsite-breadcrumb"};

const Names& FurnitureIds() {
  static const Names names = {"toc",
                              "table-of-contents",
                              "TableOfContents",
                              "sidebar",
                              "navbar",
                              "nav",
                              "navigation",
                              "breadcrumbs",
                              "breadcrumb",
                              "footer",
                              "header",
                              "site-header",
                              "site-footer",
                              "searchbox",
                              "search-bar",
                              "nav-path",
                              "side-nav",
                              "topbar",
                              "skip-link",
                              "settings-menu",
                              "mdbook-help-container",
                              "menu-bar",
                              "menu-bar-hover-placeholder",
                              "searchbar-outer",
                              "sidebar-toggle"};
  return names;
}

const Names& FurnitureRoles() {
  static const Names names = {"navigation", "search",       "banner",       "contentinfo", "menu",   "menubar",
                              "toolbar",    "tooltip",      "dialog",       "alertdialog", "button", "tablist",
                              "doc-toc",    "doc-backlink", "doc-pagelist", "doc-index"};
  return names;
}

// docutils links a heading back to the table of contents: that link is the heading's text. A footnote's leads back to
// its citation.
bool IsLinkOfHeading(const GumboNode* element) {
  const GumboNode* parent = element->parent;
  for (int climb = 0; climb < 8 && parent != nullptr && IsElement(parent); ++climb, parent = parent->parent) {
    if (IsHeadingTag(TagOf(parent))) return true;
  }
  return false;
}

bool HasFurnitureRole(const GumboNode* element) {
  const std::string_view role = Attribute(element, "role");
  return FurnitureRoles().contains(role) && !(role == "doc-backlink" && IsLinkOfHeading(element));
}

// An <aside> is a sidebar unless its class says that it belongs to the text.
bool IsTextAside(const GumboNode* element) {
  static const Names kinds = {
      "admonition", "note",  "tip",      "warning",       "caution",   "important",       "danger",  "info",    "hint",
      "callout",    "alert", "footnote", "footnote-list", "footnotes", "starlight-aside", "example", "citation"};
  const std::string_view role = Attribute(element, "role");
  return role == "note" || role == "doc-footnote" || role == "doc-tip" || role == "doc-notice" ||
         AnyClass(element, [](std::string_view token) { return kinds.contains(token); });
}

bool IsHidden(const GumboNode* element) {
  if (HasAttribute(element, "hidden") && Attribute(element, "hidden") != "until-found" &&
      Attribute(element, "role") != "tabpanel") {
    return true;
  }
  // Starlight says a callout's title twice: as the label of its <aside>, and hidden from screen readers.
  if (Attribute(element, "aria-hidden") == "true" && !IsAdmonitionTitle(element)) return true;
  const std::string_view style = Attribute(element, "style");
  const size_t display = style.find("display");
  if (display == std::string_view::npos) return false;
  const size_t value = style.find_first_not_of(" :\t\n", display + 7);
  return value != std::string_view::npos && style.substr(value).starts_with("none") &&
         Attribute(element, "role") != "tabpanel";
}

// Links that say nothing about the subject: the heading's own mark, "Edit this page".
bool IsFurnitureLink(const GumboNode* link) {
  const bool own_page = Attribute(link, "href").starts_with('#');
  if (HasClass(link, "anchor") && own_page) return true;
  const std::string_view relation = Attribute(link, "rel");
  if (relation == "next" || relation == "prev" || relation == "up") return true;
  if (ChildCount(link) > 3) return false;
  const std::string words = CollapseSpace(TextOf(link, 64, 256));  // links may nest, with no text at all
  if (own_page) {
    static const Names marks = {"\xC2\xB6",     "#",           "\xC2\xA7", "\xF0\x9F\x94\x97", "\xE2\x80\x8B",
                                "\xEF\x83\x81", "\xE2\x88\x9E"};
    if (marks.contains(words)) return true;
  }
  static const Names phrases = {"edit this page",       "edit on github",   "edit this page on github",
                                "improve this page",    "view page source", "show source",
                                "skip to main content", "skip to content",  "suggest an edit"};
  return words.size() <= 40 && phrases.contains(Lower(words));
}

// The line of links above and below each page that texinfo writes.
bool IsTexinfoHeader(const GumboNode* element) {
  if (!HasClass(element, "header")) return false;
  for (size_t i = 0; i < ChildCount(element); ++i) {
    const GumboNode* child = Child(element, i);
    if (IsElement(child)) return TagOf(child) == GUMBO_TAG_P || TagOf(child) == GUMBO_TAG_TABLE;
  }
  return false;
}

}  // namespace

bool IsFurniture(const GumboNode* element) {
  if (element->type == GUMBO_NODE_TEMPLATE) return true;
  if (!IsElement(element)) return false;
  if (element->v.element.tag_namespace == GUMBO_NAMESPACE_SVG) return true;
  const GumboTag tag = TagOf(element);
  switch (tag) {
    case GUMBO_TAG_HTML:
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_MAIN: return false;
    case GUMBO_TAG_HEAD:
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_NOSCRIPT:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_EMBED:
    case GUMBO_TAG_CANVAS:
    case GUMBO_TAG_VIDEO:
    case GUMBO_TAG_AUDIO:
    case GUMBO_TAG_MAP:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_INPUT:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_DATALIST:
    case GUMBO_TAG_OPTION:
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_NOFRAMES:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_PROGRESS:
    case GUMBO_TAG_METER:
    case GUMBO_TAG_APPLET:
    case GUMBO_TAG_FRAME:
    case GUMBO_TAG_FRAMESET:
    case GUMBO_TAG_META:
    case GUMBO_TAG_LINK: return true;
    default: break;
  }
  if (element->v.element.attributes.length == 0) {
    return tag == GUMBO_TAG_ASIDE || (tag == GUMBO_TAG_FOOTER && TagOf(element->parent) != GUMBO_TAG_BLOCKQUOTE);
  }
  if (tag == GUMBO_TAG_ASIDE && !IsTextAside(element)) return true;
  if (tag == GUMBO_TAG_FOOTER && TagOf(element->parent) != GUMBO_TAG_BLOCKQUOTE) return true;
  // KaTeX hides the tree for screen readers and the one for eyes by turns; <math> has the words.
  if (IsHidden(element)) return true;
  if (HasAttribute(element, "data-sheaf-ignore") || HasAttribute(element, "data-pagefind-ignore")) return true;
  if (HasFurnitureRole(element)) return true;
  if (tag == GUMBO_TAG_TD && HasAttribute(element, "data-line-number")) return true;
  if (IsHeadingTag(tag)) return false;
  // Starlight's notices: a draft, a page that is not translated yet.
  if (tag == GUMBO_TAG_P && HasClass(element, "sl-flex")) return true;
  if (tag == GUMBO_TAG_A && IsFurnitureLink(element)) return true;
  if (tag == GUMBO_TAG_DIV && IsTexinfoHeader(element)) return true;
  // Sections are named by their subject, and a chapter may well be called "Navigation".
  bool section = tag == GUMBO_TAG_SECTION || tag == GUMBO_TAG_ARTICLE || tag == GUMBO_TAG_PRE;
  bool furniture = false, contents = false, local = false;
  AnyClass(element, [&](std::string_view token) {
    if (token == "section" || token == "chapter" || token.starts_with("sect")) section = true;
    if (token == "contents") contents = true;
    if (token == "topic" || token == "local") local = true;
    // VitePress labels a code block with its language.
    if (token == "lang" && tag == GUMBO_TAG_SPAN) furniture = true;
    furniture = furniture || FurnitureClasses().contains(token) ||
                std::any_of(kFurniturePrefixes.begin(), kFurniturePrefixes.end(),
                            [&](std::string_view prefix) { return token.starts_with(prefix); });
    return false;
  });
  if (section) return false;
  if (furniture || (contents && local)) return true;
  const std::string_view id = Attribute(element, "id");
  return !id.empty() && FurnitureIds().contains(id) &&
         (tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_UL || tag == GUMBO_TAG_TABLE || tag == GUMBO_TAG_HEADER ||
          tag == GUMBO_TAG_FORM || (tag == GUMBO_TAG_A && id == "skip-link"));
}

bool IsSiteHeader(const GumboNode* element) {
  if (TagOf(element) != GUMBO_TAG_HEADER || Attribute(element, "id") == "title-block-header") return false;
  const GumboNode* parent = element->parent;
  for (int climb = 0; climb < 16 && parent != nullptr && IsElement(parent); ++climb) {
    switch (TagOf(parent)) {
      case GUMBO_TAG_ARTICLE:
      case GUMBO_TAG_MAIN:
      case GUMBO_TAG_SECTION: return false;
      case GUMBO_TAG_BODY: return true;
      default: break;
    }
    if (Attribute(parent, "role") == "main") return false;
    parent = parent->parent;
  }
  return false;
}

}  // namespace sheaf::packer
