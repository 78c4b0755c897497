#include "packer/pipeline/page_language.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "packer/base/read_file.h"
#include "packer/base/text_scan.h"
#include "packer/parse/parse.h"
#include "packer/pipeline/prepare_file.h"
#include "packer/pipeline/recognise_language.h"
#include "text/analyzer.h"

namespace sheaf::packer {
namespace {

constexpr size_t kPages = 400;          // spread over the list
constexpr size_t kLeastNaming = 10;     // one page in so many has to name a language
constexpr size_t kPagesRead = 40;       // where those name no language
constexpr size_t kPageBytes = 1 << 17;  // of each, and of its words
// A file that begins with data (a notebook's pictures, a page's styles) is read further.
constexpr size_t kLeastProse = 2000;
constexpr size_t kLongPageBytes = size_t(8) << 20;
constexpr size_t kLongPagesBytes = size_t(64) << 20;  // of all such pages

// ISO 639-1, the withdrawn "iw" too.
constexpr std::string_view kCodes =
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz "
    "ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik "
    "io is it iu iw ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk "
    "ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc "
    "sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz "
    "ve vi vo wa wo xh yi yo za zh zu";
// Those of them that name programming languages as well, or their files. Front matter may mean these; <html lang> never
// does.
constexpr std::string_view kCodesOfPrograms = "as cr cs el mk ml pl ps sc sh st sv ts";

bool IsLetter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

// Two or three letters, then subtags of 1 to 8 letters and digits.
bool IsTag(std::string_view tag) {
  size_t length = 0, subtags = 0;
  if (tag.size() > 35) return false;
  for (char c : tag) {
    if (c == '-') {
      if (length == 0 || (subtags == 0 && length < 2)) return false;
      ++subtags;
      length = 0;
    } else if (++length > (subtags == 0 ? 3 : 8) || !(IsLetter(c) || (subtags > 0 && IsDigit(c)))) {
      return false;
    }
  }
  return subtags == 0 ? length >= 2 : length > 0;
}

std::string Primary(std::string_view tag) {
  std::string primary = Lower(tag.substr(0, tag.find('-')));
  if (primary == "nb" || primary == "nn") primary = "no";
  if (primary == "iw") primary = "he";
  return primary;
}

// Whether a tag in front matter can be meant: `language` is a program's there as often, and any three letters are a
// code.
bool IsHuman(std::string_view tag) {
  if (!IsTag(tag)) return false;
  if (tag.find('-') == 3) return tag.size() == 6 || tag.size() == 8;  // a country or a script follows
  return kCodes.find(Lower(tag.substr(0, tag.find('-')))) != kCodes.npos;
}

bool MayBeProgram(std::string_view tag) { return tag.size() == 2 && kCodesOfPrograms.find(Lower(tag)) != kCodes.npos; }

// The value at the beginning of `text`, quoted or not.
std::string_view Value(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\"'");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return text.substr(0, text.find_first_of(" \t\r\n\"'>/#"));
}

std::string_view OfHtml(std::string_view head, const std::string& lower) {
  const size_t begin = lower.find("<html"), end = begin == std::string::npos ? begin : lower.find('>', begin);
  if (end == std::string::npos) return {};
  for (const std::string_view name : {"lang", "xml:lang"}) {
    for (size_t at = begin; (at = lower.find(name, at + 1)) < end;) {
      const size_t equals = lower.find_first_not_of(" \t\r\n", at + name.size());
      const char before = lower[at - 1];
      if (equals < end && lower[equals] == '=' && (before == ' ' || before == '\t' || before == '\n' || before == '\r'))
        return Value(head.substr(equals + 1, end - equals));
    }
  }
  return {};
}

std::string_view OfFrontMatter(std::string_view head) {
  if (!head.starts_with("---\n") && !head.starts_with("---\r\n")) return {};
  for (size_t line = head.find('\n') + 1; line < head.size();) {
    const size_t end = std::min(head.find('\n', line), head.size());
    const std::string_view text = head.substr(line, end - line);
    if (text.starts_with("---") || text.starts_with("...")) break;
    for (const std::string_view key : {"lang:", "language:"}) {
      if (!text.starts_with(key)) continue;
      if (const std::string_view value = Value(text.substr(key.size())); IsHuman(value)) return value;
    }
    line = end + 1;
  }
  return {};
}

// At most about `most` of the files, in order.
std::vector<const SourceFile*> Spread(const SourceList& list, size_t most) {
  std::vector<const SourceFile*> files;
  const size_t step = std::max<size_t>(1, (list.files.size() + most - 1) / most);
  for (size_t i = 0; i < list.files.size(); i += step) files.push_back(&list.files[i]);
  return files;
}

Recognised RecognisePages(const std::vector<const SourceFile*>& files) {
  std::vector<std::string> pages;
  uint64_t left = kLongPagesBytes;
  for (const SourceFile* file : files) {
    std::string& prose = pages.emplace_back();
    const uint64_t size = std::min<uint64_t>(file->size, kLongPageBytes);
    for (size_t bytes = kPageBytes;; bytes = size_t(size)) {
      const Result<Document> document =
          Guarded([&] { return ParseFile(ReadBeginning(file->path, bytes), PathForParser(*file)); });
      if (document.ok()) {
        prose.clear();
        for (const Block& block : document->blocks) {
          if (prose.size() < kPageBytes) prose.append(block.prose, 0, kPageBytes).append("\n");
        }
      }
      if (prose.size() >= kLeastProse || size <= bytes || size > left) break;
      left -= size;
    }
  }
  return RecogniseLanguage(pages);
}

// With a note unless it is English; empty if it is not sure.
std::string Recognise(SourceList* list, std::string_view naming) {
  Recognised found = RecognisePages(Spread(*list, kPagesRead));
  if (!found.tag.empty() && found.tag != "en") {
    list->notes.push_back(
        {"language", std::string(naming) + ", and " + std::to_string(found.pages) + " of " +
                         std::to_string(found.judged) + " pages that were read for it are in '" + found.tag +
                         "': packed in that language; --language, or <html lang> in the pages, overrides it"});
  }
  return found.tag;
}

}  // namespace

