#include "packer/parse/markdown/cmark_tree.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace sheaf::packer {
namespace {

uint32_t Line(int one_based) { return uint32_t(std::max(one_based, 1) - 1); }

// The header row starts where its table does, unless a paragraph stands right above; the line of
// the rule follows it, then the body rows.
uint32_t HeaderLine(cmark_node* row, cmark_node* table) {
  const uint32_t start = Line(cmark_node_get_start_line(table));
  cmark_node* body = cmark_node_next(row);
  const uint32_t after_rule = body ? Line(cmark_node_get_start_line(body)) : Line(cmark_node_get_end_line(table)) + 1;
  return std::max(start, after_rule >= 2 ? after_rule - 2 : 0);
}

}  // namespace

TablePart ReadTablePart(cmark_node* node) {
  // The extension's node types are numbered at run time and not exported; their names are.
  const std::string_view name = cmark_node_get_type_string(node);
  if (name == "table_header") return TablePart::kHeader;
  if (name == "table_row") return TablePart::kRow;
  if (name == "table_cell") return TablePart::kCell;
  return TablePart::kNone;
}

CmarkTree ParseTree(std::string_view text) {
  static std::once_flag registered;
  std::call_once(registered, cmark_gfm_core_extensions_ensure_registered);
  std::unique_ptr<cmark_parser, CmarkDelete> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
  for (const char* name : {"table", "tasklist"}) {
    if (cmark_syntax_extension* extension = cmark_find_syntax_extension(name)) {
      cmark_parser_attach_syntax_extension(parser.get(), extension);
    }
  }
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return CmarkTree(cmark_parser_finish(parser.get()));
}

bool ReadLeaf(cmark_node* node, uint32_t line_count, Leaf* leaf) {
  *leaf = Leaf();
  leaf->node = node;
  leaf->first = Line(cmark_node_get_start_line(node));
  leaf->last = Line(cmark_node_get_end_line(node));
  cmark_node* parent = cmark_node_parent(node);
  leaf->top_level = parent && cmark_node_get_type(parent) == CMARK_NODE_DOCUMENT;

  const cmark_node_type type = cmark_node_get_type(node);
  if (type == CMARK_NODE_PARAGRAPH) {
    leaf->kind = Leaf::kParagraph;
    cmark_node* next = cmark_node_next(node);
    if (cmark_node_get_start_line(node) == 0 && next) {  // above a table
      leaf->first = Line(cmark_node_get_start_line(next));
      cmark_node* header = cmark_node_first_child(next);
      const uint32_t line = header ? HeaderLine(header, next) : leaf->first;
      leaf->last = std::max(leaf->first, line >= 1 ? line - 1 : 0);
    }
  } else if (type == CMARK_NODE_HEADING) {
    leaf->kind = Leaf::kHeading;
    leaf->level = cmark_node_get_heading_level(node);
  } else if (type == CMARK_NODE_CODE_BLOCK) {
    int length = 0, offset = 0;
    char character = 0;
    leaf->kind = Leaf::kCode;
    leaf->fenced = cmark_node_get_fenced(node, &length, &offset, &character) != 0;
  } else if (type == CMARK_NODE_HTML_BLOCK) {
    leaf->kind = Leaf::kHtml;
    const char* literal = cmark_node_get_literal(node);
    const auto lines = literal ? std::count(literal, literal + std::strlen(literal), '\n') : 1;
    leaf->last = leaf->first + uint32_t(std::max<ptrdiff_t>(lines, 1)) - 1;
  } else if (const TablePart part = ReadTablePart(node); part == TablePart::kHeader || part == TablePart::kRow) {
    leaf->kind = Leaf::kRow;
    leaf->header = part == TablePart::kHeader;
    cmark_node* above = parent ? cmark_node_parent(parent) : nullptr;
    leaf->top_level = above && cmark_node_get_type(above) == CMARK_NODE_DOCUMENT;
    if (leaf->header && parent) {
      leaf->first = HeaderLine(node, parent);
      leaf->last = leaf->first + 1;
    } else {
      leaf->last = leaf->first;
    }
  } else {
    return false;
  }
  const uint32_t bottom = line_count > 0 ? line_count - 1 : 0;
  leaf->first = std::min(leaf->first, bottom);
  leaf->last = std::clamp(leaf->last, leaf->first, bottom);
  return true;
}

}  // namespace sheaf::packer
