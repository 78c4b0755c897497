// Looks at the whole set before its pages are packed, for what no page shows alone.
//
//     FindSources -> OrderByContents -> TakeSurvey -> PackPages, with the Survey
//
// Idea: pages of one generator share a frame: menus, banners and notices around the text, and the library's name in
// each title. A sample of the pages shows what most of them share (page_frame.h). Preparing a page stays a function of
// its bytes, the options and the survey. So every number of threads gives the same bytes, and a cache of pages holds
// for as long as the survey stays the same.
//
// Before that, it takes files out of the list that document nothing or repeat others: pages that a generator makes
// besides documentation (generated_pages.h), and twins (twins.h). It counts them by kind.
//
// Invariant: the survey depends on the listed files alone; equal lists and bytes give equal surveys.
// Cost: the first bytes of some pages, and a sample of at most kMostSampled pages parsed: less than a tenth of packing.
#ifndef SHEAF_PACKER_SURVEY_SURVEY_H_
#define SHEAF_PACKER_SURVEY_SURVEY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "packer/document/document.h"
#include "packer/document/page_titles.h"
#include "packer/source/source.h"
#include "packer/survey/page_frame.h"

namespace sheaf::packer {

using ParsePage = std::function<Result<Document>(const SourceFile& file)>;

class Survey {
 public:
  // Removes from a page what frames it, and tidies its titles. Returns how many blocks it removed.
  uint64_t Apply(const SourceFile& file, Document* document) const;
  // Of the pages whose format refers to others by name, for those references (parse/rst); the caller collects them.
  PageTitles titles;
  bool operator==(const Survey&) const = default;

 private:
  friend Survey TakeSurvey(SourceList* list, const ParsePage& parse, const std::function<bool()>& cancelled);
  // By the family of formats and the folder at the top; the empty folder stands for the whole set.
  std::map<std::pair<bool, std::string>, PageFrame> frames_;
  std::string shared_;  // the folder that holds all pages, with its '/'
};

// Takes files out of `list` and surveys the rest. A page that cannot be read or parsed is no part of the sample.
// `cancelled` may be empty; a survey that was cut short is empty.
Survey TakeSurvey(SourceList* list, const ParsePage& parse, const std::function<bool()>& cancelled = {});

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SURVEY_SURVEY_H_
