#include "packer/pipeline/side_by_side.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "packer/base/paths.h"
#include "packer/base/printable.h"
#include "packer/base/read_file.h"
#include "packer/base/text_scan.h"
#include "packer/pipeline/page_language.h"
#include "packer/survey/left_out.h"
#include "packer/survey/twins.h"

namespace sheaf::packer {
namespace {

constexpr size_t kFewestShared = 3;  // pages that two of them share
constexpr size_t kPagesCompared = 6;
constexpr size_t kMostNamed = 6;
constexpr std::string_view kVersioned = "versioned_docs/", kUnreleased = "docs";  // of Docusaurus

// ---- names --------------------------------------------------------------------------------------

// zh_CN and zh-cn are one.
std::string Folded(std::string_view tag) {
  std::string folded = Lower(tag);
  std::replace(folded.begin(), folded.end(), '_', '-');
  return folded;
}

// de, pt-BR, zh_CN, sr-Latn
bool IsLanguage(std::string_view name) {
  if (name.size() < 2 || (name.size() > 2 && (name.size() < 5 || name.size() > 7))) return false;
  if (name.size() > 2 && ((name[2] != '-' && name[2] != '_') ||
                          !std::all_of(name.begin() + 3, name.end(), [](char c) { return IsAlpha(c); })))
    return false;
  return IsLanguageCode(Lower(name.substr(0, 2)));
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), name) != words.end();
}

// 2, v1.9, 3.x, 1_2, version-4.0, latest
bool IsVersion(std::string_view name) {
  if (IsOneOf(name, {"latest", "stable", "current", "next", "dev", "main", "master", "nightly"})) return true;
  if (name.starts_with("version-") || name.starts_with("release-")) name.remove_prefix(8);
  if (!name.empty() && (name[0] == 'v' || name[0] == 'V')) name.remove_prefix(1);
  return !name.empty() && IsDigit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsDigit(c) || c == '.' || c == '_' || c == 'x'; });
}

// The higher, the more current: named so, numbered, and then what is being written.
std::tuple<int, std::vector<uint64_t>, std::string_view> CurrencyOf(std::string_view name) {
  if (name.empty() || IsOneOf(name, {"latest", "stable", "current"})) return {2, {}, name};
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!IsDigit(name[i])) continue;
    if (i == 0 || !IsDigit(name[i - 1])) numbers.push_back(0);
    numbers.back() = std::min(numbers.back(), uint64_t(1) << 50) * 10 + uint64_t(name[i] - '0');
  }
  return {numbers.empty() ? 0 : 1, std::move(numbers), name};
}

// ---- members of a place -------------------------------------------------------------------------

struct Sibling {
  std::string_view name;                               // of the folder; empty: the pages beside the folders
  std::string shown;                                   // its language where it has no folder
  std::vector<size_t> files;                           // of the list
  std::unordered_map<std::string_view, size_t> paths;  // below the folder, without extensions
};

struct Place {
  std::string_view folder;  // with its '/'
  std::vector<Sibling> members;
};

void Add(size_t file, std::string_view path, Sibling* member) {
  member->files.push_back(file);
  member->paths.emplace(WithoutExtension(path), file);
}

// Pages that two members share: at least half of the smaller one's. None if they are fewer.
std::vector<std::pair<size_t, size_t>> SharedPages(const Sibling& a, const Sibling& b) {
  const auto& small = a.files.size() < b.files.size() ? a : b;
  const auto& large = &small == &a ? b : a;
  std::vector<std::pair<size_t, size_t>> shared;
  for (const auto& [path, file] : small.paths) {
    const auto found = large.paths.find(path);
    if (found != large.paths.end()) shared.emplace_back(file, found->second);
  }
  std::sort(shared.begin(), shared.end());
  if (shared.size() < kFewestShared || shared.size() * 2 < small.paths.size()) shared.clear();
  return shared;
}

