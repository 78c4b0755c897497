#include "packer/pipeline/folder_places.h"

#include <algorithm>

#include "packer/base/paths.h"
#include "packer/document/place.h"
#include "packer/source/url.h"

namespace sheaf::packer {

FolderPlaces::FolderPlaces(const std::vector<SourceFile>& files) {
  if (files.empty()) return;
  shared_ = FolderOf(files[0].source);
  for (const SourceFile& file : files) {
    for (const Chapter& chapter : file.chapters.value_or(std::vector<Chapter>())) {
      if (chapter.name.empty()) chapters_.emplace(chapter.page, "");
    }
    while (!std::string_view(file.source).starts_with(shared_)) {
      shared_.pop_back();
      shared_.resize(FolderOf(shared_).size());
    }
  }
}

void FolderPlaces::Note(std::string_view path, const std::string& title) {
  const auto chapter = chapters_.find(std::string(path));
  if (chapter != chapters_.end()) chapter->second = title;
  std::string_view folder = FolderOf(path);
  if (IsFolderIndex(path)) {
    if (folder.empty()) return;
    folder.remove_suffix(1);
    titles_[std::string(folder)] = title;
  } else {
    // `guide.md` names the folder `guide/`, unless that has an index.
    titles_.emplace(WithoutExtension(path), title);
  }
}

std::vector<std::string> FolderPlaces::PlaceOf(const SourceFile& file, std::string_view title) const {
  std::vector<std::string> names;
  if (file.chapters) {
    for (const Chapter& chapter : *file.chapters) {
      const std::string& name = chapter.name.empty() ? chapters_.at(chapter.page) : chapter.name;
      if (!name.empty()) names.push_back(name);
    }
    return TidyPlace(names, title);
  }
  const std::string_view path = file.source;
  std::string_view folder = FolderOf(path);
  if (IsFolderIndex(path) && !folder.empty()) {
    folder.remove_suffix(1);
    folder = FolderOf(folder);
  }
  for (size_t at = shared_.size(); at < folder.size();) {
    const size_t end = folder.find('/', at);
    const auto found = titles_.find(std::string(folder.substr(0, end)));
    const bool is_titled =
        found != titles_.end() && !found->second.empty() && found->second.size() <= kMaxPlaceNameBytes;
    names.push_back(is_titled ? found->second : FolderName(folder.substr(at, end - at)));
    at = end + 1;
  }
  return TidyPlace(names, title);
}

}  // namespace sheaf::packer
