// Which passages only say where to read on: indexes, tables of contents, lists of all items.
//
// Idea: their words are links. Parsers count how much of a block is the text of links; the chunker adds that up, and a
// passage of links counts less for each word, so that it comes behind the places it sends to. It stays in the index,
// and where no other page has a word it is still found. No name of a page or class decides.
//
// Cost: linear in the text.
#ifndef SHEAF_PACKER_DOCUMENT_LINK_TALLY_H_
#define SHEAF_PACKER_DOCUMENT_LINK_TALLY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sheaf::packer {

// What a word counts in a list of links.
inline constexpr float kListOfLinksWeight = 0.15f;

// Letters and digits of ASCII and all characters beyond it: a text without its marks.
uint32_t CountLetters(std::string_view text);

struct LinkTally {
  uint32_t links = 0;
  uint32_t letters = 0;  // of their text
  void Add(const LinkTally& other);
  // The share of a part that has `some` of `all` letters.
  LinkTally Share(uint32_t some, uint32_t all) const;
};

// The passages of one page, in order.
class LinkLists {
 public:
  // `letters` are all of the passage, those of its links among them.
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
