// The floor of every semantic query: one flat scan of int8 codes in WebAssembly, nothing else.
// tests/bench/query.mjs runs it on as many rows as the bundle has passages.
#include <random>
#include <vector>

#include "border.h"
#include "vector/flat.h"

namespace {

sheaf::VectorTable table;
std::vector<float> query, cosines;

}  // namespace

SHEAF_EXPORT(prepare) void Prepare(int rows, int dimensions) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  table = sheaf::VectorTable(uint32_t(dimensions), 8);
  query.assign(size_t(dimensions), 0);
  for (float& v : query) v = uniform(random);
  std::vector<uint8_t> bytes(size_t(rows) * size_t(dimensions));
  for (uint8_t& b : bytes) b = uint8_t(random());
  table.Append(bytes);
}

SHEAF_EXPORT(scan) float Scan() {
  sheaf::ScanAll(table, sheaf::VectorQuery(query), &cosines);
  return cosines.empty() ? 0 : cosines[0];
}
