#include "encode/static_encoder.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/front_coding.h"
#include "bundle/container.h"
#include "vector/distance.h"

namespace sheaf {
namespace {

constexpr uint32_t kMaxWords = 1u << 24;

Error Bad(const std::string& what) {
  return Error{ErrorCode::kCorrupt, "the encoder table " + what + "; the file is damaged, fetch it again"};
}

}  // namespace

struct StaticEncoder::Impl {
  Container* container = nullptr;
  const SectionInfo* terms = nullptr;
  const SectionInfo* rows = nullptr;
  uint32_t dimensions = 0, bits = 8, words = 0;
  std::string space;
  std::vector<std::string> first_words;
  // After LoadAll.
  bool resident = false;
  std::vector<std::string> all_words;  // sorted
  std::vector<uint8_t> all_rows;

  size_t row_size() const { return 4 + RowBytes(dimensions, bits); }

  // Row of a word, or -1.
  Result<int64_t> Find(std::string_view word) const {
    if (resident) {
      const auto it = std::lower_bound(all_words.begin(), all_words.end(), word);
      return it != all_words.end() && *it == word ? int64_t(it - all_words.begin()) : int64_t(-1);
    }
    const auto it = std::upper_bound(first_words.begin(), first_words.end(), word);
    if (it == first_words.begin()) return int64_t(-1);
    SHEAF_ASSIGN_OR_RETURN(const WordPage* page, Page(uint32_t(it - first_words.begin() - 1)));
    const auto found = std::lower_bound(page->words.begin(), page->words.end(), word);
    if (found == page->words.end() || *found != word) return int64_t(-1);
    return int64_t(page->first_row) + (found - page->words.begin());
  }

  // A page of words, decoded on first use and kept: all of them take about 1 MB.
  struct WordPage {
    uint32_t first_row = 0;
    std::vector<std::string> words;
  };
  Result<const WordPage*> Page(uint32_t index) const {
    if (const auto it = pages.find(index); it != pages.end()) return &it->second;
    SHEAF_ASSIGN_OR_RETURN(const ByteSpan bytes, container->Block(*terms, index));
    ByteReader r(bytes);
    const uint64_t count = r.Varint();
    const uint64_t first = r.Varint();
    if (!r.ok() || count == 0 || first > words || count > words - first) return Bad("names rows that do not exist");
    WordPage page;
    page.first_row = uint32_t(first);
    std::string text;
    for (uint64_t i = 0; i < count; ++i) {
      if (!ReadFrontCodedString(&r, &text) || (i && text <= page.words.back())) return Bad("has a damaged word page");
      page.words.push_back(text);
    }
    return &pages.emplace(index, std::move(page)).first->second;
  }
  mutable std::unordered_map<uint32_t, WordPage> pages;

  Status AddRow(uint32_t row, float weight, std::vector<float>* sum) const {
    std::vector<uint8_t> scratch;
    const uint8_t* bytes;
    if (resident) {
      bytes = all_rows.data() + size_t(row) * row_size();
    } else {
      SHEAF_RETURN_IF_ERROR(container->Read(*rows, uint64_t(row) * row_size(), row_size(), &scratch));
      bytes = scratch.data();
    }
    ByteReader r(ByteSpan(bytes, 4));
    const float factor = r.F32() * weight;
    if (!std::isfinite(factor)) return Bad("has a row with an impossible factor");
    int8_t codes[kMaxDimensions];
    UnpackRow(bytes + 4, dimensions, bits, codes);
    for (uint32_t d = 0; d < dimensions; ++d) (*sum)[d] += factor * float(codes[d]);
    return {};
  }

