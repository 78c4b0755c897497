// API descriptions: function, class, option, confval and their like, of Sphinx's domains.
//
// Idea: an object becomes a heading below its section, with the anchor that Sphinx gives it, as the HTML reader does
// with the same page; the rest of its signature becomes a code block below all its headings. Objects
// nest: a method inside a class carries the class's name.
#ifndef SHEAF_PACKER_PARSE_RST_RST_OBJECTS_H_
#define SHEAF_PACKER_PARSE_RST_RST_OBJECTS_H_

#include <cstddef>
#include <string>

#include "packer/parse/rst/rst_directive.h"
#include "packer/parse/rst/rst_page.h"

namespace sheaf::packer {

class RstObjects {
 public:
  explicit RstObjects(RstPage* page) : page_(*page) {}

  // Sets the module of the objects that follow, or none.
  void Module(const Directive& directive);
  // Sets the program of the options that follow.
  void Program(const Directive& directive);

  // docutils' class directive gives CSS classes, Sphinx' describes a class. Objects are described
  // by one signature: an argument with a bracket or a dot, or a capital, or with text below.
  bool IsObjectClass(const Directive& directive) const;

  // Whether a cross-reference type such as ".. setting:: DEBUG" only names the section whose title comes next
  // (Sphinx' add_crossref_type); then the section gets its anchor, and no heading of its own is written.
  bool NamesNextSection(const Directive& directive);
  // Writes the headings and signatures and pushes the task that closes the object. The caller pushes its content.
  void Open(const Directive& directive);
  // For the task kCloseObject; `scope` is that task's.
  void Close(const std::string& scope);

 private:
  // Writes the heading of one signature and returns the object's name without its module. Adds
  // the rest of the signature to `signatures`.
  std::string Signature(const Directive& directive, const std::string& signature, int level, size_t line,
                        std::string* signatures);
  std::string AnchorOf(const Directive& directive, const std::string& name) const;

  RstPage& page_;
  std::string module_, class_, program_;
  int depth_ = 0;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_OBJECTS_H_
