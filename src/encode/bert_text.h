// A text as BERT's tokenizers see it: special tokens and normalised words.
//
// Idea: a cursor over the bytes. It cleans, decomposes and lower-cases code point by code point, and stops at the end
// of each word. So a caller who needs 256 tokens of a megabyte reads only their part. Equal to Hugging Face's
// BertNormalizer and BertPreTokenizer, whose answers for every code point are in bert_tables.inc
// (scripts/bert_tables.mjs):
//
//   special tokens   found in the raw text, the longest first; they part words and combining marks
//   clean            control and private-use characters go, white space parts words
//   split_cjk        every ideograph is a word
//   strip_accents    canonical decomposition without nonspacing marks: é -> e, が -> か, 각 -> ᄀ ᅡ ᆨ
//   lowercase        code point by code point (no final sigma)
//   punctuation      every mark is a word; so are the ASCII symbols
//
// The order of combining marks. Decomposition sorts a run of marks by their class. Nonspacing marks
// are dropped anyway, so only the few that stay are held back and sorted, stably, by rank.
//
// Invariants
//  1. A word is valid UTF-8, not empty, and holds at most max_word_characters code points; a longer one is
//     only reported as too long.
//  2. Invalid bytes read as U+FFFD (text/utf8.h), which cleaning removes.
//
// Cost: linear in the bytes passed over. ASCII takes one load, other code points three binary searches;
// memory is one word.
#ifndef SHEAF_ENCODE_BERT_TEXT_H_
#define SHEAF_ENCODE_BERT_TEXT_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

enum class BertClass : uint8_t {
  kOrdinary = 0,
  kRemoved = 1,  // control, format and private-use characters, U+FFFD
  kSpace = 2,
  kPunctuation = 3,
  kMark = 4,         // dropped with the accents; a run of marks goes on behind it
  kStarterMark = 5,  // dropped with the accents; ends a run of marks
  kCombining = 6,    // a mark that stays; this and the following are ranks, in the order of sorting
};

// REQUIRES: a scalar value, here and below
BertClass BertClassOf(char32_t code_point);

// The code point decomposed, without nonspacing marks: 1 to kMaxStripped code points, itself where it
// has no decomposition. Marks themselves are for the caller to drop.
inline constexpr size_t kMaxStripped = 3;
size_t BertStrip(char32_t code_point, char32_t* out);

// Lower case. U+0130, the one letter that becomes two code points, gives 'i'; U+0307 is to follow.
char32_t BertLower(char32_t code_point);

// A cursor's settings, built once for many texts.
class BertTextRules {
 public:
  BertTextRules() = default;
  // `special`: tokens that are recognised in the text as they are written; empty ones are ignored.
  BertTextRules(bool lowercase, bool strip_accents, bool split_cjk, uint32_t max_word_characters,
                std::vector<std::string> special);

  // Number of the longest special token at `at`, or -1. REQUIRES: at < text.size()
  int SpecialAt(std::string_view text, size_t at) const;
  const std::string& special(size_t number) const { return special_[number]; }

  bool lowercase() const { return lowercase_; }
  bool strip_accents() const { return strip_accents_; }
  bool split_cjk() const { return split_cjk_; }
  uint32_t max_word_characters() const { return max_word_characters_; }

 private:
  bool lowercase_ = true, strip_accents_ = true, split_cjk_ = true;
  uint32_t max_word_characters_ = 100;
  std::vector<std::string> special_;
  std::array<bool, 256> opens_{};  // bytes that a special token begins with
};

class BertWords {
 public:
  enum class Kind : uint8_t { kEnd, kWord, kTooLong, kSpecial };

  // Both must outlive the cursor.
  BertWords(std::string_view text, const BertTextRules& rules);

  // The next word or special token. Once it says kEnd it always will.
  Kind Next();
  // Until the next call, after kWord.
  std::string_view word() const { return word_; }
  // After kSpecial: its number in the rules.
  size_t special() const { return special_; }

 private:
  void Take(char32_t code_point, BertClass its_class);
  void Hold(char32_t code_point, BertClass rank);
  void Release();
  void Append(char32_t code_point);
  Kind EndWord() const;

  struct Held {
    char32_t code_point;
    BertClass rank;
  };

  std::string_view text_;
  const BertTextRules& rules_;
  size_t at_ = 0;
  std::string word_;
  size_t characters_ = 0;   // of the word, also those that no longer fit
  std::vector<Held> held_;  // a run of combining marks
  size_t held_beyond_ = 0;  // how many more of them there were
  char32_t alone_ = 0;      // a word of one code point that ended the one before it
  int waiting_ = -1;        // likewise a special token
  size_t special_ = 0;
};

}  // namespace sheaf

#endif  // SHEAF_ENCODE_BERT_TEXT_H_
