// Second half of the Markdown parser: blocks, titles, anchors and index words of a cleaned page.
// The first half is markdown_clean.cc.
//
// A block is a leaf of cmark's tree (paragraph, heading, code block, table row) with the lines up
// to the next leaf: so list markers open the block of their item's first paragraph, and blank
// lines, rules and closing `:::` end the block before. Opening marker lines belong to what
// follows. Text between leaves that cmark has no node for is link definitions.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/document/link_targets.h"
#include "packer/parse/markdown/cmark_tree.h"
#include "packer/parse/markdown/markdown.h"
#include "packer/parse/markdown/markdown_clean.h"
#include "packer/parse/parse.h"
#include "packer/parse/shared/front_matter.h"
#include "packer/parse/shared/title.h"

namespace sheaf::packer {
namespace {

// A leaf with its words.
struct Piece {
  Leaf leaf;
  std::string title;  // headings: all words, code among them, in order
  std::string prose;
  std::string code;
};

bool IsLinkDefinition(std::string_view line) {
  const size_t start = line.find_first_not_of(" \t>");
  if (start == std::string_view::npos || line[start] != '[') return false;
  return line.find("]:", start) != std::string_view::npos;
}

// `{note}` after a fence: MyST's way to write an admonition.
bool IsDirective(std::string_view info) {
  for (const std::string_view name :
       {"{note}", "{tip}", "{hint}", "{important}", "{warning}", "{caution}", "{danger}", "{attention}", "{error}",
        "{seealso}", "{admonition}", "{versionadded}", "{versionchanged}", "{deprecated}"}) {
    if (info.substr(0, name.size()) == name) return true;
  }
  return false;
}

// Code as the index sees it: without mdBook's include lines, which name files of its own source.
std::string IndexedCode(std::string_view literal) {
  std::string code;
  for (size_t at = 0; at < literal.size();) {
    const size_t end = std::min(literal.find('\n', at), literal.size());
    const std::string_view line = literal.substr(at, end - at);
    const size_t start = std::min(line.find_first_not_of(" \t"), line.size());
    if (line.substr(start, 3) != "{{#") code.append(line).push_back('\n');
    at = end + 1;
  }
  while (!code.empty() && code.back() == '\n') code.pop_back();
  return code;
}

// Removes `~~`, which cmark does not parse here (see cmark_tree.h).
std::string WithoutStrikes(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "~~") {
      ++i;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

class Assembler {
 public:
  Assembler(const CleanPage& page, const View& view, uint32_t first_line, Slugger* slugger, Document* document)
      : page_(page), view_(view), first_line_(first_line), slugger_(slugger), document_(document) {}

  void Run() {
    if (page_.lines.size() == 0) return;
    ReadPieces();
    uint32_t start = 0;  // first line that is in no block yet
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const uint32_t limit = i + 1 < pieces_.size() ? pieces_[i + 1].leaf.first : uint32_t(page_.lines.size());
      uint32_t definitions = limit;  // where link definitions begin
      uint32_t next = limit;         // where the next block begins
      for (uint32_t line = pieces_[i].leaf.last + 1; line < limit; ++line) {
        if (Opens(line)) {
          next = line;
          break;
        }
        if (definitions == limit && IsLinkDefinition(page_.lines[line])) definitions = line;
      }
      definitions = std::min(definitions, next);
      AddBlock(pieces_[i], start, definitions);
      if (definitions < next) AddPlain(definitions, next);
      start = next;
    }
    if (start < page_.lines.size()) AddPlain(start, uint32_t(page_.lines.size()));
    for (LinkTarget& link : links_.Take()) document_->links.push_back(std::move(link));
  }

 private:
  // Walks cmark's tree once and collects the words of every leaf.
  void ReadPieces() {
    const CmarkTree tree = ParseTree(view_.text);
    const CmarkIter iter(cmark_iter_new(tree.get()));
    const uint32_t count = uint32_t(page_.lines.size());
    for (cmark_event_type event; (event = cmark_iter_next(iter.get())) != CMARK_EVENT_DONE;) {
      if (event != CMARK_EVENT_ENTER) continue;
      cmark_node* node = cmark_iter_get_node(iter.get());
      Leaf leaf;
      if (ReadLeaf(node, count, &leaf)) {
        StartPiece(leaf);
      } else if (!pieces_.empty()) {
        Inline(node);
      }
    }
  }

  // Keeps the leaves apart by lines, whatever positions cmark gives.
  void StartPiece(const Leaf& leaf) {
    if (!pieces_.empty()) {
      Leaf& before = pieces_.back().leaf;
      if (leaf.first <= before.first) {
        pieces_.back().prose += ' ';  // words join the leaf before
        return;
      }
      before.last = std::min(before.last, leaf.first - 1);
    }
    pieces_.emplace_back();
    Piece& piece = pieces_.back();
    piece.leaf = leaf;
    if (leaf.kind != Leaf::kCode) return;

    const char* literal = cmark_node_get_literal(leaf.node);
    std::string code = IndexedCode(literal ? literal : "");
    Unmask(&code);
    const char* info = cmark_node_get_fence_info(leaf.node);
    if (info && IsDirective(info)) {
      piece.leaf.kind = Leaf::kParagraph;
      piece.prose = std::move(code);
    } else {
      piece.code = std::move(code);
    }
  }

  void Inline(cmark_node* node) {
    Piece& piece = pieces_.back();
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT) {
      const char* literal = cmark_node_get_literal(node);
      piece.prose += literal ? literal : "";
      if (piece.leaf.kind == Leaf::kHeading) piece.title += literal ? literal : "";
    } else if (type == CMARK_NODE_CODE) {
      const char* literal = cmark_node_get_literal(node);
      if (!piece.code.empty()) piece.code += ' ';
      piece.code += literal ? literal : "";
      piece.prose += ' ';
      if (piece.leaf.kind == Leaf::kHeading) piece.title += literal ? literal : "";
    } else if (type == CMARK_NODE_LINK) {
      const char* target = cmark_node_get_url(node);
      std::string link = target ? target : "";
      Unmask(&link);
      const bool is_paragraph = piece.leaf.kind == Leaf::kParagraph;
      links_.Add(link, is_paragraph && piece.prose.find_first_not_of(' ') != std::string::npos);
    } else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK ||
               ReadTablePart(node) == TablePart::kCell) {
      piece.prose += ' ';
      if (piece.leaf.kind == Leaf::kHeading) piece.title += ' ';
    }
  }

