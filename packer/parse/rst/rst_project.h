// What a Sphinx project says in its conf.py about the text of all its pages.
//
// The prolog and the epilog stand around every page. Only the substitutions that they define are used: their text would
// repeat on all pages. conf.py is read, never run (base/python_literals.h).
#ifndef SHEAF_PACKER_PARSE_RST_RST_PROJECT_H_
#define SHEAF_PACKER_PARSE_RST_RST_PROJECT_H_

#include <string>
#include <string_view>
#include <unordered_map>

namespace sheaf::packer {

struct RstProject {
  std::string around;  // the prolog and the epilog; |version| and |release| too
  // Roles of sphinx.ext.extlinks: the words of a link by its role, with %s for the role's text.
  std::unordered_map<std::string, std::string> links;
};

RstProject ReadRstProject(std::string_view conf_py);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_PROJECT_H_
