// Cuts a block that is too long for a passage, together with its index words.
//
// Idea: parts of about equal size read better than a full one and a scrap. So each cut is made near the
// ideal offset, at the best kind of border there: a blank line, the end of a sentence (prose) or of a line
// (code), the end of a word. Prose and code for the index hold the block's words in text order, so aligning
// the words with the text gives each part its own.
//
// Cost: linear in the text, even if a hostile text aligns badly.
#ifndef SHEAF_PACKER_CHUNK_BLOCK_CUT_H_
#define SHEAF_PACKER_CHUNK_BLOCK_CUT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sheaf::packer {

// Byte offsets where `text` is cut, including its end. The first part has at most `first_budget` code
// points and the others `target`, plus the last word or line of each.
std::vector<size_t> CutText(std::string_view text, size_t first_budget, size_t target, bool code);

// Cuts `words` (a block's prose or code) where its text is cut.
class WordSharer {
 public:
  WordSharer(std::string_view text, std::string_view words)
      : text_(text), words_(words), budget_(64 * uint64_t(text.size()) + 4096) {}

  // The words up to byte `end` of the text; `end` must ascend over calls. The last call takes the rest.
  std::string_view Take(size_t end);

 private:
  static constexpr size_t kNear = 48;

  size_t SkipSpace(size_t i) const;
  size_t WordEnd(size_t i) const;
  size_t Locate(size_t start, size_t stop);

  const std::string_view text_, words_;
  uint64_t budget_;    // bytes that may still be searched; keeps hostile text linear
  size_t taken_ = 0;   // of words_
  size_t cursor_ = 0;  // in text_
  size_t misses_ = 0;
  size_t located_word_ = size_t(-1), located_at_ = 0;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CHUNK_BLOCK_CUT_H_
