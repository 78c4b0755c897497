#include "packer/parse/html/html_head.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/document/link_tally.h"
#include "packer/parse/shared/front_matter.h"

namespace sheaf::packer {
namespace {

// "0; url=other.html" sends the reader elsewhere; without an address the page only loads itself anew.
std::string ForwardOf(std::string_view value) {
  size_t at = 0, seconds = 0;
  while (at < value.size() && value[at] >= '0' && value[at] <= '9' && seconds <= 10)
    seconds = 10 * seconds + size_t(value[at++] - '0');
  if (at == 0 || seconds > 10) return {};
  at = value.find_first_not_of("0123456789. ", at);
  if (at == std::string_view::npos || (value[at] != ';' && value[at] != ',')) return {};
  at = value.find_first_not_of(' ', at + 1);
  if (at == std::string_view::npos || Lower(value.substr(at, 3)) != "url") return {};
  at = value.find_first_not_of(" =", at + 3);
  if (at == std::string_view::npos) return {};
  value.remove_prefix(at);
  if (value.size() > 1 && (value[0] == '\'' || value[0] == '"') && value.back() == value[0])
    value = value.substr(1, value.size() - 2);
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
  static const std::unordered_set<std::string_view> dates = {
      "last-modified",         "dcterms.modified", "dc.date.modified", "datemodified",
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
  const bool usable =
      href.starts_with("https://") || href.starts_with("http://") || (href.starts_with("/") && !href.starts_with("//"));
  const bool plain = std::all_of(href.begin(), href.end(), [](char c) { return uint8_t(c) > 0x20 && c != 0x7f; });
  if (usable && plain && href.size() <= 2048 && IsCleanText(href)) head->url = href;
}

// The text of a page that only sends its readers elsewhere, in its own words or by a script.
constexpr size_t kMaxStubLetters = 240;

struct Stub {
  std::string words;
  std::string_view href;
  size_t links = 0;
  std::string script_target;
  bool content = false;  // too much for a stub

  void Read(const GumboNode* root) {
    WalkUntil(root, [this](const GumboNode* node) {
      const bool into = Enter(node);
      return content ? Walk::kStop : into ? Walk::kInto : Walk::kPast;
    });
  }

 private:
  bool Enter(const GumboNode* node) {
    if (IsText(node)) {
      words += node->v.text.text;
      words += ' ';
      content = words.size() > 2000 || CountLetters(words) > kMaxStubLetters;
      return false;
    }
    if (!IsElement(node)) return false;
    switch (TagOf(node)) {
      case GUMBO_TAG_SCRIPT: ReadScript(node); return false;
      case GUMBO_TAG_STYLE:
      case GUMBO_TAG_NAV:
      case GUMBO_TAG_TITLE: return false;
      case GUMBO_TAG_PRE:
      case GUMBO_TAG_TABLE:
      case GUMBO_TAG_FORM: content = true; return false;
      case GUMBO_TAG_A:
        if (HasAttribute(node, "href")) {
          ++links;
          href = Attribute(node, "href");
        }
        return true;
      default: return true;
    }
  }

  // location = "x", location.href = 'x', location.replace("x"); a script that does more has conditions for it.
  void ReadScript(const GumboNode* script) {
    const std::string code = TextOf(script, 1024);
    if (code.size() >= 1024 || !script_target.empty()) return;
    size_t at = code.find("location");
    if (at == std::string::npos || code.find("if") < at || code.find("function") < at) return;
    at += 8;
    for (const std::string_view part : {".href", ".replace", ".assign"}) {
      if (code.compare(at, part.size(), part) == 0) at += part.size();
    }
    at = code.find_first_not_of(" =(", at);
    if (at == std::string::npos || (code[at] != '"' && code[at] != '\'')) return;
    const size_t end = code.find(code[at], at + 1);
    if (end == std::string::npos) return;
    script_target = code.substr(at + 1, end - at - 1);
    if (const size_t next = code.find_first_not_of(" );\n", end + 1); next != std::string::npos && code[next] == '+') {
      script_target += ".";  // the rest is computed
    }
  }
};

// Where a page of few words sends its readers, or an empty string.
std::string ForwardOfStub(const GumboNode* html) {
  Stub stub;
  stub.Read(html);
  if (stub.content) return {};
  if (!stub.script_target.empty()) return stub.script_target;
  if (stub.links == 0 || stub.links > 2 || stub.href.empty() || stub.href.front() == '#') return {};
  const std::string words = Lower(CollapseSpace(stub.words));
  for (const std::string_view says :
       {"has moved", "have moved", "been moved", "was moved", "moved to", "moved permanently", "redirecting",
        "redirected", "redirect to", "moved here", "now lives at"}) {
    if (words.find(says) != std::string::npos) return std::string(stub.href);
  }
  return {};
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
  if (head.forwards_to.empty()) head.forwards_to = ForwardOfStub(html);
  return head;
}

std::string ChooseTitle(const std::string& title, const std::vector<Block>& blocks) {
  const Block* heading = nullptr;
  for (const Block& block : blocks) {
    if (block.kind != BlockKind::kHeading) continue;
    if (heading == nullptr) heading = &block;
    if (block.level == 1) {
      heading = &block;
      break;
    }
  }
  if (heading == nullptr || title.empty()) return title;
  const std::string name = CollapseSpace(heading->title);
  if (name.empty()) return title;
  const std::string lower_title = Lower(title), lower_name = Lower(name);
  if (lower_title == lower_name) return name;
  for (const std::string_view separator : {" \xE2\x80\x94 ", " \xE2\x80\x93 ", " - ", " | ", " \xC2\xB7 ",
                                           " :: ", " : ", " \xC2\xBB ", " / ", " -- ", ": "}) {
    const std::string before = lower_name + std::string(separator), after = std::string(separator) + lower_name;
    if (lower_title.starts_with(before) || lower_title.ends_with(after)) return name;
  }
  return title;
}

}  // namespace sheaf::packer
