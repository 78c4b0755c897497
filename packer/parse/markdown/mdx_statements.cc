#include "packer/parse/markdown/mdx_statements.h"

#include <algorithm>
#include <cstring>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

}  // namespace

size_t StatementReader::End(size_t at, size_t paragraph_end) {
  if (StartsWith(text_.substr(at), "import")) return ImportEnd(at);
  if (StartsWith(text_.substr(at), "export")) return ExportEnd(at, paragraph_end);
  return kNowhere;
}

// `import 'x'`, `import a, { b as c } from "x" with {…};` alone on their lines.
size_t StatementReader::ImportEnd(size_t at) {
  const size_t limit = std::min(text_.size(), at + kMaxTagBytes);
  size_t i = at + 6;
  if (i >= limit || !(IsSpace(text_[i]) || std::strchr("{*'\"", text_[i]))) return kNowhere;
  bool from = true, braces = false;  // `import 'x'` needs no `from`
  for (size_t tokens = 0; i < limit; ++tokens) {
    const char c = text_[i];
    if (IsSpace(c)) {
      if (c == '\n' && i + 1 < limit && text_[i + 1] == '\n') return kNowhere;
      ++i;
      --tokens;
    } else if (c == '\'' || c == '"') {
      if (!from && !braces) return kNowhere;
      const size_t quote = i;
      i = tags_->StringEnd(i, limit);
      if (i < quote + 2 || text_[i - 1] != c) return kNowhere;
      if (!braces) return StatementEnd(i, limit);
    } else if (c == '{' || c == '}') {
      braces = c == '{';
      from = false;
      ++i;
    } else if (c == '*' || c == ',') {
      from = false;
      ++i;
    } else if (IsWordByte(c) || c == '$') {
      const size_t start = i;
      while (i < limit && (IsWordByte(text_[i]) || text_[i] == '$')) ++i;
      from = text_.substr(start, i - start) == "from" && tokens > 0;
    } else {
      return kNowhere;
    }
  }
  return kNowhere;
}

// After the module's name: assertions and a semicolon may follow, a word may not.
size_t StatementReader::StatementEnd(size_t i, size_t limit) {
  auto blanks = [&] {
    while (i < limit && (text_[i] == ' ' || text_[i] == '\t')) ++i;
  };
  blanks();
  for (const std::string_view word : {"with", "assert"}) {
    if (!StartsWith(text_.substr(i), word)) continue;
    const size_t brace = text_.substr(0, limit).find('{', i);
    const size_t end = brace != kNowhere ? tags_->Balanced(brace, limit) : kNowhere;
    if (end == kNowhere) return kNowhere;
    i = end;
    blanks();
  }
  if (i < limit && text_[i] == ';') return i + 1;
  return i >= text_.size() || text_[i] == '\n' || StartsWith(text_.substr(i), "//") ? i : kNowhere;
}

size_t StatementReader::ExportEnd(size_t at, size_t paragraph_end) {
  const size_t limit = std::min(text_.size(), at + 4 * kMaxTagBytes);
  if (at + 6 >= limit || !IsSpace(text_[at + 6])) return kNowhere;
  const std::string_view rest = Trim(text_.substr(at + 6, 200));
  bool known = false;
  for (const std::string_view word : {"const ", "let ", "var ", "function ", "class ", "async ", "{", "*"}) {
    known = known || StartsWith(rest, word);
  }
  if (!known && !(mdx_ && StartsWith(rest, "default "))) return kNowhere;
  // Outside MDX a sentence might begin so; a statement shows its punctuation.
  const std::string_view line = text_.substr(at, std::min(text_.substr(0, limit).find('\n', at), limit) - at);
  if (!mdx_ && line.find_first_of("={(") == kNowhere) return kNowhere;
  if (at < export_hopeless_) return paragraph_end;

  for (size_t i = at; i < limit;) {
    const char c = text_[i];
    if (c == '{' || c == '(' || c == '[') {
      i = tags_->Balanced(i, limit);
      if (i == kNowhere) {
        export_hopeless_ = limit;
        return paragraph_end;
      }
    } else if (c == '"' || c == '\'' || c == '`') {
      i = tags_->StringEnd(i, limit);
    } else if (c == '\n') {
      size_t last = i;
      while (last > at && IsSpace(text_[last - 1])) --last;
      const bool open = std::strchr("=,+-*/&|?:<.", text_[last - 1]) != nullptr;
      // MDX reads a statement to the next blank line.
      const bool blank_follows = i + 1 >= text_.size() || text_[i + 1] == '\n';
      if (!open && (blank_follows || !mdx_)) return i;
      ++i;
    } else {
      ++i;
    }
  }
  if (limit == text_.size()) return limit - 1;
  export_hopeless_ = limit;
  return paragraph_end;
}

}  // namespace sheaf::packer
