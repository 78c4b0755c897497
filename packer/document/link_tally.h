// Finds the passages that only link elsewhere: indexes, tables of contents, lists of all items.
//
// Idea: nearly all of their words are link text. Parsers count how much of each block is link text; the chunker adds it
// up. Words in a passage of links weigh less, so it ranks below the pages it links to. It stays in the index, so a word
// that occurs nowhere else still finds it. Page and class names play no part.
//
// Cost: linear in the text.
#ifndef SHEAF_PACKER_DOCUMENT_LINK_TALLY_H_
#define SHEAF_PACKER_DOCUMENT_LINK_TALLY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sheaf::packer {

// The weight of a word in a list of links.
inline constexpr float kListOfLinksWeight = 0.15f;

// Counts ASCII letters and digits and all non-ASCII characters, so punctuation does not count.
uint32_t CountLetters(std::string_view text);

struct LinkTally {
  uint32_t links = 0;
  uint32_t letters = 0;  // in the text of the links
  void Add(const LinkTally& other);
  // The part of this tally that falls to `some` of `all` letters.
  LinkTally Share(uint32_t some, uint32_t all) const;
};

// The passages of one page, in order.
class LinkLists {
 public:
  // `letters` counts the whole passage, including its links.
  void AddPassage(const LinkTally& links, uint32_t letters);
  size_t size() const { return passages_.size(); }
  bool IsListOfLinks(size_t passage) const;

 private:
  struct Tally {
    LinkTally links;
    uint32_t letters = 0;
    bool IsList(uint32_t enough) const;
  };
  std::vector<Tally> passages_;
  Tally page_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_LINK_TALLY_H_
