// What is measured: the scan of int8 and 4-bit tables and the search of the graph, beside a plain
// float scan of the same rows, which is the floor to beat.
// Corpus model: clustered vectors on a 32-dimensional sheet (tests/unit/synthetic_vectors.h), 256
// dimensions, fixed seed. "per_row" is the time of one row; "recall" is recall@10 against ScanTop.
// Run: sheaf_bench --benchmark_filter=Scan   (building a graph takes up to twenty seconds)
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <memory>

#include "tests/unit/synthetic_vectors.h"
#include "vector/hnsw.h"
#include "vector/hnsw_builder.h"

namespace sheaf {
namespace {

constexpr uint32_t kDimensions = 256;

struct Corpus {
  VectorTable table8{kDimensions, 8}, table4{kDimensions, 4};
  std::vector<float> floats;  // normalised
  std::vector<std::vector<float>> queries;
  std::vector<uint8_t> graph;
};

const Corpus& CorpusOf(uint32_t rows) {
  static std::map<uint32_t, std::unique_ptr<Corpus>> corpora;
  auto& corpus = corpora[rows];
  if (corpus) return *corpus;
  corpus = std::make_unique<Corpus>();
  LatentVectors latent(1, kDimensions);
  corpus->table8.Reserve(rows);
  corpus->table4.Reserve(rows);
  for (uint32_t i = 0; i < rows; ++i) {
    std::vector<float> vector = latent.Next();
    corpus->table8.Append(QuantizeRow(vector, 8));
    corpus->table4.Append(QuantizeRow(vector, 4));
    float norm2 = 0;
    for (const float v : vector) norm2 += v * v;
    for (const float v : vector) corpus->floats.push_back(v / std::sqrt(norm2));
  }
  for (int i = 0; i < 64; ++i) corpus->queries.push_back(latent.Next());
  return *corpus;
}

void PerRow(benchmark::State& state, uint32_t rows) {
  state.counters["per_row"] =
      benchmark::Counter(double(rows), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// The floor: what a straightforward program would do. No fast-math, so floats sum in order.
void FloatScan(benchmark::State& state) {
  const auto rows = uint32_t(state.range(0));
  const Corpus& corpus = CorpusOf(rows);
  std::vector<float> cosines(rows);
  for (auto _ : state) {
    const float* query = corpus.queries[0].data();
    for (uint32_t i = 0; i < rows; ++i) {
      const float* row = &corpus.floats[size_t(i) * kDimensions];
      float sum = 0;
      for (uint32_t j = 0; j < kDimensions; ++j) sum += query[j] * row[j];
      cosines[i] = sum;
    }
    benchmark::DoNotOptimize(cosines.data());
    benchmark::ClobberMemory();
  }
  PerRow(state, rows);
}
BENCHMARK(FloatScan)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

template <uint32_t kBits>
void Scan(benchmark::State& state) {
  const auto rows = uint32_t(state.range(0));
  const Corpus& corpus = CorpusOf(rows);
  const VectorTable& table = kBits == 8 ? corpus.table8 : corpus.table4;
  const VectorQuery query(corpus.queries[0]);
  std::vector<float> cosines;
  for (auto _ : state) {
    ScanAll(table, query, &cosines);
    benchmark::DoNotOptimize(cosines.data());
  }
  PerRow(state, rows);
}
BENCHMARK(Scan<8>)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(Scan<4>)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

void ScanTop10(benchmark::State& state) {
  const auto rows = uint32_t(state.range(0));
  const Corpus& corpus = CorpusOf(rows);
  const VectorQuery query(corpus.queries[0]);
  for (auto _ : state) benchmark::DoNotOptimize(ScanTop(corpus.table8, query, 10));
  PerRow(state, rows);
}
BENCHMARK(ScanTop10)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

// Unpacking and norms: paid once when a bundle is opened.
template <uint32_t kBits>
void Append(benchmark::State& state) {
  const auto rows = uint32_t(state.range(0));
  std::vector<uint8_t> packed;
  LatentVectors latent(1, kDimensions);
  for (uint32_t i = 0; i < rows; ++i) {
    const auto row = QuantizeRow(latent.Next(), kBits);
    packed.insert(packed.end(), row.begin(), row.end());
  }
  for (auto _ : state) {
    VectorTable table(kDimensions, kBits);
    table.Reserve(rows);
    table.Append(packed);
    benchmark::DoNotOptimize(table.row(0));
  }
  PerRow(state, rows);
}
BENCHMARK(Append<8>)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK(Append<4>)->Arg(10'000)->Unit(benchmark::kMillisecond);

template <uint32_t kBits>
void Quantize(benchmark::State& state) {
  LatentVectors latent(1, kDimensions);
  const auto vector = latent.Next();
  for (auto _ : state) benchmark::DoNotOptimize(QuantizeRow(vector, kBits));
}
BENCHMARK(Quantize<8>)->Unit(benchmark::kMicrosecond);
BENCHMARK(Quantize<4>)->Unit(benchmark::kMicrosecond);

void HnswSearch(benchmark::State& state) {
  const auto rows = uint32_t(state.range(0));
  const auto ef = size_t(state.range(1));
  Corpus& corpus = const_cast<Corpus&>(CorpusOf(rows));
  if (corpus.graph.empty()) corpus.graph = BuildHnsw(corpus.table8, {}, {}).value();
  const HnswGraph graph = HnswGraph::Open(corpus.graph).value();
  std::vector<VectorQuery> queries(corpus.queries.begin(), corpus.queries.end());

  size_t found = 0;
  for (const VectorQuery& query : queries) {
    const float least = ScanTop(corpus.table8, query, 10).back().cosine;
    for (const Neighbor& n : graph.Search(corpus.table8, query, 10, ef)) found += n.cosine >= least;
  }
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(graph.Search(corpus.table8, queries[next], 10, ef));
    next = (next + 1) % queries.size();
  }
  state.counters["recall"] = double(found) / double(queries.size() * 10);
}
BENCHMARK(HnswSearch)
    ->ArgsProduct({{10'000, 100'000}, {16, 32, 64, int64_t(kDefaultEf), 192}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sheaf
