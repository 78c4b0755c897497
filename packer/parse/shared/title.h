// The title of a page: the fallback if none is stated, and the maximum length.
#ifndef SHEAF_PACKER_PARSE_SHARED_TITLE_H_
#define SHEAF_PACKER_PARSE_SHARED_TITLE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "packer/document/document.h"

namespace sheaf::packer {

// Every passage of a page is read together with its title.
inline constexpr size_t kMaxTitleBytes = 2048;

// Gives a document without a title, or with a template in its place, one: its first h1, if no other heading's text
// stands before it; else the heading it begins with, else the name of its file in words (`getting-started.md` ->
// "Getting Started").
// A longer title than kMaxTitleBytes is cut, with a warning.
void CompleteTitle(std::string_view path, Document* document);

// Words of a file's name; that of its folder for index and readme files.
std::string TitleFromPath(std::string_view path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_SHARED_TITLE_H_
