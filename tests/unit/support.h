// Small pages, a small encoder table and a bundle of both, shared by the tests of the core.
#ifndef SHEAF_TESTS_UNIT_SUPPORT_H_
#define SHEAF_TESTS_UNIT_SUPPORT_H_

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bundle/container.h"
#include "encode/static_encoder.h"
#include "search/bundle_builder.h"
#include "search/engine.h"

namespace sheaf::test {

// One passage a section, prose and code given apart.
struct Section {
  std::vector<std::string> headings;
  std::string anchor, prose, code;
};

inline PageInput MakePageInput(std::string title, std::string source, const std::vector<Section>& sections) {
  PageInput page;
  page.title = std::move(title);
  page.source = source;
  page.url = "https://docs.example/" + source.substr(0, source.rfind('.')) + ".html";
  uint32_t line = 1;
  for (const Section& section : sections) {
    std::string text;
    if (!section.headings.empty()) text += "## " + section.headings.back() + "\n\n";
    if (!section.prose.empty()) text += section.prose + "\n\n";
    if (!section.code.empty()) text += "```\n" + section.code + "\n```\n\n";
    page.text += text;
    PassageInput passage;
    passage.end = uint32_t(page.text.size());
    passage.headings = section.headings;
    passage.anchor = section.anchor;
    passage.first_line = line;
    passage.last_line = line + 3;
    line += 5;
    passage.prose = section.prose;
    passage.code = section.code;
    page.passages.push_back(std::move(passage));
  }
  return page;
}

// Documentation of an invented library, with the names that the search must find.
inline std::vector<PageInput> SamplePages() {
  return {
      MakePageInput(
          "Caching answers", "guide/caching.md",
          {{{}, "", "The cache keeps answers that were computed before, so the next request is fast.", ""},
           {{"Expiry"},
            "expiry",
            "A cached answer expires after a minute. Use `ttl` to keep it longer.",
            "cache.set(key, value, ttl=60)"},
           {{"Expiry", "Purging"}, "purging", "Purging drops everything at once.", "npm install --save-dev woodpile"}}),
      MakePageInput(
          "Response models", "guide/response-models.md",
          {{{},
            "",
            "Declare what an endpoint returns. Fields that were never set can be left out.",
            "app.get('/items', response_model_exclude_unset=True)"},
           {{"Tables"}, "tables", "Write a table with the <table> element and rows.", "<table><tr></tr></table>"}}),
      MakePageInput("Concurrency", "reference/concurrency.md",
                    {{{},
                      "",
                      "Run several jobs side by side and wait for all of them.",
                      "await asyncio.gather(first(), second())"},
                     {{"Native code"},
                      "native-code",
                      "In C++ a growing array is a std::vector; it moves when it grows.",
                      "std::vector<int> numbers;"}}),
      MakePageInput("Effects", "reference/effects.md",
                    {{{}, "", "Synchronise a component with an outside system.", "useEffect(() => connect(), [])"}}),
      MakePageInput("中文指南", "zh/guide.md", {{{}, "", "缓存保存以前计算的答案。日本語の文書も検索できます。", ""}}),
  };
}

// Words of the sample on a few axes, so that "memoize" is near the cache though no page says it.
inline EncoderTableInput SampleTable(uint32_t bits = 8) {
  EncoderTableInput input;
  input.space = "test-16";
  input.dimensions = 16;
  input.bits = bits;
  input.manifest = "{}";
  const std::vector<std::pair<const char*, int>> words = {
      {"cache", 0},     {"cached", 0},    {"memoize", 0},     {"answers", 0},  {"response", 1}, {"models", 1},
      {"endpoint", 1},  {"jobs", 2},      {"concurrency", 2}, {"parallel", 2}, {"gather", 2},   {"effect", 3},
      {"component", 3}, {"lifecycle", 3}, {"table", 4},       {"rows", 4},     {"par", 2},      {"##allel", 2}};
  for (const auto& [word, axis] : words) {
    input.words.push_back(word);
    std::vector<float> row(16, 0.01f);
    row[size_t(axis)] = 1;
    row[size_t(axis) + 8] = 0.5f;
    input.rows.insert(input.rows.end(), row.begin(), row.end());
  }
  return input;
}

inline std::vector<uint8_t> TableBytes(uint32_t bits = 8) {
  auto bytes = BuildEncoderTable(SampleTable(bits));
  EXPECT_TRUE(bytes.ok());
  return std::move(*bytes);
}

// An encoder with everything in memory.
struct LoadedEncoder {
  explicit LoadedEncoder(std::vector<uint8_t> bytes) : container(bytes.size()) {
    EXPECT_TRUE(container.Supply(0, std::move(bytes)).ok());
    auto opened = StaticEncoder::Open(&container);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    encoder.emplace(std::move(*opened));
    EXPECT_TRUE(encoder->LoadAll().ok());
  }
  Container container;
  std::optional<StaticEncoder> encoder;
};

inline BuildOptions SampleOptions() {
  BuildOptions options;
  options.library = "woodpile";
  options.version = "1.2.3";
  return options;
}

inline std::vector<uint8_t> Build(std::vector<PageInput> pages, BuildOptions options, const StaticEncoder* encoder,
                                  const SynonymTerms* synonyms = nullptr) {
  Analyzer analyzer(options.language);
  BundleBuilder builder(std::move(options), encoder);
  for (PageInput& page : pages) {
    auto prepared = PreparePage(std::move(page), analyzer, encoder, synonyms);
    EXPECT_TRUE(prepared.ok());
    EXPECT_TRUE(builder.Add(std::move(*prepared)).ok());
  }
  auto bytes = builder.Finish({});
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  return std::move(*bytes);
}

inline std::vector<uint8_t> SampleBundle(BuildOptions options = SampleOptions()) {
  LoadedEncoder encoder(TableBytes());
  return Build(SamplePages(), std::move(options), &*encoder.encoder);
}

// An engine that holds the whole bundle and table.
inline Engine WholeEngine(const std::vector<uint8_t>& bundle, const std::vector<uint8_t>& table = TableBytes()) {
  Engine engine;
  EXPECT_TRUE(engine.SetSource(kBundleSource, bundle.size()).ok());
  EXPECT_TRUE(engine.Supply(kBundleSource, 0, bundle).ok());
  if (!table.empty()) {
    EXPECT_TRUE(engine.SetSource(kEncoderSource, table.size()).ok());
    EXPECT_TRUE(engine.Supply(kEncoderSource, 0, table).ok());
  }
  return engine;
}

inline Query Keyword(std::string text) {
  Query query;
  query.text = std::move(text);
  query.mode = Mode::kKeyword;
  return query;
}

// The answer of an engine that lacks nothing; fails the test otherwise.
inline Answer SearchAll(Engine* engine, const Query& query) {
  auto outcome = engine->Search(query);
  if (outcome.error()) ADD_FAILURE() << ErrorCodeName(outcome.error()->code) << ": " << outcome.error()->message;
  if (outcome.needs()) ADD_FAILURE() << "the engine asks for bytes though it has all";
  return outcome.value() ? std::move(*outcome.value()) : Answer();
}

inline std::string FirstSource(const Answer& answer) { return answer.hits.empty() ? "nothing" : answer.hits[0].source; }

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_UNIT_SUPPORT_H_
