// Heading anchors as GitHub makes them (the rules of the npm package github-slugger).
//
// Idea: lower case, keep only letters, marks, digits, '_', '-' and spaces, then write
// spaces as '-'. The second heading of a name gets "-1", the third "-2", skipping taken names.
//
// Cost: linear in the titles; one hash entry a heading.
#ifndef SHEAF_PACKER_PARSE_SHARED_SLUG_H_
#define SHEAF_PACKER_PARSE_SHARED_SLUG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sheaf::packer {

// The anchor of a title, before duplicates are told apart. `title` is valid UTF-8.
std::string Slug(std::string_view title);

// Hands out anchors for one page.
class Slugger {
 public:
  std::string Next(std::string_view title);
  // Marks an explicit anchor as taken.
  void Take(std::string_view anchor) { seen_.emplace(anchor, 0); }

 private:
  std::unordered_map<std::string, uint32_t> seen_;  // anchor -> last number tried after it
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_SHARED_SLUG_H_
