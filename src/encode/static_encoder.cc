#include "encode/static_encoder.h"

#include <algorithm>
#include <cmath>

#include "base/columns.h"
#include "base/front_coding.h"
#include "base/gather.h"
#include "bundle/container.h"
#include "encode/word_index.h"
#include "text/utf8.h"
#include "vector/distance.h"

namespace sheaf {
namespace {

constexpr uint32_t kMaxWords = 1u << 24;
constexpr size_t kMaxWord = 255;    // bytes
constexpr size_t kLikelyStart = 3;  // bytes; a shorter piece begins a word where no longer one does

Error Bad(const std::string& what) {
  return Error{ErrorCode::kCorrupt, "the encoder table " + what + "; the file is damaged, fetch it again"};
}

}  // namespace

// The row of a word: f32 factor and codes. It lives as long as the encoder.
using Row = const uint8_t*;

struct StaticEncoder::Impl {
  struct WordLeaf {
    uint64_t offset = 0, length = 0;
    uint32_t count = 0;
    std::vector<std::string> words;  // empty until first needed
    std::vector<uint8_t> rows;
  };

  Container* container = nullptr;
  const SectionInfo* terms = nullptr;
  uint32_t dimensions = 0, bits = 8, words = 0;
  std::string space;
  std::vector<std::string> separators;
  mutable std::vector<WordLeaf> leaves;  // all of them loaded after LoadAll
  // Set by LoadAll alone, so that code for packing alone is linked where packing is.
  std::unique_ptr<WordIndex> index;
  Row (*find_indexed)(const WordIndex&, std::string_view) = nullptr;

  size_t row_size() const { return 4 + RowBytes(dimensions, bits); }

  // Row of a word, or null.
  Result<Row> Find(std::string_view word) const {
    if (find_indexed) return find_indexed(*index, word);
    const auto it = std::upper_bound(separators.begin(), separators.end(), word);
    WordLeaf& leaf = leaves[size_t(it - separators.begin()) - 1];  // the first separator is empty
    SHEAF_RETURN_IF_ERROR(Load(&leaf));
    const auto found = std::lower_bound(leaf.words.begin(), leaf.words.end(), word);
    if (found == leaf.words.end() || *found != word) return Row(nullptr);
    return Row(leaf.rows.data() + size_t(found - leaf.words.begin()) * row_size());
  }

  Status Load(WordLeaf* leaf) const {
    if (!leaf->words.empty()) return {};
    SHEAF_ASSIGN_OR_RETURN(const ByteSpan bytes, container->Piece(*terms, leaf->offset, leaf->length));
    if (bytes.size() / row_size() < leaf->count) return Bad("has a damaged word leaf");
    ByteReader r(bytes);
    std::vector<std::string> read;
    read.reserve(leaf->count);
    std::string text;
    for (uint32_t i = 0; i < leaf->count; ++i) {
      if (!ReadFrontCodedString(&r, &text) || text.size() > kMaxWord || (i && text <= read.back()))
        return Bad("has a damaged word leaf");
      read.push_back(text);
    }
    const ByteSpan rows = r.Bytes(size_t(leaf->count) * row_size());
    if (!r.ok() || r.remaining() != 0) return Bad("has a damaged word leaf");
    leaf->rows.assign(rows.begin(), rows.end());
    leaf->words = std::move(read);
    return {};
  }

  Status AddRow(Row row, float weight, std::vector<float>* sum) const {
    ByteReader r(ByteSpan(row, 4));
    const float factor = r.F32() * weight;
    if (!std::isfinite(factor)) return Bad("has a row with an impossible factor");
    int8_t codes[kMaxDimensions];
    UnpackRow(row + 4, dimensions, bits, codes);
    for (uint32_t d = 0; d < dimensions; ++d) (*sum)[d] += factor * float(codes[d]);
    return {};
  }

  // Adds the longest piece of `word` at `at` and moves `at` behind it; to the word's end where there is none. Pieces are
  // looked up from the longest on. Behind one whose bytes are missing, a shorter one may be the longest: its bytes are
  // noted too, and those of the piece that would then end the word, since fetching them one by one would cost a round
  // trip each.
  Status AddPiece(std::string_view word, float weight, size_t* at, std::vector<float>* sum) const {
    Gather gather;
    Row found = nullptr;
    size_t end = word.size();
    std::string piece;
    for (; end > *at && !found; --end) {
      // Pieces begin and end at character borders.
      if (end < word.size() && IsUtf8Continuation(word[end])) continue;
      if (*at == 0 && end < kLikelyStart && !gather.complete()) break;
      piece.assign(*at ? "##" : "").append(word.substr(*at, end - *at));
      const Result<Row> looked = Find(piece);
      SHEAF_RETURN_IF_ERROR(gather.Note(looked));
      if (looked.ok()) found = *looked;
      if (gather.complete() || (looked.ok() && !found) || end == word.size()) continue;
      piece.assign("##").append(word.substr(end));
      SHEAF_RETURN_IF_ERROR(gather.Note(Find(piece)));
    }
    SHEAF_RETURN_IF_ERROR(gather.status());
    *at = found ? end + 1 : word.size();
    return found ? AddRow(found, weight, sum) : Status();
  }

