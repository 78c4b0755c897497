// The owner's rules in a bundle: synonyms and pinned pages.
//
// Idea: a rule is a term of the lexicon, in the group of the stem of the word that it is about. So a query finds its rules
// with its words, and reads no byte for others. A reader that knows no rules takes them for other forms of the word.
//
// Layout of the terms. A *handle* stands for all forms of a word: its stem; in a language with rules its first key that is
// no root (text/analyzer.h), or else the word itself.
//     handle 01 term *               passages with `term` stand for the word; of several words, in a row, 03 between two
//     handle 01 term 01 handle *     the same, where a word with the second handle is beside it in the query
//     handle 02 rank others *        the passage is pinned to a query with just these content words: `handle` and
//                                    `others`, ascending, each with 03 before it. Pages of equal words are in the
//                                    order of the byte `rank`.
//
// Invariants: such a term begins with its stem and ends in '*', so it completes no word. No word has bytes 1 to 3, and no
// term a space: rows of databases have them between terms.
// Cost: a look at the forms of each word.
// Twin: owner_rules_builder.cc.
#ifndef SHEAF_SEARCH_OWNER_RULES_H_
#define SHEAF_SEARCH_OWNER_RULES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/query_words.h"
#include "text/analyzer.h"

namespace sheaf {

inline constexpr char kSynonymMark = '\1', kPinMark = '\2', kWordMark = '\3';
inline constexpr std::string_view kRuleMarks = "\1\2";  // a term with one of them is a rule

// kSynonym or kPinned, by its mark; else kStem.
MatchKind KindOfForm(std::string_view term);

// Of a term that is no rule the same as Stem.
std::string HandleOf(const Analyzer& analyzer, std::string_view term, std::string_view keys);

// A content word of a query, or of the words that a page is pinned to.
struct PinWord {
  std::string handle;
  bool is_function_word = false;
};
// The handles, each once, in order, kWordMark between; function words only if there is no other.
std::string PinKey(const std::vector<PinWord>& words);

// Drops the forms of rules that do not apply to the query.
void KeepRules(const Analyzer& analyzer, QueryWords* words);
// Gives the forms of synonyms the term that stands in passages, and lists what is pinned. REQUIRES: postings were read
void NameRules(QueryWords* words);

// ---- building, native only (owner_rules_builder.cc) -----------------------------------------------
inline constexpr size_t kMaxSynonymWords = 2, kMaxSynonymForms = 4;  // of the word asked for, of what stands for it
inline constexpr size_t kMaxPins = 20;                               // pages of one text

// One way: a query of `from` finds passages with `to`.
struct SynonymInput {
  std::string from, to;
};

// Makes the terms of synonyms for passages.
class SynonymTerms {
 public:
  // Errors: kInvalidArgument, which names the synonym: it has no word, too many, or too long ones.
  static Result<SynonymTerms> Make(const std::vector<SynonymInput>& synonyms, const Analyzer& analyzer);
  bool empty() const { return by_first_.empty(); }
  // Calls `add` for each place in a text where a synonym's words stand: with the rule's term, and the term of its word;
  // that is empty for several words.
  void Find(const std::vector<Token>& tokens, const Analyzer& analyzer,
            const std::function<void(const std::string& rule, std::string_view word)>& add) const;

 private:
  struct Target {
    std::vector<std::string> handles;  // in a row
    std::string before, text, behind;  // of the term; `text` is empty for one word: the word itself
  };
  std::map<std::string, std::vector<Target>, std::less<>> by_first_;  // by first handle
};

// The term that pins a passage to a query of these words; `rank` is less than kMaxPins. Errors: as those of Make.
Result<std::string> PinTerm(std::string_view words, size_t rank, const Analyzer& analyzer);
// The stem of a term of the index.
std::string StemOfTerm(const Analyzer& analyzer, std::string_view term);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_OWNER_RULES_H_
