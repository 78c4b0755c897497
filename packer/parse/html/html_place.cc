#include "packer/parse/html/html_place.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "packer/base/charset.h"
#include "packer/base/paths.h"
#include "packer/base/text_scan.h"
#include "packer/document/place.h"
#include "packer/parse/html/html_elements.h"

namespace sheaf::packer {
namespace {

using PlaceNames = std::vector<std::string>;
using Json = nlohmann::json;

constexpr size_t kMaxNameText = 256, kMaxNameNodes = 64;
constexpr size_t kMaxLabelNodes = 64;  // looked through for an entry's name
constexpr size_t kMaxItems = 32;       // of a trail
constexpr size_t kMaxClimb = 64;       // elements around an entry of a menu
constexpr size_t kMaxEntries = 16;     // of the menus that may be the page's own
constexpr size_t kMaxJsonBytes = 64 << 10;

std::string NameOfPlace(const GumboNode* node) {
  std::string text = TextOf(node, kMaxNameText + 4, kMaxNameNodes);
  if (text.size() > kMaxNameText) {
    text.resize(kMaxNameText);
    while (!text.empty() && uint8_t(text.back()) >= 0x80) text.pop_back();  // between characters
  }
  return CollapseSpace(IsCleanText(text) ? text : CleanText(text));
}

// ---- structured data ----------------------------------------------------------------------------

bool HasType(const Json& value, std::string_view type) {
  const auto it = value.find("@type");
  return it != value.end() && it->is_string() && it->get_ref<const std::string&>() == type;
}

std::string TextIn(const Json& value, const char* key) {
  const auto it = value.find(key);
  return it != value.end() && it->is_string() ? CleanText(it->get_ref<const std::string&>()) : std::string();
}

// Items of the BreadcrumbList in a script of linked data, in the order of their positions.
std::optional<PlaceNames> ReadLinkedData(const GumboNode* script) {
  const std::string source = TextOf(script, kMaxJsonBytes + 1);
  if (source.size() > kMaxJsonBytes || source.find("BreadcrumbList") == std::string::npos) return std::nullopt;
  // Deep nesting says nothing of a page's place.
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < 12; };
  const Json data = Json::parse(source, shallow, /*allow_exceptions=*/false);
  std::vector<const Json*> things = {&data};
  for (size_t i = 0; i < things.size() && i < 64; ++i) {
    const Json& thing = *things[i];
    if (thing.is_array()) {
      for (const Json& each : thing) things.push_back(&each);
    }
    if (!thing.is_object()) continue;
    for (const char* key : {"@graph", "breadcrumb"}) {
      if (thing.contains(key)) things.push_back(&thing[key]);
    }
    const auto list = thing.find("itemListElement");
    if (!HasType(thing, "BreadcrumbList") || list == thing.end() || !list->is_array()) continue;
    std::vector<std::pair<int64_t, std::string>> items;
    for (const Json& item : *list) {
      if (!item.is_object() || items.size() >= kMaxItems) continue;
      std::string name = TextIn(item, "name");
      const auto target = item.find("item");
      if (name.empty() && target != item.end() && target->is_object()) name = TextIn(*target, "name");
      const auto position = item.find("position");
      const bool numbered = position != item.end() && position->is_number_integer();
      items.emplace_back(numbered ? position->get<int64_t>() : int64_t(items.size()), std::move(name));
    }
    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    PlaceNames names;
    for (auto& [position, name] : items) names.push_back(std::move(name));
    return names;
  }
  return std::nullopt;
}

// ---- trails -------------------------------------------------------------------------------------

// Javadoc's links to module and package, above the title.
bool IsHeaderOfType(const GumboNode* node) {
  if (!HasClass(node, "header")) return false;
  for (size_t i = 0; i < std::min<size_t>(ChildCount(node), 2); ++i) {
    if (IsElement(Child(node, i))) return HasClass(Child(node, i), "sub-title");
  }
  return false;
}

bool IsTrail(const GumboNode* node) {
  static const std::unordered_set<std::string_view> classes = {
      "breadcrumb",     "breadcrumbs",           "wy-breadcrumbs",
      "bd-breadcrumbs", "theme-doc-breadcrumbs", "devsite-breadcrumb-list",
      "md-path"};
  if (FindFolded(Attribute(node, "aria-label"), "breadcrumb", 0, 64) != std::string_view::npos) return true;
  if (Attribute(node, "itemtype").ends_with("schema.org/BreadcrumbList")) return true;
  const std::string_view id = Attribute(node, "id");
  return id == "breadcrumbs" || id == "breadcrumb" ||
         AnyClass(node, [](std::string_view token) { return classes.contains(token); }) || IsHeaderOfType(node);
}

// The names along a trail: its list's items, or else its links. The last one is the page itself if it leads nowhere.
PlaceNames ReadTrail(const GumboNode* trail) {
  struct Item {
    std::string name;
    bool links = false, current = false;
  };
  std::vector<Item> items, links;
  const GumboNode* item = nullptr;
  WalkTree(
      trail,
      [&](const GumboNode* node) {
        if (!IsElement(node)) return false;
        const GumboTag tag = TagOf(node);
        if (tag == GUMBO_TAG_SCRIPT || tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_BUTTON) return false;
        const bool is_current = Attribute(node, "aria-current") == "page";
        if (tag == GUMBO_TAG_LI && item == nullptr) {
          // Links to the page's source stand in the same list.
          if (AnyClass(node, [](std::string_view token) { return token.ends_with("aside"); })) return false;
          item = node;
          if (items.size() < kMaxItems) items.push_back({NameOfPlace(node), false, is_current});
        } else if (item != nullptr && !items.empty()) {
          items.back().current = items.back().current || is_current;
        }
        if (tag != GUMBO_TAG_A) return true;
        if (item != nullptr && !items.empty() && HasAttribute(node, "href")) items.back().links = true;
        if (item == nullptr && links.size() < kMaxItems) links.push_back({NameOfPlace(node), true, is_current});
        return item != nullptr;
      },
      [&](const GumboNode* node) {
        if (node == item) item = nullptr;
      });
  std::vector<Item>& found = items.empty() ? links : items;
  const bool any_link = std::any_of(found.begin(), found.end(), [](const Item& each) { return each.links; });
  if (!found.empty() && (found.back().current || (any_link && !found.back().links))) found.pop_back();
  PlaceNames names;
  for (Item& each : found) names.push_back(std::move(each.name));
  return names;
}

// Sphinx numbers the pages above in the lines of links above and below each page; 0 is the whole documentation.
size_t RelatedLevel(const GumboNode* node) {
  size_t level = 0;
  constexpr std::string_view kPrefix = "nav-item-";
  AnyClass(node, [&](std::string_view token) {
    if (token.size() == kPrefix.size() + 1 && token.starts_with(kPrefix) && IsDigit(token.back())) {
      level = size_t(token.back() - '0');
    }
    return level > 0;
  });
  return level;
}

// ---- the page above -------------------------------------------------------------------------------

struct Relations {
  std::string up, up_title;
  std::unordered_set<std::string> roots;  // addresses of the whole documentation
};

void ReadRelation(const GumboNode* link, Relations* relations) {
  std::string rel = Lower(Attribute(link, "rel"));
  // The keys of DocBook's links above and below a page.
  const std::string_view key = Attribute(link, "accesskey");
  if (rel.empty() && key == "u") rel = "up";
  if (rel.empty() && key == "h") rel = "home";
  const std::string_view href = Attribute(link, "href");
  if (rel == "up" && relations->up.empty()) {
    const std::string_view title = Attribute(link, "title");
    relations->up = href;
    relations->up_title = IsCleanText(title) ? std::string(title) : CleanText(title);
  }
  if (rel == "home" || rel == "top" || rel == "start") relations->roots.emplace(href);
}

// ---- menus ----------------------------------------------------------------------------------------

bool IsMenu(const GumboNode* node) {
  const GumboTag tag = TagOf(node);
  if (tag == GUMBO_TAG_NAV || tag == GUMBO_TAG_ASIDE) return true;
  if (node->v.element.attributes.length == 0) return false;
  return Attribute(node, "role") == "navigation" || AnyClass(node, [](std::string_view token) {
           return token == "sidebar" || token == "sphinxsidebar" || token == "wy-menu" || token.ends_with("-sidebar");
         });
}

bool IsListEntry(const GumboNode* node) {
  const GumboTag tag = TagOf(node);
  return tag == GUMBO_TAG_LI || tag == GUMBO_TAG_DETAILS || HasClass(node, "VPSidebarItem");
}

bool IsCurrent(const GumboNode* link) {
  const std::string_view href = Attribute(link, "href");
  if (href.size() > 1 && href[0] == '#') return false;  // a heading of the page, in its table of contents
  static const std::unordered_set<std::string_view> classes = {"active", "current", "is-active", "md-nav__link--active",
                                                               "menu__link--active"};
  return Attribute(link, "aria-current") == "page" ||
         AnyClass(link, [](std::string_view token) { return classes.contains(token); });
}

// "guide/essentials/app", for a file, and for a link that leads to it.
std::string_view Stem(std::string_view address) {
  address = WithoutExtension(address.substr(0, address.find_first_of("?#")));
  if (address.ends_with("/index")) address.remove_suffix(6);
  while (address.ends_with('/')) address.remove_suffix(1);
  return address;
}

bool LeadsTo(std::string_view href, std::string_view stem) {
  const std::string_view own = Stem(href);
  return stem.find('/') != std::string_view::npos && own.size() > stem.size() && own.ends_with(stem) &&
         own[own.size() - stem.size() - 1] == '/';
}

// The name of the entry: its own words, not those of the entries inside it. Empty if it is the one around `inside`.
std::string LabelOf(const GumboNode* entry, const GumboNode* inside) {
  const GumboNode* label = nullptr;
  bool is_own = false;
  size_t steps = 0;
  WalkTree(
      entry,
      [&](const GumboNode* node) {
        if (label != nullptr || is_own || ++steps > kMaxLabelNodes || !IsElement(node)) return false;
        if (node == inside) {
          is_own = true;
          return false;
        }
        if (node != entry && IsListEntry(node)) return false;
        switch (TagOf(node)) {
          case GUMBO_TAG_UL:
          case GUMBO_TAG_OL: return false;
          case GUMBO_TAG_A:
          case GUMBO_TAG_SUMMARY:
          case GUMBO_TAG_LABEL:
          case GUMBO_TAG_SPAN:
          case GUMBO_TAG_P:
          case GUMBO_TAG_H2:
          case GUMBO_TAG_H3:
          case GUMBO_TAG_H4:
            if (NameOfPlace(node).empty()) return true;
            label = node;
            return false;
          default: return true;
        }
      },
      [](const GumboNode*) {});
  return label == nullptr || is_own ? std::string() : NameOfPlace(label);
}

// The element before `node` among its siblings.
const GumboNode* Before(const GumboNode* node) {
  const GumboNode* parent = node->parent;
  if (parent == nullptr || !IsElement(parent)) return nullptr;
  for (size_t i = node->index_within_parent; i-- > 0;) {
    if (IsElement(Child(parent, i))) return Child(parent, i);
    if (node->index_within_parent - i > 4) break;
  }
  return nullptr;
}

// The names of the entries around a link, from the outermost.
PlaceNames ReadEntries(const GumboNode* link) {
  PlaceNames names;
  const GumboNode* below = link;
  bool own = true;  // the innermost entry is the page's
  for (size_t climb = 0; climb < kMaxClimb; ++climb) {
    const GumboNode* node = below->parent;
    if (node == nullptr || !IsElement(node) || TagOf(node) == GUMBO_TAG_BODY) break;
    const GumboTag tag = TagOf(node);
    if (IsListEntry(node)) {
      std::string label = own ? std::string() : LabelOf(node, link);
      // mdBook puts the list of a chapter's sections behind the chapter.
      const bool holds_list = TagOf(below) == GUMBO_TAG_OL || TagOf(below) == GUMBO_TAG_UL;
      if (!own && label.empty() && holds_list && Before(node) != nullptr) label = LabelOf(Before(node), link);
      if (!label.empty() && (names.empty() || names.back() != label)) names.push_back(std::move(label));
      own = false;
    } else if (tag == GUMBO_TAG_UL && Before(node) != nullptr && HasClass(Before(node), "caption")) {
      names.push_back(NameOfPlace(Before(node)));  // Sphinx: the caption of a table of contents
    }
    below = node;
  }
  std::reverse(names.begin(), names.end());
  return names;
}

// ---- all of it --------------------------------------------------------------------------------------

class PlaceReader {
 public:
  explicit PlaceReader(std::string_view path) : stem_(Stem(path)) {}

