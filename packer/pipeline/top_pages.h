// Chooses the pages that a search box offers before anything is typed: the site's top pages.
//
// Measure: the number of pages whose prose links to it, plus one, divided by its depth, plus one:
//
//     (1 + pages that link to it in prose) / (1 + folders above it)
//
// Each linking page counts once, however many links it has. Menus do not count, and neither do tables, signatures and
// lists of links: generators make them, and they lead to everything (document/link_targets.h). Where pages are equal,
// links of all kinds decide, measured the same way. An index
// or README stands for its folder, so `guide/index.md` lies as high as `install.md`. Depth counts below the folder that
// all pages share. Of pages that are still equal, the one that lies higher comes first, then the one whose path is less by its bytes.
// No date or other state decides: the same pages give the same list.
//
// Left out: the page at the top, to which every site has a link anyway; pages without a link to them, unless they stand
// for a folder at the top; a title that the list already has; a title of more than kMaxTopTitleBytes.
//
// Links are compared as paths without extension, `index` and the slash at the end, percent-decoded, so `guide/`,
// `../guide/index.md` and `https://example.org/docs/guide/` (with that base URL) are the same page. A relative target
// counts from the file's folder; where no page is there, from the page as a folder, as in addresses that end with a
// slash. An absolute path counts from the base URL's path, or from the top.
//
// The list lies in the manifest, which every visitor reads with the first bytes, so it takes at most kMaxTopPagesBytes.
//
// Cost: linear in the links; memory 24 bytes for each, until the run ends.
#ifndef SHEAF_PACKER_PIPELINE_TOP_PAGES_H_
#define SHEAF_PACKER_PIPELINE_TOP_PAGES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/document/link_targets.h"
#include "search/bundle_builder.h"

namespace sheaf::packer {

inline constexpr size_t kMaxTopPages = 8;
inline constexpr size_t kMaxTopPagesBytes = 1000;  // as JSON without white space
inline constexpr size_t kMaxTopTitleBytes = 100;

// The path as links are compared: `guide/install.md` -> `guide/install`, `guide/index.html` and `guide/` -> `guide`,
// `index.md` -> ``.
std::string LinkPath(std::string_view path);

// Where a link may lead: hashes of paths, the likelier first. A path that cannot be a page's is 0.
struct PageLink {
  uint64_t likely = 0, else_likely = 0;
  bool in_prose = false;
};

// The links of the page at `path` below the packed root. Those that leave the documentation are left out.
std::vector<PageLink> ResolveLinks(std::string_view path, const std::vector<LinkTarget>& targets,
                                   std::string_view base_url);

class TopPages {
 public:
  // In the order of the pages: of two pages with one path, links lead to the first.
  void Add(std::string_view path, std::string_view url, std::string_view title, const std::vector<PageLink>& links);
  // The pages at these paths come first, in this order.
  void Offer(std::vector<std::string> paths);
  std::vector<TopPage> Choose() const;
  // Of each page, in their order, how many pages link to it.
  std::vector<uint32_t> CountLinkingPages() const;

 private:
  struct Page {
    std::string link_path;  // the path, as links are compared
    std::string url, title;
    bool is_index = false;
  };
  std::vector<std::string> offered_;  // as links are compared
  std::vector<Page> pages_;
  std::vector<PageLink> links_;
  std::vector<size_t> end_of_links_;  // by page

  struct Counts {
    std::vector<uint32_t> all, prose;  // by page, of the pages that link to it
  };
  Counts CountLinks() const;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_TOP_PAGES_H_
