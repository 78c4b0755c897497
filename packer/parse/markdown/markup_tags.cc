#include "packer/parse/markdown/markup_tags.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

void Note(std::string_view name, std::string_view value, Tag* tag) {
  if (name == "id" || (name == "name" && tag->name == "a")) {
    if (tag->id.empty() && !IsBlank(value)) tag->id = std::string(Trim(value));
  } else if (name == "alt" || name == "caption" || name == "title" || name == "label") {
    if (IsBlank(value)) return;
    if (!tag->words.empty()) tag->words += ' ';
    tag->words += DecodeEntities(Trim(value));
  }
}

}  // namespace

bool IsInlineElement(std::string_view name) {
  static const std::unordered_set<std::string_view> names = {
      "a",     "abbr", "b",      "bdi",    "bdo", "big", "cite", "code", "data", "del", "dfn",
      "em",    "font", "i",      "img",    "ins", "kbd", "mark", "nobr", "q",    "s",   "samp",
      "small", "span", "strike", "strong", "sub", "sup", "time", "tt",   "u",    "var", "wbr"};
  return names.count(name) > 0;
}

bool IsHtmlElement(std::string_view name) {
  static const std::unordered_set<std::string_view> names = {
      "address",  "article",  "aside",    "audio",      "base",     "blockquote", "body",    "br",      "button",
      "canvas",   "caption",  "center",   "col",        "colgroup", "dd",         "details", "dialog",  "div",
      "dl",       "dt",       "fieldset", "figcaption", "figure",   "footer",     "form",    "h1",      "h2",
      "h3",       "h4",       "h5",       "h6",         "head",     "header",     "hr",      "html",    "iframe",
      "input",    "label",    "legend",   "li",         "link",     "main",       "map",     "meta",    "nav",
      "noscript", "object",   "ol",       "optgroup",   "option",   "p",          "param",   "picture", "pre",
      "script",   "section",  "select",   "source",     "style",    "summary",    "svg",     "table",   "tbody",
      "td",       "template", "textarea", "tfoot",      "th",       "thead",      "title",   "tr",      "track",
      "ul",       "video"};
  return names.count(name) > 0 || IsInlineElement(name);
}

bool TagReader::Read(size_t at, size_t limit, bool fragments, Tag* tag) {
  *tag = Tag();
  if (at < hopeless_) return false;
  limit = std::min({limit, text_.size(), at + kMaxTagBytes});
  size_t i = at + 1;
  if (i < limit && text_[i] == '/') {
    tag->closing = true;
    ++i;
  }
  if (i >= limit) return false;
  if (text_[i] == '>') {
    tag->end = i + 1;
    return fragments;
  }
  if (!IsAlpha(text_[i])) return false;
  const size_t name = i;
  while (i < limit && (IsAlpha(text_[i]) || IsDigit(text_[i]) || std::strchr("_.:-", text_[i]))) ++i;
  tag->name = std::string(text_.substr(name, i - name));
  if (IsHtmlElement(Lower(tag->name))) tag->name = Lower(tag->name);
  const bool done = Attributes(&i, limit, tag);
  // A long failed search must not be repeated from the next `<` inside it.
  if (!done && i > at + 512) hopeless_ = i;
  return done;
}

size_t TagReader::Balanced(size_t at, size_t limit) {
  if (at < unbalanced_until_) return std::string_view::npos;
  size_t depth = 0;
  for (size_t i = at; i < limit;) {
    const char c = text_[i];
    if (c == '{' || c == '(' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ')' || c == ']') {
      if (--depth == 0) return i + 1;
    } else if (c == '"' || c == '\'' || c == '`') {
      i = StringEnd(i, limit);
      continue;
    } else if (c == '/' && i + 1 < limit && text_[i + 1] == '/' && (i == 0 || text_[i - 1] != ':')) {
      i = std::min(text_.substr(0, limit).find('\n', i), limit);
      continue;
    } else if (c == '/' && i + 1 < limit && text_[i + 1] == '*') {
      const size_t close = text_.substr(0, limit).find("*/", i + 2);
      if (close == std::string_view::npos) break;
      i = close + 2;
      continue;
    }
    ++i;
  }
  unbalanced_until_ = limit;
  return std::string_view::npos;
}

