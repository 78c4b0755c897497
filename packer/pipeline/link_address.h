// Makes the target of a link an address that readers elsewhere can follow (TextLink).
//
// Idea: a path that stays within the root is the address of the page there, in any style of addresses; a fragment
// stays. Other addresses stay, made absolute by the base URL if there is one.
//
// Invariant: the result is empty or harmless: it has no scheme but http and https, and no character that would end a
// link in Markdown.
#ifndef SHEAF_PACKER_PIPELINE_LINK_ADDRESS_H_
#define SHEAF_PACKER_PIPELINE_LINK_ADDRESS_H_

#include <string>
#include <string_view>

#include "packer/source/url.h"

namespace sheaf::packer {

// `page` is the path of the page below the root. Empty: within the page, to a program (mailto:, javascript:), above the
// root, or too long.
std::string AddressOf(std::string_view href, std::string_view page, const UrlMapper& urls);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_LINK_ADDRESS_H_
