#include "packer/parse/rst/rst_inline.h"

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "packer/base/text_scan.h"
#include "packer/parse/rst/rst_titles.h"

namespace sheaf::packer {
namespace {

bool IsWordCharacter(char c) {
  return uint8_t(c) >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsInlineBlank(char c) { return c == ' ' || c == '\n' || c == '\t'; }

// Roles whose text is code: names of things that a reader types.
bool IsCodeRole(std::string_view role) {
  static const std::unordered_set<std::string_view> roles = {
      "attr",       "attribute", "class",  "cls",           "cmacro",    "code",       "command", "const",
      "data",       "deco",      "dir",    "envvar",        "enum",      "enumerator", "exc",     "file",
      "func",       "function",  "kbd",    "keyword",       "lib",       "literal",    "macro",   "mailheader",
      "makevar",    "member",    "meth",   "method",        "mimetype",  "mod",        "module",  "namespace",
      "obj",        "object",    "opcode", "option",        "process",   "prog",       "program", "property",
      "regexp",     "role",      "samp",   "setting",       "struct",    "texttt",     "tfilter", "token",
      "ttag",       "type",      "union",  "var",           "variable",  "cfunc",      "cdata",   "ctype",
      "confval",    "djadmin",   "lookup", "grammar-token", "directive", "expr",       "concept", "alias",
      "py",         "python",    "c",      "cpp",           "bash",      "console",    "sql",     "js",
      "javascript", "rust",      "html",   "css",           "path",      "source-file"};
  return roles.contains(role);
}

// Prefixes for roles that number a document elsewhere.
std::string_view RolePrefix(std::string_view role) {
  if (role == "rfc") return "RFC ";
  if (role == "pep") return "PEP ";
  if (role == "issue" || role == "ticket") return "#";
  if (role == "bpo") return "bpo-";
  if (role == "gh") return "gh-";
  return "";
}

std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      if (IsInlineBlank(text[i])) continue;  // "\ " separates markup and vanishes
    }
    plain += text[i];
  }
  return plain;
}

class InlineReader {
 public:
  InlineReader(std::string_view text, const RstNames& names, InlineText* out) : text_(text), names_(names), out_(out) {}

  void Run() {
    while (at_ < text_.size()) {
      if (!Markup()) ++at_;
    }
    FlushWords(at_);
  }

 private:
  char Peek(size_t offset) const { return at_ + offset < text_.size() ? text_[at_ + offset] : '\0'; }

  // Words up to `end` that no markup claimed.
  void FlushWords(size_t end) {
    if (end > words_) EmitWords(text_.substr(words_, end - words_));
  }

  void EmitWords(std::string_view words) {
    std::string plain = Unescape(words);
    // Sphinx sets " --- " as a dash; "--option" is better left alone.
    for (size_t at = plain.find(" --- "); at != std::string::npos; at = plain.find(" --- ", at)) {
      plain.replace(at, 5, " \xE2\x80\x94 ");
    }
    out_->Text(plain);
  }

  void Take(size_t end) { at_ = words_ = end; }

  void Code(std::string_view code) {
    out_->BeginCode();
    out_->Text(code);
    out_->EndCode();
  }

  // True where inline markup may begin: after a blank, an opening bracket, a quote, or markup.
  bool MayStart() const {
    if (at_ == 0 || at_ == words_) return true;
    const char before = text_[at_ - 1];
    return !IsWordCharacter(before) && before != '\\' && before != '`' && before != '*' && before != '_';
  }
  bool MayEnd(size_t end) const { return end >= text_.size() || !IsWordCharacter(text_[end]); }

  // Position of `mark` at or after `from`, with a non-blank before and no letter behind, or npos.
  size_t Close(std::string_view mark, size_t from, size_t* missing_from) {
    if (from >= *missing_from) return std::string_view::npos;
    for (size_t at = text_.find(mark, from); at != std::string_view::npos; at = text_.find(mark, at + 1)) {
      if (!IsInlineBlank(text_[at - 1]) && text_[at - 1] != '\\' && MayEnd(at + mark.size())) return at;
    }
    *missing_from = from;
    return std::string_view::npos;
  }