Result<PageLanguage> ReadLanguage(std::string_view tag) {
  const std::string lower = Lower(tag);
  if (lower == "none") return PageLanguage{Language::kNone, "none"};
  if (!IsTag(tag)) {
    return Error{ErrorCode::kInvalidArgument, "--language " + std::string(tag.substr(0, 40)) +
                                                  ": expected a language tag, such as de or pt-BR, or none"};
  }
  PageLanguage language{LanguageOf(Primary(tag)), std::string(tag)};
  if (StemmerVersion(language.analysis) == 0) language.analysis = Language::kNone;
  if (language.analysis == Language::kEnglish) language.tag = "en";
  return language;
}

bool IsLanguageCode(std::string_view code) { return code.size() == 2 && kCodes.find(code) != kCodes.npos; }

std::string WrittenLanguage(const std::vector<const SourceFile*>& pages) { return RecognisePages(pages).tag; }

bool SameLanguage(std::string_view a, std::string_view b) { return Primary(a) == Primary(b); }

std::string LanguageOfPage(std::string_view head, FileKind kind) {
  const std::string_view tag = kind == FileKind::kHtml ? OfHtml(head, Lower(head)) : OfFrontMatter(head);
  return IsTag(tag) ? std::string(tag) : std::string();
}

PageLanguage FindLanguage(SourceList* list) {
  std::map<std::string, size_t> tags, languages, in_front_matter;  // de-AT and de are one language
  const std::vector<const SourceFile*> files = Spread(*list, kPages);
  size_t naming = 0;
  for (const SourceFile* file : files) {
    const std::string tag = LanguageOfPage(ReadBeginning(file->path, kHeadBytes), file->kind);
    if (tag.empty()) continue;
    ++naming;
    ++tags[tag];
    ++languages[Primary(tag)];
    if (file->kind != FileKind::kHtml) ++in_front_matter[tag];
  }
  std::string tag;
  if (naming * kLeastNaming >= files.size()) {
    std::pair<size_t, size_t> most;
    for (const auto& [each, pages] : tags) {
      const std::pair<size_t, size_t> count(languages[Primary(each)], pages);
      if (count > most) {
        most = count;
        tag = each;
      }
    }
  }
  if (tag.empty() || (MayBeProgram(tag) && 2 * in_front_matter[tag] > tags[tag])) {
    const std::string written = Recognise(list, naming == 0 ? "no page names one" : "the pages name none for sure");
    if (!written.empty()) tag = written;
  }
  const Result<PageLanguage> read = ReadLanguage(tag.empty() ? "en" : tag);
  PageLanguage language = read.ok() ? *read : PageLanguage{};
  language.found = true;
  return language;
}

}  // namespace sheaf::packer
