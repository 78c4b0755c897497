// Plain text: paragraphs, and the few headings that cannot be anything else.
//
// A heading is one line between blank lines (or the page's ends) that
//   - is underlined by a line of `=` or `-` about as long as itself;
//   - is written in capitals, short, without closing punctuation;
//   - begins with a number of two or more parts, `2.1 Installing`, or of one part, `2. Use`, when
//     the page also has a heading `2.1 …` to show that it counts sections and not steps.
// Everything else is a paragraph, whose bytes stay as they are.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/document/document.h"
#include "packer/parse/markdown/markdown_view.h"
#include "packer/parse/parse.h"
#include "packer/parse/shared/title.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxHeading = 80;

bool IsUnderline(std::string_view line, std::string_view title) {
  line = Trim(line);
  const size_t length = CountCodePoints(Trim(title));
  return line.size() >= 3 && (line[0] == '=' || line[0] == '-') &&
         line.find_first_not_of(line[0]) == std::string_view::npos && length > 0 && length <= kMaxHeading &&
         line.size() + 3 >= length && line.size() <= length + 20;
}

bool IsCapitals(std::string_view line) {
  line = Trim(line);
  if (line.size() < 4 || line.size() > 60) return false;
  size_t letters = 0, others = 0;
  for (const char c : line) {
    if (c >= 'A' && c <= 'Z') {
      ++letters;
    } else if (std::isalpha(uint8_t(c)) || uint8_t(c) >= 0x80) {
      return false;
    } else if (c != ' ' && !std::strchr("-&/,()'", c)) {
      ++others;
    }
  }
  return letters >= 4 && others <= 2 && letters * 2 > line.size() && !std::strchr(".,;:!?", line.back()) &&
         std::isalnum(uint8_t(line[0]));
}

// Parts of the section number at the start of a heading: 2 for "2.1 Installing"; 0: none.
int NumberParts(std::string_view line, std::string* number) {
  if (line.empty() || line.size() > kMaxHeading) return 0;
  int parts = 0;
  size_t i = 0, end = 0;
  while (i < line.size() && std::isdigit(uint8_t(line[i]))) {
    const size_t start = i;
    while (i < line.size() && std::isdigit(uint8_t(line[i]))) ++i;
    if (i - start > 3) return 0;
    ++parts;
    end = i;
    if (i < line.size() && line[i] == '.') ++i;
  }
  const std::string_view title = Trim(line.substr(i));
  if (parts == 0 || i >= line.size() || line[i] != ' ' || title.empty()) return 0;
  if (!std::isupper(uint8_t(title[0])) || std::strchr(".,;:!?", title.back())) return 0;
  *number = std::string(line.substr(0, end));
  return parts;
}

class TextReader {
 public:
  TextReader(const Lines& lines, Document* document) : lines_(lines), document_(document) {}

  void Run() {
    FindSections();
    size_t last = 0, next = 0;  // last line of the paragraph that i stands in, first line of the one after it
    for (size_t i = 0; i < lines_.size();) {
      if (Trim(lines_[i]).empty()) {
        ++i;  // leading blank lines; the others go with the block before
        continue;
      }
      if (i >= next) {
        last = i;
        while (last + 1 < lines_.size() && !Trim(lines_[last + 1]).empty()) ++last;
        next = last + 1;
        while (next < lines_.size() && Trim(lines_[next]).empty()) ++next;
      }
      if (last > i && IsUnderline(lines_[i + 1], lines_[i])) {
        // Text may follow an underline at once.
        const size_t end = last == i + 1 ? next : i + 2;
        Heading(i, i + 1, end, Trim(lines_[i + 1])[0] == '=' ? 1 : 2);
        i = end;
        continue;
      }
      const int level = last == i ? Level(lines_[i]) : 0;
      if (level > 0) {
        Heading(i, i, next, level);
      } else {
        Add(BlockKind::kText, i, last, next).prose = CollapseSpace(lines_.Range(i, last));
      }
      i = next;
    }
  }

 private:
  // Notes which one-part numbers are sections: those that a "n.1" stands under.
  void FindSections() {
    for (size_t i = 0; i < lines_.size(); ++i) {
      std::string number;
      if (NumberParts(lines_[i], &number) >= 2 && Alone(i)) {
        sections_.insert(number.substr(0, number.find('.')));
      }
    }
  }

  bool Alone(size_t i) const {
    return (i == 0 || Trim(lines_[i - 1]).empty()) && (i + 1 == lines_.size() || Trim(lines_[i + 1]).empty());
  }

  int Level(std::string_view line) const {
    std::string number;
    const int parts = NumberParts(line, &number);
    if (parts >= 2) return std::min(parts, 6);
    if (parts == 1) return sections_.count(number) > 0 ? 1 : 0;
    if (IsCapitals(line)) return document_->blocks.empty() ? 1 : 2;
    return 0;
  }

  Block& Add(BlockKind kind, size_t first, size_t last, size_t next) {
    Block block;
    block.kind = kind;
    block.text = std::string(lines_.Range(first, next - 1));
    block.first_line = uint32_t(first + 1);
    block.last_line = uint32_t(last + 1);
    document_->blocks.push_back(std::move(block));
    return document_->blocks.back();
  }

  void Heading(size_t first, size_t last, size_t next, int level) {
    Block& block = Add(BlockKind::kHeading, first, last, next);
    block.level = level;
    block.title = CollapseSpace(lines_[first]);
  }

  const Lines& lines_;
  Document* const document_;
  std::set<std::string> sections_;
};

}  // namespace

Result<Document> ParseText(std::string_view source, std::string_view path) {
  if (source.size() > kMaxPageBytes) {
    return Error{ErrorCode::kTooLarge, std::string(path) + " has " + std::to_string(source.size()) +
                                           " bytes, more than " + std::to_string(kMaxPageBytes) +
                                           ": split it or leave it out"};
  }
  const Lines lines = SplitLines(IsCleanText(source) ? std::string(source) : CleanText(source));
  if (lines.size() > kMaxPageUnits) {
    return Error{ErrorCode::kTooLarge,
                 std::string(path) + " has more than " + std::to_string(kMaxPageUnits) + " lines: split it"};
  }
  Document document;
  TextReader(lines, &document).Run();
  CompleteTitle(path, &document);
  return document;
}

}  // namespace sheaf::packer
