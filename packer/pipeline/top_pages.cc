#include "packer/pipeline/top_pages.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "packer/base/paths.h"
#include "packer/base/text_scan.h"
#include "packer/source/ignore.h"
#include "packer/source/unread.h"
#include "packer/source/url.h"

namespace sheaf::packer {
namespace {

bool IsIndex(std::string_view path) {
  const std::string_view name = NameOf(path);
  return name.substr(0, name.find('.')) == "index" || IsReadme(path);
}

// 0 where the path leads above the top.
uint64_t HashOf(std::string_view folder, std::string_view path) {
  const std::optional<std::string> joined = JoinPaths(folder, path);
  return joined ? Hash64(AsBytes(LinkPath(*joined))) : 0;
}

bool HasScheme(std::string_view target) {
  const size_t colon = target.find(':');
  return colon != std::string_view::npos && colon < target.find('/');
}

// The folder that holds both; neither has a slash at its end.
std::string_view SharedFolder(std::string_view a, std::string_view b) {
  for (;; a = a.substr(0, a.rfind('/') == std::string_view::npos ? 0 : a.rfind('/'))) {
    if (a.empty() || a == b || (b.starts_with(a) && b[a.size()] == '/')) return a;
  }
}

size_t DepthOf(std::string_view path) {
  return path.empty() ? 0 : size_t(std::count(path.begin(), path.end(), '/')) + 1;
}

}  // namespace

std::string LinkPath(std::string_view path) {
  if (const std::string_view page = CompressedPage(path); !page.empty()) path = page;
  const FileKind kind = KindOf(NameOf(path));
  if (IsIndex(path)) {
    path = path.substr(0, path.size() - NameOf(path).size());
  } else if ((kind != FileKind::kOther && kind != FileKind::kReadme) ||
             UnreadFormatOf(NameOf(path)) == UnreadFormat::kAsciiDoc) {
    path = WithoutExtension(path);
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

std::vector<PageLink> ResolveLinks(std::string_view path, const std::vector<LinkTarget>& targets,
                                   std::string_view base_url) {
  const size_t scheme = base_url.find("://");
  const size_t base_at =
      scheme == std::string_view::npos ? 0 : std::min(base_url.find('/', scheme + 3), base_url.size());
  const std::string_view base_path = base_url.substr(base_at);
  const std::string as_folder = LinkPath(path) + "/";
  std::vector<PageLink> links;
  const auto keep = [&](const PageLink& link) {
    if (link.likely != 0 || link.else_likely != 0) links.push_back(link);
  };
  for (const auto& [written, in_prose] : targets) {
    const std::string target = DecodePercent(written);
    if (HasScheme(target) || target.starts_with("//")) {
      if (scheme != std::string_view::npos && target.starts_with(base_url))
        keep({HashOf("", std::string_view(target).substr(base_url.size())), 0, in_prose});
    } else if (target.starts_with('/')) {
      const bool based = !base_path.empty() && target.starts_with(base_path);
      keep({based ? HashOf("", std::string_view(target).substr(base_path.size())) : 0, HashOf("", target), in_prose});
    } else {
      keep({HashOf(FolderOf(path), target), HashOf(as_folder, target), in_prose});
    }
  }
  return links;
}

void TopPages::Add(std::string_view path, std::string_view url, std::string_view title,
                   const std::vector<PageLink>& links) {
  pages_.push_back({LinkPath(path), std::string(url), std::string(title), IsIndex(path)});
  links_.insert(links_.end(), links.begin(), links.end());
  end_of_links_.push_back(links_.size());
}

std::vector<uint32_t> TopPages::CountLinkingPages() const { return CountLinks().all; }

TopPages::Counts TopPages::CountLinks() const {
  std::unordered_map<uint64_t, uint32_t> numbers;
  for (uint32_t page = 0; page < pages_.size(); ++page) numbers.emplace(Hash64(AsBytes(pages_[page].link_path)), page);
  const std::vector<uint32_t> none(pages_.size());
  Counts counts{none, none};
  const std::vector<uint32_t> never(pages_.size(), UINT32_MAX);
  Counts counted_for{never, never};  // the last page that was counted
  size_t at = 0;
  for (uint32_t page = 0; page < pages_.size(); ++page) {
    for (; at < end_of_links_[page]; ++at) {
      auto found = numbers.find(links_[at].likely);
      if (found == numbers.end()) found = numbers.find(links_[at].else_likely);
      if (found == numbers.end() || found->second == page) continue;
      for (const auto kind : {&Counts::all, &Counts::prose}) {
        if (kind == &Counts::prose && !links_[at].in_prose) continue;
        if (std::exchange((counted_for.*kind)[found->second], page) != page) ++(counts.*kind)[found->second];
      }
    }
  }
  return counts;
}

void TopPages::Offer(std::vector<std::string> paths) {
  offered_.clear();
  for (const std::string& path : paths) offered_.push_back(LinkPath(path));
}

std::vector<TopPage> TopPages::Choose() const {
  if (pages_.empty()) return {};
  const auto [counts, prose] = CountLinks();
  const auto folder_of = [](const Page& page) {
    const std::string_view folder = page.is_index ? page.link_path : FolderOf(page.link_path);
    return folder.substr(0, folder.size() - size_t(folder.ends_with('/')));
  };
  std::string_view top = folder_of(pages_[0]);  // the folder that all pages share
  for (const Page& page : pages_) top = SharedFolder(top, folder_of(page));

  struct Ranked {
    const Page* page;
    uint64_t prose, links, folders;  // each plus one; a page at the top has one part
  };
  std::vector<Ranked> ranked;
  for (size_t i = 0; i < pages_.size(); ++i) {
    const Page& page = pages_[i];
    if (page.link_path == top || page.title.empty() || page.title.size() > kMaxTopTitleBytes) continue;
    const uint64_t folders = DepthOf(page.link_path) - DepthOf(top);
    if (counts[i] == 0 && !(page.is_index && folders == 1)) continue;
    ranked.push_back({&page, uint64_t(prose[i]) + 1, uint64_t(counts[i]) + 1, folders});
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    for (const auto count : {&Ranked::prose, &Ranked::links}) {
      const uint64_t of_a = a.*count * b.folders, of_b = b.*count * a.folders;
      if (of_a != of_b) return of_a > of_b;
    }
    if (a.folders != b.folders) return a.folders < b.folders;
    return a.page->link_path < b.page->link_path;
  });

  std::vector<const Page*> order;
  for (const std::string& path : offered_) {
    const auto at = std::find_if(pages_.begin(), pages_.end(), [&](const Page& p) { return p.link_path == path; });
    if (at != pages_.end() && !at->title.empty() && at->title.size() <= kMaxTopTitleBytes) order.push_back(&*at);
  }
  for (const Ranked& each : ranked) order.push_back(each.page);

  std::vector<TopPage> chosen;
  std::unordered_set<std::string_view> titles, urls;
  size_t bytes = 2;
  for (const Page* each : order) {
    if (chosen.size() == kMaxTopPages) break;
    const TopPage page{each->title, each->url};
    const nlohmann::ordered_json entry = {{"title", page.title}, {"url", page.url}};
    const size_t size = entry.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).size() + 1;
    if (bytes + size > kMaxTopPagesBytes || !titles.insert(each->title).second || !urls.insert(each->url).second)
      continue;
    bytes += size;
    chosen.push_back(page);
  }
  return chosen;
}

}  // namespace sheaf::packer
