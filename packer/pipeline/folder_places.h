// Where pages stand that do not say so themselves: where a table of contents lists them, else in their folders.
//
// Idea: a chapter is called as the table says, else as its page is titled, which is known if that came before. A folder is called as its index page is titled, or the page beside it of the same name; else by its own name, in
// words. Folders that hold every page say nothing.
//
// A folder's index is listed before its other pages (source/source.h), so its title is known in time.
// Cost: a title a folder.
#ifndef SHEAF_PACKER_PIPELINE_FOLDER_PLACES_H_
#define SHEAF_PACKER_PIPELINE_FOLDER_PLACES_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/source/source.h"

namespace sheaf::packer {

class FolderPlaces {
 public:
  explicit FolderPlaces(const std::vector<SourceFile>& files);

  // A page was committed. Pages come in the order of the files.
  void Note(std::string_view path, const std::string& title);
  std::vector<std::string> PlaceOf(const SourceFile& file, std::string_view title) const;

 private:
  std::string shared_;                                     // the folder that holds all pages, with its '/', or empty
  std::unordered_map<std::string, std::string> titles_;    // by folder, without '/' at its end
  std::unordered_map<std::string, std::string> chapters_;  // titles of pages that are chapters, by their path
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_FOLDER_PLACES_H_
