#include "lexical/spellings.h"

#include <algorithm>

#include "base/front_coding.h"
#include "base/gather.h"

namespace sheaf {
namespace {

Error BadSpellings(const char* what) {
  return Error{ErrorCode::kCorrupt,
               std::string("the list of spellings ") + what + "; the file is damaged, fetch or pack it again"};
}

// By length, then by bytes.
bool Before(std::string_view a, std::string_view b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

}  // namespace

uint32_t LetterSet(std::string_view word) {
  uint32_t letters = 0;
  for (char c : word) letters |= 1u << (uint8_t(c) & 31);
  return letters;
}

Result<Spellings> Spellings::Open(ByteReader* index, uint64_t section_bytes) {
  Spellings spellings;
  if (section_bytes == 0) return spellings;  // a bundle may go without
  const uint64_t count = index->Varint();
  if (!index->ok() || count > index->remaining()) return BadSpellings("has a damaged index");
  uint64_t offset = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Leaf leaf;
    leaf.first = index->String();
    leaf.offset = offset;
    leaf.length = index->Varint32();
    offset += leaf.length;
    if (!index->ok() || offset > section_bytes || (i && !Before(spellings.leaves_.back().first, leaf.first))) {
      return BadSpellings("has a damaged index");
    }
    spellings.leaves_.push_back(std::move(leaf));
  }
  if (offset != section_bytes) return BadSpellings("does not fit its index");
  return spellings;
}

Status Spellings::Load(LeafSource* source, Leaf* leaf) {
  if (!leaf->words.empty()) return {};
  SHEAF_ASSIGN_OR_RETURN(const ByteSpan bytes, source->ReadSpellingLeaf(leaf->offset, leaf->length));
  ByteReader reader(bytes);
  const uint64_t count = reader.Varint();
  // A word takes three bytes at least.
  if (!reader.ok() || count == 0 || count > kMaxSpellings || count > reader.remaining() / 3)
    return BadSpellings("has a damaged leaf");
  std::vector<Word> words;
  words.reserve(size_t(count));
  std::string text;
  for (uint64_t i = 0; i < count; ++i) {
    if (!ReadFrontCodedString(&reader, &text) || text.empty() || text.size() > kMaxSpelling ||
        (i && !Before(words.back().text, text))) {
      return BadSpellings("has a damaged leaf");
    }
    words.push_back({text, LetterSet(text), 0});
  }
  for (Word& word : words) word.weight = reader.U8();
  if (!reader.ok() || reader.remaining() || words.front().text != leaf->first)
    return BadSpellings("has a damaged leaf");
  leaf->words = std::move(words);
  return {};
}

Status Spellings::Visit(LeafSource* source, size_t shortest, size_t longest, std::string_view prefix,
                        const Visitor& visit) {
  Gather gather;  // one round trip brings all leaves
  for (size_t i = 0; i < leaves_.size(); ++i) {
    Leaf& leaf = leaves_[i];
    // It holds words from its own first one up to the next leaf's.
    if (leaf.first.size() > longest) break;
    if (i + 1 < leaves_.size() && leaves_[i + 1].first.size() < shortest) continue;
    if (!prefix.empty() && i + 1 < leaves_.size() && leaves_[i + 1].first.size() == leaf.first.size() &&
        (std::string_view(leaf.first).substr(0, prefix.size()) > prefix || leaves_[i + 1].first < prefix)) {
      continue;
    }
    SHEAF_RETURN_IF_ERROR(gather.Note(Load(source, &leaf)));
    if (!gather.complete()) continue;
    for (const Word& word : leaf.words) {
      if (word.text.size() >= shortest && word.text.size() <= longest && word.text.starts_with(prefix)) visit(word);
    }
  }
  return gather.status();
}

Status Spellings::Verify(LeafSource* source) {
  std::string last;
  bool ordered = true;
  SHEAF_RETURN_IF_ERROR(Visit(source, 0, SIZE_MAX, {}, [&](const Word& word) {
    ordered = ordered && (last.empty() || Before(last, word.text));
    last = word.text;
  }));
  return ordered ? Status() : BadSpellings("is out of order");
}

}  // namespace sheaf
