#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/columns.h"
#include "base/front_coding.h"
#include "bundle/container.h"
#include "bundle/container_builder.h"
#include "encode/wordings.h"

namespace sheaf {
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

Result<std::vector<uint8_t>> WithWordings(Container* table, ByteSpan wordings) {
  constexpr int kLevel = 19;
  SHEAF_RETURN_IF_ERROR(table->Open(ContainerKind::kEncoderTable));
  std::vector<SectionBuilder> sections;
  std::vector<uint32_t> leaves;  // their stored lengths
  for (const SectionInfo& section : table->sections()) {
    if (section.id == SectionId::kWordings) continue;
    const bool has_leaves = section.id == SectionId::kTerms;
    if (has_leaves) sections.emplace_back(SectionId::kWordings, Codec::kZstd, kMaxBlockBytes, kLevel).Append(wordings);
    SectionBuilder& copy = sections.emplace_back(section.id, section.codec, section.block_size, kLevel);
    if (has_leaves) {
      uint64_t offset = 0;
      for (uint32_t length : leaves) {
        SHEAF_ASSIGN_OR_RETURN(const ByteSpan leaf, table->Piece(section, offset, length));
        // The index says how long leaves are as they are stored.
        if (copy.AddPiece(leaf) != length)
          return Error{ErrorCode::kInvalidArgument,
                       "the encoder table was compressed otherwise; make it anew from its words"};
        offset += length;
      }
      continue;
    }
    SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, table->ReadAll(section));
    copy.Append(bytes);
    if (section.id != SectionId::kTermIndex) continue;
    ByteReader r(bytes);
    const size_t count = size_t(r.Varint());
    std::vector<std::string> separators;
    std::vector<uint32_t> words;
    if (!r.ok() || count > r.remaining() || !ReadSeparators(&r, count, 255, &separators) ||
        !ReadNumbers(&r, count, &words) || !ReadNumbers(&r, count, &leaves))
      return Error{ErrorCode::kCorrupt, "the encoder table has a damaged word index"};
  }
  return BuildContainer(ContainerKind::kEncoderTable, std::move(sections));
}

}  // namespace sheaf
