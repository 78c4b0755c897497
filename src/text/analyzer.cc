// The tokenizer of analyzer.h.
//
// Idea: one walk over the bytes. A table says for each ASCII byte which tokens it can begin or continue; a
// plain word, which is nearly everything, is emitted straight from the text. Anything else becomes
// a Name: its folded bytes in a small buffer, with the borders of its segments and parts, of which
// every term is a stretch.
//
//   name     a.b-c_dEf      the text of one position
//   group    a | b-c_dEf    between '.', ':', '::' (and the '/' of @scope/name)
//   segment  a | b | c_dEf  between '-' as well
//   part     a | b | c | d | ef    between '_' and at camelCase borders as well
//
// Every look ahead is over a run that the walk then skips as a whole, so the time is linear
// for any bytes.
#include "text/analyzer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "stem_UTF_8_english.h"
#include "text/keys.h"
#include "text/snowball.h"
#include "text/unicode.h"
#include "text/utf8.h"

namespace sheaf {
namespace {

// ---- classes of ASCII bytes -----------------------------------------------------------------

enum : uint8_t {
  kLo = 1,       // a-z
  kUp = 2,       // A-Z
  kDg = 4,       // 0-9
  kSpace = 8,    // white space and control characters
  kOp = 16,      // operator character
  kOpen = 32,    // no name goes on before it; after it a sigil like '-' or '.' may begin a name
  kEnd = 64,     // after a letter: the word surely ends here
  kSigil = 128,  // may begin a name
};
constexpr uint8_t kAlpha = kLo | kUp;
constexpr uint8_t kWordByte = kAlpha | kDg;

// unreachable: it runs when this is compiled
constexpr std::array<uint8_t, 256> MakeByteTable() {
  std::array<uint8_t, 256> table{};
  for (int c = 0; c <= 32; ++c) table[size_t(c)] = kSpace | kOpen | kEnd;
  table[127] = kSpace | kOpen | kEnd;
  for (int c = 'a'; c <= 'z'; ++c) table[size_t(c)] = kLo;
  for (int c = 'A'; c <= 'Z'; ++c) table[size_t(c)] = kUp;
  for (int c = '0'; c <= '9'; ++c) table[size_t(c)] = kDg;
  for (char c : std::string_view("!\"$%&()*,;<=>?@[\\]^`{|}~/")) table[uint8_t(c)] |= kEnd;
  for (char c : std::string_view("!#%&*+-.:<=>?@^|~")) table[uint8_t(c)] |= kOp;
  for (char c : std::string_view("\"'`([{,;=|<>/")) table[uint8_t(c)] |= kOpen;
  for (char c : std::string_view("@$#-.:")) table[uint8_t(c)] |= kSigil;
  return table;
}
constexpr std::array<uint8_t, 256> kBytes = MakeByteTable();

constexpr size_t kNoToken = size_t(-1);

char LowerByte(char c) { return kBytes[uint8_t(c)] & kUp ? char(c | 32) : c; }

// Catalan's l·l (col·lecció) is one word, with the point or without.
constexpr std::string_view kPoint = "\u00B7";

// ---- a name under construction --------------------------------------------------------------

// A stretch of the folded bytes and the source bytes it came from.
struct Stretch {
  uint32_t begin = 0, end = 0;
  uint32_t source_begin = 0, source_end = 0;
};

struct TokenSegment {
  Stretch all;   // with underscores around it
  Stretch core;  // without
  uint32_t first_part = 0, end_part = 0;
  char joiner = 0;  // before it: '-', '.', ':' or '/'; 0 for the first

  bool compound() const { return end_part - first_part > 1 || all.end - all.begin != core.end - core.begin; }
};

// Room for kMaxParts parts, each cut after kMaxTermBytes + 1 bytes and one folding, the underscores
// between them cut likewise, and a rest that is long enough to be too long for a term.
constexpr size_t kNameBytes = 4096;
constexpr size_t kPieceBytes = kMaxTermBytes + 1;
static_assert(kMaxParts * (2 * kPieceBytes + kMaxFoldBytes + 4) + 2 * kPieceBytes < kNameBytes);

struct Name {
  uint32_t size = 0;         // of `bytes`
  uint32_t prefix_size = 0;  // sigil or '<'
  uint32_t parts = 0, segments = 0;
  uint32_t source_begin = 0;
  bool has_slash = false;
  bool closed = false;  // ended by a contraction: no further part may join it
  Stretch part[kMaxParts];
  TokenSegment segment[kMaxParts];
  char bytes[kNameBytes];

