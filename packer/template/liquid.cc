#include "packer/template/liquid.h"

#include <algorithm>
#include <utility>

#include "packer/base/paths.h"
#include "packer/base/text_scan.h"
#include "packer/include/select_lines.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxTag = size_t(4) << 10;

bool IsQuoted(std::string_view text) {
  return text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
}

// Splits at `mark` outside quotes.
std::vector<std::string_view> Split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  char quote = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (quote == 0 && text[i] == mark)) {
      parts.push_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    }
  }
  return parts;
}

// Words of a tag: quoted strings are one, with their quotes.
std::vector<std::string_view> LiquidWords(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view part : Split(text, ' ')) {
    if (!part.empty()) words.push_back(part);
  }
  return words;
}

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

// A page's path as an address of the site: "_docs/b.md" -> "/docs/b.html".
std::string AddressOfPage(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  if (path.starts_with('_')) path.remove_prefix(1);
  const bool is_page = path.ends_with(".md") || path.ends_with(".markdown");
  return "/" + (is_page ? std::string(WithoutExtension(path)) + ".html" : std::string(path));
}

// "2015-07-24-name" -> "/2015/07/24/name.html"
std::string AddressOfPost(std::string_view name) {
  const size_t slash = name.rfind('/');
  std::string_view folder = slash == name.npos ? std::string_view() : name.substr(0, slash + 1);
  const std::string_view file = name.substr(slash == name.npos ? 0 : slash + 1);
  while (folder.starts_with('/')) folder.remove_prefix(1);
  if (file.size() < 12 || file[4] != '-' || file[7] != '-' || file[10] != '-') return "/" + std::string(name);
  return "/" + std::string(folder) + std::string(file.substr(0, 4)) + "/" + std::string(file.substr(5, 2)) + "/" +
         std::string(file.substr(8, 2)) + "/" + std::string(file.substr(11)) + ".html";
}

bool IsTextPath(std::string_view path) {
  for (const char* extension : {".md", ".markdown", ".html", ".htm", ".txt", ".liquid"}) {
    if (path.ends_with(extension)) return true;
  }
  return path.find('.') == path.npos;
}

}  // namespace

NumberedText Liquid::Expand(std::string_view text, size_t verbatim) {
  NumberedText out;
  const std::string_view head = text.substr(0, verbatim);
  out.Append(head, 1, true);
  Run(text.substr(verbatim), 1 + uint32_t(std::count(head.begin(), head.end(), '\n')), true, &out);
  return out;
}

std::optional<Liquid::Tag> Liquid::NextTag(std::string_view text, size_t from, size_t* closers) {
  for (size_t at = from; (at = text.find('{', at)) != text.npos; ++at) {
    const char mark = at + 1 < text.size() ? text[at + 1] : ' ';
    if (mark != '%' && mark != '{') continue;
    size_t& close = closers[mark == '%'];
    if (close < at + 2) close = text.find(mark == '%' ? "%}" : "}}", at + 2);
    if (close == text.npos || close > at + kMaxTag) continue;
    Tag tag;
    tag.begin = at;
    tag.end = close + 2;
    tag.is_output = mark == '{';
    std::string_view inside = text.substr(at + 2, close - at - 2);
    // Hugo's tags and mdBook's helpers are none of Liquid's.
    if (tag.is_output && (inside.starts_with('<') || inside.starts_with('%') || inside.starts_with('#'))) {
      at = close;
      continue;
    }
    if (inside.starts_with('-')) {
      tag.trims_before = true;
      inside.remove_prefix(1);
    }
    if (inside.ends_with('-')) {
      tag.trims_after = true;
      inside.remove_suffix(1);
    }
    inside = Trim(inside);
    if (tag.is_output) {
      tag.rest = inside;
    } else {
      size_t end = 0;
      while (end < inside.size() && (IsWordByte(inside[end]) || inside[end] == '-')) ++end;
      tag.name = inside.substr(0, end);
      tag.rest = Trim(inside.substr(end));
      if (tag.name.empty()) continue;
    }
    return tag;
  }
  return std::nullopt;
}