size_t TagReader::StringEnd(size_t at, size_t limit) const {
  const char quote = text_[at];
  for (size_t i = at + 1; i < limit; ++i) {
    if (text_[i] == quote) return i + 1;
    if (text_[i] == '\n' && quote != '`') return i;
    if (text_[i] == '\\') ++i;
  }
  return limit;
}

bool TagReader::Attributes(size_t* at, size_t limit, Tag* tag) {
  size_t& i = *at;
  for (bool first = true;; first = false) {
    const size_t before = i;
    while (i < limit && IsSpace(text_[i])) ++i;
    if (i >= limit) return false;
    if (text_[i] == '>') {
      tag->end = i + 1;
      return true;
    }
    if (text_[i] == '/') {
      size_t close = i + 1;
      while (close < limit && IsSpace(text_[close])) ++close;
      if (close >= limit || text_[close] != '>') return false;
      tag->self_closing = true;
      tag->end = close + 1;
      return true;
    }
    if (tag->closing) return false;
    if (i == before && first) return false;  // the name must end somewhere
    if (text_[i] == '{') {
      if (!Braces(&i, limit)) return false;
      tag->has_values = true;
      continue;
    }
    const size_t name = i;
    while (i < limit && !IsSpace(text_[i]) && !std::strchr("\"'<>/={}`,;", text_[i])) ++i;
    if (i == name) return false;
    if (!Value(text_.substr(name, i - name), &i, limit, tag)) return false;
  }
}

bool TagReader::Braces(size_t* i, size_t limit) {
  const size_t end = Balanced(*i, limit);
  if (end == std::string_view::npos) return false;
  *i = end;
  return true;
}

bool TagReader::Value(std::string_view name, size_t* at, size_t limit, Tag* tag) {
  size_t i = *at;
  while (i < limit && IsSpace(text_[i])) ++i;
  if (i >= limit || text_[i] != '=') return true;  // no value; white space stays for the loop
  ++i;
  while (i < limit && IsSpace(text_[i])) ++i;
  if (i >= limit) return false;
  tag->has_values = true;
  *at = i;
  if (text_[i] == '{') return Braces(at, limit);
  std::string_view value;
  if (text_[i] == '"' || text_[i] == '\'') {
    if (i < unquoted_until_) return false;
    const size_t close = text_.substr(0, limit).find(text_[i], i + 1);
    if (close == std::string_view::npos) {
      unquoted_until_ = limit;
      return false;
    }
    value = text_.substr(i + 1, close - i - 1);
    *at = close + 1;
  } else {
    const size_t start = i;
    while (i < limit && !IsSpace(text_[i]) && !std::strchr("\"'<>=`{}", text_[i])) ++i;
    if (i == start) return false;
    // The slash of `<br class=x/>` closes the tag.
    if (i < limit && text_[i] == '>' && text_[i - 1] == '/') --i;
    value = text_.substr(start, i - start);
    *at = i;
  }
  Note(name, value, tag);
  return true;
}

std::string StripTags(std::string_view text, std::string* words) {
  TagReader reader(text);
  std::string out;
  Tag tag;
  const size_t last_comment = text.rfind("-->");
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '<') {
      if (last_comment != std::string_view::npos && i + 4 <= last_comment && StartsWith(text.substr(i), "<!--")) {
        i = text.find("-->", i + 4) + 3;
        continue;
      }
      if (reader.Read(i, text.size(), false, &tag)) {
        if (words && !tag.words.empty()) *words += (words->empty() ? "" : " ") + tag.words;
        if (tag.name == "br") out.push_back(' ');
        i = tag.end;
        continue;
      }
    }
    out.push_back(text[i++]);
  }
  return DecodeEntities(out);
}

