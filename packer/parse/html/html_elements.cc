#include "packer/parse/html/html_elements.h"

#include <algorithm>
#include <string_view>

#include "packer/base/charset.h"
#include "packer/parse/shared/block_writer.h"

namespace sheaf::packer {
namespace {

bool IsAdmonition(const GumboNode* element) {
  return AnyClass(element, [](std::string_view token) {
    return token == "note" || token == "tip" || token == "warning" || token == "caution" || token == "important" ||
           token == "admonition";
  });
}

// The language that a code block's classes name, or an empty string.
std::string LanguageOfElement(const GumboNode* element) {
  for (const char* name : {"data-lang", "data-language"}) {
    if (const std::string_view value = Attribute(element, name); !value.empty()) return CleanLanguage(value);
  }
  std::string language;
  bool source_code = false;
  AnyClass(element, [&](std::string_view token) {
    for (const std::string_view prefix : {"language-", "lang-", "highlight-source-", "highlight-", "brush:"}) {
      if (!token.starts_with(prefix)) continue;
      // mdBook: "language-rust,ignore"; VitePress: "language-js{1,3}".
      language = token.substr(prefix.size());
      language = CleanLanguage(language.substr(0, language.find_first_of(",{:")));
      if (!language.empty()) return true;
    }
    if (source_code) {  // pandoc: class="sourceCode python"
      language = CleanLanguage(token);
      return true;
    }
    source_code = token == "sourceCode";
    if (token == "rust") language = "rust";  // rustdoc: class="rust rust-example-rendered"
    return false;
  });
  if (language.empty()) {
    // SyntaxHighlighter: class="brush: js; ruler: true"
    const std::string_view classes = ClassesOf(element);
    if (const size_t at = classes.find("brush: "); at != std::string_view::npos) {
      const std::string_view rest = classes.substr(at + 7);
      language = CleanLanguage(rest.substr(0, rest.find_first_of("; ")));
    }
  }
  return language;
}

// The anchor of one <dt>.
std::string_view OwnAnchorOfTerm(const GumboNode* term) {
  // "id-1.5.8" and "id3" are made up by a generator; no link to them lasts.
  const auto id_of = [](const GumboNode* node) {
    if (!IsElement(node) || HasClass(node, "indexterm")) return std::string_view();
    std::string_view id = Attribute(node, "id");
    if (id.empty() && TagOf(node) == GUMBO_TAG_A) id = Attribute(node, "name");
    const bool made_up = id.starts_with("id") && id.find_first_not_of("-.0123456789", 2) == std::string_view::npos;
    const bool plain = id.size() <= 256 && id.find_first_of(" \t\n") == std::string_view::npos && IsCleanText(id);
    return made_up || !plain ? std::string_view() : id;
  };
  if (const std::string_view own = id_of(term); !own.empty()) return own;
  // <dt><a name="x"></a>term</dt>
  for (size_t i = 0; i < std::min<size_t>(ChildCount(term), 4); ++i) {
    const GumboNode* child = Child(term, i);
    if (const std::string_view inner = id_of(child); !inner.empty()) return inner;
    if (!IsElement(child) || ChildCount(child) == 0) continue;
    if (const std::string_view inner = id_of(Child(child, 0)); !inner.empty()) return inner;
  }
  // <a name="x"></a><dt>term</dt>; where a <dd> is not closed, the anchor ends it.
  const auto last_before = [](const GumboNode* parent, size_t end) {
    while (end > 0 && Child(parent, end - 1)->type == GUMBO_NODE_WHITESPACE) --end;
    return end > 0 ? Child(parent, end - 1) : nullptr;
  };
  const GumboNode* before = last_before(term->parent, term->index_within_parent);
  for (int depth = 0; depth < 3 && before != nullptr && IsElement(before); ++depth) {
    if (TagOf(before) == GUMBO_TAG_A) return ChildCount(before) == 0 ? id_of(before) : std::string_view();
    if (TagOf(before) != GUMBO_TAG_DD && TagOf(before) != GUMBO_TAG_P) break;
    before = last_before(before, ChildCount(before));
  }
  return {};
}

}  // namespace

bool IsBlockTag(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_P:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_HGROUP:
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_LEGEND:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_HR:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_THEAD:
    case GUMBO_TAG_TBODY:
    case GUMBO_TAG_TFOOT:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH:
    case GUMBO_TAG_UL:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_MENU:
    case GUMBO_TAG_DIR:
    case GUMBO_TAG_BLOCKQUOTE:
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_LISTING:
    case GUMBO_TAG_XMP:
    case GUMBO_TAG_PLAINTEXT:
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6:
    case GUMBO_TAG_BODY: return true;
    default: return false;
  }
}

