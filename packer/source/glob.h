// Path patterns: `docs/**/*.md`, `{guide,api}/*.rst`, `[a-z]?.txt`.
//
//   *        any characters but '/'
//   ?        one character but '/'
//   [a-z_]   one character of the set; [!a-z] or [^a-z] one outside it; never '/'
//   {a,b}    either; may nest, may hold '/' and be empty
//   **       as a whole segment: any number of segments, none included
//            (`a/**/b` matches a/b and a/x/y/b; `a/**` everything below a); elsewhere the same as *
//   \x       x itself
//
// Idea: a pattern becomes a small nondeterministic automaton and all of its states walk the path
// together, so no pattern, however nested, can make matching explode.
//
// Invariant: characters are code points; a byte that is not UTF-8 counts as one character.
// Cost: O(pattern * path) at worst, one pass over the path; immutable and shareable once parsed.
#ifndef SHEAF_PACKER_SOURCE_GLOB_H_
#define SHEAF_PACKER_SOURCE_GLOB_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sheaf::packer {

inline constexpr size_t kMaxGlobBytes = 4096;
inline constexpr size_t kMaxGlobDepth = 16;  // of nested braces

// True when `text` holds a character that Glob takes as special.
bool HasGlobCharacters(std::string_view text);

class Glob {
 public:
  // Errors: kInvalidArgument (an open '[' or '{', braces too deep), kTooLarge (pattern too long).
  static Result<Glob> Parse(std::string_view pattern);

  // The whole of `path`, relative, with '/' between segments.
  bool Matches(std::string_view path) const;
  // Whether some path below the folder `folder` could match; "" is the top.
  bool MayMatchBelow(std::string_view folder) const;

 private:
  friend class GlobParser;

  enum class Op : uint8_t { kCharacter, kAnyInSegment, kAny, kSet, kSplit, kJump, kMatch };
  struct Instruction {
    Op op = Op::kMatch;
    uint32_t x = 0;  // the character, the set's number, or where to go on
    uint32_t y = 0;  // kSplit: the other way
  };
  struct Set {
    bool negated = false;
    std::vector<std::pair<uint32_t, uint32_t>> ranges;
  };
  struct States;

  bool Consumes(const Instruction& instruction, uint32_t character) const;
  void Follow(uint32_t state, States* states) const;
  // The states that are alive after `text`; nothing when the pattern cannot begin like that.
  void Run(std::string_view text, States* states) const;

  std::vector<Instruction> program_;
  std::vector<Set> sets_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SOURCE_GLOB_H_
