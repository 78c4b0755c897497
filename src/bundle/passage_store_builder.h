// Pages in, pieces of passages and their index out. Native only. Twin: passage_store.cc.
//
// Idea: buffer pages until there is enough text to train the dictionary and to measure how well this
// documentation compresses. Then cut pieces so that each takes about PieceStoredBytes when stored, the cost of showing
// one hit.
//
// Invariant: the bytes depend on the pages and the level alone. Cost: compressed text in memory, and up
// to twice kDictionaryText while text waits.
#ifndef SHEAF_BUNDLE_PASSAGE_STORE_BUILDER_H_
#define SHEAF_BUNDLE_PASSAGE_STORE_BUILDER_H_

#include <memory>
#include <string>
#include <vector>

#include "bundle/container_builder.h"
#include "bundle/dictionary_builder.h"
#include "bundle/passage_store.h"

namespace sheaf {

// The size of the next piece when `pieces` are written. Hits of a list are spread over pages, so pieces are small:
// twice the size would cost a list twice the bytes and save it hardly a request. But every reader fetches the index of
// all pieces, 1.5 bytes each, before its first hit. Beyond some 65,000 passages that is the larger part, so pieces grow
// with their number, up to three times the usual size.
double PieceStoredBytes(size_t pieces);

class PassageStoreBuilder {
 public:
  explicit PassageStoreBuilder(int level) : level_(level) {}

  // The passages of one page, in order; `page_begins` is set on the first.
  void Add(std::vector<StoredPassage> page);
  void Finish();

  uint64_t text_bytes() const { return text_bytes_; }
  // The bytes it takes, about.
  uint64_t bytes_held() const {
    return (pieces_ ? pieces_->stored_size() : 2 * text_bytes_) + lengths_.size() * 2 * sizeof(uint32_t);
  }

  // Valid after Finish.
  SectionBuilder TakePieces() { return std::move(*pieces_); }
  std::vector<uint8_t> Index() const;
  const std::vector<uint8_t>& dictionary() const { return dictionary_; }

 private:
  void Begin();
  void MeasureRatio();
  void Write(const StoredPassage& passage);
  void WritePath(const std::vector<std::string>& before, const std::vector<std::string>& path);
  void ClosePiece();

  int level_;
  std::vector<StoredPassage> waiting_;
  uint64_t text_bytes_ = 0;
  std::vector<uint8_t> dictionary_;
  std::unique_ptr<SectionBuilder> pieces_;  // null until Begin; until then, closed pieces become samples
  DictionarySamples samples_;
  double ratio_ = 1;  // decoded to stored bytes, of late
  // Open piece.
  ByteWriter heads_;
  std::string texts_;
  uint32_t count_ = 0;
  StoredPassage last_;
  std::vector<uint32_t> counts_, lengths_;  // passages and stored bytes, by piece
};

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_PASSAGE_STORE_BUILDER_H_
