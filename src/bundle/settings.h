// The settings section: the numbers that the core needs to search, in fixed order.
//
// Layout: u32 pages · u32 passages · u32 terms · s language · u16 tokenizer · u16 stemmer · f32 k1 · u8 vector_bits ·
//   u32 dimensions · u64 encoder_hash · s library · s version · s space · f32 centroid scale ·
//   i8 centroid[dimensions] · u8 document_encoder
// (s = varint length + UTF-8). The writer omits the last byte when it is 0; the reader takes a missing last
// byte as 0. Bytes after these are for later minor versions and are ignored.
//
// The centroid, scale × its codes, is the mean of the unit vectors of all passages. Its dot product with a query is the
// mean cosine of query and collection, the background that fusion subtracts.
#ifndef SHEAF_BUNDLE_SETTINGS_H_
#define SHEAF_BUNDLE_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf {

// The encoder that made the passages' vectors. Readers take an unknown number as "not the static table".
inline constexpr uint8_t kStaticTableEncoder = 0, kTransformerEncoder = 1;

struct Settings {
  uint32_t pages = 0;
  uint32_t passages = 0;
  uint32_t terms = 0;
  // How its words were made (text/analyzer.h): a BCP 47 tag, empty for none, and the versions of tokenizer and stemmer.
  std::string language;
  uint16_t tokenizer = 0, stemmer = 0;
  float k1 = 1.2f;          // the k1 that levels were made for
  uint8_t vector_bits = 0;  // 0 (no vectors), 4 or 8
  uint32_t dimensions = 0;
  // Static table: its content hash. Transformer: the first 8 bytes of the model's SHA-256, most
  // significant first. 0: no vectors.
  uint64_t encoder_hash = 0;
  std::string library, version, space;
  std::vector<float> centroid;
  uint8_t document_encoder = kStaticTableEncoder;
};

std::vector<uint8_t> WriteSettings(const Settings& settings);
// Error: kCorrupt, with the name of the field.
Result<Settings> ReadSettings(ByteSpan bytes);

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_SETTINGS_H_
