#include "search/corrections.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/gather.h"
#include "base/sort.h"
#include "lexical/edit_distance.h"
#include "search/word_forms.h"
#include "text/utf8.h"

namespace sheaf {
namespace {

// Bytes of the words that a word is cut into, in Latin letters. Shorter ones are found in too many words.
constexpr size_t kMinPart = 4;

// Of the nearest words, the commonest one that begins alike.
Status FindSpelling(const SearchContext& search, const QueryWord& word, int edits,
                    std::vector<Correction>* corrections) {
  struct Candidate {
    int distance;
    bool other_start;
    uint8_t weight;
    std::string text;
  };
  std::vector<Candidate> found;
  int best = edits;
  const std::string& text = word.text;
  const uint32_t letters = LetterSet(text);
  const auto visit = [&](const Spellings::Word& listed) {
    if (std::popcount(letters ^ listed.letters) > 2 * best) return;
    const int distance = EditDistance(text, listed.text, best);
    if (distance > best) return;
    best = std::max(1, distance);
    found.push_back({distance, listed.text[0] != text[0], listed.weight, listed.text});
  };
  SHEAF_RETURN_IF_ERROR(
      search.bundle.VisitSpellings(text.size() - size_t(edits), text.size() + size_t(edits), {}, visit));
  std::erase_if(found, [&](const Candidate& c) { return c.distance > best; });
  Sort(&found, [](const Candidate& a, const Candidate& b) {
    if (a.other_start != b.other_start) return !a.other_start;
    if (a.weight != b.weight) return a.weight > b.weight;
    return a.text < b.text;
  });
  if (!found.empty()) corrections->push_back({text, found[0].text});
  return {};
}

// The two words of the documentation that a word consists of, as they were typed: a compound ("Ebenenmaske"), or a
// space is missing. Of several cuts, the one whose words are the most frequent together.
Status FindCut(const SearchContext& search, const QueryWord& word, std::vector<Correction>* corrections) {
  if (word.end - word.begin > kMaxTermBytes) return {};  // dropped characters inside of a word have no limit
  // The letters of other scripts take two bytes or more; where they take three, pairs of them are no words.
  const size_t least = uint8_t(word.text[0]) < 0x80 ? kMinPart : 2 * kMinPart;
  const std::string& text = search.query.text;
  Gather gather;
  uint64_t best = 0;
  std::string found;
  for (uint32_t at = word.begin + 1; at < word.end; ++at) {
    if (IsUtf8Continuation(text[at])) continue;
    std::string apart = text.substr(word.begin, word.end - word.begin);
    apart.insert(at - word.begin, 1, ' ');
    std::vector<Token> tokens;
    search.analyzer.Tokenize(apart, &tokens);
    // An accent stays with its letter.
    uint64_t score = tokens.size() == 2 && tokens[1].begin == at - word.begin + 1;
    for (const Token& token : tokens) {
      if (token.term.size() < least) score = 0;
      if (score == 0) break;  // the second word is looked for where the first one is known
      QueryWord part;
      part.text = token.term;
      part.keys = token.keys;
      SHEAF_RETURN_IF_ERROR(gather.Note(FindForms(search, &part)));
      score *= part.known() ? part.forms.back().entry.postings : 0;
    }
    if (score <= best) continue;
    best = score;
    found = std::move(apart);
  }
  if (!found.empty()) corrections->push_back({word.text, std::move(found)});
  return gather.status();
}

}  // namespace

Status FindCorrection(const SearchContext& search, const QueryWord& word, std::vector<Correction>* corrections) {
  // Where the docs have a word that begins alike, one further away is another word rather than a slip.
  const int edits = std::min(AllowedEdits(word.text.size()), word.roots ? 1 : 2);
  if (word.known() || !search.query.typo || !word.counts || edits == 0) return {};
  const size_t before = corrections->size();
  SHEAF_RETURN_IF_ERROR(FindSpelling(search, word, edits, corrections));
  return corrections->size() > before ? Status() : FindCut(search, word, corrections);
}

void DropPartsOfKnownWords(const std::vector<QueryWord>& words, std::vector<Correction>* corrections) {
  for (const QueryWord& word : words) {
    if (!word.known()) continue;
    std::erase_if(*corrections,
                  [&](const Correction& c) { return word.text.starts_with(c.word) || word.text.ends_with(c.word); });
  }
}

Status DropKnownToEncoder(const SearchContext& search, std::vector<Correction>* corrections) {
  if (search.mode() != Mode::kHybrid || !search.bundle.has_vectors()) return {};
  SHEAF_ASSIGN_OR_RETURN(const bool fits, search.encoder.Fits(&search.bundle));
  if (!fits) return {};  // the query brought its vector
  Gather gather;
  std::vector<Correction> kept;
  for (Correction& correction : *corrections) {
    bool known = false;
    SHEAF_RETURN_IF_ERROR(gather.Take(search.encoder.KnowsWord(correction.word), &known));
    if (!known) kept.push_back(std::move(correction));
  }
  *corrections = std::move(kept);
  return gather.status();
}

std::vector<uint32_t> Correct(const std::vector<Correction>& corrections, const Analyzer& analyzer, std::string* text) {
  std::vector<Token> tokens;
  analyzer.Tokenize(*text, &tokens);
  std::vector<uint32_t> replaced;
  std::string corrected;
  size_t at = 0;
  for (const Token& token : tokens) {
    if (token.begin < at) continue;
    for (const Correction& correction : corrections) {
      if (token.term != correction.word) continue;
      corrected.append(*text, at, token.begin - at);
      const size_t begin = corrected.size();
      corrected.append(correction.term);
      replaced.resize(begin);
      replaced.resize(corrected.size(), uint32_t(&correction - corrections.data()) + 1);
      // A capital keeps the parts of a name apart: watchEfect.
      char& first = corrected[begin];
      const char typed = (*text)[token.begin];
      if (typed >= 'A' && typed <= 'Z' && first >= 'a' && first <= 'z') first = char(first - 'a' + 'A');
      at = token.end;
      break;
    }
  }
  corrected.append(*text, at);
  replaced.resize(corrected.size());
  *text = std::move(corrected);
  return replaced;
}

void MarkReplaced(const std::vector<uint32_t>& replaced, const std::vector<Correction>& corrections,
                  QueryWords* words) {
  for (const Token& token : words->tokens) {
    const uint32_t number = replaced[token.begin];
    // A whole is more than the replacement that it begins with.
    if (number == 0 || token.kind == TokenKind::kWhole) continue;
    for (QueryWord& word : words->words) {
      if (word.text == token.term) word.typed = corrections[number - 1].word;
    }
  }
}

}  // namespace sheaf