  // Whether `line` opens an admonition. Calls must ascend, as the markers do.
  bool Opens(uint32_t line) {
    while (opener_ < view_.markers.size() && (!view_.markers[opener_].opens || view_.markers[opener_].line < line)) {
      ++opener_;
    }
    return opener_ < view_.markers.size() && view_.markers[opener_].line == line;
  }

  uint32_t SourceLine(uint32_t line) const { return first_line_ == 0 ? 0 : page_.source_line[line] + first_line_ - 1; }

  static void AddWords(std::string_view words, std::string* prose) {
    std::string plain(words);
    std::replace(plain.begin(), plain.end(), '`', ' ');
    plain = CollapseSpace(plain);
    if (plain.empty()) return;
    *prose = prose->empty() ? plain : plain + ' ' + *prose;
  }

  // Titles of admonitions and words of removed tags in the lines [begin, end).
  void AddExtraWords(uint32_t end, bool heading, std::string* prose) {
    std::string words;
    for (; marker_ < view_.markers.size() && view_.markers[marker_].line < end; ++marker_) {
      if (view_.markers[marker_].opens) words += view_.markers[marker_].title + ' ';
    }
    for (; attribute_ < page_.attributes.size() && page_.attributes[attribute_].first < end; ++attribute_) {
      words += page_.attributes[attribute_].second + ' ';
    }
    if (!heading) AddWords(words, prose);
  }