  bool Markup() {
    switch (text_[at_]) {
      case '\\':
        ++at_;  // what follows is no markup
        return false;
      case '`': return MayStart() && (Peek(1) == '`' ? Literal() : Interpreted(""));
      case ':': return MayStart() && Role();
      case '*': return MayStart() && Emphasis();
      case '|': return MayStart() && Substitution();
      case '[': return MayStart() && Footnote();
      case '_': return Reference();
      default: return false;
    }
  }

  bool Literal() {
    const size_t from = at_ + 2;
    if (from >= text_.size() || IsInlineBlank(text_[from]) || from >= no_literal_) return false;
    size_t end = text_.find("``", from + 1);
    while (end != std::string_view::npos &&
           (IsInlineBlank(text_[end - 1]) || !MayEnd(end + 2) || (end + 2 < text_.size() && text_[end + 2] == '`'))) {
      end = text_.find("``", end + 1);
    }
    if (end == std::string_view::npos) {
      no_literal_ = from;
      return false;
    }
    FlushWords(at_);
    Code(text_.substr(from, end - from));
    Take(end + 2);
    return true;
  }

  bool Role() {
    size_t end = at_ + 1;
    while (end < text_.size() && end < at_ + 64 &&
           (IsWordCharacter(text_[end]) || text_[end] == ':' || text_[end] == '-' || text_[end] == '_' ||
            text_[end] == '.' || text_[end] == '+')) {
      ++end;
    }
    if (end >= text_.size() || text_[end] != '`' || text_[end - 1] != ':' || end == at_ + 1) return false;
    const size_t start = at_;
    FlushWords(start);
    words_ = start;
    at_ = end;
    std::string_view role = text_.substr(start + 1, end - start - 2);
    if (Peek(1) != '`' && Interpreted(role)) return true;
    at_ = start;
    return false;
  }

  // `text`, `text`:role:, `text <url>`_ and the same behind a role's name.
  bool Interpreted(std::string_view role) {
    const size_t from = at_ + 1;
    if (from >= text_.size() || IsInlineBlank(text_[from])) return false;
    size_t end = std::string_view::npos;
    if (from < no_interpreted_) {
      for (size_t at = text_.find('`', from); at != std::string_view::npos; at = text_.find('`', at + 1)) {
        if (text_[at - 1] != '\\' && !IsInlineBlank(text_[at - 1])) {
          end = at;
          break;
        }
      }
    }
    if (end == std::string_view::npos) {
      no_interpreted_ = std::min(no_interpreted_, from);
      return false;
    }
    if (role.empty()) FlushWords(at_);
    const std::string_view content = text_.substr(from, end - from);
    size_t next = end + 1;
    bool link = false;
    while (next < text_.size() && text_[next] == '_' && next < end + 3) {
      link = true;
      ++next;
    }
    if (role.empty() && !link && next < text_.size() && text_[next] == ':') {
      const size_t close = text_.find(':', next + 1);
      if (close != std::string_view::npos && close - next < 40 &&
          text_.substr(next + 1, close - next - 1).find_first_of(" \n`") == std::string_view::npos &&
          close > next + 1) {
        role = text_.substr(next + 1, close - next - 1);
        next = close + 1;
      }
    }
    EmitRole(content, role, link);
    Take(next);
    return true;
  }

