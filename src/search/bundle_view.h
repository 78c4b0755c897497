// A bundle as the search sees it: settings, lexicon, postings, pages, vectors, over a Container.
//
// Idea: the small things that every query needs are decoded once by Open; everything else is read
// when asked for. Any read may return kNeedsBytes, having noted the range in the container; callers
// go on asking for all they can foresee before giving up for this round.
//
// Cost: Open decodes settings, indexes and passage map: about 1 byte a passage in the file, 3 a leaf of the lexicon.
#ifndef SHEAF_SEARCH_BUNDLE_VIEW_H_
#define SHEAF_SEARCH_BUNDLE_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/container.h"
#include "bundle/passage_store.h"
#include "bundle/settings.h"
#include "lexical/bm25.h"
#include "lexical/lexicon.h"
#include "lexical/postings.h"
#include "lexical/spellings.h"
#include "search/facets.h"
#include "search/symbols.h"
#include "text/analyzer.h"
#include "vector/flat.h"
#include "vector/hnsw.h"
#include "vector/partition.h"
#include "vector/row_code.h"

namespace sheaf {

struct QueryWord;  // search/query_words.h

// What a search asks of its words and passages is virtual: rows of a database answer it too (search/row_search.h).
class BundleView : public LeafSource {
 public:
  explicit BundleView(uint64_t file_size) : container_(file_size) {}

  Container& container() { return container_; }
  Status Open();
  bool is_open() const { return open_; }

  // Its centroid is the background that cosines are compared with: in a bundle of a few passages, a share of their mean.
  const Settings& settings() const { return settings_; }
  Lexicon& lexicon() { return lexicon_; }
  // REQUIRES: passage < settings().passages
  uint32_t PageOf(uint32_t passage) const { return page_of_[passage]; }
  uint32_t passages() const { return settings_.passages; }

  // Requests the data that every hit needs. Call it together with the words of a query, not before. Error: kNeedsBytes.
  Status PrepareHits();

  Result<std::string> Manifest();
  Result<ByteSpan> ReadTermLeaf(uint64_t offset, uint64_t length) override;
  Result<ByteSpan> ReadSpellingLeaf(uint64_t offset, uint64_t length) override;
  // Appends all forms of a stem, in order of term.
  virtual Status FindGroup(std::string_view stem, std::vector<TermEntry>* out) {
    return lexicon_.FindGroup(this, stem, out);
  }
  // Postings of a lexicon entry, decoded and checked.
  virtual Status ReadPostings(const TermEntry& entry, std::vector<Posting>* out) {
    return lexicon_.ReadPostings(this, entry, passages(), out);
  }
  virtual Status VisitSpellings(size_t shortest, size_t longest, std::string_view prefix,
                                const Spellings::Visitor& visit) {
    return spellings_.Visit(this, shortest, longest, prefix, visit);
  }
  // How rare a word is whose forms were found on so many pages.
  virtual float IdfOf(const QueryWord&, uint32_t pages) const { return Idf(settings_.pages, pages); }

  // Error: kNotFound past the last page.
  Status RequirePage(uint32_t page) const;
  // Passages of a page, [first, last). REQUIRES: page < settings().pages
  uint32_t FirstPassage(uint32_t page) const { return first_passage_[page]; }
  uint32_t EndPassage(uint32_t page) const {
    return page + 1 < settings_.pages ? first_passage_[page + 1] : passages();
  }
  // REQUIRES: passage < passages()
  virtual Result<StoredPassage> ReadPassage(uint32_t passage);
  // Page by URL (anchor ignored) or source path. Error: kNotFound.
  Result<uint32_t> FindPage(std::string_view url_or_source);

  // The language whose rules made its words. Error: kUnknownAnalysis, this reader lacks them.
  Result<Language> RequireAnalysis() const;

  bool has_vectors() const { return settings_.vector_bits != 0; }
  // Error: kNoVectors, with the way out.
  Status RequireVectors() const;
  // Reads only the nearest partitions, because not all rows are there.
  bool ProbesVectors();
  // All codes, loaded on first use. Error: kNoVectors.
  Result<const VectorTable*> Vectors();
  // Error: kNoVectors.
  Result<const PartitionIndex*> Partitions();
  Result<ByteSpan> Partition(uint64_t offset, uint64_t length);
  // Null when the bundle has no graph.
  Result<const HnswGraph*> Graph();

  // Filters and orders of pages.
  Facets& facets() { return facets_; }
  const Symbols& symbols() const { return symbols_; }

  // Checks that the sections agree with each other; `Container::VerifyBlocks` comes first.
  Status VerifyContents();

 protected:
  Settings settings_;
  std::vector<uint32_t> page_of_;
  std::vector<uint32_t> first_passage_;

 private:
  Container container_;
  bool open_ = false;
  RowCode row_code_;
  Lexicon lexicon_;
  Spellings spellings_;
  Symbols symbols_;
  PassageIndex passage_index_;
  Facets facets_;
  Result<uint32_t> FindPage(std::string_view url_or_source, ByteSpan urls);
  std::optional<VectorTable> vectors_;
  std::optional<PartitionIndex> partitions_;
  std::optional<HnswGraph> graph_;
  std::vector<uint8_t> graph_bytes_;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_BUNDLE_VIEW_H_
