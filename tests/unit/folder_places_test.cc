#include "packer/pipeline/folder_places.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sheaf::packer {
namespace folder_places_test {

using Names = std::vector<std::string>;

SourceFile File(const std::string& path) {
  SourceFile file;
  file.source = path;
  return file;
}

std::vector<SourceFile> Files(const Names& paths) {
  std::vector<SourceFile> files;
  for (const std::string& path : paths) files.emplace_back().source = path;
  return files;
}

TEST(FolderPlaces, CallFoldersAsTheirIndexPagesAreTitled) {
  const Names paths = {"docs/index.md", "docs/api/README",      "docs/api/run.md",
                       "docs/guide.md", "docs/guide/_index.md", "docs/guide/start-here/one.md",
                       "docs/list.md",  "docs/list/a.md"};
  FolderPlaces places(Files(paths));
  for (const std::string& path : paths) places.Note(path, "Title of " + path);
  EXPECT_EQ(places.PlaceOf(File("docs/api/run.md"), "Run"), Names({"Title of docs/api/README"}));
  EXPECT_EQ(places.PlaceOf(File("docs/guide/start-here/one.md"), "One"),
            Names({"Title of docs/guide/_index.md", "Start here"}));
  EXPECT_EQ(places.PlaceOf(File("docs/list/a.md"), "A"), Names({"Title of docs/list.md"}))
      << "the page beside the folder";
  EXPECT_EQ(places.PlaceOf(File("docs/guide/_index.md"), "Guide"), Names()) << "an index stands for its folder";
  EXPECT_EQ(places.PlaceOf(File("docs/index.md"), "Docs"), Names()) << "what holds all pages says nothing";
}

TEST(FolderPlaces, WithoutTitlesHaveTheFoldersOwnNames) {
  FolderPlaces places(Files({"a-b/c/d.html", "e/f.html"}));
  EXPECT_EQ(places.PlaceOf(File("a-b/c/d.html"), "D"), Names({"A b", "C"}));
  EXPECT_EQ(places.PlaceOf(File("a-b/c/d.html"), "C"), Names({"A b"})) << "not the page's own title again";
  EXPECT_EQ(places.PlaceOf(File("e/f.html"), "F"), Names({"E"}));
  EXPECT_EQ(FolderPlaces(Files({})).PlaceOf(File("x.md"), "X"), Names());
  EXPECT_EQ(FolderPlaces(Files({"only/one/x.md"})).PlaceOf(File("only/one/x.md"), "X"), Names());
}

}  // namespace folder_places_test
}  // namespace sheaf::packer
