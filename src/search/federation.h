// One scale for the answers of several bundles.
//
// The problem: scores are relative to a bundle. Its best passage has the keyword score 1, however weak the match,
// and a word is rare or common by the pages of that bundle alone: `array` is everywhere in Octave's
// manual and rare in fish's, so a passing mention in fish's would rank higher.
//
// Idea: each hit carries the components of its score (Explanation), enough to rescore as if all bundles were
// one. A word's idf comes from the number of pages with it across all bundles, and coverage from the idfs; cosines of
// one vector space are comparable as they are. A bundle's best hit under these scores places the bundle's whole list.
// The rest follows below it in its own order, which was tuned for its own texts. The semantic weight in all bundles is
// that of the bundle with the best keyword match: a single index of everything would choose the same weight.
//
// Known limit: a bundle's page count for a word comes from its hits, so a word missing from its best hits counts as
// absent there. Measured against one index of everything: docs/decisions/0007-federation.md.
//
// Numbers alone, in flat lists: words and vector spaces are numbered by the caller, so that the module that pages load
// for it (wasm/federation.cc) is small. Pure. Cost: linear in the matches, and in words times bundles.
#ifndef SHEAF_SEARCH_FEDERATION_H_
#define SHEAF_SEARCH_FEDERATION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "search/query.h"
#include "search/ranking.h"

namespace sheaf {

// Of TermMatch.
struct MemberMatch {
  uint32_t word = 0;  // of the query
  MatchKind kind = MatchKind::kExact;
  float idf = 0, score = 0;
};

// Of Explanation.
struct MemberHit {
  float keyword = 0, semantic = 0, cosine = 0, semantic_weight = 0, page_bonus = 0;
  uint32_t matches = 0;
};

// One bundle.
struct Member {
  uint32_t pages = 0;
  uint32_t space = 0;
  uint32_t hits = 0;
};

// The answers of all bundles: the hits of the first come first, as do the matches of the first hit.
struct MemberAnswers {
  uint32_t words = 0, spaces = 0;
  std::span<const Member> members;
  std::span<const MemberHit> hits;
  std::span<const MemberMatch> matches;
};

struct CommonScale {
  // For each bundle, its best hit's score in 0..1; the best of all has the quality of the whole answer.
  std::vector<float> best;
  // For each word, whether a bundle has it as typed or in another form; corrections of it are then unnecessary guesses.
  std::vector<uint32_t> known;
};

// REQUIRES: words and spaces are below `words` and `spaces`; there are as many hits and matches as is said.
CommonScale FindCommonScale(const MemberAnswers& answers, const Ranking& ranking);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_FEDERATION_H_