  void Read(const GumboNode* html) {
    std::vector<const GumboNode*> menus;  // that are open
    WalkTree(
        html,
        [&](const GumboNode* node) {
          if (!IsElement(node)) return false;
          const GumboTag tag = TagOf(node);
          if (tag == GUMBO_TAG_SCRIPT) {
            if (!linked_ && Lower(Attribute(node, "type")) == "application/ld+json") linked_ = ReadLinkedData(node);
            return false;
          }
          if (tag == GUMBO_TAG_LINK || tag == GUMBO_TAG_A) ReadRelation(node, &relations_);
          if (node->v.element.attributes.length > 0) Look(node, tag, !menus.empty());
          if (IsMenu(node)) menus.push_back(node);
          return true;
        },
        [&](const GumboNode* node) {
          if (!menus.empty() && menus.back() == node) menus.pop_back();
        });
  }

  std::optional<PlaceNames> Best(std::string_view title) const {
    if (linked_) return TidyPlace(*linked_, title);
    if (trail_) return TidyPlace(*trail_, title);
    if (!related_.empty()) return TidyPlace(related_, title);
    if (!relations_.up.empty()) {
      if (relations_.roots.contains(relations_.up)) return PlaceNames();
      if (!relations_.up_title.empty()) return TidyPlace({relations_.up_title}, title);
    }
    PlaceNames best;
    for (const GumboNode* link : entries_) {
      PlaceNames names = TidyPlace(ReadEntries(link), title);
      if (names.size() > best.size()) best = std::move(names);
    }
    if (best.empty()) return std::nullopt;
    return best;
  }

