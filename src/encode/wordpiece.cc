#include "encode/wordpiece.h"

#include <algorithm>

#include "text/utf8.h"

namespace sheaf {
namespace {

constexpr std::string_view kContinues = "##";

// MPNet has BERT's vocabulary behind four tokens of its own.
SpecialTokens SpecialOf(std::string_view vocabulary) {
  const std::string_view first = vocabulary.substr(0, vocabulary.find_first_of("\r\n"));
  if (first != "<s>") return {};
  return {"[UNK]", "<s>", "</s>", "<pad>", "<mask>", "<unk>"};
}

Error Invalid(std::string message) { return Error{ErrorCode::kInvalidArgument, std::move(message)}; }
Error TooLarge(const std::string& what) {
  return Error{ErrorCode::kTooLarge, "the WordPiece vocabulary " + what + " that are read; is it a vocab.txt?"};
}

}  // namespace

Result<WordPiece> WordPiece::Create(std::string vocabulary, const WordPieceOptions& options) {
  if (vocabulary.empty()) {
    return Invalid("the WordPiece vocabulary is empty; expected the bytes of a vocab.txt, one token a line");
  }
  if (vocabulary.size() > kMaxVocabularyBytes) {
    return TooLarge("has " + std::to_string(vocabulary.size()) + " bytes, more than the " +
                    std::to_string(kMaxVocabularyBytes));
  }
  if (options.max_word_characters < 1 || options.max_word_characters > kMaxWordCharacters) {
    return Invalid("max_word_characters must be 1 to " + std::to_string(kMaxWordCharacters) + ", got " +
                   std::to_string(options.max_word_characters));
  }
  WordPiece made;
  made.vocabulary_ = std::move(vocabulary);
  SHEAF_RETURN_IF_ERROR(made.ReadLines(options.max_word_characters));
  made.Sort(&made.beginnings_);
  made.Sort(&made.continuations_);
  SHEAF_RETURN_IF_ERROR(made.ReadSpecials(options, options.special ? *options.special : SpecialOf(made.vocabulary_)));
  return made;
}

Status WordPiece::ReadLines(uint32_t max_word_characters) {
  const std::string_view all = vocabulary_;
  for (size_t at = 0; at < all.size(); ++lines_) {
    if (lines_ == kMaxVocabularyTokens) {
      return TooLarge("has more lines than the " + std::to_string(kMaxVocabularyTokens));
    }
    const size_t end = std::min(all.find('\n', at), all.size());
    std::string_view token = all.substr(at, end - at);
    size_t offset = at;
    at = end + 1;
    if (!token.empty() && token.back() == '\r') token.remove_suffix(1);
    Pieces* pieces = &beginnings_;
    if (token.substr(0, kContinues.size()) == kContinues) {
      pieces = &continuations_;
      offset += kContinues.size();
      token.remove_prefix(kContinues.size());
    }
    // Omit entries that no word can contain, so that a matching entry always ends between code points.
    if (token.empty() || token.size() > size_t(max_word_characters) * 4 || !IsUtf8(token)) continue;
    pieces->entries.push_back({uint32_t(offset), uint32_t(token.size()), uint32_t(lines_)});
  }
  return {};
}

void WordPiece::Sort(Pieces* pieces) const {
  std::vector<Entry>& entries = pieces->entries;
  std::sort(entries.begin(), entries.end(), [this](const Entry& a, const Entry& b) {
    const int order = Text(a).compare(Text(b));
    return order != 0 ? order < 0 : a.id > b.id;  // of equal ones the last line first: it stays
  });
  const auto equal = [this](const Entry& a, const Entry& b) { return Text(a) == Text(b); };
  entries.erase(std::unique(entries.begin(), entries.end(), equal), entries.end());
  entries.shrink_to_fit();
  size_t at = 0;
  for (uint32_t byte = 0; byte <= 256; ++byte) {
    while (at < entries.size() && uint8_t(Text(entries[at])[0]) < byte) ++at;
    pieces->first[byte] = uint32_t(at);
  }
}

Status WordPiece::ReadSpecials(const WordPieceOptions& options, const SpecialTokens& tokens) {
  struct Wanted {
    const char* what;
    const std::string& token;
    uint32_t* id;  // null: the vocabulary may lack it
  };
  const Wanted wanted[] = {{"unknown", tokens.unknown, &unknown_}, {"first", tokens.first, &first_},
                           {"last", tokens.last, &last_},          {"padding", tokens.padding, &padding_},
                           {"mask", tokens.mask, nullptr},         {"further", tokens.also, nullptr}};
  std::vector<std::string> special;
  for (const Wanted& w : wanted) {
    const auto& entries = beginnings_.entries;
    const auto before = [this](const Entry& entry, std::string_view token) { return Text(entry) < token; };
    const auto found = std::lower_bound(entries.begin(), entries.end(), std::string_view(w.token), before);
    if (found != entries.end() && Text(*found) == w.token) {
      if (w.id != nullptr) *w.id = found->id;
      special.push_back(w.token);
      special_ids_.push_back(found->id);
    } else if (w.id != nullptr) {
      return Invalid("the WordPiece vocabulary of " + std::to_string(lines_) + " tokens has no line \"" + w.token +
                     "\", the " + w.what +
                     " token; take the vocab.txt of the same model, or name its own token in the options");
    }
  }
  rules_ = BertTextRules(options.lowercase, options.strip_accents, options.split_cjk, options.max_word_characters,
                         std::move(special));
  return {};
}

// The longest entry that `text` begins with, or null. REQUIRES: text is not empty
const WordPiece::Entry* WordPiece::Longest(const Pieces& pieces, std::string_view text) const {
  const uint8_t lead = uint8_t(text[0]);
  const Entry* low = pieces.entries.data() + pieces.first[lead];
  const Entry* high = pieces.entries.data() + pieces.first[size_t(lead) + 1];
  const Entry* longest = nullptr;
  // Entries between low and high begin with the first `depth` bytes of text; the shortest comes first.
  for (size_t depth = 1; low < high; ++depth) {
    if (low->length == depth) longest = low++;
    if (depth == text.size()) break;
    const auto byte = [this, depth](const Entry& entry) { return uint8_t(vocabulary_[entry.offset + depth]); };
    const uint8_t next = uint8_t(text[depth]);
    low = std::partition_point(low, high, [&](const Entry& entry) { return byte(entry) < next; });
    // Few entries share more than a few bytes, so their end is near.
    size_t step = 1;
    while (step < size_t(high - low) && byte(low[step]) == next) step *= 2;
    high = std::partition_point(low, low + std::min(step, size_t(high - low)),
                                [&](const Entry& entry) { return byte(entry) == next; });
  }
  return longest;
}

void WordPiece::AppendWord(std::string_view word, std::vector<uint32_t>* ids) const {
  const size_t before = ids->size();
  const Pieces* pieces = &beginnings_;
  while (!word.empty()) {
    const Entry* piece = Longest(*pieces, word);
    if (piece == nullptr) {
      ids->resize(before);
      ids->push_back(unknown_);
      return;
    }
    ids->push_back(piece->id);
    word.remove_prefix(piece->length);
    pieces = &continuations_;
  }
}

void WordPiece::Encode(std::string_view text, uint32_t max_tokens, std::vector<uint32_t>* ids) const {
  const size_t limit = ids->size() + std::max(max_tokens, 2u) - 1;
  ids->push_back(first_);
  BertWords words(text, rules_);
  while (ids->size() < limit) {
    const BertWords::Kind kind = words.Next();
    if (kind == BertWords::Kind::kEnd) break;
    if (kind == BertWords::Kind::kWord) AppendWord(words.word(), ids);
    if (kind == BertWords::Kind::kTooLong) ids->push_back(unknown_);
    if (kind == BertWords::Kind::kSpecial) ids->push_back(special_ids_[words.special()]);
  }
  if (ids->size() > limit) ids->resize(limit);  // a word of many pieces, the last
  ids->push_back(last_);
}

}  // namespace sheaf
