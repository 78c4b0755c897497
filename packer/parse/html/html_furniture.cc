#include "packer/parse/html/html_furniture.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>

#include "packer/base/text_scan.h"
#include "packer/document/link_tally.h"
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
      "mw-jump-link", "topNav", "bottomNav", "subNav", "fixedNav", "navList", "subNavList", "top-nav", "sub-nav",
      "aboutLanguage", "nav_table", "navsettop", "navsetbottom",
      // tables of contents and back-of-book indexes
      "toc", "table-of-contents", "tableofcontents", "table_of_contents", "shortcontents", "toc-wrapper",
      "toctree-wrapper", "list-of-tables", "list-of-figures", "list-of-examples", "bd-toc", "on-this-page", "indexdiv",
      "indextable", "genindex-jumpbox", "theme-doc-toc-mobile", "page-toc", "mini-toc", "tsd-index-panel",
      "tsd-breadcrumb", "col-sidebar", "col-menu",
      // links that point at their own heading, edit and source links
      "headerlink", "permalink", "header-anchor", "heading-anchor", "anchorjs-link", "hash-link", "anchor-link",
      "anchorlink", "self-link", "selflink", "sl-anchor-link", "edit-link", "edit-this-page", "theme-edit-this-page",
      "edit-page-link", "mw-editsection", "viewcode-link", "viewcode-back", "srclink", "src-link", "out-of-band",
      "rightside", "since", "view-on-github", "last-updated-wrapper",
      // line numbers and buttons of code blocks
      "lineno", "linenos", "linenodiv", "linenums", "gutter", "rouge-gutter", "blob-num", "line-numbers-wrapper",
      "line-numbers-rows", "hljs-ln-numbers", "ln-num", "lnt", "code-line-number", "source-line-no", "sourceLineNo",
      "copy", "copybtn", "copy-button", "copy-btn", "btn-clipboard", "clipboard", "clip-button", "copy-code-button",
      "zeroclipboard-container", "boring", "fn-backref", "md-clipboard",
      // words for screen readers, tooltips, toggles
      "sr-only", "visually-hidden", "screen-reader-text", "skip-link", "skip-to-content", "skiplink", "skip-nav",
      "tooltip", "notable-traits", "hideme", "test-arrow", "docblock-toggle", "toggle-all", "edit-page", "no-print",
      "noprint", "printfooter", "search-box", "searchbox", "search-form", "ttc", "activeTableTab", "tableTab", "tabEnd",
      "hide-when-js-enabled", "summary_toggle", "constants_summary_toggle", "app-vsn", "modifier_kind",
      "RBackgroundLabel",
      // what opens on demand and is no documentation: diagrams of classes, source code
      "dynheader", "dyncontent", "source_code", "method-source-code", "method-source-toggle", "method-click-advice",
      "method-controls",
      // ends of pages
      "footer", "site-footer", "page-footer", "theme-doc-footer", "cookie-banner", "feedback", "site-header",
      "legalCopy", "footnote-backref", "sidebar-toggle", "sphinx-bs-toggle"};
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

bool HasFurniturePrefix(std::string_view token) {
  switch (token.front()) {  // most tokens end here
    case 'b':
    case 'd':
    case 'm':
    case 't':
    case 'V':
    case 'w': break;
    default: return false;
  }
  return std::any_of(kFurniturePrefixes.begin(), kFurniturePrefixes.end(),
                     [&](std::string_view prefix) { return token.starts_with(prefix); });
}

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
                              "mbrsel",
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

// A panel that the reader opens is text; its tab or button is not.
bool IsPanel(const GumboNode* element) {
  return Attribute(element, "role") == "tabpanel" || AnyClass(element, [](std::string_view token) {
           return token.starts_with("tab") || token.starts_with("toggle") || token.starts_with("collaps") ||
                  token.starts_with("accordion") || token.starts_with("spoiler");
         });
}