// Up to kPagesCompared of them, spread.
template <typename T>
std::vector<T> Some(const std::vector<T>& all) {
  std::vector<T> some;
  const size_t count = std::min(all.size(), kPagesCompared);
  for (size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

std::vector<const SourceFile*> FilesOf(const SourceList& list, const std::vector<size_t>& files) {
  std::vector<const SourceFile*> pages;
  for (const size_t file : files) pages.push_back(&list.files[file]);
  return pages;
}

// Whether most of the compared pages have text in common.
bool AreVersions(const SourceList& list, const std::vector<std::pair<size_t, size_t>>& shared) {
  size_t alike = 0;
  const auto some = Some(shared);
  for (const auto& [a, b] : some) alike += ShareText(list.files[a], list.files[b]) ? 1 : 0;
  return alike * 2 > some.size();
}

// Whether nothing says that a folder's pages are in another language than its name.
bool SpeaksItsLanguage(const SourceList& list, const Sibling& member) {
  const std::vector<const SourceFile*> pages = FilesOf(list, Some(member.files));
  const std::string tag = Folded(member.name);
  for (const SourceFile* page : pages) {
    if (SameLanguage(LanguageOfPage(ReadBeginning(page->path, kHeadBytes), page->kind), tag)) return true;
  }
  const std::string written = WrittenLanguage(pages);
  return written.empty() || SameLanguage(written, tag);
}

// The places that hold folders of such names, with two members or more.
template <typename IsName>
std::vector<Place> PlacesOf(const SourceList& list, const IsName& is_name) {
  std::map<std::string_view, std::map<std::string_view, Sibling>, std::less<>> folders;  // by the folder around them
  for (size_t i = 0; i < list.files.size(); ++i) {
    const std::string_view path = list.files[i].relative;
    for (size_t begin = 0, end; (end = path.find('/', begin)) != std::string_view::npos; begin = end + 1) {
      const std::string_view name = path.substr(begin, end - begin);
      if (is_name(name)) Add(i, path.substr(end + 1), &folders[path.substr(0, begin)][name]);
    }
  }
  std::erase_if(folders, [](const auto& each) {
    return std::all_of(each.second.begin(), each.second.end(),
                       [](const auto& member) { return member.second.paths.size() < kFewestShared; });
  });
  // The pages beside the folders. Those of Docusaurus' unreleased version lie beside the folder that holds the others.
  std::map<std::string_view, Sibling> beside;
  for (size_t i = 0; i < list.files.size(); ++i) {
    const std::string_view path = list.files[i].relative;
    for (size_t begin = 0, end = 0; begin <= path.size(); begin = end + 1) {
      end = std::min(path.find('/', begin), path.size());
      const std::string_view around = path.substr(0, begin), first = path.substr(begin, end - begin);
      if (const auto found = folders.find(around);
          found != folders.end() && !around.ends_with(kVersioned) && !found->second.contains(first))
        Add(i, path.substr(begin), &beside[around]);
      if (first != kUnreleased || end == path.size()) continue;
      const auto found = folders.find(std::string(around).append(kVersioned));
      if (found != folders.end()) Add(i, path.substr(end + 1), &beside[found->first]);
    }
  }
  std::vector<Place> places;
  for (auto& [folder, members] : folders) {
    Place place{folder, {}};
    if (Sibling& around = beside[folder]; !around.files.empty()) {
      if (folder.ends_with(kVersioned)) around.name = kUnreleased;
      place.members.push_back(std::move(around));
    }
    for (auto& [name, member] : members) {
      member.name = name;
      place.members.push_back(std::move(member));
    }
    if (place.members.size() > 1) places.push_back(std::move(place));
  }
  return places;
}

// Keeps the members that hold the same as the largest, by their paths and by their words.
template <typename IsProven>
void KeepAlike(Place* place, const IsProven& is_proven) {
  const auto largest =
      std::max_element(place->members.begin(), place->members.end(),
                       [](const Sibling& a, const Sibling& b) { return a.files.size() < b.files.size(); });
  std::vector<bool> alike;
  size_t count = 0;
  for (const Sibling& member : place->members) {
    alike.push_back(&member == &*largest || is_proven(SharedPages(member, *largest)));
    count += alike.back() ? 1 : 0;
  }
  std::vector<Sibling> kept;
  for (size_t i = 0; i < alike.size() && count > 1; ++i) {
    if (alike[i]) kept.push_back(std::move(place->members[i]));
  }
  place->members = std::move(kept);
}

std::vector<Place> LanguagesOf(const SourceList& list) {
  std::vector<Place> places = PlacesOf(list, IsLanguage);
  for (Place& place : places) {
    KeepAlike(&place, [](const auto& shared) { return !shared.empty(); });
    std::erase_if(place.members,
                  [&](const Sibling& member) { return !member.name.empty() && !SpeaksItsLanguage(list, member); });
    if (place.members.size() < 2) continue;
    for (Sibling& member : place.members) {
      member.shown = member.name;
      if (!member.name.empty()) continue;
      const std::vector<const SourceFile*> pages = FilesOf(list, Some(member.files));
      for (const SourceFile* page : pages) {
        if (member.shown.empty()) member.shown = LanguageOfPage(ReadBeginning(page->path, kHeadBytes), page->kind);
      }
      if (member.shown.empty()) member.shown = WrittenLanguage(pages);
      if (member.shown.empty()) member.shown = "none";
    }
  }
  std::erase_if(places, [](const Place& place) { return place.members.size() < 2; });
  return places;
}

std::vector<Place> VersionsOf(const SourceList& list) {
  std::vector<Place> places = PlacesOf(list, IsVersion);
  for (Place& place : places) {
    KeepAlike(&place, [&](const auto& shared) { return !shared.empty() && AreVersions(list, shared); });
    for (Sibling& member : place.members) member.shown = member.name.empty() ? "current" : member.name;
  }
  std::erase_if(places, [](const Place& place) { return place.members.size() < 2; });
  return places;
}

// ---- the choice ---------------------------------------------------------------------------------

// Whether a tag is meant by CODE: the same, or the only one of its language.
bool IsMeant(std::string_view tag, std::string_view code, const std::set<std::string>& tags) {
  if (Folded(tag) == Folded(code)) return true;
  if (code.find_first_of("-_") != std::string_view::npos) return false;
  return SameLanguage(Folded(tag), code) && std::count_if(tags.begin(), tags.end(), [&](const std::string& each) {
                                              return SameLanguage(Folded(each), code);
                                            }) == 1;
}

const Sibling* ChosenLanguage(const Place& place, const SideBySideOptions& options, const std::set<std::string>& tags) {
  const auto named = [&](std::string_view code) -> const Sibling* {
    for (const Sibling& member : place.members) {
      if (IsMeant(member.shown, code, tags)) return &member;
    }
    return nullptr;
  };
  if (!options.only_language.empty()) return named(options.only_language);
  for (const std::string& tag : {options.language, options.language.substr(0, options.language.find('-'))}) {
    if (const Sibling* member = tag.empty() ? nullptr : named(tag)) return member;
  }
  if (place.members.front().name.empty()) return &place.members.front();
  if (const Sibling* member = named("en")) return member;
  return &*std::max_element(place.members.begin(), place.members.end(),
                            [](const Sibling& a, const Sibling& b) { return a.files.size() < b.files.size(); });
}

const Sibling* ChosenVersion(const Place& place, const SideBySideOptions& options) {
  if (options.version_folder.empty()) {
    return &*std::max_element(place.members.begin(), place.members.end(), [](const Sibling& a, const Sibling& b) {
      return CurrencyOf(a.name) < CurrencyOf(b.name);
    });
  }
  for (const Sibling& member : place.members) {
    if (options.version_folder == member.shown ||
        options.version_folder == std::string(place.folder) + std::string(member.name))
      return &member;
  }
  return nullptr;
}

std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) list.append(i > 0 ? ", " : "").append(names[i]);
  return names.size() > kMostNamed ? list + ", …" : list;
}

