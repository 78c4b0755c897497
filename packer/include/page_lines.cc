#include "packer/include/page_lines.h"

#include <algorithm>
#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {

void PageLines::Add(std::string_view prefix, std::string_view line) {
  if (!line.empty()) out_.text.append(prefix).append(line);
  out_.text.push_back('\n');
  out_.lines.push_back(at_);
}

void PageLines::AddAll(std::string_view prefix, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) Add(prefix, line);
}

void PageLines::AddFence(std::string_view prefix, std::string_view language, const std::vector<std::string>& code) {
  std::string fence(3, '`');
  for (const std::string& line : code) fence = BackticksAround(line, fence.size());
  Add(prefix, fence + std::string(language));
  AddAll(prefix, code);
  Add(prefix, fence);
}

const IncludedFile* PageLines::Find(std::string_view target, const std::string& from) {
  const Result<const IncludedFile*> file = files().Find(target, from);
  if (file.ok()) return *file;
  Missing(target, file.error().message);
  return nullptr;
}

bool PageLines::HasRoom(std::string_view target, const std::vector<std::string>& lines) {
  size_t bytes = 0;
  for (const std::string& line : lines) bytes += line.size() + 1;
  const bool has_room = OpenFiles::HasRoom(bytes, target);
  included_ = included_ || has_room;
  return has_room;
}

ExpandedText PageLines::Take(std::string_view original) {
  if (!included_) {
    out_.text = std::string(original);
    out_.lines.clear();
  }
  out_.missing = std::move(missing());
  return std::move(out_);
}

std::string MissingNote(const std::vector<std::string>& missing) {
  constexpr size_t kNamed = 3;
  if (missing.empty()) return {};
  std::string note = "it includes files that are missing: ";
  for (size_t i = 0; i < std::min(missing.size(), kNamed); ++i) note += (i > 0 ? ", " : "") + missing[i];
  if (missing.size() > kNamed) note += " and " + std::to_string(missing.size() - kNamed) + " more";
  return note;
}

}  // namespace sheaf::packer
