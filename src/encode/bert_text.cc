#include "encode/bert_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/utf8.h"

namespace sheaf {
namespace {

#include "encode/bert_tables.inc"

// The last range that begins at or before `code_point`; `shift` bits below the start are its value.
// REQUIRES: the first range begins at or before it
template <size_t kSize>
size_t RangeOf(const uint32_t (&ranges)[kSize], char32_t code_point, int shift) {
  const auto before = [shift](char32_t c, uint32_t range) { return c < range >> shift; };
  const uint32_t* const after = std::upper_bound(std::begin(ranges), std::end(ranges), code_point, before);
  return size_t(after - ranges) - 1;
}

constexpr auto kAsciiClasses = [] {
  std::array<BertClass, 128> classes{};
  size_t range = 0;
  for (uint32_t c = 0; c < 128; ++c) {
    while (kClasses[range + 1] >> 4 <= c) ++range;
    classes[c] = BertClass(kClasses[range] & 15);
  }
  return classes;
}();

// Exactly the blocks that BERT's authors named, not every ideograph of today.
bool IsIdeograph(char32_t c) {
  if (c < 0x3400) return false;
  return (c >= 0x4E00 && c <= 0x9FFF) || c <= 0x4DBF || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0x2F800 && c <= 0x2FA1F);
}

constexpr char32_t kDottedI = 0x130;

}  // namespace

BertClass BertClassOf(char32_t code_point) {
  if (code_point < 128) return kAsciiClasses[code_point];
  return BertClass(kClasses[RangeOf(kClasses, code_point, 4)] & 15);
}

size_t BertStrip(char32_t code_point, char32_t* out) {
  out[0] = code_point;
  if (code_point < kStripRanges[0] >> 10) return 1;
  if (code_point >= 0xAC00 && code_point < 0xD7A4) {  // Hangul: the standard's arithmetic
    const char32_t syllable = code_point - 0xAC00;
    out[0] = 0x1100 + syllable / (21 * 28);
    out[1] = 0x1161 + syllable / 28 % 21;
    out[2] = 0x11A7 + syllable % 28;
    return out[2] == 0x11A7 ? 2 : 3;
  }
  const size_t range = RangeOf(kStripRanges, code_point, 10);
  const uint32_t within = code_point - (kStripRanges[range] >> 10);
  if (within >= (kStripRanges[range] & 1023)) return 1;
  const uint32_t result = kStripPool[kStripOffsets[range] + within];
  if (result == 0) return 1;
  if (result < 0xD800) {
    out[0] = result;
    return 1;
  }
  size_t size = 0;
  for (const uint32_t* part = kStripLong + (result - 0xD800); size < kMaxStripped; ++part) {
    out[size++] = *part & 0x7FFFFFFF;
    if (!(*part >> 31)) break;
  }
  return size;
}

char32_t BertLower(char32_t code_point) {
  if (code_point < 128) return code_point >= 'A' && code_point <= 'Z' ? code_point + 32 : code_point;
  if (code_point == kDottedI) return 'i';
  const size_t range = RangeOf(kLowerRanges, code_point, 12);
  const uint32_t within = code_point - (kLowerRanges[range] >> 12);
  const bool every_second = kLowerRanges[range] >> 11 & 1;
  if (within >= (kLowerRanges[range] & 2047) || (every_second && within % 2)) return code_point;
  return char32_t(int32_t(code_point) + kLowerDifferences[range]);
}

// ---- rules ------------------------------------------------------------------------------------------

BertTextRules::BertTextRules(bool lowercase, bool strip_accents, bool split_cjk, uint32_t max_word_characters,
                             std::vector<std::string> special)
    : lowercase_(lowercase),
      strip_accents_(strip_accents),
      split_cjk_(split_cjk),
      max_word_characters_(max_word_characters),
      special_(std::move(special)) {
  for (const std::string& token : special_) {
    if (!token.empty()) opens_[uint8_t(token[0])] = true;
  }
}

