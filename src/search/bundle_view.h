// A bundle as the search sees it: settings, lexicon, postings, pages, vectors, over a Container.
//
// Idea: the small things that every query needs are decoded once by Open; everything else is read
// when asked for. Any read may return kNeedsBytes, having noted the range in the container; callers
// go on asking for all they can foresee before giving up for this round.
//
// Cost: Open decodes settings, term index and passage map, about 1 byte a passage and 10 a term page.
#ifndef SHEAF_SEARCH_BUNDLE_VIEW_H_
#define SHEAF_SEARCH_BUNDLE_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/container.h"
#include "bundle/page_store.h"
#include "bundle/settings.h"
#include "lexical/lexicon.h"
#include "lexical/postings.h"
#include "vector/flat.h"
#include "vector/hnsw.h"

namespace sheaf {

class BundleView final : public TermPages {
 public:
  explicit BundleView(uint64_t file_size) : container_(file_size) {}

  Container& container() { return container_; }
  Status Open();
  bool is_open() const { return open_; }

  const Settings& settings() const { return settings_; }
  Lexicon& lexicon() { return lexicon_; }
  // REQUIRES: passage < settings().passages
  uint32_t PageOf(uint32_t passage) const { return page_of_[passage]; }
  uint32_t passages() const { return settings_.passages; }

  Result<std::string> Manifest();
  Result<ByteSpan> TermPage(uint32_t index) override;
  // Postings of a lexicon entry, decoded and checked.
  Status ReadPostings(const TermEntry& entry, std::vector<Posting>* out);

  Result<PageRecord> Record(uint32_t page);
  // Record and head, checked against each other. Error: kNotFound past the last page.
  struct PageParts {
    PageRecord record;
    PageHead head;
  };
  Result<PageParts> ReadPage(uint32_t page);
  // Text of a passage of the page, `index` counted from the page's first.
  Result<std::string> ReadText(const PageParts& page, size_t index);
  // Page by URL (anchor ignored) or source path. Error: kNotFound.
  Result<uint32_t> FindPage(std::string_view url_or_source);

  bool has_vectors() const { return settings_.vector_bits != 0; }
  // Error: kNoVectors, saying what to do.
  Status RequireVectors() const;
  // All codes, loaded on first use. Error: kNoVectors.
  Result<const VectorTable*> Vectors();
  // Null when the bundle has no graph.
  Result<const HnswGraph*> Graph();

  // Checks what the sections say of each other; `Container::VerifyBlocks` comes first.
  Status VerifyContents();

 private:
  Container container_;
  bool open_ = false;
  Settings settings_;
  Lexicon lexicon_;
  std::vector<uint32_t> page_of_;
  std::vector<uint32_t> first_passage_;
  std::optional<VectorTable> vectors_;
  std::optional<HnswGraph> graph_;
  std::vector<uint8_t> graph_bytes_;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_BUNDLE_VIEW_H_
