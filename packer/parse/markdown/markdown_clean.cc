#include "packer/parse/markdown/markdown_clean.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "packer/base/text_scan.h"
#include "packer/parse/markdown/cmark_tree.h"
#include "packer/parse/markdown/markup_scan.h"

namespace sheaf::packer {

Result<CleanPage> CleanMarkdown(std::string_view source, bool mdx) {
  const Lines lines = SplitLines(source);
  const size_t count = lines.size();
  enum : uint8_t { kCodeLine = 1, kStart = 2, kHeadingLine = 4, kTopParagraph = 8, kHtmlLine = 16 };
  std::vector<uint8_t> flags(count + 1, 0);
  {
    SHEAF_ASSIGN_OR_RETURN(const View view, MakeView(lines, ViewKind::kStructure, mdx));
    const CmarkTree tree = ParseTree(view.text);
    const CmarkIter iter(cmark_iter_new(tree.get()));
    for (cmark_event_type event; (event = cmark_iter_next(iter.get())) != CMARK_EVENT_DONE;) {
      Leaf leaf;
      if (event != CMARK_EVENT_ENTER || !ReadLeaf(cmark_iter_get_node(iter.get()), uint32_t(count), &leaf)) {
        continue;
      }
      flags[leaf.first] |= kStart;
      flags[leaf.last + 1] |= kStart;
      if (leaf.kind == Leaf::kHeading) flags[leaf.first] |= kHeadingLine;
      if (leaf.kind == Leaf::kParagraph && leaf.top_level) flags[leaf.first] |= kTopParagraph;
      if (leaf.kind != Leaf::kCode && leaf.kind != Leaf::kHtml) continue;
      for (uint32_t i = leaf.first; i <= leaf.last; ++i) {
        flags[i] |= leaf.kind == Leaf::kCode ? kCodeLine : kHtmlLine;
      }
    }
  }

  std::vector<TextRegion> regions;
  for (size_t i = 0; i < count;) {
    const bool html = flags[i] & kHtmlLine;
    if (flags[i] & kCodeLine || (!html && IsBlank(lines[i]))) {
      ++i;
      continue;
    }
    size_t last = i;
    while (last + 1 < count && !(flags[last + 1] & (kStart | kCodeLine)) && (html || !IsBlank(lines[last + 1]))) {
      ++last;
    }
    regions.push_back({i, last, bool(flags[i] & kHeadingLine), bool(flags[i] & kTopParagraph)});
    i = last + 1;
  }
  MarkupCuts cuts = ScanMarkup(lines, mdx, &regions);
  // Lines of a paragraph that lost a tag may be indented as in HTML; Markdown would read that as code.
  // So cap their indent at that of the paragraph's first line.
  std::vector<int16_t> indent_cap(count, -1);
  for (const TextRegion& region : regions) {
    if (!region.has_cuts) continue;
    const Prefix prefix = ReadPrefix(lines[region.first]);
    if (prefix.quoted) continue;
    const size_t cap = std::min<size_t>(prefix.bytes, 1000);
    for (size_t k = region.first; k <= region.last; ++k) indent_cap[k] = int16_t(cap);
  }
  CleanPage page = WriteCleanPage(lines, cuts, indent_cap);
  page.left_out = std::move(cuts.left_out);
  return page;
}

}  // namespace sheaf::packer
