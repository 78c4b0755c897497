// The encoder that a bundle records.
#ifndef SHEAF_SEARCH_DOCUMENT_ENCODER_H_
#define SHEAF_SEARCH_DOCUMENT_ENCODER_H_

#include <cstdint>
#include <string>

namespace sheaf {

// The transformer that made the passages' vectors in another process, when the static table did not. Its
// identity is recorded, so that a query's encoder can be checked against it.
struct DocumentEncoder {
  std::string name;       // "all-MiniLM-L6-v2"
  std::string hash;       // SHA-256 of the model file, 64 hexadecimal digits in lower case
  std::string precision;  // "fp32", "int8"
  std::string space;      // "minilm-l6-256"
  uint32_t dimensions = 0;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_DOCUMENT_ENCODER_H_
