// Formats of documentation that the packer does not read itself: AsciiDoc, OpenAPI, PDF, manual pages, and pages that
// gzip compressed.
//
// Idea: libraries in other languages read them. A converter (web/browser/convert) makes a page of HTML or Markdown of
// each such file, in a folder of its own. The packer finds the page there and treats it as the file: under the file's
// path, address and place in the order. The walk of source.h alone decides which files are documentation.
//
//     docs/guide/install.adoc           the file
//     CONVERTED/guide/install.adoc.html the page made of it; .md for OpenAPI. CONVERTED is the option `converted`
//     CONVERTED/guide/install.adoc.json what is said of it: see Conversion; may be missing
//
// Recognised by name; OpenAPI and manual pages by their first bytes too, since names such as `api.json` and `lib.3`
// prove nothing.
//
// Cost: a file whose name may be OpenAPI's or a manual page's is opened and 4 KiB of it are read.
#ifndef SHEAF_PACKER_SOURCE_UNREAD_H_
#define SHEAF_PACKER_SOURCE_UNREAD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/source/ignore.h"

namespace sheaf::packer {

enum class UnreadFormat : uint8_t { kNone, kAsciiDoc, kOpenApi, kPdf, kManual, kGzip, kTexinfo, kInfo };

// By the name alone; kOpenApi and kManual: perhaps.
UnreadFormat UnreadFormatOf(std::string_view file_name);
// Whether the first bytes of the file at `path` are such as the format's.
bool BeginsAs(UnreadFormat format, const std::string& path);

// For messages: "AsciiDoc", "manual pages".
const char* FormatName(UnreadFormat format);
// The name of the page in a file that gzip compressed: `guide.html` of `guide.html.gz`. Empty: the file is none such.
std::string_view CompressedPage(std::string_view path);

// For converters: "asciidoc", "openapi", "pdf", "man", "gzip". Empty: there is no converter.
std::string_view FormatWord(UnreadFormat format);
// Of the page that a converter makes of a file of this name; kOther where there is no converter.
FileKind ConvertedKind(UnreadFormat format, std::string_view file_name);
// ".html", ".md" and so on.
const char* ExtensionOf(FileKind converted);
// What to do about `files` files that are not read: a clause for a note.
std::string Advice(UnreadFormat format);

// What a converter says of a file, beside the page that it made.
struct Conversion {
  std::string problem;   // why no page could be made
  std::string left_out;  // why there is none, on purpose
  std::vector<std::string> warnings;
  std::vector<uint32_t> lines;  // the line of the file, for each line of the page; empty: unknown
  uint64_t hash = 0;            // of all this
};

// Reads the JSON file at `path`; all of it is empty where the file is missing or is none.
Conversion ReadConversion(const std::string& path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SOURCE_UNREAD_H_
