// What the ranking knows of each candidate, for studying fusion offline. Not part of the product.
//
//   sheaf_dump TABLE|VECTORS.tsv BUNDLE QUERIES.tsv > FEATURES.jsonl
//
// QUERIES.tsv is that of tune.cc, VECTORS.tsv a line a query of its vector's components. One JSON object a query:
// its words with weights and rarity, what the collection is like for it, and the passages that are among the best 200 of either
// signal with the frequency of each word in each.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "encode/static_encoder.h"
#include "lexical/bm25.h"
#include "search/bundle_view.h"
#include "search/keyword_search.h"
#include "vector/flat.h"

using namespace sheaf;

namespace {

std::vector<uint8_t> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (uint8_t(c) < ' ')
      out += ' ';
    else
      out += c;
  }
  return out + '"';
}

void Check(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", what, status.error().message.c_str());
  std::exit(1);
}

template <typename T>
T Take(Result<T> result, const char* what) {
  if (!result.ok()) Check(result.error(), what);
  return std::move(*result);
}

std::vector<uint32_t> Best(const std::vector<float>& scores, size_t wanted) {
  std::vector<uint32_t> ids(scores.size());
  for (uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
  std::sort(ids.begin(), ids.end(),
            [&](uint32_t a, uint32_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  ids.resize(std::min(wanted, ids.size()));
  std::erase_if(ids, [&](uint32_t id) { return scores[id] == 0; });
  return ids;
}

void PrintWords(const std::vector<QueryWord>& words) {
  std::printf("\"words\":[");
  for (size_t w = 0; w < words.size(); ++w) {
    const QueryWord& word = words[w];
    std::vector<int> kinds(6, 0);
    for (const WordForm& form : word.forms) ++kinds[size_t(form.kind)];
    std::printf(
        "%s{\"w\":%s,\"boost\":%g,\"kind\":%d,\"counts\":%d,\"complete\":%d,\"idf\":%g,\"forms\":[%d,%d,%d,%d,%d,%d]}",
        w ? "," : "", Quoted(word.text).c_str(), word.boost, int(word.kind), int(word.counts), int(word.complete),
        word.idf, kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], kinds[5]);
  }
  std::printf("]");
}

float FrequencyIn(const QueryWord& word, uint32_t passage) {
  float x = 0;
  for (const WordForm& form : word.forms) {
    if (const Posting* posting = form.PostingIn(passage)) x += form.weight * FrequencyOf(posting->level);
  }
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: sheaf_dump TABLE.sheaf|VECTORS.tsv BUNDLE QUERIES.tsv\n");
    return 1;
  }
  const std::string encoder_path = argv[1];
  auto bytes = ReadFile(argv[2]);
  BundleView bundle(bytes.size());
  Check(bundle.container().Supply(0, std::move(bytes)), "bundle");
  Check(bundle.Open(), "bundle");
  const Analyzer analyzer(Take(bundle.RequireAnalysis(), "analysis"));
  const VectorTable* vectors = Take(bundle.Vectors(), "vectors");

  std::unique_ptr<Container> table;
  std::optional<StaticEncoder> encoder;
  std::ifstream given;
  if (encoder_path.ends_with(".sheaf")) {
    auto t = ReadFile(encoder_path);
    table = std::make_unique<Container>(t.size());
    Check(table->Supply(0, std::move(t)), "table");
    encoder.emplace(Take(StaticEncoder::Open(table.get()), "table"));
  } else {
    given.open(encoder_path);
  }

  std::printf("{\"pages\":%u,\"passages\":[", bundle.settings().pages);
  for (uint32_t id = 0; id < bundle.passages(); ++id) {
    const StoredPassage stored = Take(bundle.ReadPassage(id), "passage");
    std::string headings;
    for (const std::string& heading : stored.headings) headings += (headings.empty() ? "" : " > ") + heading;
    std::printf("%s[%u,%zu,%s,%s,%s]", id ? "," : "", bundle.PageOf(id), stored.text.size(),
                Quoted(stored.source).c_str(), Quoted(stored.title).c_str(), Quoted(headings).c_str());
  }
  std::printf("]}\n");

  std::ifstream in(argv[3]);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string kind, relevant;
    Query query;
    std::getline(fields, kind, '\t');
    std::getline(fields, query.text, '\t');
    std::getline(fields, relevant, '\t');
    bundle.container().BeginCall();
    QueryEncoder unused;
    const Ranking ranking;
    const SearchContext search{bundle, unused, analyzer, ranking, query};
    QueryWords words = Take(FindWords(search), "words");
    const KeywordScores keywords = Take(ScoreWords(search, &words), "keywords");
    std::vector<float> vector;
    if (encoder) {
      vector = Take(encoder->Embed(query.text, analyzer), "embed");
    } else {
      std::string row;
      std::getline(given, row);
      std::istringstream numbers(row);
      for (float v; numbers >> v;) vector.push_back(v);
      Normalize(&vector);
    }
    std::vector<float> cosines;
    ScanAll(*vectors, VectorQuery(vector), &cosines);
    float background = 0, squares = 0;
    for (size_t d = 0; d < vector.size(); ++d) background += vector[d] * bundle.settings().centroid[d];
    for (const float c : cosines) squares += (c - background) * (c - background);
    std::vector<float> sorted = cosines;
    std::sort(sorted.rbegin(), sorted.rend());

    std::printf(
        "{\"kind\":%s,\"query\":%s,\"relevant\":%s,\"background\":%g,\"deviation\":%g,\"matching\":%zu,\"top\":[",
        Quoted(kind).c_str(), Quoted(query.text).c_str(), Quoted(relevant).c_str(), background,
        std::sqrt(squares / float(cosines.size())), keywords.matching.size());
    for (size_t i = 0; i < 20 && i < sorted.size(); ++i) std::printf("%s%g", i ? "," : "", sorted[i]);
    std::printf("],");
    PrintWords(words.words);

    std::vector<uint32_t> chosen = Best(keywords.scores, 200);
    for (const uint32_t id : Best(cosines, 200)) chosen.push_back(id);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    std::printf(",\"candidates\":[");
    for (size_t i = 0; i < chosen.size(); ++i) {
      const uint32_t id = chosen[i];
      std::printf("%s[%u,%g,%g,%g", i ? "," : "", id, keywords.scores[id], keywords.coverage[id], cosines[id]);
      for (const QueryWord& word : words.words) std::printf(",%g", FrequencyIn(word, id));
      std::printf("]");
    }
    std::printf("]}\n");
  }
}
