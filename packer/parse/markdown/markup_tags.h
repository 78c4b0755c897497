// HTML and JSX tags inside Markdown text.
//
// Idea: tags are read as authors write them, JSX and Vue attributes included: values in quotes or
// braces, names such as `@click`, `:key`, `#slot`. A `<` without its `>` begins no tag.
//
// Cost: linear. A reader remembers where a search for a closing quote or brace ran out, so that a
// page full of openings costs one search, not one each.
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_MARKUP_TAGS_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_MARKUP_TAGS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace sheaf::packer {

inline constexpr size_t kMaxTagBytes = 16 << 10;

// Both take lower-case names. Inline elements do not separate the words around them.
bool IsInlineElement(std::string_view name);
bool IsHtmlElement(std::string_view name);

struct Tag {
  size_t end = 0;
  std::string name;  // lower case for HTML's names, as written otherwise; empty: a fragment
  bool closing = false;
  bool self_closing = false;
  bool has_values = false;  // at least one attribute with a value
  std::string id;           // id, or name of an <a>
  std::string words;        // alt, caption, title, label
};

// Reads tags and balanced brackets out of one text, from front to back.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : text_(text) {}

  // Reads the tag at `at`, at most up to `limit`; `fragments`: `<>` and `</>` are tags too.
  // REQUIRES: text[at] == '<'
  bool Read(size_t at, size_t limit, bool fragments, Tag* tag);

  // End of the balanced `{…}`, `(…)` or `[…]` at `at`, strings and comments passed over; npos when
  // it does not end before `limit`.
  size_t Balanced(size_t at, size_t limit);

  // Behind the string that opens at `at`; one that is not in backticks ends with its line at the
  // latest.
  size_t StringEnd(size_t at, size_t limit) const;

 private:
  bool Attributes(size_t* at, size_t limit, Tag* tag);
  bool Braces(size_t* at, size_t limit);
  bool Value(std::string_view name, size_t* at, size_t limit, Tag* tag);

  const std::string_view text_;
  // Searches that start before these positions are known to fail.
  size_t hopeless_ = 0;          // for a tag
  size_t unbalanced_until_ = 0;  // for a closing bracket
  size_t unquoted_until_ = 0;    // for a closing quote
};

// `text` without tags and comments, entities decoded; for the inside of <pre>, <code> and <h1>.
// Words of the tags' attributes are appended to `words` (may be null).
std::string StripTags(std::string_view text, std::string* words);

// Decodes entities: numbers, and the names that documentation uses.
std::string DecodeEntities(std::string_view text);

// The length of the entity that `text` begins with, and its character; 0: it begins with none.
size_t ReadEntity(std::string_view text, std::string* character);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_MARKUP_TAGS_H_
