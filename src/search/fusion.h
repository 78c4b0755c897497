// Two signals to one: convex combination of normalised scores, or reciprocal rank fusion.
// Sources: Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023 (the
// convex combination, scores of both signals for the union of candidates); Cormack, Clarke and
// Büttcher, "Reciprocal Rank Fusion", 2009.
//
// Normalising: keyword scores are divided by the best one; cosines are taken above the
// background (the mean cosine of the query with the collection) and divided by the best of those.
#ifndef SHEAF_SEARCH_FUSION_H_
#define SHEAF_SEARCH_FUSION_H_

#include <cstdint>
#include <vector>

namespace sheaf {

struct Candidate {
  uint32_t passage = 0;
  float keyword_raw = 0;  // 0: no word matched
  float cosine = 0;
  float keyword = 0;             // normalised, 0..1
  float semantic = 0;            // normalised, 0..1
  float defines = 0;             // 0..1: how surely the passage defines what the query names
  uint32_t symbol = UINT32_MAX;  // that it is the entry of, by its place among Signals::symbols
  float score = 0;               // fused, 0..1; more where the passage defines what the query names
};

// Symbols that the query names, in their order; then the best first; ties by passage number.
inline bool Better(const Candidate& a, const Candidate& b) {
  if (a.symbol != b.symbol) return a.symbol < b.symbol;
  return a.score != b.score ? a.score > b.score : a.passage < b.passage;
}

// The weight of the semantic signal for one query. Normalising hides the absolute quality of the best keyword
// passage, so a rare word that says little would count like a passage that has all words. `best` is the best raw
// keyword score, `good` a good one. The keyword signal counts as sqrt(best / good):
// w / (w + (1 - w) sqrt(best / good)). The root is the geometric mean between dividing by the best score (1) and
// by `good` (best / good). See tests/quality/fusion.md.
float BalancedWeight(float weight, float best, float good);

// The convex combination of normalised scores. `weight` is the share of the semantic signal, 0..1.
inline float Convex(float keyword, float semantic, float weight) { return (1 - weight) * keyword + weight * semantic; }

// Fills keyword, semantic and score. `weight` is the share of the semantic signal, 0..1.
void FuseConvex(std::vector<Candidate>* candidates, float weight, float background);
// Fills score by ranks; a signal that lacks a candidate adds 0 to it. Scaled so that first
// in both lists gives 1.
void FuseRanks(std::vector<Candidate>* candidates, float weight, float background, float k);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_FUSION_H_
