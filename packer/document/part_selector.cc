#include "packer/document/part_selector.h"

#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<PartSelector>> Run() {
    std::vector<PartSelector> all;
    do {
      SkipSpace();
      const size_t begin = at_;
      PartSelector selector;
      SHEAF_RETURN_IF_ERROR(ReadSteps(&selector.steps));
      selector.text = Trim(text_.substr(begin, at_ - begin));
      all.push_back(std::move(selector));
    } while (Take(','));
    return all;
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool SkipSpace() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
    return at_ > begin;
  }

  Error Bad() const {
    const std::string here = at_ < text_.size() ? "'" + std::string(text_.substr(at_, 20)) + "'" : "its end";
    return Error{ErrorCode::kInvalidArgument,
                 "cannot be read at " + here +
                     "; expected names, .class, #id and [attribute=\"value\"], with spaces, "
                     "'>' or commas between elements"};
  }

  Status ReadSteps(std::vector<PartSelector::Step>* steps) {
    bool is_child = false;
    for (;;) {
      PartSelector::Step step;
      step.is_child = is_child;
      SHEAF_RETURN_IF_ERROR(ReadTests(&step.tests));
      steps->push_back(std::move(step));
      if (steps->size() > kMaxSelectorSteps) {
        return Error{ErrorCode::kInvalidArgument,
                     "names more than " + std::to_string(kMaxSelectorSteps) + " elements inside one another"};
      }
      const bool space = SkipSpace();
      is_child = Take('>');
      if (is_child) {
        SkipSpace();
      } else if (Peek() == ',' || at_ >= text_.size()) {
        return {};
      } else if (!space) {
        return Bad();
      }
    }
  }

  Status ReadTests(std::vector<PartSelector::Test>* tests) {
    const size_t begin = at_;
    if (!Take('*') && IsNameByte()) {
      std::string name;
      SHEAF_RETURN_IF_ERROR(ReadName(&name));
      tests->push_back({"", '=', Lower(name)});
    }
    for (;;) {
      PartSelector::Test test;
      if (Take('.')) {
        test = {"class", '~', ""};
        SHEAF_RETURN_IF_ERROR(ReadName(&test.value));
      } else if (Take('#')) {
        test.attribute = "id";
        SHEAF_RETURN_IF_ERROR(ReadName(&test.value));
      } else if (Take('[')) {
        SHEAF_RETURN_IF_ERROR(ReadAttribute(&test));
      } else {
        break;
      }
      tests->push_back(std::move(test));
      if (tests->size() > kMaxSelectorTests) {
        return Error{ErrorCode::kInvalidArgument,
                     "asks more than " + std::to_string(kMaxSelectorTests) + " things of one element"};
      }
    }
    return at_ > begin ? Status() : Bad();
  }

  // Behind the bracket.
  Status ReadAttribute(PartSelector::Test* test) {
    SkipSpace();
    SHEAF_RETURN_IF_ERROR(ReadName(&test->attribute));
    test->attribute = Lower(test->attribute);
    SkipSpace();
    test->how = '?';
    if (Take(']')) return {};
    if (std::string_view("~|^$*").find(Peek()) != std::string_view::npos && Peek() != '\0') test->how = text_[at_++];
    if (!Take('=')) return Bad();
    if (test->how == '?') test->how = '=';
    SkipSpace();
    if (Peek() == '"' || Peek() == '\'') {
      const size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) return Bad();
      test->value = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    } else {
      SHEAF_RETURN_IF_ERROR(ReadName(&test->value));
    }
    SkipSpace();
    return Take(']') ? Status() : Bad();
  }

  bool IsNameByte() const { return IsWordByte(Peek()) || Peek() == '-' || (Peek() == '\\' && at_ + 1 < text_.size()); }
  // A backslash takes the next character as it is: `md\:flex`.
  Status ReadName(std::string* name) {
    while (IsNameByte()) {
      if (Peek() == '\\') ++at_;
      *name += text_[at_++];
    }
    return name->empty() ? Bad() : Status();
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<PartSelector>> ParsePartSelectors(std::string_view text) { return Parser(text).Run(); }

}  // namespace sheaf::packer
