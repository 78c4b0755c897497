#include "packer/template/shortcode_tags.h"

#include <algorithm>
#include <map>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

bool IsNameByte(char c) { return IsWordByte(c) || c == '-' || c == '.' || c == '/'; }

// Reads the parameters in [at, end of the tag). False: it is no shortcode.
class TagText {
 public:
  TagText(std::string_view text, size_t at, char mark)
      : text_(text.substr(0, std::min(text.size(), at + kMaxShortcodeText))), at_(at), mark_(mark) {}

  bool Read(ShortcodeTag* tag) {
    Blanks();
    if (Take('/')) {
      tag->kind = ShortcodeTag::kCloses;
      Blanks();
    }
    const size_t name = at_;
    while (at_ < text_.size() && IsNameByte(text_[at_]) && !AtEnd(at_)) ++at_;
    tag->name = text_.substr(name, at_ - name);
    while (tag->name.ends_with('/')) tag->name.remove_suffix(1);
    if (tag->name.empty() || !(IsAlpha(tag->name[0]) || tag->name[0] == '_')) return false;
    for (;;) {
      Blanks();
      if (at_ >= text_.size()) return false;
      if (AtEnd(at_)) {
        tag->end = text_.find("}}", at_) + 2;
        return true;
      }
      if (!Parameter(tag)) return false;
    }
  }

 private:
  void Blanks() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  // `>}}`, `%}}`, or with the slash of a tag that closes itself.
  bool AtEnd(size_t at) const {
    if (at < text_.size() && text_[at] == '/') ++at;
    return at + 2 < text_.size() && text_[at] == mark_ && text_[at + 1] == '}' && text_[at + 2] == '}';
  }

  bool Parameter(ShortcodeTag* tag) {
    if (text_[at_] == '"' || text_[at_] == '`') {
      std::string value;
      if (!Quoted(&value)) return false;
      tag->positional.push_back(std::move(value));
      return true;
    }
    const size_t begin = at_;
    while (at_ < text_.size() && !IsSpace(text_[at_]) && text_[at_] != '=' && text_[at_] != '"' && !AtEnd(at_)) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty() || word.find("{{") != word.npos) return false;
    const bool is_name = std::all_of(word.begin(), word.end(), IsNameByte);
    const size_t after = at_;
    Blanks();
    if (!is_name || !Take('=')) {
      at_ = after;
      // `a=b` with a name that is none is one word.
      while (at_ < text_.size() && !IsSpace(text_[at_]) && !AtEnd(at_)) ++at_;
      tag->positional.emplace_back(text_.substr(begin, at_ - begin));
      return true;
    }
    Blanks();
    std::string value;
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '`')) {
      if (!Quoted(&value)) return false;
    } else {
      const size_t from = at_;
      while (at_ < text_.size() && !IsSpace(text_[at_]) && !AtEnd(at_)) ++at_;
      value = std::string(text_.substr(from, at_ - from));
      if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'') value = value.substr(1, value.size() - 2);
    }
    tag->named.emplace_back(word, std::move(value));
    return true;
  }

  bool Quoted(std::string* value) {
    const char quote = text_[at_++];
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == quote) {
        ++at_;
        return true;
      }
      if (c == '\\' && quote == '"' && at_ + 1 < text_.size()) {
        ++at_;
        if (text_[at_] != '"' && text_[at_] != '\\') value->push_back('\\');
      }
      value->push_back(text_[at_]);
    }
    return false;
  }

  const std::string_view text_;
  size_t at_;
  const char mark_;
};

// Each closing tag gets the nearest open tag of its name; tags that open between the two close themselves.
void Pair(std::vector<ShortcodeTag>* tags) {
  std::map<std::string_view, size_t> open;  // how many tags of each name are on the stack
  std::vector<size_t> stack;
  for (size_t i = 0; i < tags->size(); ++i) {
    ShortcodeTag& tag = (*tags)[i];
    if (tag.kind == ShortcodeTag::kOpens) {
      stack.push_back(i);
      ++open[tag.name];
    } else if (tag.kind == ShortcodeTag::kCloses && open[tag.name] > 0) {
      while ((*tags)[stack.back()].name != tag.name) {
        --open[(*tags)[stack.back()].name];
        stack.pop_back();
      }
      (*tags)[stack.back()].match = i;
      --open[tag.name];
      stack.pop_back();
    }
  }
  std::vector<size_t> ends;
  for (size_t i = 0; i < tags->size(); ++i) {
    while (!ends.empty() && ends.back() <= i) ends.pop_back();
    if ((*tags)[i].match == 0) continue;
    if (ends.size() >= kMaxShortcodeDepth)
      (*tags)[i].match = 0;
    else
      ends.push_back((*tags)[i].match);
  }
}

}  // namespace

std::optional<std::string_view> ShortcodeTag::Named(std::initializer_list<std::string_view> names) const {
  for (const std::string_view wanted : names) {
    for (const auto& [key, value] : named) {
      if (!value.empty() && Lower(key) == wanted) return value;
    }
  }
  return std::nullopt;
}

std::vector<ShortcodeTag> FindShortcodes(std::string_view text) {
  std::vector<ShortcodeTag> tags;
  size_t escape_ends[2] = {0, 0};  // where the next ones are, so that each is looked for once
  for (size_t at = 0; (at = text.find("{{", at)) != text.npos;) {
    const char mark = at + 2 < text.size() ? text[at + 2] : ' ';
    if (mark != '<' && mark != '%') {
      at += 2;
      continue;
    }
    ShortcodeTag tag;
    tag.begin = at;
    const char closing = mark == '<' ? '>' : '%';
    if (text.substr(at + 3, 2) == "/*") {
      const std::string end = std::string("*/") + closing + "}}";
      size_t& close = escape_ends[mark == '<'];
      if (close < at + 5) close = text.find(end, at + 5);
      if (close == text.npos || close > at + kMaxShortcodeText) {
        at += 3;
        continue;
      }
      tag.kind = ShortcodeTag::kEscaped;
      tag.written = std::string("{{") + mark + std::string(text.substr(at + 5, close - at - 5)) + closing + "}}";
      tag.end = close + end.size();
    } else if (!TagText(text, at + 3, closing).Read(&tag)) {
      at += 3;
      continue;
    }
    at = tag.end;
    tags.push_back(std::move(tag));
  }
  Pair(&tags);
  return tags;
}

}  // namespace sheaf::packer
