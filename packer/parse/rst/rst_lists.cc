#include "packer/parse/rst/rst_lists.h"

#include <algorithm>
#include <unordered_set>

#include "packer/parse/rst/rst_syntax.h"
#include "packer/parse/shared/front_matter.h"

namespace sheaf::packer {
namespace {

using Names = std::unordered_set<std::string_view>;

}  // namespace

size_t RstLists::Item(size_t i, const RstTask& region) {
  const std::string_view text = page_.lines()[i].content();
  if (const size_t width = BulletWidth(text)) return OpenItem(i, width, false, 1, region);
  uint64_t number = 0;
  if (const size_t width = EnumeratorWidth(text, &number); width && IsEnumerated(i, width, region)) {
    if (number == 0 && i == last_list_end_) number = last_number_ + 1;
    if (number == 0) number = 1;
    last_number_ = number;
    return last_list_end_ = page_.NextText(OpenItem(i, width, true, number, region), region.end);
  }
  std::string_view name;
  if (const size_t width = FieldWidth(text, &name)) return Field(i, width, name, region);
  std::string_view options;
  if (const size_t width = OptionWidth(text, &options)) {
    if (width < text.size() ||
        (i + 1 < region.end && !page_.lines()[i + 1].blank() && page_.lines()[i + 1].indent > region.indent)) {
      const std::string names(options);
      const size_t end = OpenField(i, width, region);
      page_.label().BeginCode();
      page_.label().Text(names);
      page_.label().EndCode();
      page_.label().Space();
      page_.label().lines.Add(uint32_t(i + 1));
      page_.label_term = names;
      return end;
    }
  }
  return 0;
}

size_t RstLists::Definition(size_t i, const std::string& term, const RstTask& region) {
  const size_t end = page_.lines().IndentedEnd(i + 1, region.end, region.indent);
  page_.FlushLabel();
  page_.out().OpenList(false, 1);
  page_.out().OpenItem();
  InlineText text;
  text.lines.Add(uint32_t(i + 1));
  // "term : classifier"
  AppendRstInline(term, page_.names(), &text);
  text.Finish();
  page_.Explain(&text, text.plain());
  page_.ForgetAnchor();
  page_.continues_term = true;
  page_.Push({.task = RstTask::kCloseItem});
  page_.PushBody(i + 1, end, page_.lines().LeastIndent(i + 1, end));
  return end;
}

// "A. Einstein" opens no list when its paragraph goes on at the margin.
bool RstLists::IsEnumerated(size_t i, size_t width, const RstTask& region) const {
  if (i + 1 >= region.end || page_.lines()[i + 1].text.empty()) return true;
  const RstLine& next = page_.lines()[i + 1];
  uint64_t number = 0;
  return next.indent < region.indent || next.indent >= region.indent + width ||
         (next.indent == region.indent && EnumeratorWidth(next.content(), &number) > 0);
}

// Opens a list item whose content begins `width` behind the marker on line i.
size_t RstLists::OpenItem(size_t i, size_t width, bool numbered, uint64_t number, const RstTask& region) {
  page_.FlushLabel();
  page_.out().OpenList(numbered, number);
  page_.out().OpenItem();
  const uint32_t indent = region.indent + uint32_t(width);
  const size_t end = page_.lines().IndentedEnd(i + 1, region.end, region.indent);
  page_.lines().MoveContent(i, indent);
  page_.Push({.task = RstTask::kCloseItem});
  const size_t first = page_.NextText(i, end);
  // A body less indented than its first line is read at its own indent.
  uint32_t least = first < end ? page_.lines().LeastIndent(first, end) : indent;
  if (first == i && least < indent) {
    const size_t after = page_.NextText(i + 1, end);
    if (after < end) page_.PushBody(after, end, page_.lines().LeastIndent(after, end));
    page_.PushBody(i, i + 1, indent);
  } else {
    page_.PushBody(first, end, least);
  }
  return end;
}

// Opens an item of a field or option list; its body may have any indent.
size_t RstLists::OpenField(size_t i, size_t width, const RstTask& region) {
  page_.FlushLabel();
  page_.out().OpenList(false, 1);
  page_.out().OpenItem();
  const size_t end = page_.lines().IndentedEnd(i + 1, region.end, region.indent);
  page_.Push({.task = RstTask::kCloseItem});
  page_.PushMarked(i, end, region.indent + uint32_t(width));
  return end;
}

size_t RstLists::Field(size_t i, size_t width, std::string_view name, const RstTask& region) {
  const std::string key = RstName(name.substr(0, name.find(' ')));
  const std::string_view text = page_.lines()[i].content();
  const std::string value(text.substr(std::min(width, text.size())));
  const size_t end = page_.lines().IndentedEnd(i + 1, region.end, region.indent);
  static const Names facts = {"orphan",       "tocdepth",  "nocomments", "nosearch",       "author",       "authors",
                              "organization", "contact",   "address",    "version",        "status",       "revision",
                              "date",         "copyright", "hide-toc",   "og:description", "page-template"};
  const auto& blocks = page_.document().blocks;
  const bool head = blocks.empty() || (blocks.size() == 1 && blocks[0].kind == BlockKind::kHeading);
  if (region.sections && head && facts.contains(key)) {
    if (key == "date" && IsIsoDate(value)) page_.document().last_modified = value;
    return end;
  }
  // ":param int x: ..." names a thing; other fields are labelled text.
  const std::string field(name);
  const size_t result = OpenField(i, width, region);
  const size_t space = field.find(' ');
  static const Names keywords = {"param",   "parameter", "arg",    "argument",  "key",   "keyword", "type",
                                 "raises",  "raise",     "except", "exception", "var",   "ivar",    "cvar",
                                 "vartype", "rtype",     "throws", "tparam",    "retval"};
  if (space != std::string::npos && keywords.contains(key)) {
    page_.label().Text(field.substr(0, space + 1));
    page_.label().BeginCode();
    page_.label().Text(field.substr(space + 1));
    page_.label().EndCode();
  } else {
    AppendRstInline(field, page_.names(), &page_.label());
  }
  page_.label().Text(":");
  page_.label().Space();
  page_.label().lines.Add(uint32_t(i + 1));
  return result;
}

}  // namespace sheaf::packer
