// The text that is embedded for a passage: its location, then its content.
//
//     Caching answers > Expiry > Purging
//     Purging drops everything at once.
//
// The page's title and the passage's heading path, each distinct part once, joined by " > "; a line break; the
// passage's part of the page's text, of HTML's links the words alone. Without title and headings, only that part.
#ifndef SHEAF_PACKER_EMBED_EMBEDDING_TEXT_H_
#define SHEAF_PACKER_EMBED_EMBEDDING_TEXT_H_

#include <cstddef>
#include <string>

#include "search/bundle_builder.h"

namespace sheaf::packer {

// REQUIRES: passage < page.passages.size(), and the passages tile the page.
std::string EmbeddingText(const PageInput& page, size_t passage);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_EMBEDDING_TEXT_H_