  void AddBlock(Piece& piece, uint32_t begin, uint32_t end) {
    const Leaf& leaf = piece.leaf;
    Block block;
    block.text = std::string(page_.lines.Range(begin, end - 1));
    block.first_line = SourceLine(begin);
    uint32_t last = std::min(leaf.last, end - 1);
    while (last > leaf.first && IsBlank(page_.lines[last])) --last;
    block.last_line = SourceLine(last);

    Unmask(&piece.title);
    std::string title = CollapseSpace(piece.title);
    std::string slug;
    if (leaf.kind == Leaf::kHeading) {
      slug = Anchor(begin, leaf.last, title);
    }
    const bool heading = leaf.kind == Leaf::kHeading && leaf.top_level && !title.empty();
    if (heading) {
      block.kind = BlockKind::kHeading;
      block.level = leaf.level;
      block.title = std::move(title);
      block.anchor = std::move(slug);
    } else {
      block.kind = leaf.kind == Leaf::kCode  ? BlockKind::kCode
                   : leaf.kind == Leaf::kRow ? BlockKind::kTableRow
                                             : BlockKind::kText;
      Unmask(&piece.prose);
      block.prose = CollapseSpace(WithoutStrikes(piece.prose));
      Unmask(&piece.code);
      block.code = std::move(piece.code);
    }
    AddExtraWords(end, heading, &block.prose);
    document_->blocks.push_back(std::move(block));
  }

  // Lines that hold no words: link definitions, rules, marks.
  void AddPlain(uint32_t begin, uint32_t end) {
    Block block;
    block.text = std::string(page_.lines.Range(begin, end - 1));
    if (IsBlank(block.text)) return;
    uint32_t last = end - 1;
    while (last > begin && IsBlank(page_.lines[last])) --last;
    block.first_line = SourceLine(begin);
    block.last_line = SourceLine(last);
    AddExtraWords(end, false, &block.prose);
    document_->blocks.push_back(std::move(block));
  }

  // The heading's own `{#id}`, else a tag with an id before or in it, else GitHub's.
  std::string Anchor(uint32_t begin, uint32_t end, std::string_view title) {
    std::string own, tag;
    while (anchor_ < page_.anchors.size() && page_.anchors[anchor_].line < begin) ++anchor_;
    for (; anchor_ < page_.anchors.size() && page_.anchors[anchor_].line <= end; ++anchor_) {
      const CleanPage::Anchor& anchor = page_.anchors[anchor_];
      (anchor.in_heading ? own : tag) = anchor.id;
    }
    if (!own.empty()) {
      slugger_->Take(own);
      return own;
    }
    std::string slug = slugger_->Next(title);
    return tag.empty() ? slug : tag;
  }

  const CleanPage& page_;
  const View& view_;
  const uint32_t first_line_;
  Slugger* const slugger_;
  Document* const document_;
  std::vector<Piece> pieces_;
  LinkTargets links_;
  size_t opener_ = 0, marker_ = 0, attribute_ = 0, anchor_ = 0;
};

}  // namespace

Status AppendMarkdown(std::string_view source, uint32_t first_line, bool mdx, Slugger* slugger, Document* document) {
  SHEAF_ASSIGN_OR_RETURN(const CleanPage page, CleanMarkdown(source, mdx));
  for (const auto& [name, uses] : page.left_out) document->left_out[name] += uses;
  SHEAF_ASSIGN_OR_RETURN(const View view, MakeView(page.lines, ViewKind::kWords, mdx));
  Assembler(page, view, first_line, slugger, document).Run();
  return Status();
}

Result<Document> ParseMarkdown(std::string_view source, std::string_view path, bool mdx) {
  if (source.size() > kMaxPageBytes) {
    return Error{ErrorCode::kTooLarge, std::string(path) + " has " + std::to_string(source.size()) +
                                           " bytes, more than " + std::to_string(kMaxPageBytes) +
                                           ": split it or leave it out"};
  }
  std::string cleaned;
  if (!IsCleanText(source)) {
    cleaned = CleanText(source);
    source = cleaned;
  }
  Document document;
  FrontMatter front = ReadFrontMatter(source);
  document.head() = std::move(front.head());

  Slugger slugger;
  const Status status = AppendMarkdown(source.substr(front.bytes), front.lines + 1, mdx, &slugger, &document);
  if (!status.ok()) return Error{status.code(), std::string(path) + ": " + status.error().message};
  for (Block& block : document.blocks) block.weight = front.weight;
  CompleteTitle(path, &document);
  return document;
}

}  // namespace sheaf::packer
