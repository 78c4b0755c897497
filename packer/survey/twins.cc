#include "packer/survey/twins.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "packer/base/paths.h"
#include "packer/base/read_file.h"
#include "packer/base/text_scan.h"
#include "packer/survey/left_out.h"

namespace sheaf::packer {
namespace {

constexpr size_t kRun = 3;                  // words
constexpr size_t kFewestRuns = 12;          // fewer prove nothing
constexpr uint64_t kLongestPart = 4 << 20;  // bytes that are read of a page, and of one that may hold it
constexpr uint64_t kLongestPage = 64 << 20;
constexpr size_t kMostRuns = 20'000;
constexpr size_t kFewestTwins = 4;     // of two trees
constexpr size_t kMostNamesakes = 16;  // pages of one name that are tried
constexpr size_t kFewestParts = 8;     // of a page that holds them all
constexpr size_t kPartsRead = 12;
constexpr size_t kMostWholePages = 16;  // that are tried

// ---- words --------------------------------------------------------------------------------------

// Calls visit with a hash of each run of kRun words of the text, without HTML's tags, scripts and styles.
template <typename Visit>
void EachRun(std::string_view text, bool html, const Visit& visit) {
  uint64_t words[kRun] = {};
  size_t count = 0;
  uint64_t word = 0;
  const auto end_word = [&] {
    if (word == 0) return;
    for (size_t i = 0; i + 1 < kRun; ++i) words[i] = words[i + 1];
    words[kRun - 1] = std::exchange(word, 0);
    if (++count < kRun) return;
    uint64_t run = 0;
    for (const uint64_t each : words) run = (run ^ each) * 0x9E3779B97F4A7C15u + (run >> 29);
    visit(run);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (html && c == '<') {
      size_t end = std::min(text.find('>', i), text.size());
      for (const std::string_view skipped : {"<script", "<style"}) {
        if (!StartsWithFolded(text.substr(i), skipped)) continue;
        const std::string close = "</" + std::string(skipped.substr(1));
        end = std::min(FindFolded(text, close, end, text.size()), text.size());
      }
      i = end;
      continue;  // `<b>re</b>make` is one word
    }
    if (IsAlpha(c) || IsDigit(c) || uint8_t(c) >= 0x80)
      word = (word ^ uint8_t(LowerAscii(c))) * 0x100000001B3u + 1;
    else
      end_word();
  }
  end_word();
}

bool IsHtml(const SourceFile& file) { return file.kind == FileKind::kHtml; }

using Runs = std::unordered_set<uint64_t>;

// Up to kMostRuns runs of a page. `middle`: of its middle half, where no menus are.
std::vector<uint64_t> RunsOf(const SourceFile& file, bool middle) {
  std::vector<uint64_t> runs;
  EachRun(ReadBeginning(file.path, size_t(std::min(file.size, kLongestPart))), IsHtml(file),
          [&](uint64_t run) { runs.push_back(run); });
  if (middle) {
    const auto quarter = ptrdiff_t(runs.size() / 4);
    runs = std::vector<uint64_t>(runs.begin() + quarter, runs.end() - quarter);
  }
  if (runs.size() > kMostRuns) runs.resize(kMostRuns);
  return runs;
}

// Those of `wanted` that stand in the page.
Runs FoundIn(const SourceFile& page, const Runs& wanted) {
  Runs found;
  EachRun(ReadBeginning(page.path, size_t(std::min(page.size, kLongestPage))), IsHtml(page), [&](uint64_t run) {
    if (wanted.contains(run)) found.insert(run);
  });
  return found;
}

// Whether at least `share` of a hundred are found.
bool AreFound(const std::vector<uint64_t>& runs, const Runs& found, size_t share) {
  if (runs.size() < kFewestRuns) return false;
  const auto count = size_t(std::count_if(runs.begin(), runs.end(), [&](uint64_t run) { return found.contains(run); }));
  return count * 100 >= runs.size() * share;
}

bool StandsIn(const SourceFile& source, const SourceFile& page) {
  const std::vector<uint64_t> runs = RunsOf(source, /*middle=*/false);
  return AreFound(runs, FoundIn(page, Runs(runs.begin(), runs.end())), 50);
}

// ---- twins --------------------------------------------------------------------------------------

bool IsSource(const SourceFile& file) {
  return file.kind == FileKind::kMarkdown || file.kind == FileKind::kRst || file.kind == FileKind::kText ||
         file.kind == FileKind::kMdx;
}

// The folders in front of what two paths share at their ends, whole segments.
std::pair<std::string_view, std::string_view> Roots(std::string_view a, std::string_view b) {
  size_t same = 0, whole = 0;  // bytes at the end
  while (same < a.size() && same < b.size() && a[a.size() - 1 - same] == b[b.size() - 1 - same]) {
    ++same;
    if (a[a.size() - same] == '/') whole = same - 1;
  }
  if ((same == a.size() && (same == b.size() || b[b.size() - 1 - same] == '/')) ||
      (same == b.size() && a[a.size() - 1 - same] == '/'))
    whole = same;
  return {a.substr(0, a.size() - whole), b.substr(0, b.size() - whole)};
}

// A source and the HTML of the same name.
struct Pair {
  size_t source = 0, html = 0;
};

// Pairs by the folders that their paths agree below.
std::map<std::pair<std::string_view, std::string_view>, std::vector<Pair>> PairsOf(
    const std::vector<SourceFile>& files) {
  std::unordered_map<std::string_view, std::vector<size_t>> pages;
  for (size_t i = 0; i < files.size(); ++i) {
    if (IsHtml(files[i]) && !files[i].is_input) pages[NameOf(WithoutExtension(files[i].relative))].push_back(i);
  }
  std::map<std::pair<std::string_view, std::string_view>, std::vector<Pair>> pairs;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!IsSource(files[i]) || files[i].is_input) continue;
    const auto found = pages.find(NameOf(WithoutExtension(files[i].relative)));
    if (found == pages.end()) continue;
    for (size_t n = 0; n < std::min(found->second.size(), kMostNamesakes); ++n) {
      const size_t page = found->second[n];
      pairs[Roots(WithoutExtension(files[i].relative), WithoutExtension(files[page].relative))].push_back({i, page});
    }
  }
  return pairs;
}

