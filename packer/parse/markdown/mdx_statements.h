// Where the import and export statements of an MDX page end.
//
// Idea: they stand at the head of a paragraph, each on lines of its own. Their grammar is JavaScript's, of which only
// brackets, strings and line ends matter here. Outside MDX a statement must show its punctuation, because a sentence
// may begin with the same word.
//
// Cost: linear; a statement that does not end within its cap is tried once.
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_MDX_STATEMENTS_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_MDX_STATEMENTS_H_

#include <cstddef>
#include <string_view>

#include "packer/parse/markdown/markup_tags.h"

namespace sheaf::packer {

class StatementReader {
 public:
  // REQUIRES: `tags` reads the same text, and both outlive the reader.
  StatementReader(std::string_view text, bool mdx, TagReader* tags) : text_(text), tags_(tags), mdx_(mdx) {}

  // End of the statement at `at` in a paragraph; npos: there is none.
  size_t End(size_t at, size_t paragraph_end);

 private:
  size_t ImportEnd(size_t at);
  size_t StatementEnd(size_t i, size_t limit);
  size_t ExportEnd(size_t at, size_t paragraph_end);

  const std::string_view text_;
  TagReader* tags_;
  const bool mdx_;
  size_t export_hopeless_ = 0;  // no end below this offset
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_MDX_STATEMENTS_H_