void Note(const SideBySide& place, const char* option, SourceList* list) {
  const char* what = place.are_languages ? "languages" : "versions";
  const std::string path = place.folder.empty() ? "." : place.folder;
  const size_t count = place.others.size() + (place.packed.empty() ? 0 : 1);
  std::string reason = "holds " + std::to_string(count) + " " + what + " of the same pages";
  if (place.packed.empty())
    reason += " (" + Listed(place.others) + "), which are searched as one";
  else
    reason += ": " + place.packed + " is packed; " + option + " chooses another (" + Listed(place.others) +
              ") or all of them (" + kAllOfThem + ")";
  list->notes.push_back({path, reason});
}

// The place as it is reported. The others' files go into `out`, unless all are kept.
SideBySide Described(const Place& place, bool are_languages, bool keeps_all, const Sibling* chosen,
                     std::unordered_set<size_t>* out) {
  SideBySide one{are_languages, PrintablePath(std::string(place.folder)), {}, {}};
  for (const Sibling& member : place.members) {
    if (&member == chosen) {
      one.packed = PrintablePath(member.shown);
      continue;
    }
    one.others.push_back(PrintablePath(member.shown));
    if (!keeps_all) out->insert(member.files.begin(), member.files.end());
  }
  return one;
}

Error Unknown(const char* option, const std::string& value, const char* what, const std::set<std::string>& names) {
  const std::string found =
      names.empty() ? std::string("no ") + what + " lie side by side there"
                    : "expected " + std::string(kAllOfThem) + " or one of " + Listed({names.begin(), names.end()});
  return {ErrorCode::kNotFound, std::string(option) + " " + PrintablePath(value) + ": no page is in it; " + found};
}

