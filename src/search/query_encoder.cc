#include "search/query_encoder.h"

#include <utility>

#include "base/gather.h"

namespace sheaf {

void QueryEncoder::SetSource(uint64_t size) {
  encoder_.reset();
  wordings_.reset();
  table_ = std::make_unique<Container>(size);
}

Status QueryEncoder::Open(const BundleView* bundle) {
  if (!table_) {
    return Error{ErrorCode::kNoEncoder,
                 "no query encoder: supply the encoder table, pass a query vector, or search by keyword"};
  }
  if (!encoder_) {
    SHEAF_ASSIGN_OR_RETURN(encoder_, StaticEncoder::Open(table_.get()));
  }
  if (!bundle || !bundle->is_open() || !bundle->has_vectors()) return {};
  const Settings& settings = bundle->settings();
  if (encoder_->space() == settings.space && encoder_->dimensions() == settings.dimensions) return {};
  return Error{ErrorCode::kSpaceMismatch,
               "the bundle's vectors live in space '" + settings.space + "' (" + std::to_string(settings.dimensions) +
                   " dimensions), the encoder table in '" + encoder_->space() + "' (" +
                   std::to_string(encoder_->dimensions()) + "); use the table of the bundle's space"};
}

Result<bool> QueryEncoder::Fits(const BundleView* bundle) {
  const Status opened = Open(bundle);
  if (LacksBytes(opened)) return opened.error();
  return opened.ok();
}

Result<const Wordings*> QueryEncoder::OtherWordings(const Analyzer& english) {
  if (!wordings_) {
    SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, table_->ReadAllIfAny(SectionId::kWordings));
    SHEAF_ASSIGN_OR_RETURN(wordings_, bytes.empty() ? Result<Wordings>(Wordings()) : Wordings::Read(bytes, english));
  }
  return &*wordings_;
}

}  // namespace sheaf
