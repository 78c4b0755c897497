// Tries ranking settings on development sets, natively and fast. Not part of the product.
//
//   sheaf_tune TABLE|- MODE BUNDLE=QUERIES.tsv[=VECTORS.tsv] … [-- knob=value …]
//
// QUERIES.tsv holds `kind \t query \t source,source,…` a line (tests/quality/README.md), VECTORS.tsv a
// line a query of its vector's components, used instead of the table. Prints
// nDCG@10 per kind and overall for each set, and the mean of the sets.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "search/engine.h"

using namespace sheaf;

static std::vector<uint8_t> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

// As a reader by range is answered: every query begins with nothing but the sizes of the files.
static Outcome<Answer> SearchByRange(const Ranking& ranking, const std::vector<std::vector<uint8_t>>& files,
                                     const Query& query) {
  Engine engine;
  engine.set_ranking(ranking);
  for (uint8_t source = 0; source < files.size(); ++source) (void)engine.SetSource(source, files[source].size());
  for (;;) {
    auto outcome = engine.Search(query);
    if (!outcome.needs()) return outcome;
    for (const Range& range : *outcome.needs()) {
      (void)engine.Supply(range.source, range.offset,
                          ByteSpan(files[range.source]).subspan(range.offset, range.length));
    }
  }
}

