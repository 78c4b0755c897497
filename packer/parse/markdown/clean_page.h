// Writes a Markdown page without its cuts.
//
// Idea: a line that a cut left empty disappears, or stays as one blank line where it stood between blocks. Every line
// knows its number in the source.
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_CLEAN_PAGE_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_CLEAN_PAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "packer/parse/markdown/markdown_view.h"
#include "packer/parse/markdown/markup_scan.h"

namespace sheaf::packer {

struct CleanPage {
  Lines lines;
  std::vector<uint32_t> source_line;  // 1-based number in `source` of each line
  struct Anchor {
    uint32_t line = 0;        // the line it stands in, or the next one with text
    bool in_heading = false;  // `{#id}`: the heading's own, rather than a tag before it
    std::string id;
  };
  std::vector<Anchor> anchors;  // by line
  // Words in the attributes of removed tags (alt, caption, title, label): line, words.
  std::vector<std::pair<uint32_t, std::string>> attributes;
  std::map<std::string, uint32_t> left_out;  // of MarkupCuts
};

// `indent_cap`: for each line the most spaces that it may begin with; below 0: any.
CleanPage WriteCleanPage(const Lines& lines, const MarkupCuts& scan, const std::vector<int16_t>& indent_cap);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_CLEAN_PAGE_H_
