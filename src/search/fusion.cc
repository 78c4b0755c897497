#include "search/fusion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/sort.h"

namespace sheaf {
namespace {

void NormalizeScores(std::vector<Candidate>* candidates, float background) {
  float best_keyword = 0, best_cosine = background;
  for (const Candidate& c : *candidates) {
    best_keyword = std::max(best_keyword, c.keyword_raw);
    best_cosine = std::max(best_cosine, c.cosine);
  }
  for (Candidate& c : *candidates) {
    c.keyword = best_keyword > 0 ? c.keyword_raw / best_keyword : 0;
    c.semantic = best_cosine > background ? std::max(0.0f, (c.cosine - background) / (best_cosine - background)) : 0;
  }
}

}  // namespace

float BalancedWeight(float weight, float best, float good) {
  if (!(good > 0)) return weight;
  const float answered = std::sqrt(best / good);
  return weight > 0 ? weight / (weight + (1 - weight) * answered) : 0;
}

void FuseConvex(std::vector<Candidate>* candidates, float weight, float background) {
  NormalizeScores(candidates, background);
  for (Candidate& c : *candidates) c.score = Convex(c.keyword, c.semantic, weight);
}

void FuseRanks(std::vector<Candidate>* candidates, float weight, float background, float k) {
  NormalizeScores(candidates, background);
  for (Candidate& c : *candidates) c.score = 0;
  std::vector<size_t> order(candidates->size());
  // The weight only says whether a signal takes part; ranks count alike, as in the paper.
  const auto add = [&](float Candidate::*signal) {
    std::iota(order.begin(), order.end(), size_t(0));
    Sort(&order, [&](size_t a, size_t b) {
      const Candidate &x = (*candidates)[a], &y = (*candidates)[b];
      return x.*signal != y.*signal ? x.*signal > y.*signal : x.passage < y.passage;
    });
    for (size_t rank = 0; rank < order.size(); ++rank) {
      Candidate& c = (*candidates)[order[rank]];
      if (c.*signal > 0) c.score += 0.5f * (k + 1) / (k + float(rank) + 1);
    }
  };
  if (weight < 1) add(&Candidate::keyword);
  if (weight > 0) add(&Candidate::semantic);
}

}  // namespace sheaf