bool IsHeadingTag(GumboTag tag) { return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6; }

bool IsPreTag(GumboTag tag) {
  return tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_LISTING || tag == GUMBO_TAG_XMP || tag == GUMBO_TAG_PLAINTEXT;
}

bool IsCodeTag(GumboTag tag) {
  return tag == GUMBO_TAG_CODE || tag == GUMBO_TAG_KBD || tag == GUMBO_TAG_SAMP || tag == GUMBO_TAG_TT;
}

bool IsPageTitle(const GumboNode* element) {
  return TagOf(element) == GUMBO_TAG_DIV && HasClass(element, "title") && HasClass(element->parent, "headertitle");
}

bool IsAdmonitionTitle(const GumboNode* element) {
  const GumboTag tag = TagOf(element);
  // DocBook writes <div class="note"><h3 class="title">Note</h3>.
  if (IsHeadingTag(tag)) return HasClass(element, "title") && IsAdmonition(element->parent);
  return AnyClass(element, [](std::string_view token) {
    return token == "admonition-title" || token == "custom-block-title" || token == "markdown-alert-title" ||
           token == "callout-title" || token == "starlight-aside__title" || token.starts_with("admonitionHeading");
  });
}

std::string LanguageOfPre(const GumboNode* pre) {
  std::string language = LanguageOfElement(pre);
  for (size_t i = 0; language.empty() && i < std::min<size_t>(ChildCount(pre), 4); ++i) {
    if (TagOf(Child(pre, i)) == GUMBO_TAG_CODE) language = LanguageOfElement(Child(pre, i));
  }
  const GumboNode* around = pre->parent;
  for (int climb = 0; language.empty() && climb < 4 && around != nullptr && IsElement(around); ++climb) {
    if (TagOf(around) == GUMBO_TAG_BODY || TagOf(around) == GUMBO_TAG_MAIN) break;
    // The table that holds numbers beside the code is one step.
    const GumboTag tag = TagOf(around);
    if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TR || tag == GUMBO_TAG_TBODY) --climb;
    language = LanguageOfElement(around);
    around = around->parent;
  }
  return language;
}

bool IsTeX(const GumboNode* element) {
  return TagOf(element) == GUMBO_TAG_SCRIPT && Attribute(element, "type").starts_with("math/tex");
}

bool IsMath(const GumboNode* element) {
  if (IsTeX(element)) return true;
  return element->v.element.tag_namespace == GUMBO_NAMESPACE_MATHML && element->v.element.tag == GUMBO_TAG_MATH;
}

std::string TextOfMath(const GumboNode* math) {
  constexpr size_t kWholeText = size_t(-1);
  std::string words(Attribute(math, "alttext"));
  if (words.empty()) {
    WalkTree(
        math,
        [&](const GumboNode* node) {
          if (!words.empty()) return false;
          if (IsElement(node) && Attribute(node, "encoding") == "application/x-tex") {
            words = TextOf(node, kWholeText);
            return false;
          }
          return true;
        },
        [](const GumboNode*) {});
  }
  if (words.empty()) words = TextOf(math, kWholeText);
  return IsCleanText(words) ? words : CleanText(words);
}