bool IsHiddenElement(const GumboNode* element) {
  if (HasAttribute(element, "hidden") && Attribute(element, "hidden") != "until-found" && !IsPanel(element)) {
    return true;
  }
  // Starlight says a callout's title twice: as the label of its <aside>, and hidden from screen readers.
  if (Attribute(element, "aria-hidden") == "true" && !IsAdmonitionTitle(element) && !IsPanel(element)) return true;
  const std::string_view style = Attribute(element, "style");
  const size_t display = style.find("display");
  if (display == std::string_view::npos) return false;
  const size_t value = style.find_first_not_of(" :\t\n", display + 7);
  return value != std::string_view::npos && style.substr(value).starts_with("none") && !IsPanel(element);
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
    static const Names marks = {"\xC2\xB6",     "#",
                                "\xC2\xA7",     "\xF0\x9F\x94\x97",
                                "\xE2\x80\x8B", "\xEF\x83\x81",
                                "\xE2\x88\x9E", "\xE2\x86\x91",
                                "\xE2\x9A\x93", "\xE2\x97\x86"};
    if (marks.contains(words)) return true;
    static const Names tops = {"top", "back to top", "return to top", "[top]", "go to top", "collapse", "expand"};
    if (words.size() <= 16 && tops.contains(Lower(words))) return true;
  }
  static const Names phrases = {"edit this page",
                                "edit on github",
                                "edit this page on github",
                                "improve this page",
                                "view page source",
                                "show source",
                                "skip to main content",
                                "skip to content",
                                "suggest an edit",
                                "return to main contents",
                                "more...",
                                "link to this heading",
                                "link to this function",
                                "[src]",
                                "[source]"};
  if (words.size() > 40) return false;
  const std::string lower = Lower(words);
  // rustdoc's lead to the trait's own page.
  if (lower == "read more") return HasClass(link->parent, "docblock") || HasClass(link->parent->parent, "docblock");
  return phrases.contains(lower) || ((lower == "source" || lower == "src") &&
                                     (HasClass(link, "src") || HasClass(link, "link")));  // rustdoc, Haddock
}

// A link around a heading, or around a block that may hold one.
bool HoldsHeading(const GumboNode* link) {
  for (size_t i = 0; i < std::min<size_t>(ChildCount(link), 4); ++i) {
    if (IsHeadingTag(TagOf(Child(link, i)))) return true;
  }
  return false;
}

// MathJax leaves the formula's source behind what it drew.
bool IsDrawnFormula(const GumboNode* element) {
  const GumboTag tag = TagOf(element);
  return (tag == GUMBO_TAG_SPAN || tag == GUMBO_TAG_DIV) && ClassesOf(element).starts_with("MathJax") &&
         AnyClass(element, [](std::string_view token) {
           return token == "MathJax" || token == "MathJax_Preview" || token == "MathJax_Display" ||
                  token == "MathJax_SVG" || token == "MathJax_SVG_Display" || token == "MathJax_CHTML";
         });
}

bool IsDirection(std::string_view begin) {
  for (const std::string_view word :
       {"next", "prev", "up", "top", "contents", "index", "home", "back", "first", "table"}) {
    if (begin.starts_with(word)) return true;
  }
  return false;
}

// Whether the words consist of names of places and marks: "Next Previous Contents", "[Top] [Index]", "Up", ">>".
bool AreDirections(std::string_view words) {
  static const Names names = {"next", "previous", "prev", "up",      "top",  "contents", "index", "home", "back",
                              "toc",  "first",    "last", "forward", "main", "table",    "of",    "page", "chapter"};
  bool any = false;
  for (size_t at = 0; at < words.size();) {
    if (!IsAlpha(words[at])) {
      if (words.substr(at, 2) == "\xC2\xA0")
        ++at;  // no-break space
      else if (uint8_t(words[at]) >= 0x80 || IsDigit(words[at]))
        return false;
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < words.size() && IsAlpha(words[at])) ++at;
    if (!names.contains(Lower(words.substr(begin, at - begin)))) return false;
    any = true;
  }
  return any;
}