struct Judged {
  std::string kind, text;
  std::vector<std::string> relevant;
};

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: sheaf_tune TABLE|- MODE BUNDLE=QUERIES.tsv … [-- knob=value …]\n");
    return 1;
  }
  const std::string table = argv[1], mode = argv[2];
  std::vector<std::pair<std::string, std::string>> sets;
  Ranking ranking;
  bool knobs = false, rrf = false, lazy = false;
  float weight = -1;
  for (int i = 3; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--") {
      knobs = true;
      continue;
    }
    const size_t equals = arg.find('=');
    const std::string key = arg.substr(0, equals), value = arg.substr(equals + 1);
    if (!knobs) {
      sets.emplace_back(key, value);
      continue;
    }
    const float f = float(std::atof(value.c_str()));
    const std::map<std::string, float*> floats = {{"stem", &ranking.stem_weight},
                                                  {"root", &ranking.root_weight},
                                                  {"kin", &ranking.kin_weight},
                                                  {"wording", &ranking.wording_weight},
                                                  {"wording_share", &ranking.wording_share},
                                                  {"wording_idf", &ranking.wording_idf},
                                                  {"part", &ranking.part_weight},
                                                  {"part_alone", &ranking.part_alone_weight},
                                                  {"joined", &ranking.joined_weight},
                                                  {"prefix", &ranking.prefix_weight},
                                                  {"prefix_alone", &ranking.prefix_alone_weight},
                                                  {"stop", &ranking.stop_word_weight},
                                                  {"coverage", &ranking.coverage},
                                                  {"semantic", &ranking.semantic_weight},
                                                  {"other_language", &ranking.other_language_weight},
                                                  {"answered", &ranking.well_answered},
                                                  {"page", &ranking.page_bonus},
                                                  {"title", &ranking.title_bonus},
                                                  {"phrase", &ranking.phrase_bonus},
                                                  {"line", &ranking.line_bonus},
                                                  {"name", &ranking.name_bonus},
                                                  {"lastpart", &ranking.last_part_name},
                                                  {"inside", &ranking.inside_name},
                                                  {"weight", &weight}};
    if (const auto it = floats.find(key); it != floats.end())
      *it->second = f;
    else if (key == "probe")
      ranking.probe_bytes = uint64_t(f);
    else if (key == "runs")
      ranking.probe_runs = uint32_t(f);
    else if (key == "likely")
      ranking.probe_likely = size_t(f);
    else if (key == "candidates")
      ranking.candidates = size_t(f);
    else if (key == "rrf")
      rrf = f > 0;
    else if (key == "lazy")
      lazy = f > 0;
    else {
      std::fprintf(stderr, "unknown knob %s\n", key.c_str());
      return 1;
    }
  }
  double mean = 0, mean_paraphrase = 0;
  const bool list = std::getenv("SHEAF_TUNE_LIST");
  for (const auto& [bundle, queries] : sets) {
    Engine engine;
    engine.set_ranking(ranking);
    std::vector<std::vector<uint8_t>> files = {ReadFile(bundle)};
    if (table != "-") files.push_back(ReadFile(table));
    auto bytes = files[0];
    (void)engine.SetSource(kBundleSource, bytes.size());
    (void)engine.SupplyOwned(kBundleSource, 0, std::move(bytes));
    if (table != "-") {
      auto t = files[1];
      (void)engine.SetSource(kEncoderSource, t.size());
      (void)engine.SupplyOwned(kEncoderSource, 0, std::move(t));
    }
    const size_t cut = queries.find('=');
    std::ifstream in(queries.substr(0, cut)), given;
    if (cut != std::string::npos) given.open(queries.substr(cut + 1));
    std::string line;
    std::map<std::string, std::pair<double, int>> kinds;
    double sum = 0, hit1 = 0;
    int n = 0;
    while (std::getline(in, line)) {
      Judged j;
      std::istringstream fields(line);
      std::string relevant;
      std::getline(fields, j.kind, '\t');
      std::getline(fields, j.text, '\t');
      std::getline(fields, relevant, '\t');
      std::istringstream names(relevant);
      for (std::string name; std::getline(names, name, ',');) j.relevant.push_back(name);
      Query query;
      query.text = j.text;
      query.mode = mode == "keyword" ? Mode::kKeyword : mode == "semantic" ? Mode::kSemantic : Mode::kHybrid;
      query.rrf = rrf;
      query.semantic_weight = weight;
      if (given.is_open()) {
        std::string row;
        std::getline(given, row);
        std::istringstream numbers(row);
        for (float v; numbers >> v;) query.vector.push_back(v);
      }
      auto outcome = lazy ? SearchByRange(ranking, files, query) : engine.Search(query);
      if (!outcome.value()) {
        std::fprintf(stderr, "%s: %s\n", j.text.c_str(), outcome.error() ? outcome.error()->message.c_str() : "needs");
        return 1;
      }
      double dcg = 0, ideal = 0;
      std::vector<std::string> pages;  // each once: a page that defines a name twice has two hits
      for (const auto& hit : outcome.value()->hits) {
        if (std::find(pages.begin(), pages.end(), hit.source) == pages.end()) pages.push_back(hit.source);
      }
      int first = 0;
      for (size_t r = 0; r < pages.size() && r < 10; ++r) {
        for (const std::string& name : j.relevant) {
          if (pages[r] != name) continue;
          dcg += 1 / std::log2(double(r) + 2);
          if (!first) first = int(r) + 1;
        }
      }
      for (size_t r = 0; r < j.relevant.size() && r < 10; ++r) ideal += 1 / std::log2(double(r) + 2);
      const double ndcg = ideal > 0 ? dcg / ideal : 0;
      if (list) std::printf("%.2f %d %s | %s\n", ndcg, first, j.kind.c_str(), j.text.c_str());
      sum += ndcg;
      hit1 += first == 1;
      ++n;
      kinds[j.kind].first += ndcg;
      ++kinds[j.kind].second;
    }
    std::printf("%-28s ndcg %.4f hit1 %.3f ", queries.substr(queries.rfind('/', cut) + 1, cut).c_str(), sum / n,
                hit1 / n);
    for (const auto& [kind, value] : kinds) {
      std::printf(" %s %.3f", kind.c_str(), value.first / value.second);
      if (kind == "paraphrase") mean_paraphrase += value.first / value.second / double(sets.size());
    }
    std::printf("\n");
    mean += sum / n / double(sets.size());
  }
  std::printf("mean %.4f paraphrase %.4f\n", mean, mean_paraphrase);
}