bool IsInset(const GumboNode* quote) {
  return AnyClass(quote, [](std::string_view token) {
    return token == "SVInsetFlow" || token == "SCodeFlow" || token == "SubFlow" || token == "SVInset" ||
           token == "SCentered" || token == "refpara" || token == "refcolumn" || token == "refcontent";
  });
}

bool IsArrangement(const GumboNode* list) {
  return AnyClass(list, [](std::string_view token) {
    return token == "blockList" || token == "blockListLast" || token == "summary-list" || token == "details-list" ||
           token == "member-list" || token == "block-list";
  });
}

uint64_t StartOfList(const GumboNode* list) {
  const std::string_view start = Attribute(list, "start");
  uint64_t value = 0;
  if (start.empty() || start.size() > 6) return 1;
  for (const char c : start) {
    if (c < '0' || c > '9') return 1;
    value = value * 10 + uint64_t(c - '0');
  }
  return value;
}

// The anchor of the nearest term above (-1) or below (1) in the same description.
static std::string_view AnchorBeside(const GumboNode* term, int step) {
  constexpr int kMaxTerms = 16;
  const GumboNode* list = term->parent;
  size_t at = term->index_within_parent;
  for (int looked = 0; looked < 2 * kMaxTerms; ++looked) {
    if (step < 0 ? at == 0 : at + 1 >= ChildCount(list)) break;
    at = step < 0 ? at - 1 : at + 1;
    const GumboNode* near = Child(list, at);
    if (near->type == GUMBO_NODE_WHITESPACE) continue;
    if (TagOf(near) != GUMBO_TAG_DT) break;
    if (const std::string_view shared = OwnAnchorOfTerm(near); !shared.empty()) return shared;
  }
  return {};
}

std::string_view AnchorOfTerm(const GumboNode* term) {
  if (const std::string_view own = OwnAnchorOfTerm(term); !own.empty()) return own;
  const std::string_view above = AnchorBeside(term, -1);
  return above.empty() ? AnchorBeside(term, 1) : above;
}

bool JoinsTermAbove(const GumboNode* term) { return OwnAnchorOfTerm(term).empty() && !AnchorBeside(term, -1).empty(); }

// The first child with this tag, among the first few; null: none.
static const GumboNode* FirstChild(const GumboNode* node, GumboTag tag) {
  for (size_t i = 0; i < std::min<size_t>(ChildCount(node), 8); ++i) {
    if (TagOf(Child(node, i)) == tag) return Child(node, i);
  }
  return nullptr;
}

// Sphinx gives an entry no id that another page has: that of a class, whose members are described here.
static bool HoldsEntries(const GumboNode* list) {
  const GumboNode* description = FirstChild(list, GUMBO_TAG_DD);
  const GumboNode* inner = description == nullptr ? nullptr : FirstChild(description, GUMBO_TAG_DL);
  const GumboNode* term = inner == nullptr ? nullptr : FirstChild(inner, GUMBO_TAG_DT);
  return term != nullptr && HasClass(term, "sig") && !AnchorOfTerm(term).empty();
}

bool TermsAreSections(const GumboNode* list) {
  const GumboNode* term = FirstChild(list, GUMBO_TAG_DT);
  const bool notes = AnyClass(list, [](std::string_view token) {
    return token == "footnote" || token == "citation" || token == "simple" || token == "field-list";
  });
  if (term == nullptr || notes) return false;
  return !AnchorOfTerm(term).empty() || (HasClass(term, "sig") && HoldsEntries(list));
}

std::string_view DomainOfDefinitions(const GumboNode* list) {
  for (const std::string_view domain : {"c", "cpp", "js"}) {
    if (HasClass(list, domain)) return domain;
  }
  return HasClass(list, "py") ? "python" : "";
}

}  // namespace sheaf::packer
