// recall@10 against the flat scan, at the setting the engine ships: of a bundle's HNSW graph, and of what a reader by
// range finds in the partitions that it reads, without words to say where to look.
//
//   sheaf_recall BUNDLE TABLE [EVERY]
//
// Queries: the titles and first words of every EVERYth passage (40), embedded as queries are. Of a bundle without a
// graph, the second figure alone. Exit code 1: the graph finds less than 0.98.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "encode/static_encoder.h"
#include "search/bundle_view.h"
#include "search/ranking.h"

using namespace sheaf;

static std::vector<uint8_t> ReadFile(const char* path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path);
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

int main(int argc, char** argv) {
  const uint32_t every = argc == 4 ? uint32_t(std::max(1, std::atoi(argv[3]))) : 40;
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: sheaf_recall BUNDLE TABLE [EVERY]\n");
    return 1;
  }
  auto bundle_bytes = ReadFile(argv[1]), table_bytes = ReadFile(argv[2]);
  BundleView bundle(bundle_bytes.size());
  Container container(table_bytes.size());
  (void)bundle.container().Supply(0, std::move(bundle_bytes));
  (void)container.Supply(0, std::move(table_bytes));
  const Analyzer analyzer;
  auto encoder = StaticEncoder::Open(&container);
  if (!bundle.Open().ok() || !encoder.ok() || !encoder->LoadAll().ok()) {
    std::fprintf(stderr, "cannot open\n");
    return 2;
  }
  auto vectors = bundle.Vectors();
  auto graph = bundle.Graph();
  if (!vectors.ok() || !graph.ok()) {
    std::fprintf(stderr, "the bundle has no vectors, or is damaged\n");
    return 2;
  }

  const size_t k = Ranking().candidates, ef = std::max(k, size_t(kDefaultEf));
  auto partitions = bundle.Partitions();
  if (!partitions.ok()) return 2;
  const Ranking ranking;
  const PartitionIndex::Limits limits{ProbeBytes(ranking, bundle.passages()), ranking.probe_runs};
  double recall = 0, probed_recall = 0, flat_ms = 0, graph_ms = 0;
  int queries = 0;
  for (uint32_t passage = 0; passage < bundle.passages(); passage += every) {
    auto stored = bundle.ReadPassage(passage);
    if (!stored.ok()) return 2;
    auto vector = encoder->Embed(stored->title + " " + stored->text.substr(0, 80), analyzer);
    if (!vector.ok() || vector->empty()) continue;
    const VectorQuery q(*vector);
    using Clock = std::chrono::steady_clock;
    const auto t0 = Clock::now();
    const auto exact = ScanTop(**vectors, q, 10);
    const auto t1 = Clock::now();
    const auto near = *graph ? (*graph)->Search(**vectors, q, k, ef) : std::vector<Neighbor>();
    const auto t2 = Clock::now();
    flat_ms += std::chrono::duration<double, std::milli>(t1 - t0).count();
    graph_ms += std::chrono::duration<double, std::milli>(t2 - t1).count();
    int found = 0;
    for (const Neighbor& e : exact) {
      // The top ten of what the graph returned, by the same order.
      for (size_t r = 0; r < near.size() && r < 10; ++r) found += near[r].id == e.id;
    }
    recall += found / double(exact.size());
    std::vector<Neighbor> probed;
    VectorTable row(bundle.settings().dimensions, 8);
    row.Resize(1);
    const auto chosen = (*partitions)->Choose(*vector, {}, limits);
    const Status read =
        (*partitions)
            ->ReadMembers(
                chosen.partitions, [&](uint64_t offset, uint64_t length) { return bundle.Partition(offset, length); },
                [&](uint32_t id, std::span<const int8_t> codes) {
                  row.SetCodes(0, codes);
                  probed.push_back({id, q.Cosine(row, 0)});
                });
    if (!read.ok()) return 2;
    std::sort(probed.begin(), probed.end(), Closer);
    found = 0;  // as near as the tenth: many passages of large collections are copies, and any of them will do
    for (size_t r = 0; r < probed.size() && r < exact.size(); ++r) found += probed[r].cosine >= exact.back().cosine;
    probed_recall += found / double(exact.size());
    ++queries;
  }
  if (*graph)
    std::printf("%d queries over %u passages, ef %zu: recall@10 %.4f; flat %.3f ms, graph %.3f ms a query\n", queries,
                bundle.passages(), ef, recall / queries, flat_ms / queries, graph_ms / queries);
  std::printf("by range, %llu bytes of partitions a query: recall@10 %.4f\n",
              static_cast<unsigned long long>(limits.bytes), probed_recall / queries);
  return !*graph || recall / queries >= 0.98 ? 0 : 1;
}
