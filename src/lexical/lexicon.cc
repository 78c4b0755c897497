#include "lexical/lexicon.h"

#include <algorithm>

#include "base/front_coding.h"

namespace sheaf {
namespace {

Error Bad(const std::string& what) {
  return Error{ErrorCode::kCorrupt, "the lexicon " + what + "; the file is damaged, fetch or pack it again"};
}

// Decodes a page. Places of lists are running sums, so it is walked from its start, once.
bool DecodePage(ByteSpan page, TermPageView* view) {
  ByteReader reader(page);
  const uint64_t groups = reader.Varint();
  uint64_t offset = reader.Varint();
  // A group takes at least six bytes, so the page's size bounds what follows.
  if (!reader.ok() || groups > page.size()) return false;
  view->groups.reserve(size_t(groups));
  std::string stem;
  for (uint64_t g = 0; g < groups; ++g) {
    if (!ReadFrontCodedString(&reader, &stem) || stem.size() > 255) return false;
    TermPageView::Group group;
    group.stem = uint32_t(view->texts.size());
    group.length = uint8_t(stem.size());
    group.first = uint32_t(view->forms.size());
    group.count = reader.Varint32();
    if (!reader.ok() || group.count == 0 || group.count > reader.remaining()) return false;
    if (!view->groups.empty() && stem <= view->Stem(view->groups.back())) return false;
    view->texts += stem;
    for (uint32_t f = 0; f < group.count; ++f) {
      const uint8_t head = reader.U8();
      const size_t drop = head & 1;
      size_t tail = head >> 2;
      if (tail == 63) tail = reader.U8();
      const ByteSpan bytes = reader.Bytes(tail);
      const size_t length = stem.size() - drop + tail;
      if (!reader.ok() || drop > stem.size() || length == 0 || length > 255) return false;
      TermPageView::Form form;
      form.term = uint32_t(view->texts.size());
      form.length = uint8_t(length);
      view->texts.append(stem, 0, stem.size() - drop);
      view->texts.append(AsText(bytes));
      form.letters = LetterSet(view->Term(form));
      if (head & 2) {
        form.postings = 1;
        form.passage = reader.Varint32();
        form.level = reader.U8();
      } else {
        form.postings = reader.Varint32();
        form.bytes = reader.Varint32();
        form.offset = offset;
        offset += form.bytes;
        if (form.bytes == 0 || form.postings == 0) return false;
      }
      if (!reader.ok()) return false;
      view->forms.push_back(form);
    }
    view->groups.push_back(group);
  }
  return true;
}

}  // namespace

Result<Lexicon> Lexicon::Open(ByteSpan index) {
  ByteReader reader(index);
  Lexicon lexicon;
  if (!ReadFrontCoded(&reader, &lexicon.first_stems_)) return Bad("has a damaged index");
  return lexicon;
}

uint32_t Lexicon::PageOf(std::string_view stem) const {
  const auto it = std::upper_bound(first_stems_.begin(), first_stems_.end(), stem);
  return it == first_stems_.begin() ? 0 : uint32_t(it - first_stems_.begin() - 1);
}

uint32_t LetterSet(std::string_view term) {
  uint32_t letters = 0;
  for (char c : term) letters |= 1u << (uint8_t(c) & 31);
  return letters;
}

TermEntry TermPageView::Entry(const Form& form) const {
  return {std::string(Term(form)), form.postings, form.offset, form.bytes, form.passage, form.level};
}

Result<const TermPageView*> Lexicon::View(TermPages* pages, uint32_t index) {
  views_.resize(first_stems_.size());
  if (!views_[index]) {
    SHEAF_ASSIGN_OR_RETURN(const ByteSpan page, pages->TermPage(index));
    auto view = std::make_unique<TermPageView>();
    if (!DecodePage(page, view.get())) return Bad("has a damaged page " + std::to_string(index));
    views_[index] = std::move(view);
  }
  return static_cast<const TermPageView*>(views_[index].get());
}

Status Lexicon::FindGroup(TermPages* pages, std::string_view stem, std::vector<TermEntry>* out) {
  if (first_stems_.empty() || stem < first_stems_.front()) return {};
  SHEAF_ASSIGN_OR_RETURN(const TermPageView* view, View(pages, PageOf(stem)));
  const auto it = std::lower_bound(view->groups.begin(), view->groups.end(), stem,
                                   [&](const TermPageView::Group& g, std::string_view s) { return view->Stem(g) < s; });
  if (it == view->groups.end() || view->Stem(*it) != stem) return {};
  for (uint32_t f = it->first; f < it->first + it->count; ++f) out->push_back(view->Entry(view->forms[f]));
  return {};
}

Status Lexicon::Scan(TermPages* pages, std::string_view prefix, const Visitor& visit) {
  bool missing = false;
  for (uint32_t index = PageOf(prefix); index < page_count(); ++index) {
    // Pages that begin beyond the prefix hold nothing of it.
    if (std::string_view(first_stems_[index]).substr(0, prefix.size()) > prefix) break;
    const Result<const TermPageView*> view = View(pages, index);
    if (!view.ok()) {
      if (view.code() != ErrorCode::kNeedsBytes) return view.error();
      missing = true;  // go on, so that one round trip brings all pages
      continue;
    }
    if (missing) continue;
    const auto& groups = (*view)->groups;
    auto group = std::lower_bound(groups.begin(), groups.end(), prefix,
                                  [&](const TermPageView::Group& g, std::string_view s) { return (*view)->Stem(g) < s; });
    for (; group != groups.end(); ++group) {
      const std::string_view stem = (*view)->Stem(*group);
      if (!stem.starts_with(prefix)) return {};
      for (uint32_t f = group->first; f < group->first + group->count; ++f) {
        if (!visit(**view, stem, (*view)->forms[f])) return {};
      }
    }
  }
  if (missing) return Error{ErrorCode::kNeedsBytes, {}};
  return {};
}

}  // namespace sheaf
