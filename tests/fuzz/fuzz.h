// What the fuzz targets share: one property per file, checked from two places.
//
// A property is a function of any bytes at all. Built with -DSHEAF_LIBFUZZER and clang's
// -fsanitize=fuzzer each fuzz_*.cc is a program that hunts for bytes that break it; without, all of
// them are part of unit/fuzz_smoke_test.cc, which tries generated and mutated inputs in CI.
// See README.md for both.
#ifndef SHEAF_TESTS_FUZZ_FUZZ_H_
#define SHEAF_TESTS_FUZZ_FUZZ_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace sheaf::fuzz {

// The properties. Each returns normally for every input, or calls Fail.
void CheckAnalyzer(ByteSpan input);       // fuzz_analyzer.cc
void CheckSnippet(ByteSpan input);        // fuzz_snippet.cc
void CheckWordPiece(ByteSpan input);      // fuzz_wordpiece.cc
void CheckHnsw(ByteSpan input);           // fuzz_hnsw.cc
void CheckParseMarkdown(ByteSpan input);  // fuzz_parse_markdown.cc
void CheckParseHtml(ByteSpan input);      // fuzz_parse_html.cc
void CheckParseRst(ByteSpan input);       // fuzz_parse_rst.cc
void CheckOpenBundle(ByteSpan input);     // fuzz_open_bundle.cc

// What a broken property does: by default it ends the program, as libFuzzer wants it. The smoke
// test replaces it to report the failure and go on.
using FailureHandler = void (*)(const char* file, int line, const std::string& what);
inline FailureHandler on_failure = [](const char* file, int line, const std::string& what) {
  std::fprintf(stderr, "%s:%d: broken property: %s\n", file, line, what.c_str());
  std::abort();
};

#define SHEAF_REQUIRE(condition)                                 \
  do {                                                           \
    if (!(condition)) {                                          \
      ::sheaf::fuzz::on_failure(__FILE__, __LINE__, #condition); \
      return;                                                    \
    }                                                            \
  } while (0)

#if defined(SHEAF_LIBFUZZER)
#define SHEAF_FUZZ_TARGET(property)                                         \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);  \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { \
    ::sheaf::fuzz::property({data, size});                                  \
    return 0;                                                               \
  }
#else
#define SHEAF_FUZZ_TARGET(property)
#endif

// Numbers and pieces of an input; zeros and nothing once it is used up.
class Input {
 public:
  explicit Input(ByteSpan bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  uint8_t Byte() { return bytes_.empty() ? 0 : Bytes(1)[0]; }
  uint32_t Word() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= uint32_t(Byte()) << (8 * i);
    return value;
  }
  ByteSpan Bytes(size_t count) {
    count = count < bytes_.size() ? count : bytes_.size();
    const ByteSpan piece = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return piece;
  }
  ByteSpan Rest() { return Bytes(bytes_.size()); }

 private:
  ByteSpan bytes_;
};

// Changes `bytes` as the input says: overwrite a byte or a word, insert, delete, repeat, cut.
inline void Edit(Input* input, std::vector<uint8_t>* bytes) {
  for (int edits = 0; edits < 16 && !input->empty(); ++edits) {
    const uint8_t operation = input->Byte();
    const size_t at = bytes->empty() ? 0 : input->Word() % bytes->size();
    const auto place = bytes->begin() + std::ptrdiff_t(at);
    switch (operation % 8) {
      case 0:
      case 1:
        if (!bytes->empty()) *place = input->Byte();
        break;
      case 2:
        if (!bytes->empty()) *place ^= uint8_t(1 << (input->Byte() % 8));
        break;
      case 3: {  // an aligned little-endian word, small or large
        const uint32_t value = operation & 8 ? input->Word() : input->Byte();
        for (size_t i = 0; i < 4 && at / 4 * 4 + i < bytes->size(); ++i)
          (*bytes)[at / 4 * 4 + i] = uint8_t(value >> (8 * i));
        break;
      }
      case 4: {
        const ByteSpan piece = input->Bytes(input->Byte() % 16);
        bytes->insert(place, piece.begin(), piece.end());
        break;
      }
      case 5: {
        const size_t count = std::min<size_t>(input->Byte(), bytes->size() - at);
        bytes->erase(place, place + std::ptrdiff_t(count));
        break;
      }
      case 6: {
        const std::vector<uint8_t> piece(place,
                                         place + std::ptrdiff_t(std::min<size_t>(input->Byte(), bytes->size() - at)));
        bytes->insert(bytes->end(), piece.begin(), piece.end());
        break;
      }
      case 7:
        if (operation & 64) bytes->resize(at);
        break;
    }
  }
}

// An independent judge of UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
inline bool IsValidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t k) { return i + k < text.size() ? uint8_t(text[i + k]) : 0; };
    const uint8_t lead = byte(0);
    const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (size_t k = 1; k < length; ++k)
      if ((byte(k) & 0xc0) != 0x80) return false;
    if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf0 && byte(1) < 0x90) ||
        (lead == 0xf4 && byte(1) > 0x8f))
      return false;
    i += length;
  }
  return true;
}

}  // namespace sheaf::fuzz

#endif  // SHEAF_TESTS_FUZZ_FUZZ_H_
