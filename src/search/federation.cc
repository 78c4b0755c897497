#include "search/federation.h"

#include <algorithm>

#include "lexical/bm25.h"
#include "search/fusion.h"

namespace sheaf {
namespace {

struct FederatedWord {
  double pages = 0;       // of all bundles
  float idf = 0;          // over all bundles as one collection
  bool counts = false;    // towards coverage
  bool is_found = false;  // some hit has it
  uint32_t hit = 0;       // the last one that was weighed with it, from 1
};

// A hit under the common statistics.
struct Weighed {
  float keyword = 0, coverage = 0;
};

// Calls `visit(member number, hit number, its first match)` for each hit.
template <typename Visitor>
void VisitHits(const MemberAnswers& answers, const Visitor& visit) {
  uint32_t hit = 0;
  const MemberMatch* match = answers.matches.data();
  for (uint32_t i = 0; i < answers.members.size(); ++i) {
    for (uint32_t left = answers.members[i].hits; left > 0; --left) {
      visit(i, hit, match);
      match += answers.hits[hit++].matches;
    }
  }
}

class Scale {
 public:
  Scale(const MemberAnswers& answers, const Ranking& ranking)
      : answers_(answers),
        ranking_(ranking),
        words_(answers.words),
        idfs_(answers.members.size() * answers.words),
        weighed_(answers.hits.size()),
        found_{std::vector<float>(answers.members.size()), std::vector<uint32_t>(answers.words)} {}

  CommonScale Find() {
    CountWords();
    VisitHits(answers_, [this](uint32_t member, uint32_t hit, const MemberMatch* match) { Weigh(member, hit, match); });
    Place();
    return std::move(found_);
  }

 private:
  // The idf of a word in one bundle: of one that was cut in two, that of its rarer half. 0: no hit has it.
  float& IdfIn(uint32_t member, uint32_t word) { return idfs_[member * words_.size() + word]; }

  void CountWords() {
    VisitHits(answers_, [this](uint32_t member, uint32_t hit, const MemberMatch* match) {
      for (uint32_t left = answers_.hits[hit].matches; left > 0; --left, ++match) {
        FederatedWord& word = words_[match->word];
        if (!word.is_found) word.counts = match->kind != MatchKind::kJoined;
        word.is_found = true;
        if (match->kind != MatchKind::kTypo && match->kind != MatchKind::kWording) found_.known[match->word] = true;
        float& idf = IdfIn(member, match->word);
        idf = std::max(idf, match->idf);
      }
    });
    double pages = 0;
    for (const Member& member : answers_.members) pages += member.pages;
    for (uint32_t i = 0; i < words_.size(); ++i) {
      FederatedWord& word = words_[i];
      for (uint32_t j = 0; j < answers_.members.size(); ++j) {
        if (IdfIn(j, i) > 0) word.pages += HoldersOf(answers_.members[j].pages, IdfIn(j, i));
      }
      word.idf = Idf(pages, word.pages);
      if (word.counts) all_ += word.idf;
    }
  }

  void Weigh(uint32_t member, uint32_t number, const MemberMatch* match) {
    const MemberHit& hit = answers_.hits[number];
    Weighed& own = weighed_[number];
    for (uint32_t left = hit.matches; left > 0; --left, ++match) {
      FederatedWord& word = words_[match->word];
      const float idf = IdfIn(member, match->word);
      if (!(idf > 0) || (match->kind == MatchKind::kTypo && found_.known[match->word])) continue;
      own.keyword += match->score * word.idf / idf;
      // Other wordings are a word's last matches.
      const float share = match->kind == MatchKind::kWording ? ranking_.wording_share : 1;
      if (word.counts && word.hit != number + 1) own.coverage += word.idf * share;
      word.hit = number + 1;
    }
    own.coverage = all_ > 0 ? std::min(1.0f, own.coverage / all_) : 0;
    own.keyword *= CoverageFactor(ranking_, own.coverage);
    best_keyword_ = std::max(best_keyword_, own.keyword);
    if (hit.semantic_weight > 0) share_ = std::min(share_, hit.semantic_weight);
    // How good the hit is in itself.
    confidence_ = std::max(confidence_, Convex(own.coverage, hit.cosine, hit.semantic_weight));
  }

  void Place() {
    std::vector<float> best_cosine(answers_.spaces);
    const auto best_of = [&](uint32_t member) -> float& { return best_cosine[answers_.members[member].space]; };
    VisitHits(answers_, [&](uint32_t member, uint32_t number, const MemberMatch*) {
      best_of(member) = std::max(best_of(member), answers_.hits[number].cosine);
    });
    float highest = 0;
    VisitHits(answers_, [&](uint32_t member, uint32_t number, const MemberMatch*) {
      const MemberHit& hit = answers_.hits[number];
      const float own = Convex(hit.keyword, hit.semantic, hit.semantic_weight);
      const float keyword = best_keyword_ > 0 ? weighed_[number].keyword / best_keyword_ : 0;
      const float semantic = best_of(member) > 0 ? std::max(0.0f, hit.cosine / best_of(member)) : 0;
      const float fused = Convex(keyword, semantic, hit.semantic_weight > 0 ? share_ : 0);
      float& best = found_.best[member];
      best = std::max(best, fused * (own > 0 ? 1 + hit.page_bonus / own : 1));
      highest = std::max(highest, best);
    });
    for (float& best : found_.best) best = highest > 0 ? best / highest * std::min(1.0f, confidence_) : 0;
  }

  const MemberAnswers& answers_;
  const Ranking& ranking_;
  std::vector<FederatedWord> words_;
  std::vector<float> idfs_;
  std::vector<Weighed> weighed_;
  float all_ = 0;  // idf of all words that count
  float best_keyword_ = 0, share_ = 1, confidence_ = 0;
  CommonScale found_;
};

}  // namespace

CommonScale FindCommonScale(const MemberAnswers& answers, const Ranking& ranking) {
  return Scale(answers, ranking).Find();
}

}  // namespace sheaf
