// Writes the text of each kind of directive (rst_syntax.h maps names to kinds).
//
// packer/include has included other files before. Raw content is dropped.
#ifndef SHEAF_PACKER_PARSE_RST_RST_DIRECTIVES_H_
#define SHEAF_PACKER_PARSE_RST_RST_DIRECTIVES_H_

#include <cstddef>
#include <string>

#include "packer/parse/rst/rst_directive.h"
#include "packer/parse/rst/rst_objects.h"
#include "packer/parse/rst/rst_page.h"

namespace sheaf::packer {

class RstDirectives {
 public:
  RstDirectives(RstPage* page, RstObjects* objects) : page_(*page), objects_(*objects) {}

  // `sections`: titles count where the directive stands.
  void Run(const Directive& directive, bool sections);

  // For the task kGlossary: terms at the margin, each with the definition indented below it.
  void Glossary(const RstTask& task);

 private:
  void Content(const Directive& directive, bool sections);
  void CodeDirective(const Directive& directive);
  void ParsedCode(const Directive& directive);
  void MathDirective(const Directive& directive);
  void Labelled(const Directive& directive, const std::string& label, bool arguments_are_text);
  void ArgumentText(const Directive& directive, size_t skip_words);
  void Version(const Directive& directive);
  void Release(const Directive& directive);
  void Change(const Directive& directive);
  void Image(const Directive& directive);
  void DataTable(const Directive& directive, bool list);
  void Meta(const Directive& directive);
  void AuditEvent(const Directive& directive);

  RstPage& page_;
  RstObjects& objects_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_DIRECTIVES_H_
