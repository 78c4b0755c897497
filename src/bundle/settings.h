// The settings section: the numbers that the core needs to search, in fixed order.
//
// Layout: u32 pages · u32 passages · u32 terms · u8 language · f32 k1 · u8 vector_bits ·
//   u32 dimensions · u64 encoder_hash · s library · s version · s space · f32 centroid[dimensions]
// (s = varint length + UTF-8). Bytes after these are for later minor versions and are ignored.
//
// The centroid is the mean of the unit vectors of all passages: its dot product with a query is
// the mean cosine of the query with the collection, the background that fusion subtracts.
#ifndef SHEAF_BUNDLE_SETTINGS_H_
#define SHEAF_BUNDLE_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf {

struct Settings {
  uint32_t pages = 0;
  uint32_t passages = 0;
  uint32_t terms = 0;
  uint8_t language = 0;       // text/analyzer.h Language
  float k1 = 1.2f;            // the k1 that levels were made for
  uint8_t vector_bits = 0;    // 0 (no vectors), 4 or 8
  uint32_t dimensions = 0;
  uint64_t encoder_hash = 0;  // content hash of the document encoder's table; 0: none
  std::string library, version, space;
  std::vector<float> centroid;
};

std::vector<uint8_t> WriteSettings(const Settings& settings);
// Error: kCorrupt, naming the field.
Result<Settings> ReadSettings(ByteSpan bytes);

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_SETTINGS_H_
