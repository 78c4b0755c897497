#include "packer/parse/html/html_facets.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "packer/base/charset.h"
#include "packer/parse/html/html_elements.h"
#include "packer/parse/html/html_furniture.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxCapturedNodes = 512;  // of an element whose text is read

struct NameSet {
  FacetKind kind;
  const char *own, *pagefind;
};
constexpr NameSet kNames[] = {{FacetKind::kFilter, "data-sheaf-filter", "data-pagefind-filter"},
                              {FacetKind::kMeta, "data-sheaf-meta", "data-pagefind-meta"},
                              {FacetKind::kSort, "data-sheaf-sort", "data-pagefind-sort"}};

constexpr const char* kDefaultMeta = "data-sheaf-default-meta";
constexpr const char* kPagefindDefaultMeta = "data-pagefind-default-meta";

// Whichever of the two spellings the element has; null: neither.
const char* Spelling(const GumboNode* element, const char* own, const char* pagefind) {
  return HasAttribute(element, own) ? own : HasAttribute(element, pagefind) ? pagefind : nullptr;
}

// Whether one of the lookups by name can succeed; most elements end here.
bool HasOwnAttributes(const GumboNode* element) {
  const GumboVector& attributes = element->v.element.attributes;
  for (unsigned i = 0; i < std::min<size_t>(attributes.length, kMaxAttributes); ++i) {
    const std::string_view name = static_cast<const GumboAttribute*>(attributes.data[i])->name;
    if (name.starts_with("data-sheaf-") || name.starts_with("data-pagefind-")) return true;
  }
  return false;
}

class FacetReader {
 public:
  explicit FacetReader(FacetCollector* facets) : facets_(facets) {}

  bool Enter(const GumboNode* node) {
    if (!IsElement(node)) return false;
    if (!HasOwnAttributes(node)) return true;
    if (const char* ignore = Spelling(node, "data-sheaf-ignore", "data-pagefind-ignore")) {
      if (Attribute(node, ignore) == "all") return false;
    }
    for (const NameSet& names : kNames) {
      if (const char* name = Spelling(node, names.own, names.pagefind)) ReadList(names.kind, node, name);
    }
    if (Spelling(node, kDefaultMeta, kPagefindDefaultMeta)) defaults_.push_back(node);
    return true;
  }

  // Call after the walk: a default counts where nothing else stated its key.
  void TakeDefaults() {
    FacetCollector* const page = facets_;
    FacetCollector stated;
    facets_ = &stated;
    for (const GumboNode* node : defaults_)
      ReadList(FacetKind::kMeta, node, Spelling(node, kDefaultMeta, kPagefindDefaultMeta));
    facets_ = page;
    for (std::string& warning : stated.TakeWarnings()) facets_->Warn(std::move(warning));
    for (const auto& [key, value] : stated.facets.meta) {
      const auto& meta = facets_->facets.meta;
      if (std::none_of(meta.begin(), meta.end(), [&key = key](const auto& entry) { return entry.first == key; })) {
        facets_->Add(FacetKind::kMeta, key, value);
      }
    }
  }

 private:
  // `a, b[attribute], c:the rest`
  void ReadList(FacetKind kind, const GumboNode* node, const char* name) {
    std::string_view rest = Attribute(node, name);
    if (TrimValue(rest).empty()) return facets_->Warn(std::string(name) + " without a key is left out");
    while (!rest.empty()) {
      const size_t end = rest.find_first_of(",:[");
      const std::string_view key = TrimValue(rest.substr(0, end));
      if (end == std::string_view::npos || rest[end] == ',') {
        if (!key.empty()) AddText(kind, key, node);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        continue;
      }
      if (rest[end] == ':') return facets_->Add(kind, key, rest.substr(end + 1));
      rest = FromAttribute(kind, node, name, key, rest.substr(end + 1));
    }
  }

  // `rest` stands behind the bracket; returns what stands behind the comma after it.
  std::string_view FromAttribute(FacetKind kind, const GumboNode* node, const char* name, std::string_view key,
                                 std::string_view rest) {
    const size_t close = rest.find(']');
    const std::string_view after = close == std::string_view::npos ? rest : TrimValue(rest.substr(close + 1));
    if (close == std::string_view::npos || (!after.empty() && after[0] != ',')) {
      facets_->Warn(
          std::string(name) + "=\"" + std::string(Attribute(node, name).substr(0, 80)) +
          "\" is read up to the bracket: expected key, key[attribute] or key:value, with commas between them");
      return {};
    }
    const std::string from(TrimValue(rest.substr(0, close)));
    if (HasAttribute(node, from.c_str()))
      facets_->Add(kind, key, Attribute(node, from.c_str()));
    else
      facets_->Warn(std::string(name) + " names the attribute '" + from.substr(0, 64) +
                    "', which its element does not have");
    return after.empty() ? after : after.substr(1);
  }

