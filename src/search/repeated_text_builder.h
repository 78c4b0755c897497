// Finds boilerplate: passages that many pages repeat, such as licences, notices and generated footers of items.
//
// Idea: a text on n pages tells them apart from the others by 1/n at most, yet all n match a query about it equally
// well and fill the list. So beyond kFewPages its words weigh kFewPages / n, but never less than kLeastWeight: a
// word that no other page has is still found. The number of pages is evidence enough; headings' names play no part.
// Two or three copies are different: a function described both with its group and on its own page is a valid
// answer twice.
//
// Invariants: compares the text with its own heading, not page title, address or link targets; copies on one page count
// once; a passage without text (a title alone, a heading) repeats no text. The outcome depends on the pages alone, not
// on threads or memory. Vectors stay as they are.
// Cost: 12 bytes a passage until the end, then one sort.
#ifndef SHEAF_SEARCH_REPEATED_TEXT_BUILDER_H_
#define SHEAF_SEARCH_REPEATED_TEXT_BUILDER_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace sheaf {

class RepeatedText {
 public:
  // Passages come in order.
  void Add(uint32_t page, std::string_view heading, std::string_view prose, std::string_view code);
  // Calls `visit` with each passage whose words weigh less than 1, and their weight.
  void Each(const std::function<void(uint32_t passage, float weight)>& visit) const;

  static constexpr uint32_t kFewPages = 3;
  static constexpr float kLeastWeight = 0.15f;  // that of a list of links

 private:
  static constexpr uint32_t kNoPage = UINT32_MAX;
  struct Passage {
    uint32_t low, high, page;
  };  // hash of the text in two halves; kNoPage where there is no text
  std::vector<Passage> passages_;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_REPEATED_TEXT_BUILDER_H_
