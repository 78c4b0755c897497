#include "packer/survey/page_head.h"

#include <algorithm>
#include <fstream>

namespace sheaf::packer {

std::string BeginningOf(const SourceFile& file, size_t bytes) {
  std::ifstream stream(file.path, std::ios::binary);
  std::string head(bytes, '\0');
  stream.read(head.data(), std::streamsize(bytes));
  head.resize(size_t(std::max<std::streamsize>(stream.gcount(), 0)));
  return head;
}

}  // namespace sheaf::packer