int BertTextRules::SpecialAt(std::string_view text, size_t at) const {
  if (!opens_[uint8_t(text[at])]) return -1;
  int longest = -1;
  for (size_t i = 0; i < special_.size(); ++i) {
    const std::string& token = special_[i];
    if (token.empty() || text.compare(at, token.size(), token) != 0) continue;
    if (longest < 0 || token.size() > special_[size_t(longest)].size()) longest = int(i);
  }
  return longest;
}

// ---- words ------------------------------------------------------------------------------------------

BertWords::BertWords(std::string_view text, const BertTextRules& rules) : text_(text), rules_(rules) {}

BertWords::Kind BertWords::Next() {
  word_.clear();
  characters_ = 0;
  while (alone_ == 0 && waiting_ < 0 && at_ < text_.size()) {
    waiting_ = rules_.SpecialAt(text_, at_);
    if (waiting_ >= 0) {
      at_ += rules_.special(size_t(waiting_)).size();
      break;
    }
    const Decoded d = DecodeUtf8(text_, at_);
    at_ += d.size;
    const BertClass its_class = BertClassOf(d.code_point);
    if (its_class == BertClass::kRemoved) continue;
    if (its_class != BertClass::kSpace) {
      Take(d.code_point, its_class);
    } else {
      Release();
      if (characters_ > 0) break;
    }
  }
  Release();
  if (characters_ > 0) return EndWord();
  if (alone_ != 0) {
    Append(std::exchange(alone_, 0));
    return EndWord();
  }
  if (waiting_ < 0) return Kind::kEnd;
  special_ = size_t(std::exchange(waiting_, -1));
  return Kind::kSpecial;
}

// Adds one code point of cleaned text to the word, or lets it wait in `alone_`.
void BertWords::Take(char32_t code_point, BertClass its_class) {
  char32_t parts[kMaxStripped] = {code_point};
  const size_t count = rules_.strip_accents() ? BertStrip(code_point, parts) : 1;
  const bool ideograph = rules_.split_cjk() && IsIdeograph(code_point);
  for (size_t i = 0; i < count; ++i) {
    const char32_t part = parts[i];
    const BertClass c = part == code_point ? its_class : BertClassOf(part);
    if (rules_.strip_accents() && c >= BertClass::kMark) {
      if (c == BertClass::kStarterMark) Release();
      if (c >= BertClass::kCombining) Hold(part, c);
    } else if (ideograph || c == BertClass::kPunctuation) {
      alone_ = part;  // of a decomposition of one part (scripts/bert_tables.mjs sees to it)
    } else {
      Release();
      Append(part);
    }
  }
}

void BertWords::Hold(char32_t code_point, BertClass rank) {
  // A run that fills a word makes it too long, in any order.
  if (held_.size() < rules_.max_word_characters()) {
    held_.push_back({code_point, rank});
  } else {
    ++held_beyond_;
  }
}

// Ends a run of marks: they join the word in the order of their ranks.
void BertWords::Release() {
  if (held_.empty()) return;
  for (size_t i = 1; i < held_.size(); ++i) {
    for (size_t k = i; k > 0 && held_[k].rank < held_[k - 1].rank; --k) std::swap(held_[k], held_[k - 1]);
  }
  for (const Held& mark : held_) Append(mark.code_point);
  held_.clear();
  characters_ += held_beyond_;
  held_beyond_ = 0;
}

void BertWords::Append(char32_t code_point) {
  const char32_t shown = rules_.lowercase() ? BertLower(code_point) : code_point;
  if (characters_++ < rules_.max_word_characters()) AppendUtf8(shown, &word_);
  if (code_point == kDottedI && shown != code_point) Append(0x307);
}

BertWords::Kind BertWords::EndWord() const {
  return characters_ > rules_.max_word_characters() ? Kind::kTooLong : Kind::kWord;
}

}  // namespace sheaf
