#include "packer/parse/html/html_content.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "packer/parse/html/html_code.h"
#include "packer/parse/html/html_elements.h"
#include "packer/parse/html/html_furniture.h"
#include "packer/parse/html/html_grid.h"

namespace sheaf::packer {
namespace {

using Names = std::unordered_set<std::string_view>;

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
      "content",  "main-content", "main",          "page-content", "doc-content",  "docs-content",  "document",
      "body",     "bodywrapper",  "documentation", "markdown",     "post-content", "entry-content", "article",
      "doc-body", "docbody",      "contents",      "bd",           "primary",      "refentry",      "page-body"};
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

struct ContentCandidate {
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
  CodeCells code_cells;

  bool IsLayout() const {
    if (TagOf(node) != GUMBO_TAG_TABLE) return has_blocks;  // a grid says that it is a table
    static const Names classes = {"highlighttable",  "rouge-table",   "hljs-ln",
                                  "codehilitetable", "processedcode", "js-file-line-container",
                                  "simplelist"};
    // Doxygen and qdoc: data, be it of one row.
    static const Names data = {"params", "exception", "retval", "tparams", "fieldtable", "alignedsummary"};
    if (!has_blocks && widest + cells > 1 &&
        AnyClass(node, [](std::string_view token) { return data.contains(token); })) {
      return false;
    }
    const std::string_view role = Attribute(node, "role");
    return has_blocks || role == "presentation" || role == "none" || (rows <= 1 && (has_code || !has_header)) ||
           (std::max(widest, cells) <= 1 && !has_header) ||
           AnyClass(node, [](std::string_view token) { return classes.contains(token); });
  }
};

// Walks the body once: measures the elements that claim to be the content, and decides what each table is for.
class BodyFacts {
 public:
  void Run(const GumboNode* body, HtmlContent* content) {
    WalkTree(
        body, [&](const GumboNode* node) { return Enter(node); }, [&](const GumboNode* node) { Leave(node, content); });
  }

  std::vector<ContentCandidate> candidates;  // in document order
  size_t text = 0, titles = 0, steps = 0;
  bool has_headings = false;
  const GumboNode* header = nullptr;      // the first <header> of the site that has an h1
  const GumboNode* page_title = nullptr;  // Doxygen's, which stands outside the content
  size_t title_step = 0, header_step = 0;

 private:
  bool Enter(const GumboNode* node) {
    ++steps;
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA) {
      text += node->v.text.original_text.length;
      return false;
    }
    if (!IsElement(node)) return false;
    if (!tables_.empty() && (TagOf(node) == GUMBO_TAG_TD || TagOf(node) == GUMBO_TAG_TH)) {
      tables_.back().code_cells.Count(node);  // also of numbers, which are furniture
    }
    if (IsFurniture(node)) return false;
    if (IsSiteHeader(node)) {
      if (header == nullptr && HoldsTitle(node)) {
        header = node;
        header_step = steps;
      }
      return false;
    }
    const GumboTag tag = TagOf(node);
    if (tag == GUMBO_TAG_H1) ++titles;
    has_headings = has_headings || IsHeadingTag(tag);
    if (page_title == nullptr && IsPageTitle(node)) {
      page_title = node;
      title_step = steps;
    }
    if (const std::optional<Claim> claim = ClaimOf(node)) {
      open_.push_back(candidates.size());
      candidates.push_back({node, *claim, text, titles, steps, 0});
    }
    EnterTablePart(node, tag);
    return true;
  }

  static bool HoldsTitle(const GumboNode* header) {
    constexpr size_t kMaxNodes = 64;
    size_t nodes = 0;
    const GumboNode* title = nullptr;
    bool of_site = false;
    WalkUntil(header, [&](const GumboNode* node) {
      if (!IsElement(node)) return Walk::kPast;
      const GumboTag tag = TagOf(node);
      // A site's header leads to its parts, and its name leads home.
      of_site = tag == GUMBO_TAG_NAV || tag == GUMBO_TAG_FORM || tag == GUMBO_TAG_UL ||
                (tag == GUMBO_TAG_A && node->parent == title);
      if (tag == GUMBO_TAG_H1) title = node;
      return of_site || ++nodes > kMaxNodes ? Walk::kStop : Walk::kInto;
    });
    return title != nullptr && !of_site;
  }

