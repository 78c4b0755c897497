#include "packer/parse/markdown/markup_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "packer/base/text_scan.h"
#include "packer/parse/markdown/markup_tags.h"

namespace sheaf::packer {
namespace {

bool IsCode(std::string_view name) {
  return name == "code" || name == "kbd" || name == "tt" || name == "samp" || name == "pre";
}
bool IsHiddenName(std::string_view name) { return name == "script" || name == "style" || name == "svg"; }

class TableReader {
 public:
  TableReader(std::string_view text, std::string* words) : text_(text), tags_(text), words_(words) {}

  std::optional<std::string> Read() {
    Tag tag;
    for (size_t i = 0; i < text_.size();) {
      if (text_.substr(i).starts_with("<!--")) {
        if (comment_end_ < i + 2) comment_end_ = std::min(text_.find("-->", i + 2), text_.size());
        i = std::min(comment_end_ + 3, text_.size());
      } else if (text_[i] == '<' && tags_.Read(i, text_.size(), false, &tag)) {
        if (!tag.words.empty()) words_->append(words_->empty() ? "" : " ").append(tag.words);
        if (!Element(tag, &i)) return std::nullopt;
      } else {
        Text(text_[i++]);
      }
    }
    EndRow();
    return Write();
  }

 private:
  bool Element(const Tag& tag, size_t* i) {
    *i = tag.end;
    const std::string& name = tag.name;
    if (name == "table") return false;
    if (name == "tr") {
      EndRow();
    } else if (name == "td" || name == "th") {
      EndCell();
      if (tag.closing) return true;
      in_cell_ = true;
      if (row_.size() >= kMaxHtmlColumns) return false;
    } else if (name == "caption") {
      in_caption_ = !tag.closing;
    } else if (!tag.closing && !tag.self_closing && (IsCode(name) || IsHiddenName(name))) {
      const size_t close = FindFolded(text_, "</" + name, tag.end, text_.size());
      if (close == text_.npos) return true;
      const std::string inside = StripTags(text_.substr(tag.end, close - tag.end), nullptr);
      const size_t end = text_.find('>', close);
      *i = end == text_.npos ? text_.size() : end + 1;
      if (IsHiddenName(name) || IsBlank(inside)) return true;
      const std::string code = CollapseSpace(inside);
      const bool plain = code.find('`') == code.npos;
      cell_ += plain ? "`" + Escaped(code) + "`" : Escaped(code);
    } else if (!IsInlineElement(name)) {
      cell_ += ' ';
    }
    return true;
  }

  void Text(char c) {
    if (in_cell_) {
      cell_.push_back(c == '\n' ? ' ' : c);
    } else if (in_caption_) {
      caption_.push_back(c == '\n' ? ' ' : c);
    }
  }

  static std::string Escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '|') out.push_back('\\');
      out.push_back(c);
    }
    return out;
  }

  void EndCell() {
    if (in_cell_) row_.push_back(CollapseSpace(DecodeCell(cell_)));
    in_cell_ = false;
    cell_.clear();
  }
  void EndRow() {
    EndCell();
    if (!row_.empty()) rows_.push_back(std::move(row_));
    row_.clear();
  }
  // Code is decoded already; a bar that an entity stands for is text.
  static std::string DecodeCell(std::string_view cell) {
    std::string out;
    for (size_t i = 0; i < cell.size();) {
      if (cell[i] == '`') {
        const size_t close = std::min(cell.find('`', i + 1), cell.size() - 1) + 1;
        out += cell.substr(i, close - i);
        i = close;
        continue;
      }
      const size_t next = std::min(cell.find('`', i), cell.size());
      std::string plain = DecodeEntities(cell.substr(i, next - i));
      for (size_t k = 0; k < plain.size(); ++k) {
        if (plain[k] == '|' && (k == 0 || plain[k - 1] != '\\')) plain.insert(k++, 1, '\\');
      }
      out += plain;
      i = next;
    }
    return out;
  }

  std::optional<std::string> Write() const {
    size_t columns = 0;
    for (const auto& row : rows_) columns = std::max(columns, row.size());
    if (columns < 2 || rows_.size() < 2) return std::nullopt;
    std::string out;
    const std::string caption = CollapseSpace(DecodeEntities(caption_));
    if (!caption.empty()) out += caption + "\n\n";
    for (size_t i = 0; i < rows_.size(); ++i) {
      out += '|';
      for (size_t k = 0; k < columns; ++k) out += " " + (k < rows_[i].size() ? rows_[i][k] : std::string()) + " |";
      out += '\n';
      if (i > 0) continue;
      out += '|';
      for (size_t k = 0; k < columns; ++k) out += "---|";
      out += '\n';
    }
    return out;
  }

  const std::string_view text_;
  TagReader tags_;
  std::string* const words_;
  std::string cell_, caption_;
  std::vector<std::string> row_;
  std::vector<std::vector<std::string>> rows_;
  bool in_cell_ = false, in_caption_ = false;
  size_t comment_end_ = 0;
};

}  // namespace

std::optional<std::string> RowsOfHtmlTable(std::string_view inside, std::string* words) {
  if (inside.size() > kMaxHtmlTable || inside.find("\n```") != inside.npos) return std::nullopt;
  return TableReader(inside, words).Read();
}

}  // namespace sheaf::packer
