#include "packer/document/link_tally.h"

#include <algorithm>

namespace sheaf::packer {
namespace {

// "See also" and the sections of a chapter are usually fewer.
constexpr uint32_t kEnoughLinks = 10;
// Average length of a link text in a list; longer link texts are content themselves.
constexpr uint32_t kMaxLinkLetters = 60;

}  // namespace

uint32_t CountLetters(std::string_view text) {
  uint32_t count = 0;
  for (const char c : text) {
    const char lower = char(c | 0x20);
    count += (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || uint8_t(c) >= 0xC0;
  }
  return count;
}

void LinkTally::Add(const LinkTally& other) {
  links += other.links;
  letters += other.letters;
}

LinkTally LinkTally::Share(uint32_t some, uint32_t all) const {
  const uint64_t whole = std::max<uint32_t>(all, 1);
  return {uint32_t(uint64_t(links) * some / whole), uint32_t(uint64_t(letters) * some / whole)};
}

void LinkLists::AddPassage(const LinkTally& links, uint32_t letters) {
  passages_.push_back({links, letters});
  page_.links.Add(links);
  page_.letters += letters;
}

bool LinkLists::IsListOfLinks(size_t passage) const {
  // If the whole page is an index, a letter with a single entry belongs to it too.
  return passages_[passage].IsList(page_.IsList(kEnoughLinks) ? 1 : kEnoughLinks);
}

// At least four fifths of the letters are in links, and each link is only a few words.
bool LinkLists::Tally::IsList(uint32_t enough) const {
  return links.links >= enough && uint64_t(links.letters) * 5 >= uint64_t(letters) * 4 &&
         links.letters <= uint64_t(links.links) * kMaxLinkLetters;
}

}  // namespace sheaf::packer