  // Adds a word, or its pieces where they are wanted.
  Status AddWord(std::string_view word, float weight, bool pieces, std::vector<float>* sum) const {
    SHEAF_ASSIGN_OR_RETURN(const Row row, Find(word));
    if (row) return AddRow(row, weight, sum);
    for (size_t at = 0; pieces && at < word.size();) SHEAF_RETURN_IF_ERROR(AddPiece(word, weight, &at, sum));
    return {};
  }
};

StaticEncoder::StaticEncoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StaticEncoder::StaticEncoder(StaticEncoder&&) noexcept = default;
StaticEncoder& StaticEncoder::operator=(StaticEncoder&&) noexcept = default;
StaticEncoder::~StaticEncoder() = default;

Result<StaticEncoder> StaticEncoder::Open(Container* container) {
  SHEAF_RETURN_IF_ERROR(container->Open(ContainerKind::kEncoderTable));
  auto impl = std::make_unique<Impl>();
  impl->container = container;
  SHEAF_ASSIGN_OR_RETURN(impl->terms, container->Require(SectionId::kTerms));
  std::vector<uint8_t> settings_bytes, index_bytes;
  Gather gather;
  SHEAF_RETURN_IF_ERROR(gather.Take(container->ReadAll(SectionId::kSettings), &settings_bytes));
  SHEAF_RETURN_IF_ERROR(gather.Take(container->ReadAll(SectionId::kTermIndex), &index_bytes));
  SHEAF_RETURN_IF_ERROR(gather.status());

  ByteReader r(settings_bytes);
  impl->dimensions = r.U32();
  impl->bits = r.U8();
  impl->words = r.U32();
  const uint16_t version = r.U16();
  impl->space = r.String();
  if (!r.ok() || impl->dimensions == 0 || impl->dimensions > kMaxDimensions || impl->dimensions % 16 ||
      (impl->bits != 4 && impl->bits != 8) || impl->words > kMaxWords) {
    return Bad("has impossible settings");
  }
  static_assert(kQueryVersion == 1, "as the message says");
  if (version != kQueryVersion) {
    std::string what = "the encoder table '" + impl->space;
    what += "' is for query version ";
    what += std::to_string(version);
    what += ", this reader knows 1; update Sheaf, or search by keyword";
    return Error{ErrorCode::kUnsupportedVersion, std::move(what)};
  }
  ByteReader index_reader(index_bytes);
  const uint64_t count = index_reader.Varint();
  if (!index_reader.ok() || count == 0 || count > index_reader.remaining()) return Bad("has a damaged word index");
  std::vector<uint32_t> counts, lengths;
  if (!ReadSeparators(&index_reader, size_t(count), kMaxWord, &impl->separators) ||
      !ReadNumbers(&index_reader, size_t(count), &counts) || !ReadNumbers(&index_reader, size_t(count), &lengths)) {
    return Bad("has a damaged word index");
  }
  uint64_t offset = 0, words = 0;
  for (size_t i = 0; i < count; ++i) {
    if (counts[i] == 0 || lengths[i] == 0 || counts[i] > kMaxPieceBytes / impl->row_size())
      return Bad("has a damaged word index");
    Impl::WordLeaf leaf;
    leaf.count = counts[i];
    leaf.length = lengths[i];
    leaf.offset = offset;
    offset += leaf.length;
    words += leaf.count;
    impl->leaves.push_back(std::move(leaf));
  }
  if (offset != impl->terms->stored_size || words != impl->words)
    return Bad("has sections that do not fit one another");
  return StaticEncoder(std::move(impl));
}

const std::string& StaticEncoder::space() const { return impl_->space; }
uint32_t StaticEncoder::dimensions() const { return impl_->dimensions; }
uint32_t StaticEncoder::words() const { return impl_->words; }
uint64_t StaticEncoder::content_hash() const { return impl_->container->content_hash(); }

Status StaticEncoder::AddTo(std::string_view text, const Analyzer& analyzer, float weight, std::vector<float>* sum,
                            bool pieces) const {
  std::vector<Token> tokens;
  analyzer.Tokenize(text, &tokens);
  return AddTo(tokens, weight, sum, pieces);
}

Status StaticEncoder::AddTo(std::span<const Token> tokens, float weight, std::vector<float>* sum, bool pieces) const {
  Gather gather;
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::kWhole) continue;
    SHEAF_RETURN_IF_ERROR(gather.Note(impl_->AddWord(token.term, weight, pieces, sum)));
  }
  return gather.status();
}

Result<std::vector<float>> StaticEncoder::Embed(std::string_view text, const Analyzer& analyzer, bool pieces) const {
  std::vector<float> sum(impl_->dimensions);
  SHEAF_RETURN_IF_ERROR(AddTo(text, analyzer, 1, &sum, pieces));
  if (!Normalize(&sum)) sum.clear();
  return sum;
}

Result<bool> StaticEncoder::KnowsWord(std::string_view word) const {
  SHEAF_ASSIGN_OR_RETURN(const Row row, impl_->Find(word));
  return row != nullptr;
}

Status StaticEncoder::LoadAll() {
  const Impl::WordLeaf* before = nullptr;
  for (Impl::WordLeaf& leaf : impl_->leaves) {
    SHEAF_RETURN_IF_ERROR(impl_->Load(&leaf));
    if (before && leaf.words.front() <= before->words.back()) return Bad("has word leaves out of order");
    before = &leaf;
  }
  auto index = std::make_unique<WordIndex>(impl_->words);
  for (const Impl::WordLeaf& leaf : impl_->leaves) {
    for (size_t i = 0; i < leaf.words.size(); ++i) index->Add(leaf.words[i], leaf.rows.data() + i * impl_->row_size());
  }
  impl_->index = std::move(index);
  impl_->find_indexed = [](const WordIndex& words, std::string_view word) { return Row(words.Find(word)); };
  return {};
}

bool Normalize(std::vector<float>* vector) {
  double square = 0;
  for (float v : *vector) square += double(v) * v;
  if (!(square > 0) || !std::isfinite(square)) return false;
  const float inverse = float(1.0 / std::sqrt(square));
  for (float& v : *vector) v *= inverse;
  return true;
}

}  // namespace sheaf
