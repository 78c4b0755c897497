#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/columns.h"
#include "base/front_coding.h"
#include "bundle/container_builder.h"
#include "encode/static_encoder.h"
#include "vector/distance.h"

namespace sheaf {

Result<std::vector<uint8_t>> BuildEncoderTable(const EncoderTableInput& input) {
  const auto bad = [](std::string what) { return Error{ErrorCode::kInvalidArgument, std::move(what)}; };
  const uint32_t dimensions = input.dimensions;
  if (dimensions == 0 || dimensions > kMaxDimensions || dimensions % 16) {
    return bad("dimensions must be a multiple of 16 up to 4096, got " + std::to_string(dimensions));
  }
  if (input.bits != 4 && input.bits != 8) return bad("bits must be 4 or 8, got " + std::to_string(input.bits));
  if (input.words.empty() || input.rows.size() != input.words.size() * size_t(dimensions)) {
    return bad("expected " + std::to_string(input.words.size() * size_t(dimensions)) + " row components, got " +
               std::to_string(input.rows.size()));
  }
  std::vector<uint32_t> order(input.words.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return input.words[a] < input.words[b]; });

  constexpr int kLevel = 19;
  SectionBuilder manifest(SectionId::kManifest, Codec::kZstd, 16 * 1024, kLevel);
  SectionBuilder settings(SectionId::kSettings, Codec::kRaw, 4096, kLevel);
  SectionBuilder index(SectionId::kTermIndex, Codec::kZstd, 256 * 1024, kLevel);
  SectionBuilder terms(SectionId::kTerms, Codec::kZstdPieces, kMaxPieceBytes, kLevel);

  manifest.Append(AsBytes(input.manifest));
  ByteWriter s;
  s.U32(dimensions);
  s.U8(uint8_t(input.bits));
  s.U32(uint32_t(input.words.size()));
  s.U16(kQueryVersion);
  s.String(input.space);
  settings.Append(s.bytes());

  ByteWriter words, rows;
  uint32_t count = 0;
  std::string previous, separator;
  std::vector<std::string> separators;
  std::vector<uint32_t> counts, lengths;
  const auto close_leaf = [&] {
    if (!count) return;
    words.Bytes(rows.bytes());
    separators.push_back(separator);
    counts.push_back(count);
    lengths.push_back(uint32_t(terms.AddPiece(words.bytes())));
    words = ByteWriter();
    rows = ByteWriter();
    count = 0;
  };
  for (size_t i = 0; i < order.size(); ++i) {
    const std::string& word = input.words[order[i]];
    if (word.empty() || word.size() > 255)
      return bad("word " + std::to_string(order[i]) + " is empty or longer than 255 bytes");
    if (i && word == input.words[order[i - 1]]) return bad("the word '" + word + "' occurs twice");
    if (count == kWordsPerLeaf) close_leaf();
    if (!count && i) separator = word.substr(0, SharedPrefix(previous, word) + 1);
    WriteFrontCodedString(count ? std::string_view(previous) : std::string_view(), word, &words);
    previous = word;
    ++count;

    const std::span<const float> row(&input.rows[size_t(order[i]) * dimensions], dimensions);
    const std::vector<uint8_t> packed = QuantizeRow(row, input.bits);
    // The factor that brings the codes closest to the row: <row, codes> / <codes, codes>.
    std::vector<int8_t> codes(dimensions);
    UnpackRow(packed.data(), dimensions, input.bits, codes.data());
    double dot = 0, square = 0;
    for (uint32_t d = 0; d < dimensions; ++d) {
      dot += double(row[d]) * codes[d];
      square += double(codes[d]) * codes[d];
    }
    const float factor = square > 0 ? float(dot / square) : 0;
    if (!std::isfinite(factor)) return bad("the row of '" + word + "' holds a value that is not a number");
    rows.F32(factor);
    rows.Bytes(packed);
  }
  close_leaf();
  ByteWriter i;
  i.Varint(separators.size());
  WriteSeparators(separators, &i);
  WriteNumbers(counts, &i);
  WriteNumbers(lengths, &i);
  index.Append(i.bytes());

  std::vector<SectionBuilder> sections;
  sections.push_back(std::move(settings));
  sections.push_back(std::move(index));
  sections.push_back(std::move(manifest));
  sections.push_back(std::move(terms));
  return BuildContainer(ContainerKind::kEncoderTable, std::move(sections));
}

}  // namespace sheaf
