// Collects how often each term stands in each field of each passage, then hands the terms over in
// order of (stem, term) with their levels. Native only.
//
// Idea: each term has one growing byte string of (passage advance, counts) varints, about three bytes a
// posting. When the strings exceed the memory limit, they go, sorted, to a spill as one run. At the end
// all runs are merged. Levels need the average field lengths, so they are computed last.
//
// Invariant: the result depends on the passages alone, not on the limit or the number of runs.
#ifndef SHEAF_LEXICAL_POSTINGS_ACCUMULATOR_BUILDER_H_
#define SHEAF_LEXICAL_POSTINGS_ACCUMULATOR_BUILDER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "lexical/bm25.h"
#include "lexical/postings.h"

namespace sheaf {

struct TermCounts {
  std::string term;
  std::array<uint16_t, kFieldCount> counts{};
  NameRole role = NameRole::kNone;
};

class PostingsAccumulator {
 public:
  using Append = std::function<Status(ByteSpan)>;
  using Read = std::function<Status(uint64_t offset, size_t size, uint8_t* out)>;
  using StemOf = std::function<std::string(std::string_view term)>;
  using Emit = std::function<void(std::string_view stem, std::string_view term, const std::vector<Posting>&)>;

  PostingsAccumulator(Bm25Params params, StemOf stem_of);
  void SetSpill(uint64_t memory_limit, Append append, Read read);

  // Passages come in order; `lengths` are tokens per field. Terms are distinct. `weight` multiplies every
  // frequency x of the passage. REQUIRES: it is finite and positive
  Status Add(const std::vector<TermCounts>& terms, const std::array<uint32_t, kFieldCount>& lengths, float weight = 1,
             float body_weight = 1);
  // The weight of a passage that was added and has none of its own. REQUIRES: as above
  void WeighUnlessSet(uint32_t passage, float weight);
  uint32_t passages() const { return uint32_t(lengths_.size()); }
  // Bytes of lists so far, in memory and in the spill.
  uint64_t collected() const { return memory_ + spilled_; }
  // Hands over every term once, in order.
  Status Finish(const Emit& emit);

 private:
  struct List {
    uint32_t last = 0;  // passage + 1
    std::vector<uint8_t> bytes;
  };
  struct Run {
    uint64_t offset = 0, size = 0;
  };
  Status Flush();
  // Hands over all lists, in order of (stem, term), and forgets them.
  Status WriteRun(const Append& append);

  Bm25Params params_;
  StemOf stem_of_;
  std::unordered_map<std::string, List> lists_;
  std::vector<std::array<uint16_t, kFieldCount>> lengths_;
  std::vector<float> body_weights_;  // likewise
  std::vector<float> weights_;       // of passages up to the last that has another than 1
  uint64_t memory_ = 0, memory_limit_ = UINT64_MAX, spilled_ = 0;
  Append append_;
  Read read_;
  std::vector<Run> runs_;
};

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_POSTINGS_ACCUMULATOR_BUILDER_H_
