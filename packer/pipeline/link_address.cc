#include "packer/pipeline/link_address.h"

#include <algorithm>
#include <optional>

#include "packer/base/paths.h"

namespace sheaf::packer {
namespace {

// An address as it may stand between the parentheses of a link; empty: it may not.
std::string AsTarget(std::string_view address) {
  constexpr size_t kMaxTarget = 500;
  std::string out;
  for (const char c : address) {
    const bool is_plain = uint8_t(c) > 0x20 && uint8_t(c) < 0x7F && c != '(' && c != ')' && c != '<' && c != '>' &&
                          c != '|' && c != '\\' && c != '`' && c != '[' && c != ']';
    if (is_plain) {
      out += c;
    } else {
      constexpr char kHex[] = "0123456789ABCDEF";
      out.append({'%', kHex[uint8_t(c) >> 4], kHex[uint8_t(c) & 15]});
    }
  }
  return out.size() <= kMaxTarget ? out : std::string();
}

}  // namespace

std::string AddressOf(std::string_view href, std::string_view page, const UrlMapper& urls) {
  while (!href.empty() && uint8_t(href.front()) <= 0x20) href.remove_prefix(1);
  while (!href.empty() && uint8_t(href.back()) <= 0x20) href.remove_suffix(1);
  if (href.empty() || href[0] == '#' || href[0] == '?') return {};
  if (href.starts_with("https://") || href.starts_with("http://")) return AsTarget(href);
  if (href.starts_with("//")) return AsTarget("https:" + std::string(href));
  const size_t colon = href.find(':');
  if (colon != href.npos && href.find_first_of("/?#") > colon) return {};  // mailto:, javascript:
  const size_t hash = std::min(href.find('#'), href.size());
  const std::string_view fragment = href.substr(hash);
  const std::string_view path = href.substr(0, std::min(href.find('?'), hash));
  const std::string& base = urls.base();
  std::string whole;
  if (path.starts_with('/')) {
    const size_t scheme = base.find("://");
    const size_t at = scheme == base.npos ? 0 : std::min(base.find('/', scheme + 3), base.size());
    if (!path.starts_with(std::string_view(base).substr(at)) || base.empty()) {
      return AsTarget(base.substr(0, at) + std::string(href));
    }
    whole = DecodePercent(path.substr(base.size() - at));
  } else {
    whole = std::string(FolderOf(page)) + DecodePercent(path);
  }
  std::optional<std::string> joined = JoinPaths("", whole);
  if (!joined) return {};
  std::string& target = *joined;
  const std::string_view last = NameOf(whole);
  const bool is_folder = last.empty() || last == "." || last == "..";
  if (is_folder) target += target.empty() ? "index.html" : "/index.html";
  if (target == page) return {};
  return AsTarget(urls.FromPath(target) + std::string(fragment));
}

}  // namespace sheaf::packer
