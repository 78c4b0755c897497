#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/columns.h"
#include "base/front_coding.h"
#include "bundle/container.h"
#include "bundle/container_builder.h"
#include "encode/static_encoder.h"
#include "vector/distance.h"

namespace sheaf {
namespace {

constexpr int kTableLevel = 19;

}  // namespace

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

  SectionBuilder manifest(SectionId::kManifest, Codec::kZstd, 16 * 1024, kTableLevel);
  SectionBuilder settings(SectionId::kSettings, Codec::kRaw, 4096, kTableLevel);
  SectionBuilder index(SectionId::kTermIndex, Codec::kZstd, 256 * 1024, kTableLevel);
  SectionBuilder terms(SectionId::kTerms, Codec::kZstdPieces, kMaxPieceBytes, kTableLevel);

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

Result<std::vector<uint8_t>> WithWordings(Container* table, ByteSpan wordings) {
  SHEAF_RETURN_IF_ERROR(table->Open(ContainerKind::kEncoderTable));
  std::vector<SectionBuilder> sections;
  std::vector<uint8_t> index;
  const auto copy = [&](SectionId id, Codec codec, uint32_t block) -> Status {
    SectionBuilder& section = sections.emplace_back(id, codec, block, kTableLevel);
    SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, table->ReadAll(id));
    section.Append(bytes);
    if (id == SectionId::kTermIndex) index = bytes;
    return {};
  };
  SHEAF_RETURN_IF_ERROR(copy(SectionId::kSettings, Codec::kRaw, 4096));
  SHEAF_RETURN_IF_ERROR(copy(SectionId::kTermIndex, Codec::kZstd, 256 * 1024));
  SHEAF_RETURN_IF_ERROR(copy(SectionId::kManifest, Codec::kZstd, 16 * 1024));
  sections.emplace_back(SectionId::kWordings, Codec::kZstd, kMaxBlockBytes, kTableLevel).Append(wordings);
  SectionBuilder& terms = sections.emplace_back(SectionId::kTerms, Codec::kZstdPieces, kMaxPieceBytes, kTableLevel);
  ByteReader r(index);
  const size_t leaves = size_t(r.Varint());
  std::vector<std::string> separators;
  std::vector<uint32_t> counts, lengths;
  const Error damaged{ErrorCode::kCorrupt, "the encoder table has a damaged word index"};
  if (!r.ok() || leaves > r.remaining() || !ReadSeparators(&r, leaves, 255, &separators) ||
      !ReadNumbers(&r, leaves, &counts) || !ReadNumbers(&r, leaves, &lengths))
    return damaged;
  uint64_t offset = 0;
  for (uint32_t length : lengths) {
    SHEAF_ASSIGN_OR_RETURN(const ByteSpan leaf, table->Piece(SectionId::kTerms, offset, length));
    // The index says how long pieces are as they are stored.
    if (terms.AddPiece(leaf) != length) {
      return Error{ErrorCode::kInvalidArgument,
                   "the encoder table was compressed otherwise; make it anew from its words"};
    }
    offset += length;
  }
  return BuildContainer(ContainerKind::kEncoderTable, std::move(sections));
}

namespace {

// The words between blanks; `_` stands for the space within one.
std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ')
      words.emplace_back();
    else
      words.back().push_back(c == '_' ? ' ' : c);
  }
  std::erase(words, "");
  return words;
}

bool IsWording(const std::string& word) {
  return word.size() <= 64 && std::count(word.begin(), word.end(), ' ') <= 1 &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' '; });
}

}  // namespace

Result<std::vector<uint8_t>> WordingsSection(std::string_view text) {
  std::map<std::string, std::set<std::string>> others;
  size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(':');
    const bool group = line[0] == '=';
    const auto bad = [&](const std::string& why) {
      return Error{ErrorCode::kInvalidArgument, "line " + std::to_string(number) + " " + why +
                                                    "; expected \"= a b c_d\" or \"a b: x y\", of a-z and 0-9"};
    };
    if (group == (colon != line.npos)) return bad("is no line of wordings");
    const std::vector<std::string> from = Split(group ? line.substr(1) : line.substr(0, colon));
    const std::vector<std::string> to = group ? from : Split(line.substr(colon + 1));
    if (from.empty() || to.empty()) return bad("leads nowhere");
    for (const std::vector<std::string>* words : {&from, &to}) {
      const auto wrong = std::find_if_not(words->begin(), words->end(), IsWording);
      if (wrong != words->end()) return bad("has '" + wrong->substr(0, 64) + "'");
    }
    for (const std::string& a : from) {
      for (const std::string& b : to) {
        if (a != b && b.find(' ') == b.npos) others[a].insert(b), others[b];
      }
    }
  }
  std::map<std::string_view, uint32_t> numbers;
  ByteWriter out;
  out.Varint(others.size());
  std::string_view previous;
  for (const auto& [word, to] : others) {
    WriteFrontCodedString(previous, word, &out);
    numbers.emplace(word, uint32_t(numbers.size()));
    previous = word;
  }
  for (const auto& [word, to] : others) {
    if (to.size() > 64) return Error{ErrorCode::kInvalidArgument, "'" + word + "' has more than 64 other wordings"};
    out.Varint(to.size());
    uint32_t before = 0;
    for (const std::string& other : to) {
      out.Varint(numbers[other] - before);
      before = numbers[other];
    }
  }
  return std::move(out).bytes();
}

}  // namespace sheaf