 private:
  void Look(const GumboNode* node, GumboTag tag, bool in_menu) {
    if (!trail_ && IsTrail(node)) {
      PlaceNames names = ReadTrail(node);
      trail_ = std::move(names);
    }
    if (tag == GUMBO_TAG_LI && !related_ended_) {
      if (HasClass(node, "nav-item-this")) related_ended_ = true;
      if (RelatedLevel(node) > 0 && related_.size() < kMaxItems) related_.push_back(NameOfPlace(node));
    }
    if (tag == GUMBO_TAG_A && in_menu && entries_.size() < kMaxEntries &&
        (IsCurrent(node) || LeadsTo(Attribute(node, "href"), stem_))) {
      entries_.push_back(node);
    }
  }

  const std::string_view stem_;
  std::optional<PlaceNames> linked_, trail_;
  PlaceNames related_;
  bool related_ended_ = false;  // the line above the page; the one below it says the same
  Relations relations_;
  std::vector<const GumboNode*> entries_;  // of menus, that seem to be the page's own
};

}  // namespace

std::optional<std::vector<std::string>> ReadPlace(const GumboNode* html, std::string_view title,
                                                  std::string_view path) {
  PlaceReader reader(path);
  reader.Read(html);
  return reader.Best(title);
}

}  // namespace sheaf::packer
