// Valid bundles and an encoder table for the fuzzer of the engine, and what a hostile packer could make of them:
// the same file with one section, or one piece of it, edited and every checksum right.
#ifndef SHEAF_TESTS_FUZZ_EDITED_BUNDLE_H_
#define SHEAF_TESTS_FUZZ_EDITED_BUNDLE_H_

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/columns.h"
#include "bundle/container.h"
#include "bundle/container_builder.h"
#include "encode/static_encoder.h"
#include "search/bundle_builder.h"
#include "tests/fuzz/fuzz.h"
#include "vector/partition.h"

namespace sheaf::fuzz {

using Bytes = std::vector<uint8_t>;

[[noreturn]] inline void CannotSetUp(const Error& error) {
  std::fprintf(stderr, "the sample cannot be built: %s\n", error.message.c_str());
  std::exit(2);
}
template <typename T>
inline T Must(Result<T> result) {
  if (!result.ok()) CannotSetUp(result.error());
  return std::move(result).value();
}
inline void Must(Status status) {
  if (!status.ok()) CannotSetUp(status.error());
}

inline const std::vector<std::string>& Words() {
  static const auto* words = new std::vector<std::string>{"cache",  "router", "install", "guide",  "token", "async",
                                                          "vector", "query",  "error",   "config", "page",  "index",
                                                          "build",  "type",   "import",  "value",  "##s"};
  return *words;
}

inline const Bytes& ValidTable() {
  static const Bytes* table = [] {
    EncoderTableInput input;
    input.space = "fuzz-16";
    input.dimensions = 16;
    input.bits = 8;
    input.manifest = "{}";
    input.words = Words();
    for (size_t i = 0; i < input.words.size() * 16; ++i)
      input.rows.push_back(float(int(i * 2654435761u >> 24) % 41 - 20) / 20);
    return new Bytes(Must(BuildEncoderTable(input)));
  }();
  return *table;
}

inline PageInput SamplePage(size_t i) {
  PageInput page;
  page.title = Words()[i] + " guide";
  page.url = "https://example.org/" + Words()[i] + ".html";
  page.source = Words()[i] + ".md";
  page.facets.filters = {{"kind", i % 2 ? "guide" : "reference"}, {"topic", Words()[i % 5]}};
  page.facets.sorts = {{"order", std::to_string(i * 7 % 5)}};
  page.facets.meta = {{"image", "/" + Words()[i] + ".png"}};
  for (size_t j = 0; j <= i % 4; ++j) {
    PassageInput passage;
    passage.prose = "The " + Words()[(i + j) % Words().size()] + " of " + Words()[j + 9] +
                    " caches café 日本語 useEffect; install_all " + std::to_string(i);
    passage.code = "asyncio.gather(std::vector, " + Words()[(i * j) % 16] + ")";
    passage.headings = {"Part " + std::to_string(j)};
    passage.anchor = "part-" + std::to_string(j);
    passage.first_line = uint32_t(3 * j + 1);
    passage.last_line = passage.first_line + 2;
    page.text += "## Part\n\n" + passage.prose + "\n`" + passage.code + "`\n";
    passage.end = uint32_t(page.text.size());
    page.passages.push_back(std::move(passage));
  }
  return page;
}

// As many short passages as it takes for partitions, and for more vectors than the first request brings.
inline PageInput LongPage() {
  PageInput page;
  page.title = "Log";
  page.source = "log.md";
  for (size_t i = 0; i < 2 * kPartitionFrom; ++i) {
    PassageInput passage;
    passage.prose = Words()[i % 16] + " " + Words()[i * 7 / 16 % 16];
    page.text += passage.prose + "\n";
    passage.end = uint32_t(page.text.size());
    page.passages.push_back(std::move(passage));
  }
  return page;
}

inline Bytes BuildSample(bool many_passages) {
  Container container(ValidTable().size());
  Must(container.Supply(0, ValidTable()));
  Must(container.Open(ContainerKind::kEncoderTable));
  StaticEncoder encoder = Must(StaticEncoder::Open(&container));
  Must(encoder.LoadAll());
  BuildOptions options;
  options.library = "fuzz";
  options.version = "1.0";
  options.vector_bits = 8;
  options.graph = many_passages ? GraphMode::kNever : GraphMode::kAlways;
  options.compression_level = 1;
  BundleBuilder builder(options, &encoder);
  const Analyzer analyzer;
  for (size_t i = 0; i < 12; ++i) Must(builder.Add(Must(PreparePage(SamplePage(i), analyzer, &encoder))));
  if (many_passages) Must(builder.Add(Must(PreparePage(LongPage(), analyzer, &encoder))));
  return Must(builder.Finish({}));
}

inline const Bytes& ValidBundle() {
  static const Bytes* bundle = new Bytes(BuildSample(false));
  return *bundle;
}

inline const Bytes& ValidLargeBundle() {
  static const Bytes* bundle = new Bytes(BuildSample(true));
  return *bundle;
}

// A valid file taken apart: a section of blocks is one string of bytes, one of pieces several.
struct Parts {
  struct Part {
    SectionInfo info;
    std::vector<Bytes> contents;
  };
  std::vector<Part> parts;
  Bytes dictionary;
};

// Pieces say themselves where they end: where a checksum of what came before stands.
inline std::vector<Bytes> PiecesOf(Container* container, const SectionInfo& section, const Bytes& file) {
  std::vector<Bytes> pieces;
  for (uint64_t at = 0; at < section.stored_size;) {
    const uint8_t* begin = &file[section.offset + at];
    const uint64_t seed = PieceSeed(container->identity(), section.offset + at);
    uint64_t length = 1;
    while (at + length + 4 <= section.stored_size &&
           Checksum32(ByteSpan(begin, length), seed) != LoadU32(begin + length))
      ++length;
    const ByteSpan piece = Must(container->Piece(section, at, length + 4));
    pieces.emplace_back(piece.begin(), piece.end());
    at += length + 4;
  }
  return pieces;
}

inline Parts TakeApart(const Bytes& file, ContainerKind kind) {
  Container container(file.size());
  Must(container.Supply(0, file));
  Must(container.Open(kind));
  Parts parts;
  for (const SectionInfo& section : container.sections()) {
    parts.parts.push_back({section, {}});
    if (HasPieces(section.codec))
      parts.parts.back().contents = PiecesOf(&container, section, file);
    else
      parts.parts.back().contents.push_back(Must(container.ReadAll(section)));
    if (section.id == SectionId::kDictionary) parts.dictionary = parts.parts.back().contents[0];
  }
  return parts;
}

// The index of a section of pieces, with other stored lengths. REQUIRES: the index is sound.
inline Bytes WithLengths(SectionId id, ContainerKind kind, ByteSpan index, const std::vector<uint32_t>& lengths) {
  ByteReader r(index);
  ByteWriter w;
  const auto column = [&](size_t count) {
    std::vector<uint32_t> numbers;
    (void)ReadNumbers(&r, count, &numbers);
    return numbers;
  };
  const size_t count = r.Varint();
  if (id == SectionId::kTerms || id == SectionId::kSpellings || id == SectionId::kSymbols) {
    std::vector<std::string> separators;
    (void)ReadSeparators(&r, count, 255, &separators);
  }
  // What each piece holds stands before the lengths, but for a bundle's terms.
  if (id == SectionId::kPassages || kind == ContainerKind::kEncoderTable) column(count);
  if (id == SectionId::kSpellings) {  // records, behind the lexicon's columns
    column(count);
    (void)r.Varint();
    w.Bytes(index.first(r.position()));
    for (const uint32_t length : lengths) {
      w.String(r.String());
      (void)r.Varint();
      w.Varint(length);
    }
  } else if (id == SectionId::kSymbols) {  // behind both
    column(count);
    for (uint64_t leaves = r.Varint(); leaves > 0; --leaves) {
      (void)r.String();
      (void)r.Varint();
    }
    const size_t own = r.Varint();
    std::vector<std::string> separators;
    (void)ReadSeparators(&r, own, 255, &separators);
    w.Bytes(index.first(r.position()));
    column(own);
    WriteNumbers(lengths, &w);
  } else {
    w.Bytes(index.first(r.position()));
    column(count);
    WriteNumbers(lengths, &w);
  }
  w.Bytes(index.subspan(r.position()));
  return w.Take();
}

inline SectionId IndexOf(SectionId id) {
  switch (id) {
    case SectionId::kTerms:
    case SectionId::kSymbols:
    case SectionId::kSpellings: return SectionId::kTermIndex;
    case SectionId::kPassages: return SectionId::kPassageIndex;
    default: return id;  // of vectors: none, arithmetic says where they lie
  }
}

// The file with one section, or one piece of it, edited and every checksum right. An edited piece has
// its new length in the index, so that readers come as far as its contents.
inline Bytes WithEditedSection(const Bytes& file, const Parts& parts, ContainerKind kind, Input* input) {
  const size_t chosen = input->Byte() % parts.parts.size();
  const Parts::Part& target = parts.parts[chosen];
  const size_t number = target.contents.size() > 1 ? input->Byte() % target.contents.size() : 0;
  Bytes edited = target.contents[number], index;
  Edit(input, &edited);
  std::vector<SectionBuilder> sections;
  const auto builder = [&](const SectionInfo& info) -> SectionBuilder& {
    return sections.emplace_back(info.id, info.codec, info.block_size, 1,
                                 parts.dictionary.empty() ? nullptr : &parts.dictionary);
  };
  if (HasPieces(target.info.codec)) {
    if (edited.empty()) return file;  // a piece has contents
    SectionBuilder& section = builder(target.info);
    std::vector<uint32_t> lengths;  // of the others too: the file may have been compressed otherwise
    for (size_t i = 0; i < target.contents.size(); ++i)
      lengths.push_back(uint32_t(section.AddPiece(i == number ? edited : target.contents[i])));
    for (const Parts::Part& part : parts.parts) {
      if (part.info.id != IndexOf(target.info.id) || part.info.id == target.info.id) continue;
      index = WithLengths(target.info.id, kind, part.contents[0], lengths);
      builder(part.info).Append(index);
    }
  } else {
    builder(target.info).Append(edited);
  }
  for (const Parts::Part& part : parts.parts) {
    if (part.info.id == target.info.id || (!index.empty() && part.info.id == IndexOf(target.info.id))) continue;
    SectionBuilder& section = builder(part.info);
    for (const Bytes& content : part.contents) {
      if (HasPieces(part.info.codec))
        section.AddPiece(content);
      else
        section.Append(content);
    }
  }
  auto built = BuildContainer(kind, std::move(sections));
  return built.ok() ? std::move(built).value() : file;
}

}  // namespace sheaf::fuzz

#endif  // SHEAF_TESTS_FUZZ_EDITED_BUNDLE_H_
