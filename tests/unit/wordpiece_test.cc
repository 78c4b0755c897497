#include "encode/wordpiece.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "text/utf8.h"

namespace sheaf {
namespace wordpiece_test {

using nlohmann::json;

const std::string kFolder = std::string(SHEAF_SOURCE_DIR) + "/tests/golden/wordpiece/";

std::string ReadFile(const std::string& name) {
  std::ifstream file(kFolder + name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

const json& Golden() {
  static const json* const golden = new json(json::parse(ReadFile("cases.json")));
  return *golden;
}

WordPieceOptions WithFlags(int flags) {
  WordPieceOptions options;
  options.lowercase = flags & 1;
  options.strip_accents = flags & 2;
  options.split_cjk = flags & 4;
  return options;
}

WordPiece Make(const std::string& vocabulary, WordPieceOptions options = {}) {
  Result<WordPiece> made = WordPiece::Create(vocabulary, std::move(options));
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return std::move(made).value();
}

const WordPiece& Bert() {
  static const WordPiece* const tokenizer = new WordPiece(Make(ReadFile("vocab.txt")));
  return *tokenizer;
}

std::vector<uint32_t> Ids(const WordPiece& tokenizer, std::string_view text, uint32_t max_tokens = UINT32_MAX) {
  std::vector<uint32_t> ids;
  tokenizer.Encode(text, max_tokens, &ids);
  return ids;
}

std::string Utf8(char32_t code_point) {
  std::string text;
  AppendUtf8(code_point, &text);
  return text;
}

constexpr bool IsSurrogate(char32_t c) { return c >= 0xD800 && c < 0xE000; }

// A small vocabulary of special tokens and what the test adds.
std::string Vocabulary(const std::string& lines) { return "[PAD]\n[UNK]\n[CLS]\n[SEP]\n" + lines; }
constexpr uint32_t kUnknown = 1, kFirst = 2, kLast = 3, kOwn = 4;

// ---- against the original ---------------------------------------------------------------------------

TEST(WordPiece, GivesTheIdsOfTheOriginalForEveryGoldenText) {
  const std::string vocabulary = ReadFile("vocab.txt");
  std::vector<WordPiece> by_flags;
  for (int flags = 0; flags < 8; ++flags) by_flags.push_back(Make(vocabulary, WithFlags(flags)));
  size_t wrong = 0;
  for (const json& item : Golden()["cases"]) {
    const std::string text = item[0];
    const uint32_t limit = item[1] == 0 ? UINT32_MAX : item[1].get<uint32_t>();
    const auto got = Ids(by_flags[item[2].get<size_t>()], text, limit);
    if (got == item[3].get<std::vector<uint32_t>>()) continue;
    if (++wrong <= 5) ADD_FAILURE() << item.dump() << "\n got " << json(got).dump();
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GE(Golden()["cases"].size(), 1500u);
}

// MPNet's vocabulary is BERT's between tokens of its own.
TEST(WordPiece, GivesTheIdsOfTheOriginalForMpnetByItsVocabularyAlone) {
  const WordPiece tokenizer = Make("<s>\n<pad>\n</s>\n<unk>\n" + ReadFile("vocab.txt") + "<mask>\n");
  EXPECT_EQ(tokenizer.first(), 0u);
  EXPECT_EQ(tokenizer.padding(), 1u);
  EXPECT_EQ(tokenizer.last(), 2u);
  EXPECT_EQ(tokenizer.unknown(), 104u);
  const json cases = json::parse(ReadFile("mpnet.json"))["cases"];
  EXPECT_GE(cases.size(), 100u);
  for (const json& item : cases) {
    const std::string text = item[0];
    EXPECT_EQ(Ids(tokenizer, text, item[1]), item[2].get<std::vector<uint32_t>>()) << text;
  }
}

class Crc32 {
 public:
  Crc32() {
    for (uint32_t i = 0; i < 256; ++i) {
      table_[i] = i;
      for (int bit = 0; bit < 8; ++bit) table_[i] = table_[i] >> 1 ^ (table_[i] & 1 ? 0xEDB88320u : 0);
    }
  }
  void Add(const std::vector<uint32_t>& words) {
    for (uint32_t word : words)
      for (int shift = 0; shift < 32; shift += 8) value_ = table_[(value_ ^ word >> shift) & 0xFF] ^ value_ >> 8;
  }
  uint32_t value() const { return ~value_; }

 private:
  std::array<uint32_t, 256> table_;
  uint32_t value_ = ~0u;
};

// Every code point alone and between two letters; make.py computes the same sums from the original.
void ExpectSweep(const WordPiece& tokenizer, const json& sweep) {
  const uint32_t block = Golden()["block"];
  std::vector<uint32_t> ids;
  for (size_t i = 0; i < sweep["crc32"].size(); ++i) {
    Crc32 crc;
    for (uint32_t c = uint32_t(i) * block; c < (i + 1) * block; ++c) {
      if (IsSurrogate(c)) continue;
      for (const std::string& text : {Utf8(c), "a" + Utf8(c) + "b"}) {
        ids.clear();
        tokenizer.Encode(text, UINT32_MAX, &ids);
        crc.Add(ids);
      }
    }
    EXPECT_EQ(crc.value(), sweep["crc32"][i].get<uint32_t>())
        << "in the " << block << " code points from " << i * block;
  }
  EXPECT_EQ(sweep["crc32"].size() * block, 0x110000u);
}

TEST(WordPiece, AgreesWithTheOriginalOnEveryCodePoint) {
  for (const json& sweep : Golden()["sweeps"])
    if (sweep["vocabulary"] == "vocab.txt") ExpectSweep(Make(ReadFile("vocab.txt"), WithFlags(sweep["flags"])), sweep);
}

// The code points themselves are the vocabulary, so that no [UNK] hides how they were normalised.
TEST(WordPiece, NormalisesEveryCodePointLikeTheOriginalUnderEachOption) {
  std::string vocabulary = Vocabulary("[MASK]\n");
  for (char32_t c = 0x21; c < 0x30000; ++c)
    if (!IsSurrogate(c)) vocabulary += Utf8(c) + "\n##" + Utf8(c) + "\n";
  size_t sweeps = 0;
  for (const json& sweep : Golden()["sweeps"]) {
    if (sweep["vocabulary"] != "characters") continue;
    ExpectSweep(Make(vocabulary, WithFlags(sweep["flags"])), sweep);
    ++sweeps;
  }
  EXPECT_EQ(sweeps, 3u);
}

// ---- limits, ends, bytes ----------------------------------------------------------------------------

TEST(WordPiece, KeepsBothEndsAtEveryLimit) {
  const std::vector<uint32_t> all = Ids(Bert(), "unaffable tokenizers [MASK] on a bank");
  for (uint32_t limit = 2; limit < all.size() + 3; ++limit) {
    const std::vector<uint32_t> cut = Ids(Bert(), "unaffable tokenizers [MASK] on a bank", limit);
    ASSERT_EQ(cut.size(), std::min<size_t>(limit, all.size()));
    EXPECT_TRUE(std::equal(cut.begin(), cut.end() - 1, all.begin()));
    EXPECT_EQ(cut.back(), Bert().last());
  }
  const std::vector<uint32_t> ends{Bert().first(), Bert().last()};
  EXPECT_EQ(Ids(Bert(), "word", 0), ends);
  EXPECT_EQ(Ids(Bert(), "word", 1), ends);
  EXPECT_EQ(Ids(Bert(), ""), ends);
}

TEST(WordPiece, AppendsToWhatIsThere) {
  std::vector<uint32_t> ids{9, 9};
  Bert().Encode("hello", 3, &ids);
  EXPECT_EQ(ids, (std::vector<uint32_t>{9, 9, 101, 7592, 102}));
}

TEST(WordPiece, ReadsNoMoreTextThanItNeeds) {
  // The text goes on into a page that may not be read: whoever looks there ends the program.
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  char* const text = static_cast<char*>(memory);
  for (size_t i = 0; i < page; ++i) text[i] = "many [MASK] words. "[i % 19];
  ASSERT_EQ(mprotect(text + page, page, PROT_NONE), 0);
  EXPECT_EQ(Ids(Bert(), std::string_view(text, 2 * page), 64), Ids(Bert(), std::string_view(text, page), 64));
  munmap(memory, 2 * page);
}

TEST(WordPiece, TakesInvalidBytesForReplacementCharactersWhichVanish) {
  EXPECT_EQ(Ids(Bert(), "he\xFFllo"), Ids(Bert(), "hello"));
  EXPECT_EQ(Ids(Bert(), "he\xEF\xBF\xBDllo"), Ids(Bert(), "hello"));
  EXPECT_EQ(Ids(Bert(), "\xED\xA0\x80hello\xE4\xB8"), Ids(Bert(), "hello"));
  EXPECT_EQ(Ids(Bert(), std::string("he\0llo", 6)), Ids(Bert(), "hello"));
}

TEST(WordPiece, SortsAMegabyteOfCombiningMarksWithoutHoldingThem) {
  std::string text = "x";
  while (text.size() < (1u << 20)) text += "\xE3\x80\xAE\xE1\xAD\x84";  // U+302E, U+1B44: they swap
  EXPECT_EQ(Ids(Bert(), text), (std::vector<uint32_t>{101, 100, 102}));
}

// ---- the vocabulary ---------------------------------------------------------------------------------

TEST(WordPiece, TakesTheLongestPieceOfEachPlace) {
  const WordPiece tokenizer = Make(Vocabulary("ab\na\nabcde\n##cd\n##c\n##d\n##cdx\n"));
  EXPECT_EQ(Ids(tokenizer, "abcd"), (std::vector<uint32_t>{kFirst, kOwn, kOwn + 3, kLast}));
  EXPECT_EQ(Ids(tokenizer, "abcde"), (std::vector<uint32_t>{kFirst, kOwn + 2, kLast}));
  EXPECT_EQ(Ids(tokenizer, "ac"), (std::vector<uint32_t>{kFirst, kOwn + 1, kOwn + 4, kLast}));
  // Greedy, and a word is unknown as a whole.
  EXPECT_EQ(Ids(tokenizer, "abcdd abce c"),
            (std::vector<uint32_t>{kFirst, kOwn, kOwn + 3, kOwn + 5, kUnknown, kUnknown, kLast}));
}

TEST(WordPiece, ReadsLinesWithEitherEndAndWithoutTheLast) {
  for (const char* lines : {"one\ntwo\n##s", "one\r\ntwo\r\n##s\r\n", "one\ntwo\r\n##s\n"}) {
    const WordPiece tokenizer = Make(Vocabulary(lines));
    EXPECT_EQ(tokenizer.size(), 7u) << lines;
    EXPECT_EQ(Ids(tokenizer, "twos one"), (std::vector<uint32_t>{kFirst, kOwn + 1, kOwn + 2, kOwn, kLast})) << lines;
  }
}

TEST(WordPiece, CountsEmptyUnreadableAndDoubledLinesAndUsesTheLastOfEqualOnes) {
  const WordPiece tokenizer = Make(Vocabulary("\na\n\xFF\n##\na\n##\xC3\nb\n"));
  EXPECT_EQ(tokenizer.size(), 11u);
  EXPECT_EQ(Ids(tokenizer, "a b \xC3"), (std::vector<uint32_t>{kFirst, kOwn + 4, kOwn + 6, kLast}));
}

TEST(WordPiece, NamesTheSpecialTokenThatIsMissing) {
  for (const char* missing : {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}) {
    std::string vocabulary = Vocabulary("a\n");
    vocabulary.replace(vocabulary.find(missing), 5, "other");
    const Result<WordPiece> made = WordPiece::Create(vocabulary);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(made.error().message.find(missing), std::string::npos) << made.error().message;
  }
  EXPECT_TRUE(WordPiece::Create(Vocabulary("")).ok());  // [MASK] may be missing
}

TEST(WordPiece, TakesOtherNamesForTheSpecialTokens) {
  WordPieceOptions options;
  options.special = SpecialTokens{"<unk>", "<s>", "</s>", "<pad>", "<s>x"};
  const WordPiece tokenizer = Make("<s>\n<pad>\n</s>\n<unk>\na\n<s>x\n", options);
  EXPECT_EQ(tokenizer.padding(), 1u);
  // Where two begin at one place, the longer is meant.
  EXPECT_EQ(Ids(tokenizer, "a<s>a</s>?<s>x"), (std::vector<uint32_t>{0, 4, 0, 4, 2, 3, 5, 2}));
}

TEST(WordPiece, RefusesVocabulariesAndOptionsOutOfRange) {
  const auto error = [](std::string vocabulary, uint32_t characters = 100) {
    WordPieceOptions options;
    options.max_word_characters = characters;
    const Result<WordPiece> made = WordPiece::Create(std::move(vocabulary), options);
    EXPECT_FALSE(made.ok());
    return made.ok() ? Error{} : made.error();
  };
  EXPECT_NE(error("").message.find("empty"), std::string::npos);
  EXPECT_EQ(error(std::string(kMaxVocabularyBytes + 1, 'a')).code, ErrorCode::kTooLarge);
  EXPECT_EQ(error(Vocabulary(std::string(kMaxVocabularyTokens, '\n'))).code, ErrorCode::kTooLarge);
  EXPECT_EQ(error(Vocabulary(""), 0).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error(Vocabulary(""), kMaxWordCharacters + 1).code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(WordPiece::Create(Vocabulary(std::string(kMaxVocabularyTokens - 4, '\n'))).ok());
}

TEST(WordPiece, CountsTheCharactersOfAWordAfterNormalisation) {
  WordPieceOptions options;
  options.max_word_characters = 3;
  const WordPiece tokenizer = Make(Vocabulary("e\n##e\n"), options);
  const std::vector<uint32_t> three{kFirst, kOwn, kOwn + 1, kOwn + 1, kLast}, unknown{kFirst, kUnknown, kLast};
  EXPECT_EQ(Ids(tokenizer, "eee"), three);
  EXPECT_EQ(Ids(tokenizer, "eeee"), unknown);
  EXPECT_EQ(Ids(tokenizer,
                "éé\xCC\x81\xCC\x82\xE2\x80\x8B"
                "e"),
            three);
}

}  // namespace wordpiece_test
}  // namespace sheaf
