// Titles of a set's pages and of their labelled sections, for references that show them.
#ifndef SHEAF_PACKER_DOCUMENT_PAGE_TITLES_H_
#define SHEAF_PACKER_DOCUMENT_PAGE_TITLES_H_

#include <string>
#include <unordered_map>

namespace sheaf::packer {

struct PageTitles {
  std::unordered_map<std::string, std::string> pages;   // by path below the root, without extension
  std::unordered_map<std::string, std::string> labels;  // of sections, by the label as its format compares it
  bool operator==(const PageTitles&) const = default;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_PAGE_TITLES_H_
