// Answers as bytes: the message format of module.d.ts. Twin: web/browser/client/wire.ts.
#ifndef SHEAF_WASM_WIRE_H_
#define SHEAF_WASM_WIRE_H_

#include <string>
#include <vector>

#include "base/bytes.h"
#include "search/engine.h"
#ifdef SHEAF_ROWS
#include "search/row_search.h"
#endif

namespace sheaf::wire {

// In one class, so that lists may hold what is declared further down.
class MessageWriter {
 public:
  void Put(const std::string& text) { out_.String(text); }
  void Put(uint32_t v) { out_.Varint(v); }
  void Put(float v) { out_.F32(v); }
  void Put(const Range& r) {
    out_.U8(r.source);
    out_.Varint(r.offset);
    out_.Varint(r.length);
  }
  template <typename T>
  void Put(const std::vector<T>& list) {
    out_.Varint(list.size());
    for (const T& item : list) Put(item);
  }
  void Put(const Correction& c) {
    Put(c.word);
    Put(c.term);
  }
  void Put(const std::pair<std::string, std::string>& entry) {
    Put(entry.first);
    Put(entry.second);
  }
  void Put(const Highlight& h) {
    Put(h.start);
    Put(h.length);
  }
  void Put(const TermMatch& m) {
    Put(m.word);
    Put(m.term);
    out_.U8(uint8_t(m.kind));
    for (float v : {m.idf, m.weight, m.frequency, m.score}) Put(v);
  }
  void Put(const HitSymbol& s) {
    out_.U8(uint8_t(s.kind));
    out_.U8(s.deprecated);
    Put(s.name);
    Put(s.signature);
  }
  void Put(const Hit& h) {
    Put(h.page);
    Put(h.passage);
    Put(h.score);
    Put(h.title);
    Put(h.place);
    for (const std::string* text : {&h.url, &h.source, &h.anchor}) Put(*text);
    Put(h.headings);
    Put(h.first_line);
    Put(h.last_line);
    out_.U8(uint8_t(h.kind));
    Put(h.snippet);
    for (const auto* marks : {&h.highlights, &h.title_highlights, &h.heading_highlights}) Put(*marks);
    Put(h.meta);
    out_.U8(h.symbol.has_value());
    if (h.symbol) Put(*h.symbol);
    out_.U8(h.explanation.has_value());
    if (!h.explanation) return;
    const Explanation& e = *h.explanation;
    for (float v : {e.keyword_raw, e.keyword, e.cosine, e.semantic, e.semantic_weight, e.coverage, e.page_bonus})
      Put(v);
    Put(e.terms);
  }
  void Put(const Answer& a) {
    Put(a.matching_passages);
    Put(a.ignored_words);
    out_.U8(a.used_keyword);
    out_.U8(a.used_semantic);
    out_.U8(a.weak);
    Put(a.corrections);
    Put(a.hits);
    Put(a.facets);
  }
  void Put(const Passage& p) {
    Put(p.id);
    Put(p.page);
    Put(p.anchor);
    Put(p.headings);
    Put(p.first_line);
    Put(p.last_line);
    Put(p.text);
  }
  void Put(const Page& p) {
    Put(p.id);
    for (const std::string* text : {&p.title, &p.url, &p.source, &p.description, &p.last_modified}) Put(*text);
    Put(p.passages);
  }
#ifdef SHEAF_ROWS
  void Put(const PassageTerms& passage) {
    Put(PackWords(passage));
    Put(PackStems(passage));
  }
  void Put(const std::pair<std::string, uint32_t>& term) {
    Put(term.first);
    Put(term.second);
  }
  void Put(const TermGroup& group) {
    Put(group.stem);
    Put(group.pages);
    Put(group.terms);
  }
  void Put(const RowNeeds::Lengths& lengths) {
    Put(lengths.shortest);
    Put(lengths.longest);
  }
  void Put(const RowNeeds::Word& word) {
    Put(word.stem);
    Put(word.weight);
  }
  void Put(const RowNeeds& needs) {
    Put(needs.stems);
    Put(needs.lengths);
    Put(needs.unknown);
    out_.U8(needs.candidates);
    Put(needs.text);
    Put(needs.words);
  }
#endif
  void Put(const BundleInfo& i) {
    for (const std::string* text : {&i.library, &i.version, &i.manifest}) Put(*text);
    for (uint32_t v : {i.pages, i.passages, i.terms, i.dimensions, i.vector_bits}) Put(v);
    out_.U8(i.has_graph);
    Put(i.space);
    out_.Varint(i.file_size);
    Put(i.language);
  }

  void PutByte(uint8_t v) { out_.U8(v); }
  std::vector<uint8_t> Take() { return out_.Take(); }

 private:
  ByteWriter out_;
};

inline std::vector<uint8_t> Message(const Error& error) {
  MessageWriter w;
  w.PutByte(2);
  w.PutByte(uint8_t(error.code));
  w.Put(error.message);
  return w.Take();
}
inline std::vector<uint8_t> Message(const Status& status) {
  if (!status.ok()) return Message(status.error());
  return {0};
}
template <typename T>
std::vector<uint8_t> Message(Outcome<T> outcome) {
  if (const Error* error = outcome.error()) return Message(*error);
  MessageWriter w;
  if (const Needs* needs = outcome.needs()) {
    w.PutByte(1);
    w.Put(*needs);
  } else {
    w.PutByte(0);
    w.Put(*outcome.value());
  }
  return w.Take();
}

}  // namespace sheaf::wire

#endif  // SHEAF_WASM_WIRE_H_