  void EnterTablePart(const GumboNode* node, GumboTag tag) {
    if (tag == GUMBO_TAG_TABLE || GridPartOf(node) == GridPart::kTable) {
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
      ContentCandidate& candidate = candidates[open_.back()];
      candidate.text = text - candidate.text;
      candidate.titles = titles - candidate.titles;
      candidate.end = steps;
      open_.pop_back();
    }
    if (!tables_.empty() && tables_.back().node == node) {
      const TableFacts& table = tables_.back();
      if ((!table.has_code && table.code_cells.IsListing(table.rows)) || HasClass(node, "RktBlk"))  // Scribble
        content->listing_tables.insert(node);
      else if (table.IsLayout())
        content->layout_tables.insert(node);
      tables_.pop_back();
    }
  }

  std::vector<size_t> open_;
  std::vector<TableFacts> tables_;
};

// The tightest candidate of a claim inside `scope` that keeps `share` of its text and its h1.
const ContentCandidate* Tightest(const std::vector<ContentCandidate>& all, Claim claim, const ContentCandidate& scope,
                                 double share) {
  const ContentCandidate* best = nullptr;
  for (const ContentCandidate& candidate : all) {
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
  if (body == nullptr || HasAttribute(body, "data-sheaf-ignore") || HasAttribute(html, "data-sheaf-ignore"))
    return content;
  BodyFacts survey;
  survey.Run(body, &content);
  content.has_headings = survey.has_headings;
  if (survey.titles == 0) content.header = survey.header;
  const std::vector<ContentCandidate>& all = survey.candidates;

  size_t covered = 0;
  for (const ContentCandidate& candidate : all) {
    if (candidate.claim != Claim::kMarked || candidate.begin < covered) continue;
    content.roots.push_back(candidate.node);
    covered = candidate.end;
    if (HasAttribute(candidate.node, "data-pagefind-body"))
      content.mark = BodyMark::kPagefind;
    else if (content.mark == BodyMark::kNone)
      content.mark = BodyMark::kOwn;
  }
  if (!content.roots.empty()) return content;

  ContentCandidate scope{body, Claim::kContainer, survey.text, survey.titles, 0, survey.steps};
  // Trust <main> even if unmarked menus hold more text than it does.
  const ContentCandidate* main = nullptr;
  for (const ContentCandidate& candidate : all) {
    if (candidate.claim != Claim::kMain || double(candidate.text) < 0.05 * double(scope.text)) continue;
    if (candidate.text > 0 && (main == nullptr || candidate.text > main->text)) main = &candidate;
  }
  if (main != nullptr) scope = *main;
  if (const ContentCandidate* known = Tightest(all, Claim::kKnown, scope, 0.5)) {
    scope = *known;
  } else if (main == nullptr) {
    const auto is_article = [](const ContentCandidate& c) { return c.claim == Claim::kArticle; };
    const ContentCandidate* article = nullptr;
    if (std::count_if(all.begin(), all.end(), is_article) == 1) {
      article = Tightest(all, Claim::kArticle, scope, 0.3);
    }
    if (article == nullptr) article = Tightest(all, Claim::kContainer, scope, 0.6);
    if (article != nullptr) scope = *article;
  }
  if (survey.page_title != nullptr && !(scope.begin < survey.title_step && survey.title_step <= scope.end)) {
    content.roots.push_back(survey.page_title);
  }
  if (content.header != nullptr && scope.node != body && survey.header_step < scope.begin) {
    content.roots.push_back(content.header);
  }
  content.roots.push_back(scope.node);
  content.whole_body = scope.node == body;
  return content;
}

}  // namespace sheaf::packer