size_t Liquid::FindEnd(std::string_view text, size_t from, std::string_view end, size_t* tag_begin) {
  if (unclosed_in_.data() != text.data()) {
    unclosed_in_ = text;
    unclosed_.clear();
  }
  if (std::find(unclosed_.begin(), unclosed_.end(), end) != unclosed_.end()) return text.npos;
  for (size_t at = from; (at = text.find("{%", at)) != text.npos; at += 2) {
    size_t i = at + 2;
    if (i < text.size() && text[i] == '-') ++i;
    while (i < text.size() && IsSpace(text[i])) ++i;
    if (!text.substr(i).starts_with(end)) continue;
    i += end.size();
    while (i < text.size() && IsSpace(text[i])) ++i;
    if (i < text.size() && text[i] == '-') ++i;
    if (text.substr(i).starts_with("%}")) {
      *tag_begin = at;
      return i + 2;
    }
  }
  unclosed_.emplace_back(end);
  return text.npos;
}

void Liquid::Run(std::string_view text, uint32_t line, bool counts, NumberedText* out) {
  const size_t depth = blocks_.size();
  size_t at = 0;
  uint32_t number = line;  // of `at`
  const auto advance = [&](size_t to) {
    if (counts) number += uint32_t(std::count(text.begin() + ptrdiff_t(at), text.begin() + ptrdiff_t(to), '\n'));
    at = to;
  };
  const auto copy = [&](size_t to, bool writes) {
    if (writes && to > at) out->Append(text.substr(at, to - at), number, counts);
    advance(to);
  };
  bool trims = false;
  size_t closers[2] = {0, 0};
  while (at < text.size()) {
    if (trims) {
      size_t to = at;
      while (to < text.size() && IsSpace(text[to])) ++to;
      advance(to);
      trims = false;
    }
    const std::optional<Tag> next = NextTag(text, at, closers);
    if (!next) break;
    Tag tag = *next;
    if (tag.is_output && !evaluates_) {
      copy(tag.end, IsOpen());
      continue;
    }
    // A tag with the text that it holds.
    std::string_view held;
    bool holds = false;
    for (const std::string_view name : {"raw", "comment", "highlight", "capture"}) {
      if (tag.is_output || tag.name != name) continue;
      size_t begin = 0;
      const size_t end = FindEnd(text, tag.end, "end" + std::string(name), &begin);
      if (end == text.npos) break;
      held = text.substr(tag.end, begin - tag.end);
      holds = true;
      tag.end = end;
    }
    size_t line_begin = at + text.substr(at, tag.begin - at).rfind('\n') + 1;  // npos + 1 is 0
    const bool begins_line = line_begin > at || out->at_line_start();
    const std::string_view before = text.substr(line_begin, tag.begin - line_begin);
    size_t line_end = tag.end;
    while (line_end < text.size() && (text[line_end] == ' ' || text[line_end] == '\t')) ++line_end;
    const bool alone = begins_line && IsBlank(before) && (line_end >= text.size() || text[line_end] == '\n');

    const bool open_before = IsOpen();
    if (!holds && Control(tag)) {
      copy(alone ? line_begin : tag.begin, open_before);
      advance(alone ? std::min(line_end + 1, text.size()) : tag.end);
      trims = tag.trims_after && !alone;
      continue;
    }
    if (!IsOpen()) {
      advance(tag.end);
      continue;
    }
    const auto lines_before = std::count(text.begin() + ptrdiff_t(at), text.begin() + ptrdiff_t(tag.begin), '\n');
    const uint32_t here = counts ? number + uint32_t(lines_before) : number;
    NumberedText written;
    const size_t words_end = tag.trims_before ? at + TrimEnd(text.substr(at, tag.begin - at)).size() : tag.begin;
    if (tag.name == "raw" && holds) {
      // What it protects stays, without the lines of the two tags.
      copy(alone || IsBlank(before) ? line_begin : words_end, true);
      advance(size_t(held.data() - text.data()));
      std::string_view rest = held;
      if (begins_line && IsBlank(before)) {
        const size_t stop = std::min(rest.find_first_not_of(" \t"), rest.size());
        if (stop < rest.size() && rest[stop] == '\n') {
          advance(at + stop + 1);
          rest.remove_prefix(stop + 1);
        } else {
          out->Append(before, number, false);
        }
      }
      const size_t last = rest.rfind('\n');
      const bool closes_alone =
          last != rest.npos && IsBlank(rest.substr(last + 1)) && (line_end >= text.size() || text[line_end] == '\n');
      if (closes_alone) rest = rest.substr(0, last + 1);
      copy(at + rest.size(), true);
      advance(closes_alone ? std::min(line_end + 1, text.size()) : tag.end);
      continue;
    }
    if (holds) {
      if (tag.name == "highlight") Highlight(tag.rest, held, here, counts, alone ? before : "", &written);
      if (tag.name == "capture" && !tag.rest.empty() && blocks_.size() < kMaxLiquidDepth) {
        NumberedText captured;
        Run(held, here, false, &captured);
        values_[Lower(tag.rest)] = captured.text().substr(0, kMaxLiquidValue);
      }
    } else {
      Write(tag, here, alone, alone ? before : std::string_view(), &written);
    }
    if (alone && written.text().empty()) {
      copy(line_begin, true);
      advance(std::min(line_end + 1, text.size()));
    } else if (alone) {
      copy(line_begin, true);
      out->Append(written);
      if (!out->at_line_start()) out->Append("\n", out->last_line(), false);
      advance(std::min(line_end + 1, text.size()));
    } else {
      copy(words_end, true);
      advance(tag.begin);
      out->Append(written);
      advance(tag.end);
    }
    trims = tag.trims_after && !alone;
  }
  copy(text.size(), IsOpen());
  blocks_.resize(std::min(depth, blocks_.size()));
}