  // Adds a word, or its pieces. Missing bytes are noted and the walk goes on where it can.
  Status AddWord(std::string_view word, float weight, std::vector<float>* sum) const {
    SHEAF_ASSIGN_OR_RETURN(const int64_t row, Find(word));
    if (row >= 0) return AddRow(uint32_t(row), weight, sum);
    std::string piece;
    size_t at = 0;
    while (at < word.size()) {
      int64_t found = -1;
      size_t length = word.size() - at;
      for (; length > 0; --length) {
        // Pieces begin and end at character borders.
        if (at + length < word.size() && (uint8_t(word[at + length]) & 0xC0) == 0x80) continue;
        piece.assign(at ? "##" : "");
        piece.append(word.substr(at, length));
        SHEAF_ASSIGN_OR_RETURN(found, Find(piece));
        if (found >= 0) break;
      }
      if (found < 0) return {};
      SHEAF_RETURN_IF_ERROR(AddRow(uint32_t(found), weight, sum));
      at += length;
    }
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
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* settings, container->Require(SectionId::kSettings));
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* index, container->Require(SectionId::kTermIndex));
  SHEAF_ASSIGN_OR_RETURN(impl->terms, container->Require(SectionId::kTerms));
  SHEAF_ASSIGN_OR_RETURN(impl->rows, container->Require(SectionId::kRows));
  const auto settings_bytes = container->ReadAll(*settings);
  const auto index_bytes = container->ReadAll(*index);
  if (!settings_bytes.ok()) return settings_bytes.error();
  if (!index_bytes.ok()) return index_bytes.error();

  ByteReader r(*settings_bytes);
  impl->dimensions = r.U32();
  impl->bits = r.U8();
  impl->words = r.U32();
  impl->space = r.String();
  if (!r.ok() || impl->dimensions == 0 || impl->dimensions > kMaxDimensions || impl->dimensions % 16 ||
      (impl->bits != 4 && impl->bits != 8) || impl->words > kMaxWords) {
    return Bad("has impossible settings");
  }
  ByteReader index_reader(*index_bytes);
  if (!ReadFrontCoded(&index_reader, &impl->first_words)) return Bad("has a damaged word index");
  if (impl->first_words.size() != impl->terms->block_count || impl->terms->block_size != kWordPageBytes ||
      impl->rows->raw_size != uint64_t(impl->words) * impl->row_size()) {
    return Bad("has sections that do not fit one another");
  }
  return StaticEncoder(std::move(impl));
}

const std::string& StaticEncoder::space() const { return impl_->space; }
uint32_t StaticEncoder::dimensions() const { return impl_->dimensions; }
uint32_t StaticEncoder::words() const { return impl_->words; }
uint64_t StaticEncoder::content_hash() const { return impl_->container->content_hash(); }

Status StaticEncoder::AddTo(std::string_view text, const Analyzer& analyzer, float weight,
                            std::vector<float>* sum) const {
  std::vector<Token> tokens;
  analyzer.Tokenize(text, &tokens);
  bool missing = false;
  for (const Token& token : tokens) {
    if (token.kind == TokenKind::kWhole) continue;
    const Status added = impl_->AddWord(token.term, weight, sum);
    if (added.ok()) continue;
    if (added.code() != ErrorCode::kNeedsBytes) return added.error();
    missing = true;
  }
  if (missing) return Error{ErrorCode::kNeedsBytes, {}};
  return {};
}

Result<std::vector<float>> StaticEncoder::Embed(std::string_view text, const Analyzer& analyzer) const {
  std::vector<float> sum(impl_->dimensions);
  SHEAF_RETURN_IF_ERROR(AddTo(text, analyzer, 1, &sum));
  if (!Normalize(&sum)) sum.clear();
  return sum;
}

Status StaticEncoder::LoadAll() {
  if (impl_->resident) return {};
  std::vector<std::string> words;
  words.reserve(impl_->words);
  for (uint32_t page = 0; page < impl_->terms->block_count; ++page) {
    SHEAF_ASSIGN_OR_RETURN(const Impl::WordPage* decoded, impl_->Page(page));
    if (!words.empty() && decoded->words.front() <= words.back()) return Bad("has word pages out of order");
    words.insert(words.end(), decoded->words.begin(), decoded->words.end());
  }
  if (words.size() != impl_->words) return Bad("holds another number of words than it declares");
  SHEAF_ASSIGN_OR_RETURN(impl_->all_rows, impl_->container->ReadAll(*impl_->rows));
  impl_->all_words = std::move(words);
  impl_->pages.clear();
  impl_->resident = true;
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
