#include "packer/parse/html/html_head.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
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
  for (const std::string_view separator :
       {" \xE2\x80\x94 ", " \xE2\x80\x93 ", " - ", " | ", " \xC2\xB7 ", " :: ", " : ", " \xC2\xBB ", " / "}) {
    const std::string before = lower_name + std::string(separator), after = std::string(separator) + lower_name;
    if (lower_title.starts_with(before) || lower_title.ends_with(after)) return name;
  }
  return title;
}

}  // namespace sheaf::packer
