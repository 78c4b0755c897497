#include "text/json_object.h"

#include <cstdint>

#include "text/utf8.h"

namespace sheaf {
namespace {

// Each function takes what it names off the front, or answers false.
class JsonText {
 public:
  explicit JsonText(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }
  void Space() {
    while (Is([](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; })) ++at_;
  }
  bool Take(char wanted) {
    if (!Is([&](char c) { return c == wanted; })) return false;
    ++at_;
    return true;
  }
  bool String() {
    if (!Take('"')) return false;
    while (!AtEnd()) {
      const Decoded character = DecodeUtf8(text_, at_);
      if (!character.valid || character.code_point < 0x20) return false;
      at_ += character.size;
      if (character.code_point == '"') return true;
      if (character.code_point == '\\' && !Escape()) return false;
    }
    return false;
  }
  bool Scalar() {
    return Is([](char c) { return c == '"'; }) ? String() : Word("true") || Word("false") || Word("null") || Number();
  }

 private:
  template <typename Test>
  bool Is(Test&& test) const {
    return at_ < text_.size() && test(text_[at_]);
  }
  bool Word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool Escape() {
    if (!Take('u')) {
      if (!Is([](char c) { return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos; })) return false;
      ++at_;
      return true;
    }
    for (int i = 0; i < 4; ++i, ++at_) {
      if (!Is([](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }))
        return false;
    }
    return true;
  }
  bool Digits() {
    const size_t begin = at_;
    while (Is([](char c) { return c >= '0' && c <= '9'; })) ++at_;
    return at_ > begin;
  }
  bool Number() {
    (void)Take('-');
    if (!Take('0') && !Digits()) return false;
    if (Take('.') && !Digits()) return false;
    if (!Take('e') && !Take('E')) return true;
    if (!Take('+')) (void)Take('-');
    return Digits();
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

bool IsJsonObject(std::string_view text) {
  JsonText json(text);
  json.Space();
  if (!json.Take('{')) return false;
  uint64_t objects = 1;  // a bit for each that is open, the innermost lowest: an object, or else an array
  size_t depth = 1;
  bool is_empty = true;  // the innermost has nothing yet
  while (depth > 0) {
    json.Space();
    if (json.Take(objects & 1 ? '}' : ']')) {
      objects >>= 1;
      --depth;
      is_empty = false;
      continue;
    }
    if (!is_empty && !json.Take(',')) return false;
    json.Space();
    if (objects & 1) {
      if (!json.String()) return false;
      json.Space();
      if (!json.Take(':')) return false;
      json.Space();
    }
    const bool is_object = json.Take('{');
    is_empty = is_object || json.Take('[');
    if (!is_empty) {
      if (!json.Scalar()) return false;
      continue;
    }
    if (++depth > kMaxJsonDepth) return false;
    objects = objects << 1 | uint64_t(is_object);
  }
  json.Space();
  return json.AtEnd();
}

}  // namespace sheaf
