// The border of the second module: encode/wordpiece.h as Embind sees it. Translation only; the
// conventions stand in wordpiece.d.ts, which declares exactly what is bound here.
#include <emscripten/bind.h>

#include <optional>
#include <string>
#include <vector>

#include "encode/wordpiece.h"

namespace {

class Tokenizer {
 public:
  double Stage(double size) {
    staged_.clear();
    staged_.shrink_to_fit();
    staged_.resize(size > 0 && size < 2147483648.0 ? size_t(size) : 0);
    return double(reinterpret_cast<uintptr_t>(staged_.data()));
  }
  int Load(int flags) {
    sheaf::WordPieceOptions options;
    options.lowercase = flags & 1;
    options.strip_accents = flags & 2;
    options.split_cjk = flags & 4;
    sheaf::Result<sheaf::WordPiece> made = sheaf::WordPiece::Create(std::move(staged_), std::move(options));
    staged_.clear();
    if (!made.ok()) {
      problem_ = made.error().message;
      return int(made.error().code);
    }
    word_piece_ = std::move(made).value();
    return 0;
  }
  std::string Problem() const { return problem_; }
  double Encode(double max_tokens) {
    ids_.clear();
    if (!word_piece_) return 0;
    const double most = max_tokens < 4294967295.0 ? max_tokens : 4294967295.0;  // NaN counts as the most
    word_piece_->Encode(staged_, uint32_t(most > 2 ? most : 2), &ids_);
    return double(ids_.size());
  }
  double IdsAddress() const { return double(reinterpret_cast<uintptr_t>(ids_.data())); }
  double Size() const { return word_piece_ ? word_piece_->size() : 0; }
  double Padding() const { return word_piece_ ? word_piece_->padding() : 0; }

 private:
  std::optional<sheaf::WordPiece> word_piece_;
  std::string staged_, problem_;
  std::vector<uint32_t> ids_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(sheaf_wordpiece) {
  emscripten::class_<Tokenizer>("Tokenizer")
      .constructor<>()
      .function("stage", &Tokenizer::Stage)
      .function("load", &Tokenizer::Load)
      .function("problem", &Tokenizer::Problem)
      .function("encode", &Tokenizer::Encode)
      .function("idsAddress", &Tokenizer::IdsAddress)
      .function("size", &Tokenizer::Size)
      .function("padding", &Tokenizer::Padding);
}
