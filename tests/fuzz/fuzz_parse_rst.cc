// Property: reStructuredText of any bytes parses, or is refused with a reason, and what comes out keeps the
// promises of packer/document/document.h down to its passages (document_check.h).
//
// Input: one byte of settings, then the file.
#include "packer/parse/parse.h"
#include "tests/fuzz/document_check.h"

namespace sheaf::fuzz {

void CheckParseRst(ByteSpan bytes) {
  Input input(bytes);
  const uint8_t settings = input.Byte();
  const uint32_t target = settings & 2 ? 40 : 800;  // small passages reach more of the chunker
  const char* path = "guide/page.rst";
  CheckDocument(packer::ParseFile(AsText(input.Rest()), path), target);
}

}  // namespace sheaf::fuzz

SHEAF_FUZZ_TARGET(CheckParseRst)