size_t ReadEntity(std::string_view text, std::string* character) {
  static constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
      {"lt;", "<"},         {"gt;", ">"},          {"amp;", "&"},        {"quot;", "\""},       {"apos;", "'"},
      {"nbsp;", " "},       {"lbrace;", "{"},      {"rbrace;", "}"},     {"lcub;", "{"},        {"rcub;", "}"},
      {"lbrack;", "["},     {"rbrack;", "]"},      {"lsqb;", "["},       {"rsqb;", "]"},        {"lpar;", "("},
      {"rpar;", ")"},       {"vert;", "|"},        {"verbar;", "|"},     {"ast;", "*"},         {"lowbar;", "_"},
      {"grave;", "`"},      {"num;", "#"},         {"colon;", ":"},      {"commat;", "@"},      {"dollar;", "$"},
      {"percnt;", "%"},     {"bsol;", "\\"},       {"sol;", "/"},        {"equals;", "="},      {"plus;", "+"},
      {"quest;", "?"},      {"excl;", "!"},        {"ensp;", " "},       {"emsp;", " "},        {"thinsp;", " "},
      {"zwnj;", ""},        {"shy;", ""},          {"mdash;", "\u2014"}, {"ndash;", "\u2013"},  {"hellip;", "\u2026"},
      {"bull;", "\u2022"},  {"middot;", "\u00B7"}, {"copy;", "\u00A9"},  {"reg;", "\u00AE"},    {"trade;", "\u2122"},
      {"deg;", "\u00B0"},   {"micro;", "\u00B5"},  {"times;", "\u00D7"}, {"divide;", "\u00F7"}, {"plusmn;", "\u00B1"},
      {"larr;", "\u2190"},  {"uarr;", "\u2191"},   {"rarr;", "\u2192"},  {"darr;", "\u2193"},   {"harr;", "\u2194"},
      {"rArr;", "\u21D2"},  {"le;", "\u2264"},     {"ge;", "\u2265"},    {"ne;", "\u2260"},     {"infin;", "\u221E"},
      {"check;", "\u2713"}, {"cross;", "\u2717"},  {"laquo;", "\u00AB"}, {"raquo;", "\u00BB"},  {"lsquo;", "\u2018"},
      {"rsquo;", "\u2019"}, {"ldquo;", "\u201C"},  {"rdquo;", "\u201D"}, {"para;", "\u00B6"},   {"sect;", "\u00A7"},
      {"euro;", "\u20AC"}};
  if (text.size() < 3 || text[0] != '&') return 0;
  const std::string_view rest = text.substr(1, 12);
  if (rest[0] != '#') {
    for (const auto& [name, decoded] : kNamed) {
      if (!StartsWith(rest, name)) continue;
      *character = decoded;
      return 1 + name.size();
    }
    return 0;
  }
  const size_t stop = rest.find(';');
  const bool hex = rest.size() > 2 && (rest[1] == 'x' || rest[1] == 'X');
  uint32_t value = 0;
  bool valid = stop != std::string_view::npos && stop > (hex ? 2u : 1u) && stop <= 9;
  for (size_t k = hex ? 2 : 1; valid && k < stop; ++k) {
    const char c = rest[k];
    valid = hex ? std::isxdigit(uint8_t(c)) != 0 : IsDigit(c);
    value = value * (hex ? 16 : 10) + uint32_t(IsDigit(c) ? c - '0' : (c | 32) - 'a' + 10);
  }
  if (!valid || (value < 0xA0 && (value < 0x20 || value > 0x7E) && value != '\n' && value != '\t')) return 0;
  character->clear();
  AppendUtf8(value, character);
  return 1 + stop + 1;
}

std::string DecodeEntities(std::string_view text) {
  std::string out, character;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = text[i] == '&' ? ReadEntity(text.substr(i), &character) : 0;
    if (length == 0) {
      out.push_back(text[i++]);
    } else {
      out += character;
      i += length;
    }
  }
  return out;
}

}  // namespace sheaf::packer
