// The encoder table as a search uses it: opened on first use, and refused when its space differs from that of
// the bundle's vectors.
//
// Cost: Open reads the table's settings and word index once; each text, the pieces of its words.
#ifndef SHEAF_SEARCH_QUERY_ENCODER_H_
#define SHEAF_SEARCH_QUERY_ENCODER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/container.h"
#include "encode/static_encoder.h"
#include "encode/wordings.h"
#include "search/bundle_view.h"
#include "text/analyzer.h"

namespace sheaf {

class QueryEncoder {
 public:
  // Declares a table of `size` bytes and forgets the one before.
  void SetSource(uint64_t size);
  // Null when no table was declared.
  Container* table() const { return table_.get(); }

  // Repeatable; cheap once it succeeded. `bundle` may be null or not open yet. Errors: kNoEncoder,
  // kSpaceMismatch, those of StaticEncoder::Open.
  Status Open(const BundleView* bundle);

  // Opens the table if there is one, and says whether it is of the space of the bundle's vectors. Errors: kNeedsBytes.
  Result<bool> Fits(const BundleView* bundle);

  // REQUIRES for all: Open succeeded
  const std::string& space() const { return encoder_->space(); }
  // L2-normalised; empty when no word of the text is known.
  Result<std::vector<float>> Embed(std::string_view text, const Analyzer& analyzer, bool pieces = true) const {
    return encoder_->Embed(text, analyzer, pieces);
  }
  // Of the table; without any where it has none. Read on first use.
  Result<const Wordings*> OtherWordings(const Analyzer& english);
  Result<bool> KnowsWord(std::string_view word) const { return encoder_->KnowsWord(word); }

 private:
  std::unique_ptr<Container> table_;
  std::optional<StaticEncoder> encoder_;
  std::optional<Wordings> wordings_;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_QUERY_ENCODER_H_