bool Liquid::Control(const Tag& tag) {
  if (tag.is_output) return false;
  const std::string_view name = tag.name;
  const bool loops = name == "for" || name == "tablerow";
  if (name == "if" || name == "unless" || name == "case" || loops) {
    Block block;
    block.name = name;
    block.around = IsOpen();
    if (name == "case") {
      block.subject = Evaluate(tag.rest);
      block.writes = false;
    } else if (loops) {
      if (block.around) files_->LeftOut("{% " + std::string(name) + " %}");
      block.writes = false;
    } else {
      block.decided = block.around && Decide(tag.rest) == (name == "if");
      block.writes = block.around && block.decided;
    }
    // Deeper ones count as part of the one around them.
    if (blocks_.size() < 100 * kMaxLiquidDepth) blocks_.push_back(std::move(block));
    return true;
  }
  if (name == "else" || name == "elsif" || name == "when") {
    if (blocks_.empty()) return true;
    Block& block = blocks_.back();
    bool takes = block.around && !block.decided;
    if (name == "elsif") takes = takes && Decide(tag.rest);
    if (name == "when") {
      bool matches = false;
      for (const std::string_view part : Split(tag.rest, ',')) matches = matches || Evaluate(part) == block.subject;
      takes = takes && matches;
    }
    block.writes = takes;
    block.decided = block.decided || takes;
    return true;
  }
  if (name == "endif" || name == "endunless" || name == "endcase" || name == "endfor" || name == "endtablerow") {
    if (!blocks_.empty()) blocks_.pop_back();
    return true;
  }
  return name == "break" || name == "continue" || name == "cycle" || name == "increment" || name == "decrement";
}

