// The border of the second module: encode/wordpiece.h as exported functions. Translation only; the
// conventions stand in wordpiece.d.ts, which declares exactly what is exported here.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "border.h"
#include "encode/wordpiece.h"

namespace {

struct Tokenizer {
  std::optional<sheaf::WordPiece> word_piece;
  std::string staged, problem;
  std::vector<uint32_t> ids;
};

}  // namespace

SHEAF_EXPORT(create) Tokenizer* Create() { return new Tokenizer; }
SHEAF_EXPORT(destroy) void Destroy(Tokenizer* tokenizer) { delete tokenizer; }

SHEAF_EXPORT(stage) char* Stage(Tokenizer* tokenizer, double size) {
  std::string().swap(tokenizer->staged);
  tokenizer->staged.resize(size > 0 && size < 2147483648.0 ? size_t(size) : 0);
  return tokenizer->staged.data();
}

SHEAF_EXPORT(load) int Load(Tokenizer* tokenizer, int flags) {
  sheaf::WordPieceOptions options;
  options.lowercase = flags & 1;
  options.strip_accents = flags & 2;
  options.split_cjk = flags & 4;
  sheaf::Result<sheaf::WordPiece> made = sheaf::WordPiece::Create(std::move(tokenizer->staged), std::move(options));
  tokenizer->staged.clear();
  if (!made.ok()) {
    tokenizer->problem = made.error().message;
    return int(made.error().code);
  }
  tokenizer->word_piece = std::move(made).value();
  return 0;
}
SHEAF_EXPORT(problemAddress) const char* ProblemAddress(Tokenizer* tokenizer) { return tokenizer->problem.data(); }
SHEAF_EXPORT(problemSize) size_t ProblemSize(Tokenizer* tokenizer) { return tokenizer->problem.size(); }

SHEAF_EXPORT(encode) size_t Encode(Tokenizer* tokenizer, double max_tokens) {
  tokenizer->ids.clear();
  if (!tokenizer->word_piece) return 0;
  const double most = max_tokens < 4294967295.0 ? max_tokens : 4294967295.0;  // NaN counts as the most
  tokenizer->word_piece->Encode(tokenizer->staged, uint32_t(most > 2 ? most : 2), &tokenizer->ids);
  return tokenizer->ids.size();
}
SHEAF_EXPORT(idsAddress) const uint32_t* IdsAddress(Tokenizer* tokenizer) { return tokenizer->ids.data(); }
SHEAF_EXPORT(size) uint32_t Size(Tokenizer* tokenizer) {
  return tokenizer->word_piece ? tokenizer->word_piece->size() : 0;
}
SHEAF_EXPORT(padding) uint32_t Padding(Tokenizer* tokenizer) {
  return tokenizer->word_piece ? tokenizer->word_piece->padding() : 0;
}
