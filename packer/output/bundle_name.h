// Names of libraries, versions and bundles.
#ifndef SHEAF_PACKER_OUTPUT_BUNDLE_NAME_H_
#define SHEAF_PACKER_OUTPUT_BUNDLE_NAME_H_

#include <string>
#include <string_view>

#include "base/result.h"

namespace sheaf::packer {

// A library is a name as package registries have them: segments of ASCII letters, digits and
// `. _ - +`, each beginning with a letter, digit or '_', joined by '/'; the first may begin with
// '@' (`@vue/runtime-core`). At most 128 bytes. Case counts.
Status CheckLibraryName(std::string_view name);
// A version is free text without '/', '\', control characters and outer spaces, in valid UTF-8, at
// most 64 bytes.
Status CheckVersion(std::string_view version);

// LIBRARY@VERSION.sheaf, with each '/' of the library as '~': "@vue~runtime-core@3.4.21.sheaf".
// Libraries hold no '~' and '@' only in front, so the first '@' after the first character divides
// the two, and the name can be read back. REQUIRES: both have passed their check.
std::string BundleFileName(std::string_view library, std::string_view version);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_OUTPUT_BUNDLE_NAME_H_
