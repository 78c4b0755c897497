// All constants of the ranking, each with its effect at the low and the high end.
// The defaults are one setting for all collections, tuned on the development sets
// (tests/quality/README.md); a change shows its row in tests/quality/results.csv.
#ifndef SHEAF_SEARCH_RANKING_H_
#define SHEAF_SEARCH_RANKING_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sheaf {

struct Ranking {
  // ---- keyword ----
  // Another form of the word against the word itself. 0: exact only; 1: stems count fully.
  float stem_weight = 0.7f;
  // A word that merely begins alike, in languages with rules (text/language.h). 0: none; 1: as good as the word.
  float root_weight = 0.15f;
  // In English, what a word in -er is named after: "read" for "reader". 1: as good as the word.
  float kin_weight = 0.3f;
  // Another wording of the word, in a query that its own words answer badly (`well_answered`), and the share of the
  // word that a passage with nothing else of it covers. 0.1 to 0.2 and 0.3 to 0.5 show little difference.
  float wording_weight = 0.15f, wording_share = 0.3f;
  // Words that are known, of a lower idf, so on some 8 % of the pages or more, have none: theirs are many, and each
  // costs a reader by range a request. 0: all words have them, for .002 of nDCG@10 and three times those requests.
  float wording_idf = 2.5f;
  // Part of a name in the query, when the whole name is in the index / when it is not.
  float part_weight = 0.5f;
  float part_alone_weight = 1.0f;
  // Two neighbouring words written as one ("time stamp"). 0: never.
  float joined_weight = 0.5f;
  // Completions of the last word: beside a word that exists, and when it does not.
  float prefix_weight = 0.25f;
  float prefix_alone_weight = 0.8f;
  // Function words in a query that also has content words. 0: ignored.
  float stop_word_weight = 0.0f;
  // How much of a passage's score depends on how many of the words it has, by idf. 0: not at all;
  // 1: the score is multiplied by the share of the words found.
  float coverage = 0.8f;
  // Prefixes shorter than this many bytes are not completed; at most this many completions count.
  size_t min_prefix = 2;
  size_t max_completions = 64;
  // A prefix whose terms lie on at most this many leaves of the lexicon is looked up there; another one
  // stands for this many of the commonest words.
  size_t completion_leaves = 2;
  size_t spelled_completions = 8;

  // ---- semantic and fusion ----
  // Share of the semantic signal for a query that its words answer well: where the best passage reaches
  // `well_answered` of the highest score that the query could have. The less of it they reach, the more
  // meaning decides (BalancedWeight). well_answered 0: the same share for every query; 1: lean on meaning.
  float semantic_weight = 0.5f;
  // The same where the words are of another language than the encoder table's English.
  float other_language_weight = 0.3f;
  float well_answered = 0.3f;
  // Best passages of each signal that are fused.
  size_t candidates = 200;
  // A reader that fetches by range: stored bytes of partitions to read, and in how many requests. Fewer cost recall
  // (tests/loading). ProbeBytes says how many a large bundle takes.
  uint64_t probe_bytes = 36 << 10;
  uint32_t probe_runs = 6;
  // So many of the best passages by keyword have a say in which partitions are read.
  size_t probe_likely = 16;
  // An answer in which no word is found is weak unless its nearest passage exceeds the background by this. 0: none is
  // weak; 1: all are. tests/quality/README.md.
  float weak_margin = 0.35f;
  // Reciprocal rank fusion: 1 / (k + rank). Cormack, Clarke and Büttcher, 2009.
  float rrf_k = 60;

  // ---- names ----
  // Added to the fused score, 0..1, of a passage that defines what the query names, so that it comes before all that
  // merely mention it (keyword_search.h says how surely it does). 0: never; 1: always first.
  float name_bonus = 1.0f;
  // How surely a passage defines a name, by the role of its words (NameRole): a path that ends in the name; one of
  // several things in a passage; a path whose last part is the passage's name.
  float last_part_name = 0.8f, inside_name = 0.75f, path_name = 0.85f;
  // The name without the sigil that the query has: KeepAlive for <KeepAlive>. 1: as good as the name itself.
  float bare_name = 0.9f;
  // A name of more words is compared as a set, and beyond four not even their number is known.
  float long_name = 0.7f;

  // ---- pages ----
  // Each further passage of a page adds its score times this, halved from passage to passage.
  float page_bonus = 0.2f;
  // Added, as a share of the score, when the query's words are just those of the page's title, in any order.
  float title_bonus = 0.2f;
  // Added, as a share of the score, when the best passage has all pairs of the query's neighbouring words; less for a
  // part of them (phrase.h). 0: never; 0.05 to 0.5 are better than that, 0.15 the most.
  float phrase_bonus = 0.15f;
  // Added to that when it has them all, of four words or more: a pasted line. 0.35 to 0.6 show no difference.
  float line_bonus = 0.35f;
};

// What the keyword score of a passage is multiplied by that has this share of the query's words, by idf.
inline float CoverageFactor(const Ranking& ranking, float coverage) {
  return 1 - ranking.coverage + ranking.coverage * coverage;
}

// The bytes of partitions that a query of so many passages reads. Beyond 65,536 passages they grow with the root of
// their number, as a partition does, so that as many partitions are read.
inline uint64_t ProbeBytes(const Ranking& ranking, uint32_t passages) {
  constexpr uint32_t kUsual = 1 << 16;
  return uint64_t(double(ranking.probe_bytes) * std::sqrt(double(std::max(passages, kUsual)) / kUsual));
}

}  // namespace sheaf

#endif  // SHEAF_SEARCH_RANKING_H_
