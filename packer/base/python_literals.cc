#include "packer/base/python_literals.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view source) : text_(source) {}

  std::map<std::string, PythonValue, std::less<>> Run() {
    std::map<std::string, PythonValue, std::less<>> values;
    while (at_ < text_.size()) {
      const std::optional<std::string> name = AssignedName();
      if (name) values[*name] = WholeValue();
      SkipLine();
    }
    return values;
  }

 private:
  char Peek(size_t offset = 0) const { return at_ + offset < text_.size() ? text_[at_ + offset] : '\0'; }

  // Moves behind "name =", also behind "name: type =" without brackets; else stays.
  std::optional<std::string> AssignedName() {
    size_t end = at_;
    while (end < text_.size() && end - at_ < 64 && IsWordByte(text_[end])) ++end;
    if (end == at_ || IsDigit(text_[at_])) return std::nullopt;
    size_t sign = text_.find_first_not_of(" \t", end);
    if (sign != text_.npos && text_[sign] == ':') sign = text_.find_first_of("=\n([{\"'#", sign);
    if (sign == text_.npos || text_[sign] != '=' || text_.substr(sign, 2) == "==") return std::nullopt;
    std::string name(text_.substr(at_, end - at_));
    at_ = sign + 1;
    return name;
  }

  // The value of an assignment, kOther where more than a literal stands on the line.
  PythonValue WholeValue() {
    PythonValue value = Value(0);
    while (Peek() == ' ' || Peek() == '\t' || Peek() == '\r') ++at_;
    const bool is_whole = at_ >= text_.size() || Peek() == '\n' || Peek() == '#' || Peek() == ';';
    return is_whole ? std::move(value) : PythonValue();
  }

  void SkipSpace(bool in_brackets) {
    while (at_ < text_.size()) {
      const char c = Peek();
      if (c == ' ' || c == '\t' || c == '\r' || (in_brackets && c == '\n')) {
        ++at_;
      } else if (c == '\\' && (Peek(1) == '\n' || (Peek(1) == '\r' && Peek(2) == '\n'))) {
        at_ += Peek(1) == '\n' ? 2 : 3;
      } else if (in_brackets && c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  // Leaves `at_` behind the value, or where it was not understood.
  PythonValue Value(int depth, bool in_brackets = false) {
    SkipSpace(in_brackets);
    if (depth >= kMaxPythonDepth) return {};
    const char c = Peek();
    if (c == '(' || c == '[') return Sequence(c == '(' ? ')' : ']', depth);
    if (c == '{') return Table(depth);
    PythonValue value;
    while (std::optional<std::string> part = String()) {  // neighbouring strings are one
      value.kind = PythonValue::kText;
      value.text += *part;
      SkipSpace(in_brackets);
    }
    return value;
  }

  PythonValue Sequence(char close, int depth) {
    PythonValue list;
    list.kind = PythonValue::kList;
    bool commas = false;
    ++at_;
    for (;;) {
      SkipSpace(true);
      if (Peek() == close) break;
      list.items.push_back(Value(depth + 1, true));
      if (!SkipToComma(close)) return {};
      if (Peek() == close) break;
      commas = true;
      ++at_;
    }
    ++at_;
    // Brackets around one value are no tuple.
    if (close == ')' && !commas && list.items.size() == 1) return PythonValue(std::move(list.items[0]));
    return list;
  }

  PythonValue Table(int depth) {
    PythonValue table;
    table.kind = PythonValue::kTable;
    ++at_;
    for (;;) {
      SkipSpace(true);
      if (Peek() == '}') break;
      PythonValue key = Value(depth + 1, true);
      SkipSpace(true);
      PythonValue value;
      if (Peek() == ':') {
        ++at_;
        value = Value(depth + 1, true);
      } else {
        key = {};  // a set, or an unpacked table
      }
      table.keys.push_back(std::move(key.text));
      table.items.push_back(std::move(value));
      if (!SkipToComma('}')) return {};
      if (Peek() == '}') break;
      ++at_;
    }
    ++at_;
    return table;
  }

  // Passes over the rest of a value that was not understood, which makes the last item kOther. False: the file ended.
  bool SkipToComma(char close) {
    std::string open;
    while (at_ < text_.size()) {
      const char c = Peek();
      if (open.empty() && (c == ',' || c == close)) return true;
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        (void)String();
      } else {
        if (c == '(') open += ')';
        if (c == '[') open += ']';
        if (c == '{') open += '}';
        if (!open.empty() && c == open.back()) open.pop_back();
        ++at_;
      }
    }
    return false;
  }

  // A string at `at_`, with its prefix; strings of bytes and formats are read as they are written.
  std::optional<std::string> String() {
    size_t quote = at_;
    bool raw = false;
    while (quote < text_.size() && quote - at_ < 2 &&
           std::string_view("rRuUbBfF").find(text_[quote]) != std::string::npos)
      raw |= LowerAscii(text_[quote++]) == 'r';
    if (quote >= text_.size() || (text_[quote] != '"' && text_[quote] != '\'')) return std::nullopt;
    const char mark = text_[quote];
    const bool is_long = text_.substr(quote, 3) == std::string(3, mark);
    std::string text;
    at_ = quote + (is_long ? 3 : 1);
    while (at_ < text_.size()) {
      const char c = Peek();
      if (is_long ? text_.substr(at_, 3) == std::string(3, mark) : c == mark) {
        at_ += is_long ? 3 : 1;
        return text;
      }
      if (c == '\n' && !is_long) return text;
      if (c == '\\' && at_ + 1 < text_.size()) {
        const char next = Peek(1);
        at_ += 2;
        if (!raw && (next == 'n' || next == 't')) {
          text += next == 'n' ? '\n' : '\t';
        } else if (!raw && (next == '\\' || next == '"' || next == '\'')) {
          text += next;
        } else if (raw || next != '\n') {
          text.append({'\\', next});
        }
        continue;
      }
      text += c;
      ++at_;
    }
    return text;
  }

  // Moves to the next line at the margin: strings and brackets may go over many.
  void SkipLine() {
    while (at_ < text_.size() && Peek() != '\n') {
      if (Peek() == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (Peek() == '"' || Peek() == '\'') {
        (void)String();
      } else {
        ++at_;
      }
    }
    ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::map<std::string, PythonValue, std::less<>> ReadPythonLiterals(std::string_view source) {
  return Reader(source).Run();
}

}  // namespace sheaf::packer
