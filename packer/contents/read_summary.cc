#include <string>

#include "packer/base/text_scan.h"
#include "packer/contents/contents_tree.h"
#include "packer/parse/markdown/cmark_tree.h"

namespace sheaf::packer {
namespace {

std::string TextBelow(cmark_node* top) {
  std::string text;
  const CmarkIter iter(cmark_iter_new(top));
  while (cmark_iter_next(iter.get()) != CMARK_EVENT_DONE) {
    const char* literal = cmark_node_get_literal(cmark_iter_get_node(iter.get()));
    if (literal != nullptr) text += literal;
  }
  return ClipName(Trim(text));
}

class SummaryReader {
 public:
  SummaryReader(std::string_view folder, const FileIndex& index) : folder_(folder), index_(index) {}

  ContentsTree Read(std::string_view text) {
    const CmarkTree root = ParseTree(text);
    size_t part = kNone;
    bool is_titled = false;
    for (cmark_node* node = cmark_node_first_child(root.get()); node != nullptr; node = cmark_node_next(node)) {
      switch (cmark_node_get_type(node)) {
        case CMARK_NODE_HEADING:
          // The heading at the top titles the table itself.
          part = is_titled || !tree_.empty() ? Add({kNone, TextBelow(node), kNone}) : kNone;
          is_titled = true;
          break;
        case CMARK_NODE_PARAGRAPH:
          Entry(node, kNone);  // a prefix or suffix, which belongs to no part
          break;
        case CMARK_NODE_LIST: List(node, part, 0); break;
        default: break;
      }
    }
    return has_page_ ? std::move(tree_) : ContentsTree();
  }

 private:
  void List(cmark_node* list, size_t above, size_t depth) {
    if (depth == kMaxTreeDepth) return;
    for (cmark_node* item = cmark_node_first_child(list); item != nullptr; item = cmark_node_next(item)) {
      size_t chapter = above;
      for (cmark_node* node = cmark_node_first_child(item); node != nullptr; node = cmark_node_next(node)) {
        if (cmark_node_get_type(node) == CMARK_NODE_PARAGRAPH) chapter = Entry(node, above);
        if (cmark_node_get_type(node) == CMARK_NODE_LIST) List(node, chapter, depth + 1);
      }
    }
  }

  // The node that stands for a link, or for a chapter that has no page yet, or `above` if the paragraph is neither.
  size_t Entry(cmark_node* paragraph, size_t above) {
    cmark_node* link = cmark_node_first_child(paragraph);
    if (link == nullptr) return above;
    if (cmark_node_get_type(link) != CMARK_NODE_LINK) {
      const bool is_in_list = cmark_node_get_type(cmark_node_parent(paragraph)) == CMARK_NODE_ITEM;
      return is_in_list ? Add({above, TextBelow(paragraph), kNone}) : above;
    }
    const char* target = cmark_node_get_url(link);
    return Add({above, TextBelow(link), target == nullptr ? kNone : index_.Find(folder_, target)});
  }

  size_t Add(ContentsNode node) {
    if (tree_.size() == kMaxTreeNodes) return node.above;
    has_page_ = has_page_ || node.file != kNone;
    tree_.push_back(std::move(node));
    return tree_.size() - 1;
  }

  const std::string_view folder_;
  const FileIndex& index_;
  ContentsTree tree_;
  bool has_page_ = false;
};

}  // namespace

ContentsTree ReadSummary(std::string_view text, std::string_view folder, const FileIndex& index) {
  return SummaryReader(folder, index).Read(text);
}

}  // namespace sheaf::packer
