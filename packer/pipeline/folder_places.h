// Derives the place of pages that state none: from a table of contents that lists them, else from their folders.
//
// Idea: a chapter has the name of its entry in the table, else the title of its page, if that page came before. A
// folder has the title of its index page, or of the page beside it with the same name; else its own name, in words.
// Folders that hold every page have no name.
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