void Liquid::Write(const Tag& tag, uint32_t line, bool alone, std::string_view indent, NumberedText* out) {
  const auto put = [&](std::string_view text) {
    if (!text.empty() && files_->HasRoom(text.size(), tag.rest.substr(0, 60))) {
      if (alone) out->Append(indent, line, false);
      out->Append(text, line, false);
    }
  };
  if (tag.is_output) return put(Evaluate(tag.rest));
  const std::vector<std::string_view> words = LiquidWords(tag.rest);
  if (tag.name == "include" || tag.name == "include_relative" || tag.name == "include_cached")
    return Include(tag.rest, line, out);
  if (tag.name == "link" || tag.name == "post_url") {
    if (words.empty()) return;
    std::string path(words[0]);
    if (IsQuoted(path)) path = path.substr(1, path.size() - 2);
    return put(tag.name == "link" ? AddressOfPage(path) : AddressOfPost(path));
  }
  if (tag.name == "assign") {
    const size_t equals = tag.rest.find('=');
    if (equals == tag.rest.npos || values_.size() > 2 * kMaxValues) return;
    values_[Lower(Trim(tag.rest.substr(0, equals)))] =
        Evaluate(Trim(tag.rest.substr(equals + 1))).substr(0, kMaxLiquidValue);
    return;
  }
  // The pair's words stay; the tags alone go, but for the name of a tab or of what folds.
  const std::string lower = Lower(tag.name);
  if ((lower == "tab" || lower.find("details") != lower.npos) && !lower.starts_with("end")) {
    const auto title = std::find_if(words.begin(), words.end(), IsQuoted);
    if (title != words.end())
      return put("**" + std::string(title->substr(1, title->size() - 2)) + "**" + (alone ? "\n\n" : ""));
    return;
  }
  if (!tag.name.starts_with("end")) files_->LeftOut("{% " + std::string(tag.name.substr(0, 60)) + " %}");
}

void Liquid::Include(std::string_view rest, uint32_t line, NumberedText* out) {
  const size_t space = std::min(rest.find_first_of(" \t\n"), rest.size());
  std::string name(rest.substr(0, space));
  if (IsQuoted(name)) name = name.substr(1, name.size() - 2);
  if (name.find('{') != name.npos || name.empty()) return;
  if (!IsTextPath(name)) return files_->LeftOut("{% include " + name.substr(0, 60) + " %}");
  const IncludedFile* file = files_->FindAny({"_includes/" + name, name});
  if (file == nullptr) {
    // Its words are often a parameter.
    for (const std::string_view word : {"text=", "content=", "message=", "title=", "caption="}) {
      const size_t at = rest.find(word);
      if (at == rest.npos || at + word.size() >= rest.size()) continue;
      const std::string_view value = rest.substr(at + word.size());
      const size_t end = value.find(value[0], 1);
      if ((value[0] == '"' || value[0] == '\'') && end != value.npos)
        out->Append(value.substr(1, end - 1), line, false);
      break;
    }
    return;
  }
  if (!files_->HasRoom(file->text.size(), name) || !files_->Enter(*file, name)) return;
  // Its parameters: a=b, as `include.a`.
  Values outer = values_;
  std::string_view parameters = rest.substr(space);
  for (size_t equals; (equals = parameters.find('=')) != parameters.npos;) {
    const std::string key = Lower(Trim(parameters.substr(0, equals)));
    parameters = parameters.substr(equals + 1);
    parameters.remove_prefix(std::min(parameters.find_first_not_of(" \t\n"), parameters.size()));
    if (parameters.empty()) break;
    const bool quoted = parameters[0] == '"' || parameters[0] == '\'';
    const size_t end = quoted ? parameters.find(parameters[0], 1) : parameters.find_first_of(" \t\n");
    if (quoted && end == parameters.npos) break;
    const std::string_view value = parameters.substr(0, end == parameters.npos ? end : end + size_t(quoted));
    values_["include." + key] = Evaluate(value).substr(0, kMaxLiquidValue);
    parameters.remove_prefix(std::min(value.size(), parameters.size()));
  }
  std::vector<Block> blocks = std::exchange(blocks_, {});
  Run(WithoutFrontMatter(file->text), line, false, out);
  blocks_ = std::move(blocks);
  values_ = std::move(outer);
  files_->Leave();
}