// A line of links to the pages before, behind and above this one: each word of it is a direction (linuxdoc, texi2html), or
// it begins with "Next:", "Previous:" or "Up:" (makeinfo).
bool IsNavigationLine(const GumboNode* element, GumboTag tag) {
  constexpr size_t kMaxBytes = 400, kMaxNodes = 48, kMaxNodesBefore = 8;  // before the first words
  constexpr size_t kCells = 2;  // texi2html's rows: an arrow, a link, or nothing in each cell
  const size_t cells = tag == GUMBO_TAG_TABLE ? kCells : 1,
               before = tag == GUMBO_TAG_TABLE ? kMaxNodes : kMaxNodesBefore;
  if (tag != GUMBO_TAG_P && tag != GUMBO_TAG_DIV && tag != GUMBO_TAG_TABLE && tag != GUMBO_TAG_CENTER) return false;
  size_t nodes = 0, links = 0, linked = 0, letters = 0;
  std::string begin, words;
  bool other = false;
  WalkUntil(element, [&](const GumboNode* node) {
    other = ++nodes > (begin.empty() ? before : kMaxNodes * cells) || words.size() > kMaxBytes;
    if (other) return Walk::kStop;
    if (IsText(node)) {
      words += std::string_view(node->v.text.text).substr(0, kMaxBytes + 1);
      // Most blocks end here, at their first words.
      if (begin.empty()) {
        const size_t first = words.find_first_not_of(" \t\n\r\f[]<>|\xC2\xA0");
        if (first != std::string::npos) begin = Lower(std::string_view(words).substr(first, 9));
        other = !begin.empty() && !IsDirection(begin);
      }
      const size_t count = CountLetters(node->v.text.text);
      letters += count;
      if (TagOf(node->parent) == GUMBO_TAG_A) linked += count;
      return other ? Walk::kStop : Walk::kPast;
    }
    if (!IsElement(node)) return Walk::kPast;
    const GumboTag inner = TagOf(node);
    other = inner == GUMBO_TAG_IMG || inner == GUMBO_TAG_PRE || IsHeadingTag(inner);
    links += inner == GUMBO_TAG_A && HasAttribute(node, "href");
    return other ? Walk::kStop : Walk::kInto;
  });
  if (other || links == 0 || begin.empty()) return false;
  if (AreDirections(CollapseSpace(words))) return links > 1;
  const bool node_line = begin.starts_with("next:") || begin.starts_with("previous:") || begin.starts_with("up:");
  return node_line && linked * 2 > letters;
}

bool PrecedesWholeComment(const GumboNode* element) {
  const size_t next = element->index_within_parent + 1;
  for (size_t i = next; i < std::min<size_t>(ChildCount(element->parent), next + 3); ++i) {
    const GumboNode* sibling = Child(element->parent, i);
    if (IsElement(sibling)) return HasClass(sibling, "fullcomment");
  }
  return false;
}

// Haddock's list of all signatures, each of which follows with its description.
bool IsSynopsis(const GumboNode* element) {
  if (Attribute(element, "id") != "synopsis") return false;
  for (size_t i = 0; i < std::min<size_t>(ChildCount(element), 4); ++i) {
    const GumboNode* child = Child(element, i);
    if (TagOf(child) == GUMBO_TAG_DETAILS || (TagOf(child) == GUMBO_TAG_P && HasClass(child, "caption"))) return true;
  }
  return false;
}

// What every page of a type repeats: rustdoc's implementations for all types and those that the compiler adds, with their
// headings, and the members that Scaladoc lists for every class.
bool IsInheritedByAll(const GumboNode* element, GumboTag tag) {
  if (tag == GUMBO_TAG_LI) {
    const std::string_view name = Attribute(element, "name");
    return name.starts_with("scala.AnyRef#") || name.starts_with("scala.Any#") || name.starts_with("java.lang.Object#");
  }
  std::string_view id = Attribute(element, "id");
  if (tag == GUMBO_TAG_DIV && id.ends_with("-list"))
    id.remove_suffix(5);
  else if (tag != GUMBO_TAG_H2 ||
           !AnyClass(element, [](std::string_view token) { return token.ends_with("section-header"); }))
    return false;
  return id == "blanket-implementations" || id == "synthetic-implementations";
}

