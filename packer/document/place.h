// The place of a page in the documentation: the names above it, from the outermost to its parent.
//
// Idea: readers of breadcrumbs, links to the page above and folders pass such names as written; TidyPlace tidies them.
// Numbers order chapters but do not name them: "Chapter 13. Concurrency Control" is "Concurrency Control". Names that
// every page would have ("Home") and the page's own title are dropped.
#ifndef SHEAF_PACKER_DOCUMENT_PLACE_H_
#define SHEAF_PACKER_DOCUMENT_PLACE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::packer {

inline constexpr size_t kMaxPlaceNameBytes = 96;  // longer names are cut at a word

// Without white space at its ends and separators, without a chapter's number; may be empty.
std::string PlaceName(std::string_view text);

// Tidied; without the page's own `title` at the end and what stands for the whole documentation at the beginning. At
// most kMaxPlaceLevels.
std::vector<std::string> TidyPlace(const std::vector<std::string>& names, std::string_view title);

// A folder's name in words: "getting-started" -> "Getting started", "02_api" -> "API".
std::string FolderName(std::string_view folder);

// "13.1. Introduction" -> "13.1 Introduction"; "1. Introduction" stays.
std::string TidyNumber(std::string text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_PLACE_H_
