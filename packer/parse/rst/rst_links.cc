#include "packer/parse/rst/rst_links.h"

#include <algorithm>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr std::string_view kToctree = ".. toctree::";
constexpr std::string_view kDoc = ":doc:`";

// "Title <target>" or "target".
std::string_view TargetOf(std::string_view text) {
  const size_t open = text.rfind('<');
  return open != std::string_view::npos && text.ends_with('>') ? text.substr(open + 1, text.size() - open - 2) : text;
}

// From `at` to the next `end`, which must come; else empty.
std::string_view Until(std::string_view line, size_t at, std::string_view end) {
  const size_t close = line.find(end, at);
  return close == std::string_view::npos ? std::string_view() : line.substr(at, close - at);
}

}  // namespace

std::vector<LinkTarget> ReadRstLinks(std::string_view source) {
  LinkTargets links;
  bool in_toctree = false;
  size_t indent = 0;  // of the directive
  for (size_t begin = 0; begin < source.size();) {
    const size_t end = std::min(source.find('\n', begin), source.size());
    const std::string_view line = source.substr(begin, end - begin), text = Trim(line);
    begin = end + 1;
    if (text.empty()) continue;
    in_toctree = in_toctree && Indent(line) > indent;
    if (in_toctree) {
      if (text.front() != ':') links.Add(TargetOf(text), true);
    } else if (text.starts_with(kToctree)) {
      in_toctree = true;
      indent = Indent(line);
    } else {
      for (size_t at = line.find(kDoc); at != std::string_view::npos; at = line.find(kDoc, at + 1)) {
        links.Add(TargetOf(Until(line, at + kDoc.size(), "`")), true);
      }
      for (size_t at = line.find(" <"); at != std::string_view::npos; at = line.find(" <", at + 1)) {
        if (line.find(">`_", at) == std::string_view::npos) break;  // searched for once, not at each of them
        const std::string_view address = Until(line, at + 2, ">`_");
        if (address.find_first_of("<`") == std::string_view::npos)
          links.Add(address, true);  // else it is of a later link
      }
    }
  }
  return links.Take();
}

}  // namespace sheaf::packer