void TakeOutAt(const std::unordered_set<size_t>& out, const char* kind, SourceList* list) {
  size_t at = 0;
  TakeOut(list,
          [&](SourceFile* file) { return out.contains(at++) && !file->is_input ? std::string(kind) : std::string(); });
}

Status ChooseVersions(SourceList* list, const SideBySideOptions& options, std::vector<SideBySide>* found) {
  const std::string& given = options.version_folder;
  const bool keeps_all = given == kAllOfThem || (given.empty() && !options.chooses);
  std::set<std::string> names;
  std::unordered_set<size_t> out;
  bool is_there = false;
  for (const Place& place : VersionsOf(*list)) {
    for (const Sibling& member : place.members) names.insert(member.shown);
    const Sibling* chosen = keeps_all ? nullptr : ChosenVersion(place, options);
    is_there = is_there || chosen != nullptr;
    found->push_back(Described(place, /*are_languages=*/false, keeps_all, chosen, &out));
    Note(found->back(), "--version-folder", list);
  }
  if (!given.empty() && !keeps_all && !is_there) return Unknown("--version-folder", given, "versions", names);
  TakeOutAt(out, "other versions", list);
  return {};
}

Status ChooseLanguages(SourceList* list, const SideBySideOptions& options, std::vector<SideBySide>* found) {
  const std::string& given = options.only_language;
  const bool keeps_all = given == kAllOfThem || (given.empty() && !options.chooses);
  const std::vector<Place> places = LanguagesOf(*list);
  std::set<std::string> names;
  for (const Place& place : places) {
    for (const Sibling& member : place.members) names.insert(Folded(member.shown));
  }
  std::unordered_set<size_t> out;
  bool is_there = false;
  for (const Place& place : places) {
    const Sibling* chosen = keeps_all ? nullptr : ChosenLanguage(place, options, names);
    is_there = is_there || chosen != nullptr;
    found->push_back(Described(place, /*are_languages=*/true, keeps_all, chosen, &out));
    Note(found->back(), "--only-language", list);
  }
  if (!given.empty() && !keeps_all) {
    // What the pages say themselves, where no folder does.
    for (size_t i = 0; i < list->files.size(); ++i) {
      const SourceFile& file = list->files[i];
      if (out.contains(i)) continue;
      const std::string tag = LanguageOfPage(ReadBeginning(file.path, kHeadBytes), file.kind);
      if (tag.empty()) continue;
      if (SameLanguage(Folded(tag), Folded(given))) {
        is_there = true;
      } else {
        names.insert(Folded(tag));
        out.insert(i);
      }
    }
    if (!is_there) return Unknown("--only-language", given, "languages", names);
  }
  TakeOutAt(out, "other languages", list);
  return {};
}

}  // namespace

Result<std::vector<SideBySide>> ChooseSideBySide(SourceList* list, const SideBySideOptions& options) {
  std::vector<SideBySide> found;
  SHEAF_RETURN_IF_ERROR(ChooseVersions(list, options, &found));
  SHEAF_RETURN_IF_ERROR(ChooseLanguages(list, options, &found));
  return found;
}

}  // namespace sheaf::packer
