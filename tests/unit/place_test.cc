#include "packer/document/place.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bundle/passage_store.h"

namespace sheaf::packer {
namespace place_test {

using Names = std::vector<std::string>;

TEST(PlaceName, IsWhatAReaderWouldSay) {
  EXPECT_EQ(PlaceName("Chapter 13.\u00A0Concurrency Control"), "Concurrency Control");
  EXPECT_EQ(PlaceName("Part II. The SQL Language"), "The SQL Language");
  const std::pair<const char*, const char*> chapters[] = {
      {"Kapitel 7. Mit GIMP malen", "Mit GIMP malen"},
      {"Cap\u00EDtulo 7. Pintar", "Pintar"},
      {"Глава 7. Рисование", "Рисование"},
      {"Κεφάλαιο 7. Ζωγράφισμα", "Ζωγράφισμα"},
      {"第7章 GIMP でお絵描き", "GIMP でお絵描き"},
      {"第 7 章 图层", "图层"},
      {"第十二章 概要", "概要"},
      {"7장. 김프로 그리기", "김프로 그리기"},
      // What is no numbering stays.
      {"3장 이상의 그림", "3장 이상의 그림"},
      {"第7章", "第7章"},
      {"Teil 2 der Reise", "Teil 2 der Reise"},
      {"Deltakere", "Deltakere"},
  };
  for (const auto& [title, name] : chapters) EXPECT_EQ(PlaceName(title), name);
  EXPECT_EQ(PlaceName("Appendix F: Additional Modules"), "Additional Modules");
  EXPECT_EQ(PlaceName("13.1. Introduction"), "Introduction");
  EXPECT_EQ(PlaceName("3. An Informal Introduction"), "An Informal Introduction");
  EXPECT_EQ(PlaceName("  The\n Tutorial \u00BB "), "The Tutorial");
  EXPECT_EQ(PlaceName("/ Guide >"), "Guide");
}

TEST(PlaceName, KeepsNumbersThatArePartOfIt) {
  for (const char* name : {"3 ways to do it", "2024", "3.11", "Part of the whole", "Part 2 of the tour", "A. Name",
                           "Chapter", "Python 3.11 docs", "C++"}) {
    EXPECT_EQ(PlaceName(name), name);
  }
}

TEST(PlaceName, CutsALongNameAtAWord) {
  const std::string name = PlaceName("A " + std::string(50, 'b') + " " + std::string(200, 'c'));
  EXPECT_EQ(name, "A " + std::string(50, 'b') + "\u2026");
  EXPECT_LE(PlaceName(std::string(300, 'x')).size(), kMaxPlaceNameBytes + 3);
}

TEST(TidyPlace, LeavesOutTheWholeAndThePageItself) {
  EXPECT_EQ(TidyPlace({"Home", "Guide", "13.1. Introduction"}, "13.1 Introduction"), Names({"Guide"}));
  EXPECT_EQ(TidyPlace({"Docs", "Guide", "Home"}, "Page"), Names({"Guide", "Home"}));
  EXPECT_EQ(TidyPlace({"Guide", "", " \u00BB ", "guide", "Start"}, "Page"), Names({"Guide", "Start"}));
  EXPECT_EQ(TidyPlace({"Guide"}, "Guide"), Names());
  EXPECT_EQ(TidyPlace({}, "Guide"), Names());
}

TEST(TidyPlace, HasNoMoreLevelsThanABundleTakes) {
  Names names;
  for (char c = 'A'; c < 'A' + 20; ++c) names.push_back("Level " + std::string(1, c));
  EXPECT_EQ(TidyPlace(names, "Page").size(), kMaxPlaceLevels);
}

TEST(FolderName, IsInWords) {
  EXPECT_EQ(FolderName("getting-started"), "Getting started");
  EXPECT_EQ(FolderName("02_api_reference"), "API reference");
  EXPECT_EQ(FolderName("RFCs"), "RFCs");
  EXPECT_EQ(FolderName("3.11"), "3.11");
  EXPECT_EQ(FolderName("v1"), "V1");
  EXPECT_EQ(FolderName("---"), "");
}

TEST(TidyNumber, TakesTheLastDotOffANumberOfSeveralLevels) {
  EXPECT_EQ(TidyNumber("13.1. Introduction"), "13.1 Introduction");
  EXPECT_EQ(TidyNumber("F.25.1.\u00A0Functions"), "F.25.1\u00A0Functions");
  for (const char* same :
       {"13.1 Introduction", "1. Introduction", "3.11.", "Introduction", "", "e.g. this", "A. Name", "node.js. x"})
    EXPECT_EQ(TidyNumber(same), same);
}

}  // namespace place_test
}  // namespace sheaf::packer
