// Expands Liquid, as Jekyll runs it over a page before its Markdown is read.
//
// Idea: one pass over the text. Tags that hold text (raw, comment, highlight, capture) take it up to their end; `if` and
// `case` are decided by the values that are known, where an unknown one is nil; loops go, since they draw what the
// generator knows. A tag alone on its line goes with the line.
//
// Bounds: kMaxLiquidDepth nested blocks, kMaxLiquidValue bytes a value; all inserted text counts as included.
// Cost: linear in the text and what it includes.
#ifndef SHEAF_PACKER_TEMPLATE_LIQUID_H_
#define SHEAF_PACKER_TEMPLATE_LIQUID_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/template/numbered_text.h"
#include "packer/template/template_files.h"
#include "packer/template/values.h"

namespace sheaf::packer {

inline constexpr size_t kMaxLiquidDepth = 64;
inline constexpr size_t kMaxLiquidValue = size_t(64) << 10;

class Liquid {
 public:
  // `values`: under "page." and "site.".
  // `evaluates`: `{{ x }}` is its value; else it stays as it is, since GitBook has tags alone.
  Liquid(TemplateFiles* files, Values values, bool evaluates = true)
      : files_(files), values_(std::move(values)), evaluates_(evaluates) {}

  // The first `verbatim` bytes, whole lines, stay as they are.
  NumberedText Expand(std::string_view text, size_t verbatim = 0);

 private:
  // `{% name rest %}` or `{{ rest }}`.
  struct Tag {
    size_t begin = 0, end = 0;
    bool is_output = false, trims_before = false, trims_after = false;
    std::string_view name, rest;
  };
  // An open block.
  struct Block {
    std::string_view name;
    bool writes = true;    // its present branch does, and all blocks around it
    bool around = true;    // all blocks around it write
    bool decided = false;  // one of its branches was taken
    std::string subject;   // of `case`
  };

  void Run(std::string_view text, uint32_t line, bool counts, NumberedText* out);
  // `closers`: where the next `}}` and `%}` were found, so that each is looked for once.
  static std::optional<Tag> NextTag(std::string_view text, size_t from, size_t* closers);
  // Behind the tag `{% end %}`; npos: there is none.
  size_t FindEnd(std::string_view text, size_t from, std::string_view end, size_t* tag_begin);
  bool IsOpen() const { return blocks_.empty() || blocks_.back().writes; }
  // Whether the tag is one of a block's: if, else, endfor.
  bool Control(const Tag& tag);
  void Write(const Tag& tag, uint32_t line, bool alone, std::string_view indent, NumberedText* out);
  void Include(std::string_view rest, uint32_t line, NumberedText* out);
  void Highlight(std::string_view rest, std::string_view code, uint32_t line, bool counts, std::string_view indent,
                 NumberedText* out);
  std::string Evaluate(std::string_view expression) const;
  std::string Lookup(std::string_view name) const;
  bool Decide(std::string_view condition) const;

  TemplateFiles* const files_;
  Values values_;
  const bool evaluates_;
  std::vector<Block> blocks_;
  std::string_view unclosed_in_;  // text in which an end was searched in vain
  std::vector<std::string> unclosed_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_LIQUID_H_