void Liquid::Highlight(std::string_view rest, std::string_view code, uint32_t line, bool counts,
                       std::string_view indent, NumberedText* out) {
  const std::string_view language = rest.substr(0, rest.find_first_of(" \t\n"));
  // Liquid runs in it, too.
  NumberedText inside;
  Run(code, line, counts, &inside);
  const std::string fence = BackticksAround(inside.text(), 3);
  out->Append(std::string(indent) + fence + std::string(language) + "\n", line, false);
  const LineList lines = ListLines(inside.text());
  size_t first = 0, last = lines.size();
  while (first < last && IsBlank(lines[first])) ++first;
  while (last > first && IsBlank(lines[last - 1])) --last;
  for (size_t i = first; i < last; ++i)
    out->Append(std::string(lines[i]) + "\n", i < inside.lines().size() ? inside.lines()[i] : line, false);
  out->Append(std::string(indent) + fence + "\n", std::max(line, out->last_line()), false);
}

std::string Liquid::Lookup(std::string_view name) const {
  if (IsQuoted(name)) return std::string(name.substr(1, name.size() - 2));
  if (!name.empty() && (IsDigit(name[0]) || name == "true")) return std::string(name);
  if (name == "site.baseurl" || name == "site.url") return {};
  const auto found = values_.find(Lower(name));
  return found == values_.end() ? std::string() : found->second;
}

std::string Liquid::Evaluate(std::string_view expression) const {
  const std::vector<std::string_view> parts = Split(expression, '|');
  std::string value = Lookup(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t colon = parts[i].find(':');
    const std::string_view filter = Trim(parts[i].substr(0, colon));
    const std::vector<std::string_view> arguments =
        colon == parts[i].npos ? std::vector<std::string_view>() : Split(parts[i].substr(colon + 1), ',');
    const std::string first = arguments.empty() ? std::string() : Lookup(arguments[0]);
    if (filter == "default") {
      if (value.empty() || value == "false") value = first;
    } else if (filter == "append") {
      value += first;
    } else if (filter == "prepend") {
      value = first + value;
    } else if (filter == "downcase") {
      value = Lower(value);
    } else if (filter == "escape" || filter == "xml_escape") {
      value = EscapeHtml(value);
    } else if (filter == "strip") {
      value = std::string(Trim(value));
    } else if (filter == "replace" && arguments.size() == 2 && !first.empty()) {
      const std::string by = Lookup(arguments[1]);
      std::string replaced;
      for (size_t at = 0; at < value.size() && replaced.size() < kMaxLiquidValue;) {
        const bool here = value.compare(at, first.size(), first) == 0;
        replaced += here ? by : std::string(1, value[at]);
        at += here ? first.size() : 1;
      }
      value = std::move(replaced);
    }
    if (value.size() > kMaxLiquidValue) value.resize(kMaxLiquidValue);
  }
  return value;
}

// `a`, `a == b`, `a != b`, joined by `and` or `or`; anything else is false.
bool Liquid::Decide(std::string_view condition) const {
  const std::vector<std::string_view> words = LiquidWords(condition);
  bool result = false, joins_and = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool is_first = i == 0;
    const std::string left = Lookup(words[i]);
    bool holds = !left.empty() && left != "false" && left != "nil";
    if (i + 2 < words.size() && words[i + 1] != "and" && words[i + 1] != "or") {
      const std::string_view relation = words[i + 1];
      const bool is_nil = words[i + 2] == "nil" || words[i + 2] == "blank" || words[i + 2] == "empty";
      const std::string right = is_nil ? std::string() : Lookup(words[i + 2]);
      holds = relation == "=="   ? left == right
              : relation == "!=" ? left != right
                                 : relation == "contains" && !right.empty() && left.find(right) != left.npos;
      i += 2;
    }
    result = is_first ? holds : joins_and ? result && holds : result || holds;
    if (++i < words.size()) joins_and = words[i] == "and";
  }
  return result;
}

}  // namespace sheaf::packer
