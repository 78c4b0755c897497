#include "packer/parse/html/html_content.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/parse/html/html_elements.h"
#include "packer/parse/shared/front_matter.h"

namespace sheaf::packer {
namespace {

using Names = std::unordered_set<std::string_view>;

const Names& FurnitureClasses() {
  static const Names names = {
      // navigation
      "nav", "navbar", "navigation", "navheader", "navfooter", "nav-panel", "navpath", "navrow", "sidebar",
      "sphinxsidebar", "related", "relations", "breadcrumb", "breadcrumbs", "pager", "pagination",
      "pagination-nav", "prevnext", "prev-next", "prev-next-area", "page-nav", "nav-wrapper", "nav-chapters",
      "mobile-nav", "mobile-nav-chapters", "sub-logo-container", "related-pages", "rst-footer-buttons",
      "rst-versions", "t-navbar", "mw-jump-link",
      // tables of contents and back-of-book indexes
      "toc", "table-of-contents", "tableofcontents", "table_of_contents", "shortcontents", "toc-wrapper",
      "toctree-wrapper", "list-of-tables", "list-of-figures", "list-of-examples", "bd-toc", "on-this-page",
      "indexdiv", "indextable", "genindex-jumpbox", "theme-doc-toc-mobile", "page-toc", "mini-toc",
      // links that point at their own heading, edit and source links
      "headerlink", "permalink", "header-anchor", "heading-anchor", "anchorjs-link", "hash-link",
      "anchor-link", "anchorlink", "self-link", "sl-anchor-link", "edit-link", "edit-this-page",
      "theme-edit-this-page", "edit-page-link", "mw-editsection", "viewcode-link", "viewcode-back", "srclink",
      "src-link", "out-of-band", "rightside", "since", "view-on-github", "last-updated-wrapper",
      // line numbers and buttons of code blocks
      "lineno", "linenos", "linenodiv", "linenums", "gutter", "rouge-gutter", "blob-num",
      "line-numbers-wrapper", "line-numbers-rows", "hljs-ln-numbers", "ln-num", "code-line-number", "copy",
      "copybtn", "copy-button", "copy-btn", "btn-clipboard", "clipboard", "clip-button", "copy-code-button",
      "zeroclipboard-container", "boring", "fn-backref", "md-clipboard",
      // words for screen readers, tooltips, toggles
      "sr-only", "visually-hidden", "screen-reader-text", "skip-link", "skip-to-content", "skiplink",
      "skip-nav", "tooltip", "notable-traits", "hideme", "test-arrow", "docblock-toggle", "toggle-all",
      "edit-page", "no-print", "noprint", "printfooter", "search-box", "searchbox", "search-form",
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
  static const Names names = {"navigation", "search",       "banner",       "contentinfo",
                              "menu",       "menubar",      "toolbar",      "tooltip",
                              "dialog",     "alertdialog",  "button",       "tablist",
                              "doc-toc",    "doc-backlink", "doc-pagelist", "doc-index"};
  return names;
}

// An <aside> is a sidebar unless its class says that it belongs to the text.
bool IsTextAside(const GumboNode* element) {
  static const Names kinds = {"admonition", "note",     "tip",           "warning",   "caution",
                              "important",  "danger",   "info",          "hint",      "callout",
                              "alert",      "footnote", "footnote-list", "footnotes", "starlight-aside",
                              "example",    "citation"};
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
    return tag == GUMBO_TAG_ASIDE ||
           (tag == GUMBO_TAG_FOOTER && TagOf(element->parent) != GUMBO_TAG_BLOCKQUOTE);
  }
  if (tag == GUMBO_TAG_ASIDE && !IsTextAside(element)) return true;
  if (tag == GUMBO_TAG_FOOTER && TagOf(element->parent) != GUMBO_TAG_BLOCKQUOTE) return true;
  // KaTeX hides the tree for screen readers and the one for eyes by turns; <math> has the words.
  if (IsHidden(element)) return true;
  if (HasAttribute(element, "data-sheaf-ignore") || HasAttribute(element, "data-pagefind-ignore")) return true;
  if (FurnitureRoles().contains(Attribute(element, "role"))) return true;
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

std::string TextOf(const GumboNode* node, size_t limit, size_t most_nodes) {
  std::string text;
  WalkTree(
      node,
      [&](const GumboNode* child) {
        if (most_nodes == 0) return false;
        --most_nodes;
        if (IsText(child) && text.size() < limit) text += child->v.text.text;
        return text.size() < limit;
      },
      [](const GumboNode*) {});
  return IsCleanText(text) ? text : CleanText(text);
}

// ---- the content root -------------------------------------------------------------------------

namespace {

enum class Claim : uint8_t { kMarked, kMain, kArticle, kKnown, kContainer };

// Containers that a generator puts around the page's text and nothing else.
bool IsKnownContainer(const GumboNode* element) {
  static const Names classes = {
      "theme-doc-markdown",   "vp-doc",    "md-content__inner", "markdown-body", "sl-markdown-content",
      "devsite-article-body", "bd-article"};
  const std::string_view id = Attribute(element, "id");
  return id == "main-content" || id == "mw-content-text" || Attribute(element, "itemprop") == "articleBody" ||
         AnyClass(element, [](std::string_view token) { return classes.contains(token); });
}

// Names that many sites give to the element around their text.
bool IsContainer(const GumboNode* element) {
  static const Names names = {
      "content",       "main-content", "main",        "page-content",  "doc-content", "docs-content",
      "document",      "body",         "bodywrapper", "documentation", "markdown",    "post-content",
      "entry-content", "article",      "doc-body",    "docbody",       "contents",    "bd",
      "primary",       "refentry",     "page-body"};
  return names.contains(Attribute(element, "id")) ||
         AnyClass(element, [](std::string_view token) { return names.contains(token); });
}

std::optional<Claim> ClaimOf(const GumboNode* element) {
  if (HasAttribute(element, "data-sheaf-body") || HasAttribute(element, "data-pagefind-body")) return Claim::kMarked;
  const GumboTag tag = TagOf(element);
  const bool main = tag == GUMBO_TAG_MAIN || Attribute(element, "role") == "main";
  if (main) return Claim::kMain;
  if (tag != GUMBO_TAG_DIV && tag != GUMBO_TAG_ARTICLE && tag != GUMBO_TAG_SECTION && tag != GUMBO_TAG_TD) {
    return std::nullopt;
  }
  if (IsKnownContainer(element)) return Claim::kKnown;
  if (tag == GUMBO_TAG_ARTICLE) return Claim::kArticle;
  if (IsContainer(element)) return Claim::kContainer;
  return std::nullopt;
}

struct Candidate {
  const GumboNode* node = nullptr;
  Claim claim = Claim::kContainer;
  size_t text = 0;            // bytes of text inside
  size_t titles = 0;          // h1 inside
  size_t begin = 0, end = 0;  // in steps of the walk: which one holds which
};

struct TableFacts {
  const GumboNode* node = nullptr;
  size_t rows = 0, cells = 0, widest = 0;
  bool has_header = false, has_blocks = false, has_code = false;

  bool IsLayout() const {
    static const Names classes = {"highlighttable",  "rouge-table",   "hljs-ln",
                                  "codehilitetable", "processedcode", "js-file-line-container",
                                  "simplelist"};
    const std::string_view role = Attribute(node, "role");
    return has_blocks || role == "presentation" || role == "none" ||
           (rows <= 1 && (has_code || !has_header)) || (std::max(widest, cells) <= 1 && !has_header) ||
           AnyClass(node, [](std::string_view token) { return classes.contains(token); });
  }
};

// Walks the body once: measures who claims to be the content, and what each table is for.
class Survey {
 public:
  void Run(const GumboNode* body, HtmlContent* content) {
    WalkTree(
        body, [&](const GumboNode* node) { return Enter(node); },
        [&](const GumboNode* node) { Leave(node, content); });
  }

  std::vector<Candidate> candidates;  // in document order
  size_t text = 0, titles = 0, steps = 0;

 private:
  bool Enter(const GumboNode* node) {
    ++steps;
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA) {
      text += node->v.text.original_text.length;
      return false;
    }
    if (!IsElement(node) || IsFurniture(node) || IsSiteHeader(node)) return false;
    const GumboTag tag = TagOf(node);
    if (tag == GUMBO_TAG_H1) ++titles;
    if (const std::optional<Claim> claim = ClaimOf(node)) {
      open_.push_back(candidates.size());
      candidates.push_back({node, *claim, text, titles, steps, 0});
    }
    EnterTablePart(node, tag);
    return true;
  }

  void EnterTablePart(const GumboNode* node, GumboTag tag) {
    if (tag == GUMBO_TAG_TABLE) {
      if (!tables_.empty()) tables_.back().has_blocks = true;
      tables_.emplace_back().node = node;
      return;
    }
    if (tables_.empty()) return;
    TableFacts& table = tables_.back();
    if (tag == GUMBO_TAG_TR) {
      ++table.rows;
      table.widest = std::max(table.widest, std::exchange(table.cells, 0));
    } else if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH) {
      ++table.cells;
      table.has_header = table.has_header || tag == GUMBO_TAG_TH;
    } else if (IsHeadingTag(tag)) {
      table.has_blocks = true;
    } else if (tag == GUMBO_TAG_PRE) {
      table.has_code = true;
    }
  }

  void Leave(const GumboNode* node, HtmlContent* content) {
    if (!open_.empty() && candidates[open_.back()].node == node) {
      Candidate& candidate = candidates[open_.back()];
      candidate.text = text - candidate.text;
      candidate.titles = titles - candidate.titles;
      candidate.end = steps;
      open_.pop_back();
    }
    if (!tables_.empty() && tables_.back().node == node) {
      if (tables_.back().IsLayout()) content->layout_tables.insert(node);
      tables_.pop_back();
    }
  }

  std::vector<size_t> open_;
  std::vector<TableFacts> tables_;
};

// The tightest candidate of a claim inside `scope` that keeps `share` of its text and its h1.
const Candidate* Tightest(const std::vector<Candidate>& all, Claim claim, const Candidate& scope,
                          double share) {
  const Candidate* best = nullptr;
  for (const Candidate& candidate : all) {
    if (candidate.claim != claim || candidate.begin < scope.begin || candidate.end > scope.end) continue;
    if (double(candidate.text) < share * double(scope.text) || candidate.text == 0) continue;
    if (scope.titles > 0 && candidate.titles == 0) continue;
    if (best == nullptr || candidate.text < best->text) best = &candidate;
  }
  return best;
}

}  // namespace

HtmlContent FindContent(const GumboNode* html) {
  HtmlContent content;
  const GumboNode* body = nullptr;
  for (size_t i = 0; i < ChildCount(html); ++i) {
    if (TagOf(Child(html, i)) == GUMBO_TAG_BODY) body = Child(html, i);
  }
  if (body == nullptr) return content;
  Survey survey;
  survey.Run(body, &content);
  const std::vector<Candidate>& all = survey.candidates;

  size_t covered = 0;
  for (const Candidate& candidate : all) {
    if (candidate.claim != Claim::kMarked || candidate.begin < covered) continue;
    content.roots.push_back(candidate.node);
    covered = candidate.end;
    if (HasAttribute(candidate.node, "data-pagefind-body")) content.mark = BodyMark::kPagefind;
    else if (content.mark == BodyMark::kNone) content.mark = BodyMark::kOwn;
  }
  if (!content.roots.empty()) return content;

  Candidate scope{body, Claim::kContainer, survey.text, survey.titles, 0, survey.steps};
  // <main> is a promise: it counts even where unmarked menus hold more text than it does.
  const Candidate* main = nullptr;
  for (const Candidate& candidate : all) {
    if (candidate.claim != Claim::kMain || double(candidate.text) < 0.05 * double(scope.text)) continue;
    if (candidate.text > 0 && (main == nullptr || candidate.text > main->text)) main = &candidate;
  }
  if (main != nullptr) scope = *main;
  if (const Candidate* known = Tightest(all, Claim::kKnown, scope, 0.5)) {
    scope = *known;
  } else if (main == nullptr) {
    const auto is_article = [](const Candidate& c) { return c.claim == Claim::kArticle; };
    const Candidate* article = nullptr;
    if (std::count_if(all.begin(), all.end(), is_article) == 1) {
      article = Tightest(all, Claim::kArticle, scope, 0.3);
    }
    if (article == nullptr) article = Tightest(all, Claim::kContainer, scope, 0.6);
    if (article != nullptr) scope = *article;
  }
  content.roots.push_back(scope.node);
  content.whole_body = scope.node == body;
  return content;
}

// ---- the head ---------------------------------------------------------------------------------

namespace {

// "0; url=other.html" sends the reader elsewhere; without an address the page only loads itself anew.
std::string ForwardOf(std::string_view value) {
  size_t at = 0, seconds = 0;
  while (at < value.size() && value[at] >= '0' && value[at] <= '9' && seconds <= 10) seconds = 10 * seconds + size_t(value[at++] - '0');
  if (at == 0 || seconds > 10) return {};
  at = value.find_first_not_of("0123456789. ", at);
  if (at == std::string_view::npos || (value[at] != ';' && value[at] != ',')) return {};
  at = value.find_first_not_of(" ", at + 1);
  if (at == std::string_view::npos || Lower(value.substr(at, 3)) != "url") return {};
  at = value.find_first_not_of(" =", at + 3);
  if (at == std::string_view::npos) return {};
  value.remove_prefix(at);
  if (value.size() > 1 && (value[0] == '\'' || value[0] == '"') && value.back() == value[0]) value = value.substr(1, value.size() - 2);
  return std::string(value);
}

void ReadMeta(const GumboNode* meta, HtmlHead* head) {
  std::string name = Lower(Attribute(meta, "name"));
  for (const char* other : {"property", "itemprop", "http-equiv"}) {
    if (name.empty()) name = Lower(Attribute(meta, other));
  }
  std::string raw(Attribute(meta, "content"));
  const std::string value = CollapseSpace(IsCleanText(raw) ? raw : CleanText(raw));
  if (name == "description" && !value.empty()) head->description = value;
  if (name == "og:description" && head->description.empty()) head->description = value;
  static const Names dates = {"last-modified",         "dcterms.modified", "dc.date.modified", "datemodified",
                              "article:modified_time", "og:updated_time",  "revised",          "date",
                              "docbuild:last-update",  "lastmod"};
  if (dates.contains(name) && IsIsoDate(value)) head->last_modified = value;
  if (name == "refresh" && head->forwards_to.empty()) head->forwards_to = ForwardOf(value);
  if (name == "robots" || name == "sheaf") {
    const std::string rules = Lower(value);
    head->no_index = head->no_index || rules.find("noindex") != std::string::npos || rules == "none";
  }
}

void ReadLink(const GumboNode* link, HtmlHead* head) {
  if (Lower(Attribute(link, "rel")) != "canonical") return;
  const std::string_view href = Attribute(link, "href");
  const bool usable = href.starts_with("https://") || href.starts_with("http://") ||
                      (href.starts_with("/") && !href.starts_with("//"));
  const bool plain =
      std::all_of(href.begin(), href.end(), [](char c) { return uint8_t(c) > 0x20 && c != 0x7f; });
  if (usable && plain && href.size() <= 2048 && IsCleanText(href)) head->url = href;
}

}  // namespace

HtmlHead ReadHead(const GumboNode* html) {
  HtmlHead head;
  for (size_t i = 0; i < ChildCount(html); ++i) {
    const GumboNode* part = Child(html, i);
    if (TagOf(part) != GUMBO_TAG_HEAD) continue;
    for (size_t j = 0; j < ChildCount(part); ++j) {
      const GumboNode* node = Child(part, j);
      switch (TagOf(node)) {
        case GUMBO_TAG_TITLE:
          if (head.title.empty()) head.title = CollapseSpace(TextOf(node, 4096));
          break;
        case GUMBO_TAG_META: ReadMeta(node, &head); break;
        case GUMBO_TAG_LINK: ReadLink(node, &head); break;
        default: break;
      }
    }
  }
  return head;
}

}  // namespace sheaf::packer
