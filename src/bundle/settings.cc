#include "bundle/settings.h"

#include <algorithm>
#include <cmath>

namespace sheaf {
namespace {

constexpr uint32_t kMaxPassages = 1u << 28;
constexpr size_t kMaxLanguage = 35;  // bytes; RFC 5646, 4.4.1

Error BadSettings(const char* what) {
  return Error{ErrorCode::kCorrupt,
               std::string("the settings section ") + what + "; the file is damaged, fetch or pack it again"};
}

}  // namespace

std::vector<uint8_t> WriteSettings(const Settings& s) {
  ByteWriter w;
  w.U32(s.pages);
  w.U32(s.passages);
  w.U32(s.terms);
  w.String(s.language);
  w.U16(s.tokenizer);
  w.U16(s.stemmer);
  w.F32(s.k1);
  w.U8(s.vector_bits);
  w.U32(s.dimensions);
  w.U64(s.encoder_hash);
  w.String(s.library);
  w.String(s.version);
  w.String(s.space);
  float largest = 0;
  for (float c : s.centroid) largest = std::max(largest, std::fabs(c));
  if (!s.centroid.empty()) w.F32(largest / 127);
  for (float c : s.centroid) w.U8(uint8_t(int8_t(largest > 0 ? std::lround(c / largest * 127) : 0)));
  if (s.document_encoder != 0) w.U8(s.document_encoder);
  return w.Take();
}

Result<Settings> ReadSettings(ByteSpan bytes) {
  ByteReader r(bytes);
  Settings s;
  s.pages = r.U32();
  s.passages = r.U32();
  s.terms = r.U32();
  s.language = r.String();
  s.tokenizer = r.U16();
  s.stemmer = r.U16();
  s.k1 = r.F32();
  s.vector_bits = r.U8();
  s.dimensions = r.U32();
  s.encoder_hash = r.U64();
  s.library = r.String();
  s.version = r.String();
  s.space = r.String();
  if (!r.ok()) return BadSettings("ends early");
  if (s.language.size() > kMaxLanguage || s.pages == 0 || s.pages > s.passages || s.passages > kMaxPassages)
    return BadSettings("has impossible counts or language");
  if (!std::isfinite(s.k1) || s.k1 <= 0 || s.k1 > 100) return BadSettings("has an impossible k1");
  const bool vectors = s.vector_bits == 4 || s.vector_bits == 8;
  if (vectors ? (s.dimensions == 0 || s.dimensions > 4096 || s.dimensions % 16) : (s.vector_bits || s.dimensions)) {
    return BadSettings("has impossible vector dimensions");
  }
  const float scale = vectors ? r.F32() : 0;
  if (s.dimensions > r.remaining()) return BadSettings("ends early");
  if (!std::isfinite(scale)) return BadSettings("has a damaged centroid");
  s.centroid.resize(s.dimensions);
  for (float& c : s.centroid) c = scale * float(int8_t(r.U8()));
  if (vectors && r.remaining() > 0) s.document_encoder = r.U8();
  return s;
}

}  // namespace sheaf