  void EmitRole(std::string_view content, std::string_view role, bool link) {
    if (const size_t colon = role.rfind(':'); colon != std::string_view::npos) role.remove_prefix(colon + 1);
    // "text <target>". Sphinx needs no blank; names of code may hold brackets of their own: std::vector<int>.
    const bool needs_blank = role.empty() || IsCodeRole(role);
    std::string_view words = content, target = content;
    bool titled = false;
    if (content.ends_with('>')) {
      const size_t open = content.rfind('<');
      if (open != std::string_view::npos && (open == 0 || !needs_blank || IsInlineBlank(content[open - 1]))) {
        target = content.substr(open + 1, content.size() - open - 2);
        words = open == 0 ? target : TrimEnd(content.substr(0, open));
        titled = open > 0;
      }
    }
    if (link) return EmitWords(words);
    std::string name = Unescape(words);
    if (const auto linked = names_.links.find(std::string(role)); linked != names_.links.end()) {
      if (titled) return out_->Text(name);
      const size_t at = linked->second.find("%s");
      return out_->Text(linked->second.substr(0, at) + name + linked->second.substr(at + 2));
    }
    if (role == "raw-html" || role == "raw" || role == "raw-latex" || role == "index") return;
    if (!titled && role == "ref") {
      const std::string label = RstName(target);
      const auto found = names_.titles.find(label);
      if (found != names_.titles.end()) {
        name = found->second;
      } else if (names_.others.titles != nullptr) {
        const auto& labels = names_.others.titles->labels;
        if (const auto other = labels.find(label); other != labels.end()) name = other->second;
      }
    } else if (!titled && role == "doc") {
      const std::string_view title =
          names_.others.titles == nullptr ? "" : TitleOfPage(*names_.others.titles, name, names_.others.path);
      if (const size_t slash = name.rfind('/'); !title.empty()) {
        name = title;
      } else if (slash != std::string::npos) {
        name.erase(0, slash + 1);
      }
    } else if (role == "abbr" || role == "abbreviation") {
      name = name.substr(0, name.find(" ("));
    }
    const bool code = role.empty() ? name.find_first_of(" \n") == std::string::npos : IsCodeRole(role);
    if (!code) {
      out_->Text(std::string(titled ? "" : RolePrefix(role)) + name);
      return;
    }
    if (!titled && !name.empty() && (name[0] == '!' || name[0] == '~')) {
      const bool last_part = name[0] == '~';
      name.erase(0, 1);
      if (last_part) name.erase(0, name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
    }
    if (role == "samp") std::erase_if(name, [](char c) { return c == '{' || c == '}'; });
    const bool call = role == "func" || role == "meth" || role == "function" || role == "method" || role == "cfunc";
    if (call && !titled && !name.empty() && !name.ends_with(')') && IsWordCharacter(name.back())) name += "()";
    Code(name);
  }

  bool Emphasis() {
    const bool strong = Peek(1) == '*';
    const size_t from = at_ + (strong ? 2 : 1);
    if (from >= text_.size() || IsInlineBlank(text_[from])) return false;
    // A star in quotes or brackets is a star.
    if (at_ > 0) {
      constexpr std::array<std::string_view, 6> kPairs = {"\"\"", "''", "()", "[]", "{}", "<>"};
      for (const std::string_view pair : kPairs) {
        if (text_[at_ - 1] == pair[0] && text_[from] == pair[1]) return false;
      }
    }
    const size_t end = strong ? Close("**", from + 1, &no_strong_) : Close("*", from + 1, &no_emphasis_);
    if (end == std::string_view::npos) return false;
    FlushWords(at_);
    EmitWords(text_.substr(from, end - from));
    Take(end + (strong ? 2 : 1));
    return true;
  }

  bool Substitution() {
    const std::string_view window = text_.substr(at_ + 1, kMaxSubstitutionBytes);
    const size_t size = window.find('|');
    if (size == std::string_view::npos || size == 0 || IsInlineBlank(window[0]) || IsInlineBlank(window[size - 1]))
      return false;
    if (window.substr(0, size).find('`') != std::string_view::npos) return false;
    size_t next = at_ + size + 2;
    while (next < text_.size() && text_[next] == '_') ++next;
    if (!MayEnd(next)) return false;
    FlushWords(at_);
    const auto found = names_.substitutions.find(RstName(window.substr(0, size)));
    out_->Text(found != names_.substitutions.end() ? std::string_view(found->second) : window.substr(0, size));
    Take(next);
    return true;
  }

  // [1]_ and [CIT2002]_ keep their label; automatic numbers ([#]_, [#name]_, [*]_) have none yet.
  bool Footnote() {
    const std::string_view window = text_.substr(at_ + 1, 80);
    const size_t size = window.find(']');
    if (size == std::string_view::npos || size == 0 || size + 1 >= window.size() || window[size + 1] != '_')
      return false;
    if (window.substr(0, size).find_first_of(" \n") != std::string_view::npos) return false;
    FlushWords(at_);
    if (window[0] != '#' && window[0] != '*') out_->Text("[" + std::string(window.substr(0, size)) + "]");
    Take(at_ + size + 3);
    return true;
  }

  // word_ and word__ are references, _`words` is a target.
  bool Reference() {
    if (Peek(1) == '`' && MayStart()) {
      const size_t end = text_.find('`', at_ + 2);
      if (end == std::string_view::npos || end - at_ > 200) return false;
      FlushWords(at_);
      EmitWords(text_.substr(at_ + 2, end - at_ - 2));
      Take(end + 1);
      return true;
    }
    const size_t size = Peek(1) == '_' ? 2 : 1;
    if (at_ == 0 || at_ == words_ || !IsWordCharacter(text_[at_ - 1]) || !MayEnd(at_ + size) || Peek(size) == '_')
      return false;
    // A reference name begins with a letter or digit: __init__ is none.
    size_t begin = at_;
    while (begin > words_ && at_ - begin < 80 &&
           (IsWordCharacter(text_[begin - 1]) ||
            std::string_view("-_.:+").find(text_[begin - 1]) != std::string_view::npos)) {
      --begin;
    }
    if (!IsWordCharacter(text_[begin])) return false;
    FlushWords(at_);
    Take(at_ + size);
    return true;
  }

  std::string_view text_;
  const RstNames& names_;
  InlineText* out_;
  size_t at_ = 0;
  size_t words_ = 0;  // start of the words that are not yet written
  size_t no_literal_ = std::string_view::npos, no_interpreted_ = std::string_view::npos;
  size_t no_strong_ = std::string_view::npos, no_emphasis_ = std::string_view::npos;
};

// Letters with their accents taken off, where Unicode knows how (NFKD).
std::string Decompose(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return uint8_t(c) < 0x80; })) return std::string(text);
  if (text.size() > 4096) return std::string(text);
  UErrorCode status = U_ZERO_ERROR;
  std::vector<UChar> wide(text.size() + 1), flat(text.size() * 20 + 1);
  int32_t wide_size = 0;
  u_strFromUTF8(wide.data(), int32_t(wide.size()), &wide_size, text.data(), int32_t(text.size()), &status);
  const UNormalizer2* normalizer = unorm2_getNFKDInstance(&status);
  if (U_FAILURE(status)) return std::string(text);
  const int32_t size = unorm2_normalize(normalizer, wide.data(), wide_size, flat.data(), int32_t(flat.size()), &status);
  if (U_FAILURE(status)) return std::string(text);
  std::string ascii;
  for (int32_t i = 0; i < size; ++i) {
    if (flat[size_t(i)] < 0x80) ascii += char(flat[size_t(i)]);
  }
  return ascii;
}

}  // namespace

void AppendRstInline(std::string_view text, const RstNames& names, InlineText* out) {
  InlineReader(text, names, out).Run();
}

std::string RstPlain(std::string_view text, const RstNames& names) {
  InlineText out;
  AppendRstInline(text, names, &out);
  out.Finish();
  return out.plain();
}

std::string RstId(std::string_view name) {
  std::string id;
  for (char c : Decompose(name)) {
    if (uint8_t(c) >= 0x80) continue;
    if (c >= 'A' && c <= 'Z') c = char(c + 32);
    const bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9' && !id.empty());
    if (good) {
      id += c;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  return id;
}

std::string RstName(std::string_view name) {
  std::string key = CollapseSpace(name);
  for (char& c : key) {
    if (c >= 'A' && c <= 'Z') c = char(c + 32);
  }
  return key;
}

}  // namespace sheaf::packer
