// Property: WordPiece takes any bytes as text and as vocabulary (encode/wordpiece.h): numbers are those
// of the vocabulary, ends stay, a limit cuts and changes nothing else, words are pieced together again
// by their pieces, and a slow, obvious search for the longest piece agrees.
#include <map>
#include <string>

#include "encode/wordpiece.h"
#include "tests/fuzz/fuzz.h"

namespace sheaf::fuzz {

inline const std::string& SmallVocabulary() {
  static const std::string* const text = new std::string(
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nab\nabc\nabcd\n##a\n##b\n##ab\n##abcab\n##c\ne\n##e\n"
      "é\n##\xCC\x81\n"
      "中\n##中\nが\nか\nᄀ\n##ᅡ\n##ᆨ\n.\n##.\n[\n]\n#\n1\n##1\ni\n##i\nthe\n##the\n##x\n\n##\n\xFF\n##\xFF\nab\n-"
      "\r\n");
  return *text;
}

// The number of each line; of equal ones the last.
inline std::map<std::string, uint32_t> Lines(const std::string& vocabulary) {
  std::map<std::string, uint32_t> lines;
  uint32_t number = 0;
  for (size_t at = 0; at < vocabulary.size(); ++number) {
    const size_t end = std::min(vocabulary.find('\n', at), vocabulary.size());
    std::string line = vocabulary.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines[line] = number;
    at = end + 1;
  }
  return lines;
}

// The original's way: the whole rest of the word first, then one byte less, and so on.
inline std::vector<uint32_t> SlowPieces(const std::map<std::string, uint32_t>& lines, std::string_view word,
                                        uint32_t unknown) {
  std::vector<uint32_t> ids;
  for (size_t at = 0; at < word.size();) {
    size_t size = word.size() - at;
    for (; size > 0; --size) {
      const auto found = lines.find((at > 0 ? "##" : "") + std::string(word.substr(at, size)));
      if (found == lines.end()) continue;
      ids.push_back(found->second);
      break;
    }
    if (size == 0) return {unknown};
    at += size;
  }
  return ids;
}

inline void CheckEncoding(const WordPiece& tokenizer, std::string_view text, uint32_t limit) {
  std::vector<uint32_t> all, cut{7};
  tokenizer.Encode(text, UINT32_MAX, &all);
  tokenizer.Encode(text, limit, &cut);
  SHEAF_REQUIRE(all.size() >= 2 && all.front() == tokenizer.first() && all.back() == tokenizer.last());
  for (uint32_t id : all) SHEAF_REQUIRE(id < tokenizer.size());
  SHEAF_REQUIRE(all.size() <= 2 + 3 * text.size());
  const size_t room = std::max(limit, 2u);
  SHEAF_REQUIRE(cut.size() - 1 == std::min(all.size(), room) && cut[0] == 7 && cut.back() == tokenizer.last());
  SHEAF_REQUIRE(std::equal(cut.begin() + 1, cut.end() - 1, all.begin()));
}

void CheckWordPiece(ByteSpan input) {
  Input in(input);
  const uint8_t flags = in.Byte();
  const uint32_t limit = in.Byte();
  WordPieceOptions options;
  options.lowercase = !(flags & 1);
  options.strip_accents = !(flags & 2);
  options.split_cjk = !(flags & 4);
  const std::string text(AsText(in.Rest()));

  if (flags & 8) {  // the input is a vocabulary, too
    const Result<WordPiece> made = WordPiece::Create("[PAD]\n[UNK]\n[CLS]\n[SEP]\n" + text, options);
    SHEAF_REQUIRE(made.ok());
    return CheckEncoding(*made, text, limit);
  }
  const Result<WordPiece> made = WordPiece::Create(SmallVocabulary(), options);
  SHEAF_REQUIRE(made.ok());
  CheckEncoding(*made, text, limit);

  // A space parts two texts, whatever they are.
  std::vector<uint32_t> twice, once;
  made->Encode(text + " " + text, UINT32_MAX, &twice);
  made->Encode(text, UINT32_MAX, &once);
  SHEAF_REQUIRE(twice.size() == 2 * once.size() - 2);
  SHEAF_REQUIRE(std::equal(once.begin(), once.end() - 1, twice.begin()));
  SHEAF_REQUIRE(std::equal(once.begin() + 1, once.end(), twice.begin() + std::ptrdiff_t(once.size()) - 1));

  static const auto* const lines = new std::map<std::string, uint32_t>(Lines(SmallVocabulary()));
  const BertTextRules rules(options.lowercase, options.strip_accents, options.split_cjk, 100,
                            {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"});
  std::vector<uint32_t> slow{made->first()};
  BertWords words(text, rules);
  for (auto kind = words.Next(); kind != BertWords::Kind::kEnd; kind = words.Next()) {
    if (kind == BertWords::Kind::kSpecial) {
      slow.push_back(lines->at(rules.special(words.special())));
    } else if (kind == BertWords::Kind::kTooLong) {
      slow.push_back(made->unknown());
    } else {
      SHEAF_REQUIRE(!words.word().empty() && words.word().size() <= 400 && IsValidUtf8(words.word()));
      for (uint32_t id : SlowPieces(*lines, words.word(), made->unknown())) slow.push_back(id);
    }
  }
  slow.push_back(made->last());
  SHEAF_REQUIRE(slow == once);
}

}  // namespace sheaf::fuzz

SHEAF_FUZZ_TARGET(CheckWordPiece)