  void Append(std::string_view s) {
    if (size + s.size() > kNameBytes) return;
    std::memcpy(bytes + size, s.data(), s.size());
    size += uint32_t(s.size());
  }
};

class Scanner {
 public:
  Scanner(std::string_view text, std::vector<Token>* out) : text_(text.substr(0, UINT32_MAX)), out_(out) {}

  void Run();

 private:
  uint8_t FlagsAt(size_t at) const { return at < text_.size() ? kBytes[uint8_t(text_[at])] : 0; }
  char CharAt(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  bool IsAsciiAt(size_t at) const { return uint8_t(text_[at]) < 0x80; }

  // Bytes of the hyphen at `at`: '-', U+2010, U+2011; 0 where there is none. Likewise apostrophes.
  size_t HyphenAt(size_t at) const;
  size_t ApostropheAt(size_t at) const;
  size_t SkipIgnored(size_t at) const;
  bool IsWordAt(size_t at) const;
  // Where a segment begins at or, past ignored characters, after `at`; kNone where none does.
  size_t SegmentStart(size_t at) const;
  bool IsLetterStart(size_t at) const;
  bool IsPointOfLl(size_t at) const;
  bool IsOpen(size_t at) const;  // whether a sigil like '-' may stand at `at`

  size_t Names(size_t at);      // a word or name that begins at `at`
  size_t Sigil(size_t at);      // `--flag`, `@click`; kNone when it is none
  size_t Tag(size_t at);        // `<table>`; kNone when it is none
  size_t Operators(size_t at);  // `=>` and the like
  size_t Dense(size_t at);      // 日本語
  size_t AfterName(size_t at);

  size_t ParseName(size_t at, char sigil);
  size_t ParseSegment(size_t at, char joiner);
  size_t ParseChunk(size_t at);
  size_t ParseContraction(size_t at, bool join);
  size_t ParseSuffix(size_t at, uint32_t* short_size, size_t* short_end);
  bool KeepsAcronym(size_t at) const;
  void EndPart(uint32_t begin, uint32_t end, size_t source_begin, size_t source_end);

  void Emit(std::string_view term, TokenKind kind, size_t begin, size_t end);
  void EmitStretch(const Stretch& s, TokenKind kind) {
    Emit({name_.bytes + s.begin, s.end - s.begin}, kind, s.source_begin, s.source_end);
  }
  void EmitName(bool affixed);
  void EmitFlat();

  const std::string_view text_;
  std::vector<Token>* const out_;
  uint32_t position_ = 0;
  size_t word_end_ = kNoToken;    // where the last word or name ended
  size_t host_begin_ = kNoToken;  // of the URL being read
  size_t url_end_ = 0;
  Name name_;
};

void Scanner::Emit(std::string_view term, TokenKind kind, size_t begin, size_t end) {
  if (term.empty() || term.size() > kMaxTermBytes) return;
  Token& token = out_->emplace_back();
  token.term.assign(term);
  token.kind = kind;
  token.position = position_;
  token.begin = uint32_t(begin);
  token.end = uint32_t(end);
}

void Scanner::Run() {
  const size_t n = text_.size();
  const auto* bytes = reinterpret_cast<const uint8_t*>(text_.data());
  size_t at = 0;
  while (at < n) {
    const uint8_t c = bytes[at];
    const uint8_t flags = kBytes[c];
    if (flags & kAlpha) {
      // The common case: letters, lower case but for the first, and then a sure end.
      size_t end = at + 1;
      while (end < n && kBytes[bytes[end]] & kLo) ++end;
      const bool plain = end == n || kBytes[bytes[end]] & kEnd ||
                         (bytes[end] == '.' && (end + 1 == n || kBytes[bytes[end + 1]] & kSpace));
      if (plain && at >= url_end_) {
        if (end - at <= kMaxTermBytes) {
          Token& token = out_->emplace_back();
          token.term.assign(text_.data() + at, end - at);
          token.term[0] = char(token.term[0] | 32);
          token.position = position_;
          token.begin = uint32_t(at);
          token.end = uint32_t(end);
        }
        ++position_;
        word_end_ = at = end;
      } else {
        at = Names(at);
      }
      continue;
    }
    if (flags & kDg) {
      at = Names(at);
      continue;
    }
    if (flags & kSpace) {
      ++at;
      continue;
    }
    if (c >= 0x80) {
      const Decoded d = DecodeUtf8(text_, at);
      const CharClass char_class = ClassOf(d.code_point);
      if (IsWordClass(char_class)) {
        at = Names(at);
      } else if (char_class == CharClass::kDense) {
        at = Dense(at);
      } else {
        at += d.size;
      }
      continue;
    }
    if (c == '_') {
      size_t end = at;
      while (end < n && bytes[end] == '_') ++end;
      at = IsWordAt(end) ? Names(at) : end;
      continue;
    }
    if (at < url_end_) {  // punctuation of a URL is no token; %20 and the like are not words
      const bool escape = c == '%' && FlagsAt(at + 1) & kWordByte && FlagsAt(at + 2) & kWordByte;
      at += escape ? 3 : 1;
      continue;
    }
    size_t end = kNoToken;
    if (flags & kSigil) end = Sigil(at);
    if (c == '<') end = Tag(at);
    if (end == kNoToken && flags & kOp) end = Operators(at);
    at = end == kNoToken ? at + 1 : end;
  }
}

// ---- looking at the text --------------------------------------------------------------------

size_t Scanner::HyphenAt(size_t at) const {
  if (CharAt(at) == '-') return 1;
  const std::string_view rest = text_.substr(std::min(at, text_.size()), 3);
  return rest == "\u2010" || rest == "\u2011" ? 3 : 0;
}

size_t Scanner::ApostropheAt(size_t at) const {
  if (CharAt(at) == '\'') return 1;
  return text_.substr(std::min(at, text_.size()), 3) == "\u2019" ? 3 : 0;
}

size_t Scanner::SkipIgnored(size_t at) const {
  while (at < text_.size() && !IsAsciiAt(at)) {
    const Decoded d = DecodeUtf8(text_, at);
    if (ClassOf(d.code_point) != CharClass::kIgnored) break;
    at += d.size;
  }
  return at;
}

bool Scanner::IsWordAt(size_t at) const {
  if (at >= text_.size()) return false;
  if (IsAsciiAt(at)) return FlagsAt(at) & kWordByte;
  return IsWordClass(ClassOf(DecodeUtf8(text_, at).code_point));
}

size_t Scanner::SegmentStart(size_t at) const {
  const size_t start = at = SkipIgnored(at);
  while (CharAt(at) == '_') ++at;
  return IsWordAt(at) ? start : kNoToken;
}

bool Scanner::IsLetterStart(size_t at) const {
  while (CharAt(at) == '_') ++at;
  if (at >= text_.size()) return false;
  const CharClass c = ClassOf(DecodeUtf8(text_, at).code_point);
  return IsWordClass(c) && c != CharClass::kDigit;
}

// REQUIRES: at > 0.
bool Scanner::IsPointOfLl(size_t at) const {
  return text_.substr(at, kPoint.size()) == kPoint && (CharAt(at - 1) | 32) == 'l' && (CharAt(at + 2) | 32) == 'l';
}

bool Scanner::IsOpen(size_t at) const {
  if (at == 0) return true;
  if (word_end_ == at) return false;
  return !IsAsciiAt(at - 1) || FlagsAt(at - 1) & kOpen;
}

// ---- parsing a name -------------------------------------------------------------------------

void Scanner::EndPart(uint32_t begin, uint32_t end, size_t source_begin, size_t source_end) {
  if (name_.parts == kMaxParts) return;
  name_.part[name_.parts++] = {begin, end, uint32_t(source_begin), uint32_t(source_end)};
}

// After capitals, at a small letter: whether the last capital still belongs to the acronym, as in
// URLs, GHz and IPv6, and does not begin a word, as in XMLHttp.
bool Scanner::KeepsAcronym(size_t at) const {
  const char c = text_[at];
  if (c == 'v') return FlagsAt(at + 1) & kDg;
  if (c != 's' && c != 'z') return false;
  return at + 1 >= text_.size() || (IsAsciiAt(at + 1) && !(FlagsAt(at + 1) & kWordByte));
}

// A run of letters and digits, cut into parts at camelCase borders.
size_t Scanner::ParseChunk(size_t at) {
  const uint32_t chunk_begin = name_.size, parts_before = name_.parts;
  const size_t chunk_source = at;
  uint32_t begin = chunk_begin;
  size_t source_begin = at;
  const bool hex = CharAt(at) == '0' && (CharAt(at + 1) | 32) == 'x';
  CharClass before = CharClass::kNone;      // class of the character before
  CharClass before_run = CharClass::kNone;  // and of the one before the capitals
  uint32_t run = 0;                         // capitals in a row
  uint32_t last_upper = 0;                  // where the last capital is
  size_t source_upper = 0;

  while (at < text_.size()) {
    char folded[kMaxFoldBytes];
    size_t folded_size = 1, size = 1;
    CharClass char_class;
    if (IsAsciiAt(at)) {
      const uint8_t flags = FlagsAt(at);
      if (!(flags & kWordByte)) break;
      folded[0] = flags & kUp ? char(text_[at] | 32) : text_[at];
      char_class = flags & kLo ? CharClass::kLower : flags & kUp ? CharClass::kUpper : CharClass::kDigit;
    } else {
      const Decoded d = DecodeUtf8(text_, at);
      char_class = ClassOf(d.code_point);
      size = d.size;
      if (char_class == CharClass::kIgnored || IsPointOfLl(at)) {
        at += size;
        continue;
      }
      if (!IsWordClass(char_class)) break;
      folded_size = FoldCodePoint(d.code_point, folded);
    }

    size_t split = kNoToken;  // source offset of a border
    if (!hex && char_class == CharClass::kUpper) {
      if (before == CharClass::kLower) {
        EndPart(begin, name_.size, source_begin, at);
        begin = name_.size;
        source_begin = at;
      }
      if (run == 0) before_run = before;
      last_upper = name_.size;
      source_upper = at;
      ++run;
    } else {
      if (!hex && char_class == CharClass::kLower && !KeepsAcronym(at) &&
          (run > 1 || (run == 1 && before_run == CharClass::kDigit))) {
        split = source_upper;
      }
      run = 0;
    }
    if (split != kNoToken) {
      // The last capital begins a word: go back to it.
      EndPart(begin, last_upper, source_begin, split);
      begin = name_.size = last_upper;
      source_begin = at = split;
      before = CharClass::kNone;
      continue;
    }
    // Cut a piece as soon as it is certainly too long for a term.
    if (name_.size - begin < kPieceBytes) name_.Append({folded, folded_size});
    before = char_class;
    at += size;
  }
  if (name_.size - chunk_begin > kMaxTermBytes) {
    // Data, not a name: it stands as one part, which is too long for a term.
    name_.parts = parts_before;
    begin = chunk_begin;
    source_begin = chunk_source;
  }
  EndPart(begin, name_.size, source_begin, at);
  return at;
}

// `'s`, `'re`, `'ve`, `'ll`, `'d`, `'m` are passed over; the t of `n't` joins the word, which then
// reads dont. Any other apostrophe ends the word.
size_t Scanner::ParseContraction(size_t at, bool join) {
  const size_t quote = ApostropheAt(at);
  if (quote == 0) return at;
  size_t end = at + quote;
  while (end < text_.size() && end < at + quote + 3 && FlagsAt(end) & kAlpha) ++end;
  if (IsWordAt(end) || CharAt(end) == '_') return at;
  const char first = LowerByte(CharAt(at + quote));
  const char second = LowerByte(CharAt(at + quote + 1));
  const size_t letters = end - at - quote;
  if (letters == 1 && first == 't' && join && name_.bytes[name_.size - 1] == 'n') {
    Stretch& last = name_.part[name_.parts - 1];
    const bool was_last = last.end == name_.size;
    name_.Append("t");
    if (was_last) {
      last.end = name_.size;
      last.source_end = uint32_t(end);
    }
    name_.closed = true;
    return end;
  }
  const bool known = letters == 1 ? first == 's' || first == 'd' || first == 'm'
                                  : letters == 2 && ((second == 'e' && (first == 'r' || first == 'v')) ||
                                                     (first == 'l' && second == 'l'));
  if (!known) return at;
  name_.closed = true;
  return end;
}

size_t Scanner::ParseSegment(size_t at, char joiner) {
  TokenSegment& segment = name_.segment[name_.segments++];
  segment.joiner = joiner;
  segment.first_part = name_.parts;
  segment.all.begin = name_.size;
  segment.all.source_begin = uint32_t(at);
  const auto underscores = [&](size_t from) {
    const size_t start = from;
    for (; CharAt(from) == '_'; ++from) {
      if (from - start < kPieceBytes) name_.Append("_");
    }
    return from;
  };
  at = underscores(at);
  segment.core.begin = name_.size;
  segment.core.source_begin = uint32_t(at);
  for (;;) {
    at = ParseChunk(at);
    segment.core.end = name_.size;
    segment.core.source_end = uint32_t(at);
    if (CharAt(at) != '_') break;
    at = underscores(at);
    const size_t next = SkipIgnored(at);
    if (!IsWordAt(next)) break;
    at = next;
  }
  segment.all.end = name_.size;
  segment.all.source_end = uint32_t(at);
  segment.end_part = name_.parts;
  if (segment.all.end == segment.core.end) {
    const size_t end = ParseContraction(at, true);
    if (end != at) {
      segment.all.end = segment.core.end = name_.size;
      segment.all.source_end = segment.core.source_end = uint32_t(end);
      at = end;
    }
  }
  return at;
}

// Fills name_ behind its prefix. REQUIRES: a segment begins at `at`
size_t Scanner::ParseName(size_t at, char sigil) {
  name_.parts = name_.segments = 0;
  name_.has_slash = name_.closed = false;
  char joiner = 0;
  for (;;) {
    at = ParseSegment(at, joiner);
    if (name_.closed || name_.parts == kMaxParts) return at;
    size_t size = 0;
    const char c = CharAt(at);
    if (c == '.') {
      joiner = '.';
      size = 1;
    } else if (c == ':') {
      joiner = ':';
      size = CharAt(at + 1) == ':' ? 2 : 1;
    } else if (c == '/' && sigil == '@' && name_.segments == 1) {
      joiner = '/';
      size = 1;
      if (SegmentStart(at + 1) != kNoToken) name_.has_slash = true;
    } else if ((size = HyphenAt(at)) != 0) {
      joiner = '-';
    }
    if (size == 0) return at;
    const size_t next = SegmentStart(at + size);
    if (next == kNoToken) return at;
    name_.Append(joiner == ':' && size == 2 ? std::string_view("::") : std::string_view(&joiner, 1));
    at = next;
  }
}

// `++` after a letter, as in C++ and C++20, and `#` after a single letter. Appends to the name;
// *short_size and *short_end tell where "c++" ends in "c++20".
size_t Scanner::ParseSuffix(size_t at, uint32_t* short_size, size_t* short_end) {
  const auto ends = [&](size_t i) { return !IsWordAt(i) && CharAt(i) != '_'; };
  *short_size = 0;
  if (name_.closed || !(FlagsAt(at - 1) & kAlpha)) return at;
  if (CharAt(at) == '#' && name_.size - name_.prefix_size == 1 && CharAt(at + 1) != '#' && ends(at + 1)) {
    name_.Append("#");
    return at + 1;
  }
  if (CharAt(at) != '+' || CharAt(at + 1) != '+' || CharAt(at + 2) == '+') return at;
  if (ends(at + 2)) {
    name_.Append("++");
    return at + 2;
  }
  size_t end = at + 2;
  while (end < at + 6 && FlagsAt(end) & kDg) ++end;
  if (end == at + 2 || !ends(end) || name_.segments > 1 || name_.parts > 1) return at;
  name_.Append("++");
  *short_size = name_.size;
  *short_end = at + 2;
  EndPart(name_.size, name_.size + uint32_t(end - at - 2), at + 2, end);
  name_.Append(text_.substr(at + 2, end - at - 2));
  return end;
}

// ---- emitting -------------------------------------------------------------------------------

// Everything but the token of the name with prefix and suffix.
void Scanner::EmitName(bool affixed) {
  const TokenSegment* const segment = name_.segment;
  const uint32_t count = name_.segments;
  const bool compound = affixed || count > 1 || segment[0].compound();
  uint32_t groups = 1;
  for (uint32_t i = 1; i < count; ++i) groups += segment[i].joiner != '-';

  uint32_t group = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const TokenSegment& s = segment[i];
    if (compound) {
      // Wholes that begin here, from the longest down; each end at most once.
      uint32_t shortest = uint32_t(-1);
      const auto whole = [&](uint32_t last) {
        if (segment[last].all.end >= shortest) return;
        shortest = segment[last].all.end;
        if (last == i && !s.compound()) return;
        EmitStretch({s.all.begin, shortest, s.all.source_begin, segment[last].all.source_end}, TokenKind::kWhole);
      };
      const bool begins_group = i == 0 || s.joiner != '-';
      if (begins_group) {
        if (i > 0) ++group;
        const uint32_t left = groups - group;
        const bool digit = kBytes[uint8_t(name_.bytes[s.all.begin])] & kDg;
        if (i == 0 ? !name_.has_slash : left >= 2 && left <= 4 && !digit) whole(count - 1);
        uint32_t last = i;
        while (last + 1 < count && segment[last + 1].joiner == '-') ++last;
        whole(last);
      }
      whole(i);
      if (s.end_part - s.first_part > 1 && s.all.end - s.all.begin != s.core.end - s.core.begin) {
        EmitStretch(s.core, TokenKind::kWhole);
      }
    }
    const uint32_t end = i + 1 == count ? name_.parts : s.end_part;  // with the 20 of C++20
    for (uint32_t p = s.first_part; p < end; ++p) {
      EmitStretch(name_.part[p], compound ? TokenKind::kPart : TokenKind::kWord);
    }
  }
}

// Inside a URL's path: its words, each for itself.
void Scanner::EmitFlat() {
  for (uint32_t p = 0; p < name_.parts; ++p) {
    EmitStretch(name_.part[p], TokenKind::kWord);
    ++position_;
  }
}

// With a name in name_ up to `at`: suffix, tokens, possessive. Returns where to go on.
size_t Scanner::AfterName(size_t at) {
  uint32_t short_size;
  size_t short_end = at;
  const uint32_t bare = name_.size;
  const size_t end = ParseSuffix(at, &short_size, &short_end);
  const bool affixed = name_.prefix_size > 0 || name_.size > bare;
  if (affixed) {
    Emit({name_.bytes, name_.size}, TokenKind::kWhole, name_.source_begin, end);
    if (short_size > 0) {
      Emit({name_.bytes, short_size}, TokenKind::kWhole, name_.source_begin, short_end);
    }
  }
  EmitName(affixed);
  ++position_;
  word_end_ = end;
  if (end != at) word_end_ = ParseContraction(end, false);
  return word_end_;
}

size_t Scanner::Names(size_t at) {
  name_.size = name_.prefix_size = 0;
  name_.source_begin = uint32_t(at);
  const size_t begin = at;
  at = ParseName(at, 0);
  if (begin < url_end_ && begin != host_begin_) {
    EmitFlat();
    word_end_ = at;
    return at;
  }
  if (name_.segments == 1 && text_.substr(at, 3) == "://" && begin >= url_end_) {
    host_begin_ = at + 3;
    url_end_ = host_begin_;
    while (url_end_ < text_.size() && IsAsciiAt(url_end_) && !(FlagsAt(url_end_) & kSpace) &&
           !std::strchr("\"'<>`()[]{}|\\^", text_[url_end_])) {
      ++url_end_;
    }
    // The scheme of a web address is no word of the text.
    const std::string_view scheme(name_.bytes, name_.size);
    if (scheme == "http" || scheme == "https") {
      word_end_ = at;
      return at;
    }
  }
  return AfterName(at);
}

size_t Scanner::Sigil(size_t at) {
  const char c = text_[at];
  size_t run = 1;
  while (run < 3 && CharAt(at + run) == c) ++run;
  const size_t longest = c == '#' || c == '.' ? 1 : 2;
  if (run > longest || (at > 0 && text_[at - 1] == c)) return kNoToken;
  const bool bound = c == '@' || c == '$' || c == '#';
  if (bound ? word_end_ == at : !IsOpen(at)) return kNoToken;
  if (!IsLetterStart(at + run)) return kNoToken;
  name_.size = 0;
  name_.Append(text_.substr(at, run));
  name_.prefix_size = name_.size;
  name_.source_begin = uint32_t(at);
  return AfterName(ParseName(at + run, c));
}

// `<name` followed by '>', '/>', white space or the end, and the closing `</name>`.
size_t Scanner::Tag(size_t at) {
  if (word_end_ == at || (at > 0 && std::strchr(":<.", text_[at - 1]) && text_[at - 1])) return kNoToken;
  const size_t begin = at + (CharAt(at + 1) == '/' ? 2 : 1);
  if (!(FlagsAt(begin) & kAlpha)) return kNoToken;
  name_.size = 0;
  name_.Append("<");
  name_.prefix_size = 1;
  name_.source_begin = uint32_t(at);
  const size_t end = ParseName(begin, 0);
  size_t close = kNoToken;
  if (end >= text_.size() || FlagsAt(end) & kSpace) close = end;
  if (CharAt(end) == '>') close = end + 1;
  if (CharAt(end) == '/' && CharAt(end + 1) == '>') close = end + 2;
  if (close == kNoToken || name_.closed) {
    // Not a tag: the same name without its bracket.
    return Names(begin);
  }
  const uint32_t bare = name_.size;
  name_.Append(">");
  Emit({name_.bytes, name_.size}, TokenKind::kWhole, at, close);
  name_.size = bare;
  EmitName(true);
  ++position_;
  word_end_ = end;
  return close;
}

// A run of operator characters. It is a token of its own when it stands alone, is 2 to 4 long and is not a drawn line.
// In front of a name its last character may yet be a sigil.
size_t Scanner::Operators(size_t at) {
  size_t end = at + 1;
  bool uniform = true;
  while (FlagsAt(end) & kOp) {
    const char c = text_[end];
    if (c == '<' && (FlagsAt(end + 1) & kAlpha || CharAt(end + 1) == '/')) break;
    uniform = uniform && c == text_[at];
    ++end;
  }
  const std::string_view run = text_.substr(at, end - at);
  if (IsWordAt(end) || CharAt(end) == '_') {
    return run.size() > 1 && FlagsAt(end - 1) & kSigil ? end - 1 : end;
  }
  if (word_end_ == at || run.size() < 2 || run.size() > 4) return end;
  const auto is_path = [](char c) { return c == '/' || c == '\\' || c == '$'; };
  if (is_path(CharAt(end)) || (at > 0 && is_path(text_[at - 1]))) return end;
  if (uniform && run.size() > 2 && run != "..." && run != "===") return end;
  if (run == "##") return end;  // a heading
  Emit(run, TokenKind::kWhole, at, end);
  ++position_;
  return end;
}

// Characters of scripts written without spaces: overlapping pairs.
size_t Scanner::Dense(size_t at) {
  struct Unit {
    char32_t code_point;
    size_t begin, end;
  };
  Unit before{}, unit{};
  bool has_before = false, has_unit = false;
  const auto emit = [&](const Unit* first, const Unit& second) {
    char bytes[8];
    size_t size = first ? EncodeUtf8(first->code_point, bytes) : 0;
    size += EncodeUtf8(second.code_point, bytes + size);
    Emit({bytes, size}, TokenKind::kWord, first ? first->begin : second.begin, second.end);
    ++position_;
  };
  while (at < text_.size() && !IsAsciiAt(at)) {
    const Decoded d = DecodeUtf8(text_, at);
    const CharClass char_class = ClassOf(d.code_point);
    if (char_class != CharClass::kDense && char_class != CharClass::kIgnored) break;
    char folded[kMaxFoldBytes];
    const size_t folded_size =
        char_class == CharClass::kDense ? FoldCodePoint(d.code_point, folded) : EncodeUtf8(d.code_point, folded);
    for (size_t i = 0; i < folded_size;) {
      const Decoded f = DecodeUtf8({folded, folded_size}, i);
      i += f.size;
      const char32_t joined = has_unit ? ComposeDense(unit.code_point, f.code_point) : 0;
      if (joined) {
        unit.code_point = joined;
        unit.end = at + d.size;
      } else if (char_class == CharClass::kDense) {
        // A unit is known to be complete when the next one begins.
        if (has_before) emit(&before, unit);
        if (has_unit) before = unit;
        has_before = has_unit;
        unit = {f.code_point, at, at + d.size};
        has_unit = true;
      }
    }
    at += d.size;
  }
  emit(has_before ? &before : nullptr, unit);
  word_end_ = at;
  return at;
}

}  // namespace

// ---- the class ------------------------------------------------------------------------------

struct Analyzer::Impl {
  explicit Impl(Language language) {
    if (language == Language::kEnglish) {
      stemmer = english_UTF_8_create_env();
    } else if (language != Language::kNone) {
      rules.emplace(language);
    }
  }
  ~Impl() {
    if (stemmer) english_UTF_8_close_env(stemmer);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  SN_env* stemmer = nullptr;  // null: no stemming
  std::optional<LanguageRules> rules;
};

Analyzer::Analyzer(Language language) : impl_(std::make_unique<Impl>(language)) {}
Analyzer::~Analyzer() = default;
Analyzer::Analyzer(Analyzer&&) noexcept = default;
Analyzer& Analyzer::operator=(Analyzer&&) noexcept = default;

void Analyzer::Tokenize(std::string_view text, std::vector<Token>* out) const {
  // About one token in six bytes. Growth stays geometric when texts are appended one by one.
  const size_t expected = out->size() + text.size() / 6;
  if (expected > out->capacity()) out->reserve(std::max(expected, 2 * out->capacity()));
  size_t at = out->size();
  Scanner(text, out).Run();
  if (!impl_->rules) return;
  for (; at < out->size(); ++at) AddKeys(*impl_->rules, text, &(*out)[at]);
}

bool Analyzer::IsEnglish() const { return impl_ && impl_->stemmer; }

std::string Analyzer::Stem(std::string_view term) const {
  std::string own(term);
  SN_env* const stemmer = impl_ ? impl_->stemmer : nullptr;
  if (!stemmer || term.size() < 3 || term.size() > kMaxTermBytes) return own;
  for (char c : term) {
    if (!(kBytes[uint8_t(c)] & kLo)) return own;
  }
  if (SN_set_current(stemmer, int(term.size()), reinterpret_cast<const symbol*>(term.data())) != 0 ||
      english_UTF_8_stem(stemmer) < 0 || stemmer->l < 1) {
    return own;
  }
  const std::string_view stem(reinterpret_cast<const char*>(stemmer->p), size_t(stemmer->l));
  // Invariant 3: dying -> die would not be found by the prefix "di" among words in "dy".
  if (term.substr(0, stem.size() - 1) != stem.substr(0, stem.size() - 1)) return own;
  return std::string(stem);
}

std::string Analyzer::Fold(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  // The last letter of a dense script, which a mark that follows may still change.
  char32_t last_dense = 0;
  size_t last_begin = 0;
  const auto append = [&out](std::string_view letters) {
    if (letters[0] == 'l' && out.size() > kPoint.size() && out.ends_with(kPoint) && out[out.size() - 3] == 'l') {
      out.resize(out.size() - kPoint.size());
    }
    out += letters;
  };
  for (size_t at = 0; at < text.size();) {
    const uint8_t c = uint8_t(text[at]);
    if (c < 0x80) {
      const char lower = LowerByte(char(c));
      append({&lower, 1});
      last_dense = 0;
      ++at;
      continue;
    }
    const Decoded d = DecodeUtf8(text, at);
    at += d.size;
    char32_t cp = d.code_point;
    if (cp > 0xFF00 && cp < 0xFF5F) cp -= 0xFEE0;  // fullwidth forms of ASCII
    if (cp == 0xA0 || (cp >= 0x2000 && cp <= 0x200A) || cp == 0x202F || cp == 0x205F || cp == 0x3000) cp = ' ';
    if (cp == 0x2018 || cp == 0x2019) cp = '\'';
    if (cp == 0x2010 || cp == 0x2011) cp = '-';
    if (cp < 0x80) {
      out += LowerByte(char(cp));
      last_dense = 0;
      continue;
    }
    const CharClass char_class = ClassOf(cp);
    const char32_t joined = last_dense ? ComposeDense(last_dense, cp) : 0;
    if (joined) {
      out.resize(last_begin);
      AppendUtf8(last_dense = joined, &out);
      continue;
    }
    if (char_class == CharClass::kIgnored) continue;
    char folded[kMaxFoldBytes];
    const size_t size = FoldCodePoint(cp, folded);
    if (char_class != CharClass::kDense) {
      append({folded, size});
      last_dense = 0;
      continue;
    }
    for (size_t i = 0; i < size;) {
      const Decoded f = DecodeUtf8({folded, size}, i);
      i += f.size;
      last_begin = out.size();
      AppendUtf8(last_dense = f.code_point, &out);
    }
  }
  return out;
}

// ---- queries --------------------------------------------------------------------------------

bool StandsForAll(std::string_view text, uint32_t begin, uint32_t end, const Token& token) {
  // The rest must be a sigil: no part of a word, and not the signs that make C++ of C.
  const auto tells = [&](uint32_t from, uint32_t to) {
    return std::any_of(text.begin() + from, text.begin() + to, [](char c) {
      return uint8_t(c) >= 0x80 || kBytes[uint8_t(c)] & kWordByte || c == '_' || c == '+' || c == '#';
    });
  };
  return !tells(begin, token.begin) && !tells(token.end, end);
}

bool EndsPath(std::string_view text, uint32_t begin, uint32_t end, const Token& token) {
  if (token.end != end || token.begin == begin) return false;
  const char joint = text[token.begin - 1];
  return joint == '.' || joint == ':' || joint == '/' || joint == '#';
}

bool IsStopWord(std::string_view term) {
  // Sorted, for the binary search.
  static constexpr std::string_view kWords[] = {
      "a",        "about",   "after",  "all",     "also", "am",    "an",      "and",    "any",    "are",    "arent",
      "as",       "at",      "be",     "because", "been", "being", "but",     "by",     "can",    "cannot", "cant",
      "could",    "couldnt", "did",    "didnt",   "do",   "does",  "doesnt",  "doing",  "done",   "dont",   "each",
      "either",   "for",     "from",   "had",     "has",  "hasnt", "have",    "havent", "having", "he",     "her",
      "here",     "his",     "how",    "i",       "if",   "in",    "into",    "is",     "isnt",   "it",     "its",
      "just",     "may",     "me",     "might",   "must", "my",    "no",      "nor",    "of",     "off",    "on",
      "onto",     "or",      "our",    "ours",    "out",  "over",  "own",     "please", "shall",  "she",    "should",
      "shouldnt", "so",      "some",   "such",    "than", "that",  "the",     "their",  "them",   "then",   "there",
      "these",    "they",    "this",   "those",   "to",   "too",   "upon",    "us",     "very",   "was",    "wasnt",
      "we",       "were",    "werent", "what",    "when", "where", "whether", "which",  "while",  "who",    "whom",
      "whose",    "why",     "will",   "with",    "wont", "would", "wouldnt", "you",    "your",   "yours",
  };
  return std::binary_search(std::begin(kWords), std::end(kWords), term);
}

}  // namespace sheaf
