// Cutting one block that is too long for a passage, and the words that the index holds of it.
//
// Idea: parts of about equal size read better than a full one and a scrap. So each cut is sought around the
// ideal place, at the best kind of place near by: a blank line, the end of a sentence (prose) or of a line
// (code), a word's end. Prose and code for the index hold the block's words in the order of the text, so
// aligning the words gives each part its own.
//
// Cost: linear in the text, also for text that was made to align badly.
#ifndef SHEAF_PACKER_CHUNK_BLOCK_CUT_H_
#define SHEAF_PACKER_CHUNK_BLOCK_CUT_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace sheaf::packer {

// Byte offsets where `text` is cut, the end among them. The first part has `first_budget` code points at
// most, the others `target`, and each its last word or line.
std::vector<size_t> CutText(std::string_view text, size_t first_budget, size_t target, bool code);

// Cuts `words` (a block's prose or code) where its text is cut.
class WordSharer {
 public:
  WordSharer(std::string_view text, std::string_view words)
      : text_(text), words_(words), budget_(64 * text.size() + 4096) {}

  // The words up to the byte `end` of the text; calls ascend. The last part takes what is left.
  std::string_view Take(size_t end);

 private:
  static constexpr size_t kNear = 48;

  size_t SkipSpace(size_t i) const;
  size_t WordEnd(size_t i) const;
  size_t Locate(size_t start, size_t stop);

  const std::string_view text_, words_;
  size_t budget_;      // bytes that may still be searched; keeps hostile text linear
  size_t taken_ = 0;   // of words_
  size_t cursor_ = 0;  // in text_
  size_t misses_ = 0;
  size_t located_word_ = size_t(-1), located_at_ = 0;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CHUNK_BLOCK_CUT_H_
