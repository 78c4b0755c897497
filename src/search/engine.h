// The one door of the core: bytes in, answers out, no I/O.
//
// Idea: every question returns an `Outcome`: an answer, an error, or the byte ranges that are
// still missing. The host brings those ranges with `Supply` and asks again; the engine recomputes
// from what it holds, so an answer never depends on the order in which bytes arrived. A host
// that has the whole file supplies it once and never sees a `Needs`.
//
//     engine.SetSource(kBundle, size);
//     for (;;) {
//       auto outcome = engine.Search(query);
//       if (!outcome.needs()) break;
//       for (Range r : *outcome.needs()) engine.Supply(r.source, r.offset, Fetch(r));
//     }
//
// Invariants
//  1. Bytes are checked (bounds, checksum, caps) before they are believed.
//  2. The same query on the same bundle and table gives the same answer, bit for bit on one platform, in any
//     order of bytes. By keyword it is the same whether all of the file is there or only the bytes asked for. By
//     meaning, an engine that lacks vectors reads the partitions near the query alone: tests/loading has its recall
//     against one that holds them all.
//  3. A failed call leaves the engine usable.
//
// Threads: none. One engine belongs to one thread at a time; there is no global state.
// Cost: Open reads the header, the directory and a few small sections. A resident query costs one
// scan of the vectors plus the postings of its words.
#ifndef SHEAF_SEARCH_ENGINE_H_
#define SHEAF_SEARCH_ENGINE_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "search/query.h"
#include "search/ranking.h"

namespace sheaf {

using Needs = std::vector<Range>;

template <typename T>
class [[nodiscard]] Outcome {
 public:
  Outcome(T value) : state_(std::move(value)) {}      // NOLINT: implicit by design
  Outcome(Error error) : state_(std::move(error)) {}  // NOLINT: implicit by design
  Outcome(Needs needs) : state_(std::move(needs)) {}  // NOLINT: implicit by design

  T* value() { return std::get_if<T>(&state_); }
  const Error* error() const { return std::get_if<Error>(&state_); }
  const Needs* needs() const { return std::get_if<Needs>(&state_); }

 private:
  std::variant<T, Error, Needs> state_;
};

enum Source : uint8_t { kBundleSource = 0, kEncoderSource = 1, kSourceCount = 2 };

class Engine {
 public:
  Engine();
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // Declares a source of `size` bytes and forgets its earlier bytes.
  Status SetSource(uint8_t source, uint64_t size);
  // Copies bytes in. Any range may be supplied, in any order; ranges past the end are refused.
  Status Supply(uint8_t source, uint64_t offset, ByteSpan bytes);
  // Takes the bytes without a copy.
  Status SupplyOwned(uint8_t source, uint64_t offset, std::vector<uint8_t> bytes);

  // Reads header, directory and the small sections of the bundle.
  Outcome<BundleInfo> Open();
  // Reads the encoder table's header and refuses one of another space than the bundle's.
  Outcome<std::string> OpenEncoder();

  Outcome<Answer> Search(const Query& query);
  // The vector of a text by the encoder table, L2-normalised; empty when no word is known.
  Outcome<std::vector<float>> Embed(std::string_view text);
  // 1 if the encoder table has this folded word, as it is, without pieces; else 0.
  Outcome<uint32_t> KnowsWord(std::string_view word);
  // Page by number.
  Outcome<Page> GetPage(uint32_t id);
  // Page number by URL (with or without anchor) or by source path.
  Outcome<uint32_t> FindPage(std::string_view url_or_source);
  Outcome<Passage> GetPassage(uint32_t id);
  // The vector of a passage as the bundle holds it, L2-normalised: its components are rounded. Zeros, of a passage that
  // the encoder knew no word of. Errors: kNotFound, kNoVectors.
  Outcome<std::vector<float>> GetVector(uint32_t passage);

  // The words of so many passages from `first` on, for databases. Every term of the lexicon is read for it. Error: kNotFound.
  Outcome<std::vector<PassageTerms>> GetTerms(uint32_t first, uint32_t count);
  // Every term of the lexicon.
  Outcome<std::vector<TermGroup>> GetGroups();

  // Decodes every block of every section and checks that the sections agree.
  Outcome<uint32_t> Verify();  // number of blocks checked

  // For tuning and experiments; users get the defaults.
  void set_ranking(const Ranking& ranking);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_ENGINE_H_