void LeaveOutPairs(SourceList* list) {
  const std::vector<SourceFile>& files = list->files;
  std::unordered_map<const SourceFile*, const char*> out;
  uint64_t budget = list->bytes * 2;  // to read
  for (const auto& [roots, pairs] : PairsOf(files)) {
    const bool beside = roots.first == roots.second;
    if (!beside && pairs.size() < kFewestTwins) continue;
    size_t failed = 0;
    for (const Pair& pair : pairs) {
      const SourceFile& source = files[pair.source];
      const SourceFile& page = files[pair.html];
      if (out.contains(&source) || out.contains(&page)) continue;
      if (!beside && failed == kFewestTwins) break;  // their names agree by chance
      if (source.size + page.size > budget) break;
      budget -= source.size + page.size;
      if (!StandsIn(source, page)) {
        ++failed;
        continue;
      }
      if (beside)
        out.emplace(&source, "sources beside their HTML");
      else
        out.emplace(&page, "HTML pages whose sources are packed");
    }
  }
  if (out.empty()) return;
  TakeOut(list, [&](SourceFile* file) -> std::string {
    const auto found = out.find(file);
    return found == out.end() ? std::string() : std::string(found->second);
  });
}

// ---- one page of all ----------------------------------------------------------------------------

// Whether `page` holds most of what `parts` say.
bool HoldsAll(const SourceFile& page, const std::vector<const SourceFile*>& parts) {
  std::vector<std::vector<uint64_t>> read;
  Runs wanted;
  const size_t count = std::min(parts.size(), kPartsRead);
  for (size_t i = 0; i < count; ++i) {
    read.push_back(RunsOf(*parts[i * parts.size() / count], /*middle=*/true));
    wanted.insert(read.back().begin(), read.back().end());
  }
  const Runs found = FoundIn(page, wanted);
  const auto held =
      size_t(std::count_if(read.begin(), read.end(), [&](const auto& runs) { return AreFound(runs, found, 60); }));
  return held * 5 >= read.size() * 4;
}

void LeaveOutWholePages(SourceList* list) {
  std::map<std::string_view, std::vector<const SourceFile*>> folders;
  for (const SourceFile& file : list->files) {
    if (IsHtml(file)) folders[FolderOf(file.relative)].push_back(&file);
  }
  std::unordered_set<std::string> whole;
  size_t tried = 0;
  for (const auto& [folder, pages] : folders) {
    if (pages.size() < kFewestParts) continue;
    uint64_t bytes = 0;
    for (const SourceFile* page : pages) bytes += page->size;
    const std::string_view above = folder.empty() ? folder : FolderOf(folder.substr(0, folder.size() - 1));
    std::vector<std::string_view> places = {folder};
    if (above != folder) places.push_back(above);
    for (const std::string_view where : places) {
      const auto beside = folders.find(where);
      if (beside == folders.end()) continue;
      for (const SourceFile* page : beside->second) {
        const uint64_t others = where == folder ? bytes - page->size : bytes;
        if (page->is_input || page->size * 5 < others || page->size > others * 2 || tried == kMostWholePages) continue;
        std::vector<const SourceFile*> parts;
        for (const SourceFile* part : pages) {
          if (part != page) parts.push_back(part);
        }
        if (parts.size() < kFewestParts || whole.contains(page->relative)) continue;
        ++tried;
        if (HoldsAll(*page, parts)) whole.insert(page->relative);
      }
    }
  }
  if (whole.empty()) return;
  TakeOut(list, [&](SourceFile* file) {
    return whole.contains(file->relative) ? std::string("pages that hold all others of a folder") : std::string();
  });
}

}  // namespace

bool ShareText(const SourceFile& a, const SourceFile& b) {
  std::vector<uint64_t> runs = RunsOf(a, /*middle=*/true);
  if (runs.size() < kFewestRuns) runs = RunsOf(a, /*middle=*/false);
  return AreFound(runs, FoundIn(b, Runs(runs.begin(), runs.end())), 33);
}

void LeaveOutTwins(SourceList* list) {
  LeaveOutPairs(list);
  LeaveOutWholePages(list);
}

}  // namespace sheaf::packer