// Doxygen's list of the files that a class was documented in, behind "was generated from the following file:".
bool IsFilesOfDoxygen(const GumboNode* list) {
  if (list->index_within_parent == 0) return false;
  const GumboNode* before = Child(list->parent, list->index_within_parent - 1);
  if (!IsText(before)) return false;
  const std::string_view text = before->v.text.text;
  return text.substr(text.size() - std::min<size_t>(text.size(), 80)).find("was generated from the following file") !=
         std::string_view::npos;
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
    case GUMBO_TAG_SCRIPT: return !IsTeX(element);
    case GUMBO_TAG_HEAD:
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
    if (tag == GUMBO_TAG_UL) return IsFilesOfDoxygen(element);
    return tag == GUMBO_TAG_ASIDE || (tag == GUMBO_TAG_FOOTER && TagOf(element->parent) != GUMBO_TAG_BLOCKQUOTE);
  }
  if (tag == GUMBO_TAG_ASIDE && !IsTextAside(element)) return true;
  if (tag == GUMBO_TAG_FOOTER && TagOf(element->parent) != GUMBO_TAG_BLOCKQUOTE) return true;
  // KaTeX hides the tree for screen readers and the one for eyes by turns; <math> has the words.
  if (IsHiddenElement(element)) return true;
  if (HasAttribute(element, "data-sheaf-ignore") || HasAttribute(element, "data-pagefind-ignore")) return true;
  if (HasFurnitureRole(element)) return true;
  if (tag == GUMBO_TAG_TD && HasAttribute(element, "data-line-number")) return true;
  if ((tag == GUMBO_TAG_LI || tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_H2) && IsInheritedByAll(element, tag))
    return true;
  if (IsHeadingTag(tag)) return false;
  // Starlight's notices: a draft, a page that is not translated yet.
  if (tag == GUMBO_TAG_P && HasClass(element, "sl-flex")) return true;
  if (tag == GUMBO_TAG_A) {
    if (HoldsHeading(element)) return false;
    if (IsFurnitureLink(element)) return true;
    // The newest rustdoc counts the lines of code by links in it.
    if (HasAttribute(element, "data-nosnippet") && HasAttribute(element, "id")) return true;
  }
  if (IsDrawnFormula(element)) return true;
  if (IsNavigationLine(element, tag)) return true;
  // Haddock repeats a class's methods for each of its instances.
  if (tag == GUMBO_TAG_DETAILS && Attribute(element, "id").starts_with("i:")) return true;
  if (tag == GUMBO_TAG_DIV && (IsTexinfoHeader(element) || IsSynopsis(element))) return true;
  // TypeDoc's list of a page's members.
  if (tag == GUMBO_TAG_SECTION && HasClass(element, "tsd-index-group")) return true;
  // Sections are named by their subject, and a chapter may well be called "Navigation".
  bool section = tag == GUMBO_TAG_SECTION || tag == GUMBO_TAG_ARTICLE || tag == GUMBO_TAG_PRE;
  bool furniture = false, contents = false, local = false;
  AnyClass(element, [&](std::string_view token) {
    if (token == "section" || token == "chapter" || token.starts_with("sect")) section = true;
    if (token == "contents") contents = true;
    if (token == "topic" || token == "local") local = true;
    // Scaladoc writes the first sentence above the whole comment.
    if (token == "shortcomment" && tag == GUMBO_TAG_P) furniture = PrecedesWholeComment(element);
    // Doxygen: "Definition at line 36 of file reader.h."
    if ((token == "definition" || token == "reference") && tag == GUMBO_TAG_P) {
      furniture = HasClass(element->parent, "memdoc") || HasClass(element->parent, "textblock");
    }
    if (token == "overload" && tag == GUMBO_TAG_SPAN) furniture = IsHeadingTag(TagOf(element->parent));
    // VitePress labels a code block with its language.
    if (token == "lang" && tag == GUMBO_TAG_SPAN) furniture = true;
    furniture = furniture || FurnitureClasses().contains(token) || HasFurniturePrefix(token);
    return false;
  });
  if (section) return false;
  if (furniture || (contents && local)) return true;
  const std::string_view id = Attribute(element, "id");
  return !id.empty() && FurnitureIds().contains(id) &&
         (tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_UL || tag == GUMBO_TAG_TABLE || tag == GUMBO_TAG_HEADER ||
          tag == GUMBO_TAG_FORM || (tag == GUMBO_TAG_A && id == "skip-link"));
}

std::string WordsOfHeading(const GumboNode* heading) {
  constexpr size_t kMaxBytes = 300, kMaxNodes = 64;
  std::string words;
  size_t nodes = 0;
  WalkUntil(heading, [&](const GumboNode* node) {
    if (++nodes > kMaxNodes || words.size() > kMaxBytes) return Walk::kStop;
    if (IsText(node)) words += node->v.text.text;
    if (!IsElement(node)) return Walk::kPast;
    const GumboTag tag = TagOf(node);
    const bool read = tag == GUMBO_TAG_A || tag == GUMBO_TAG_BUTTON || (tag != GUMBO_TAG_SCRIPT && !IsFurniture(node));
    return read ? Walk::kInto : Walk::kPast;
  });
  words = CollapseSpace(words);
  static const Names marks = {"permalink", "anchor", "link",   "copy",
                              "copy link", "edit",   "source", "link to this heading"};
  return CountLetters(words) < 2 || (words.size() <= 20 && marks.contains(Lower(words))) ? std::string() : words;
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