  // Adds the text of an element, without furniture such as the link mark beside a heading.
  void AddText(FacetKind kind, std::string_view key, const GumboNode* element) {
    if (++captures_ > kMaxFacetTexts) return facets_->CountUnread();
    std::string text;
    size_t steps = 0;
    WalkTree(
        element,
        [&](const GumboNode* node) {
          if (++steps > kMaxCapturedNodes || text.size() > 4 * kMaxMetaValueBytes) return false;
          if (IsText(node))
            text += node->v.text.text;
          else
            text += ' ';
          return IsElement(node) && (node == element || !IsFurniture(node));
        },
        [](const GumboNode*) {});
    if (steps <= kMaxCapturedNodes) return facets_->Add(kind, key, text);
    facets_->Warn("a value of '" + std::string(key.substr(0, kMaxFacetKeyBytes)) +
                  "' is left out: its element holds more than " + std::to_string(kMaxCapturedNodes) +
                  " elements and pieces of text");
  }

  FacetCollector* facets_;
  size_t captures_ = 0;
  std::vector<const GumboNode*> defaults_;
};

}  // namespace

void ReadFacets(const GumboNode* html, FacetCollector* facets) {
  FacetReader reader(facets);
  WalkTree(
      html, [&](const GumboNode* node) { return reader.Enter(node); }, [](const GumboNode*) {});
  reader.TakeDefaults();
}

std::string IndexedAttributes(const GumboNode* element) {
  std::string text;
  if (!IsElement(element) || !HasOwnAttributes(element)) return text;
  const char* name = Spelling(element, "data-sheaf-index-attrs", "data-pagefind-index-attrs");
  if (name == nullptr) return text;
  std::string_view rest = Attribute(element, name);
  std::unordered_set<std::string> read;  // each named attribute is read once
  if (TagOf(element) == GUMBO_TAG_IMG) read.insert("alt");
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string wanted(TrimValue(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (!wanted.empty() && read.insert(wanted).second) (text += Attribute(element, wanted.c_str())) += ' ';
  }
  return IsCleanText(text) ? text : CleanText(text);
}

// ---- weights ----------------------------------------------------------------------------------

std::optional<float> WeightStack::WeightOf(const GumboNode* element) {
  if (!IsElement(element) || !HasOwnAttributes(element)) return std::nullopt;
  const char* name = Spelling(element, "data-sheaf-weight", "data-pagefind-weight");
  if (name == nullptr) return std::nullopt;
  const std::optional<float> weight = ParseWeight(Attribute(element, name));
  if (!weight) {
    facets_->Warn(std::string(name) + "=\"" + std::string(Attribute(element, name).substr(0, 32)) +
                  "\" is left out: expected a number from 0 to 10");
  }
  return weight;
}

void WeightStack::Begin(const GumboNode* root) {
  constexpr int kMaxClimb = 512;  // deeper than browsers go; keeps many deep roots linear
  open_.clear();
  outside_.reset();
  const GumboNode* node = root->parent;
  for (int climb = 0; climb < kMaxClimb && node != nullptr && IsElement(node) && !outside_;
       ++climb, node = node->parent) {
    outside_ = WeightOf(node);
  }
}

void WeightStack::Enter(const GumboNode* element, size_t blocks) {
  const std::optional<float> weight = WeightOf(element);
  if (weight && IsHeadingTag(TagOf(element))) {
    facets_->Warn("a weight on a heading is left out: put it on an element around the heading and its text");
  } else if (weight) {
    open_.push_back({element, *weight, blocks});
  }
}

void WeightStack::Leave(const GumboNode* element, size_t blocks, bool text_waits) {
  if (open_.empty() || open_.back().element != element) return;
  if (text_waits && blocks == open_.back().blocks) {
    facets_->Warn(
        "a weight inside a paragraph, cell or heading is left out: put it on an element that holds whole blocks");
  }
  open_.pop_back();
}

}  // namespace sheaf::packer
