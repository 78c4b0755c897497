// The invented collections and encoder tables of tests/conformance: what its golden bundles are made of.
//
// Together they have every section, both forms, every codec, vectors of 4 and 8 bits, one and many partitions, facets, a
// graph with copies, pages that continue in another piece, places and entries (tests/conformance/README.md).
#ifndef SHEAF_TESTS_CONFORMANCE_COLLECTIONS_H_
#define SHEAF_TESTS_CONFORMANCE_COLLECTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/support.h"

namespace sheaf::test {

// Knuth's MMIX generator: the same numbers everywhere.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  uint32_t Below(uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return uint32_t((state_ >> 32) * limit >> 32);
  }
  float Centred() { return float(int32_t(Below(2'000'001)) - 1'000'000) / 1e6f; }

 private:
  uint64_t state_;
};

inline constexpr uint32_t kTableDimensions = 32, kTopics = 12;
inline const char* const kTableSpace = "conformance-32";

// Words of no language, of two or three syllables, half of them after "co", so that a beginning has many pages of terms;
// word i belongs to topic i % kTopics.
inline std::vector<std::string> InventedWords(uint32_t count) {
  static constexpr const char* kOnsets[] = {"b", "br", "d", "f", "gl", "k", "l", "m", "n", "p", "r", "st", "t", "v"};
  static constexpr const char* kEnds[] = {"a", "el", "i", "on", "u", "er", "is", "ot"};
  Numbers numbers(7);
  std::vector<std::string> words;
  while (words.size() < count) {
    std::string word = words.size() / kTopics % 2 ? "co" : "";
    for (uint32_t syllables = 2 + numbers.Below(2); syllables > 0; --syllables) {
      word += kOnsets[numbers.Below(14)];
      word += kEnds[numbers.Below(8)];
    }
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}
inline constexpr uint32_t kInventedWords = 360;

// Half of the invented words, words of the guide by topic, and pieces.
inline EncoderTableInput ConformanceTable(uint32_t bits) {
  static constexpr const char* kByTopic[kTopics] = {
      "cache cached answer answers computed memoize memoise faster",
      "thread threads yarn fibre colour warp weft",
      "weave weaving loom cloth pattern patterns",
      "shuttle throw pass pick picks shed",
      "parallel jobs concurrency wait gather asyncio par ##allel",
      "effect component lifecycle use watch",
      "table rows row element column",
      "install npm package setup start getting",
      "error fails broken exception message",
      "tension setting settings option options max",
      "licence copyright text pages",
      "expiry expires expire purge purging old ##ing ##s ##ed count time stamp"};
  EncoderTableInput input;
  input.space = kTableSpace;
  input.dimensions = kTableDimensions;
  input.bits = bits;
  input.manifest = R"({"teacher":"none: invented for tests","licence":"Apache-2.0"})";
  Numbers numbers(11);
  const auto add = [&](const std::string& word, uint32_t topic) {
    input.words.push_back(word);
    for (uint32_t d = 0; d < kTableDimensions; ++d) {
      input.rows.push_back((d == topic ? 1.0f : d == 12 + topic ? 0.4f : 0.02f) + 0.25f * numbers.Centred());
    }
  };
  for (uint32_t topic = 0; topic < kTopics; ++topic) {
    const std::string words = kByTopic[topic];
    for (size_t at = 0; at < words.size();) {
      const size_t end = std::min(words.find(' ', at), words.size());
      add(words.substr(at, end - at), topic);
      at = end + 1;
    }
  }
  for (const char* word : {"the", "how", "is", "c", "7", "缓存", "日本", "##日", "café", "naïve", "na"}) add(word, 3);
  const std::vector<std::string> invented = InventedWords(kInventedWords);
  for (uint32_t i = 0; i < invented.size(); i += 2) add(invented[i], i % kTopics);
  for (const char* piece : {"##a", "##on", "##er", "##is", "br", "st", "gl"}) {
    if (std::find(input.words.begin(), input.words.end(), piece) == input.words.end()) add(piece, 5);
  }
  return input;
}

inline std::vector<uint8_t> ConformanceTableBytes(uint32_t bits) {
  auto bytes = BuildEncoderTable(ConformanceTable(bits));
  EXPECT_TRUE(bytes.ok());
  return std::move(*bytes);
}

// Documentation of Loom, an invented program that weaves.
inline std::vector<PageInput> GuidePages() {
  std::vector<PageInput> pages;
  const auto page = [&](std::string title, std::string source, std::vector<std::string> place,
                        const std::vector<Section>& sections) -> PageInput& {
    pages.push_back(MakePageInput(std::move(title), std::move(source), sections));
    pages.back().place = std::move(place);
    pages.back().facets.filters.emplace_back("kind", pages.back().source.substr(0, pages.back().source.find('/')));
    return pages.back();
  };
  {
    PageInput& p = page(
        "C# binding", "guide/C#.md", {"Guide", "Bindings"},
        {{{}, "", "Loom can be called from C# and from C++. In C++ a cloth is a std::vector of rows.", "using Loom;"},
         {{"C# binding", "Café"}, "cafe", "The naïve Café example weaves a table cloth.", ""}});
    p.description = "How other languages call Loom.";
    p.facets.meta.emplace_back("image", "/c-sharp.png");
  }
  {
    PageInput& p = page(
        "Caching answers", "guide/caching.md", {"Guide"},
        {{{}, "", "The answer was computed before, so the next request is fast. See [expiry](#expiry \"later\").", ""},
         {{"Expiry"},
          "expiry",
          "A cached answer expires after a minute. Use `ttl` to keep it longer.",
          "cache.set(key, value, ttl=60)"},
         {{"Expiry", "Purging"}, "purging", "Purging drops *everything* at once.", "npm install --save-dev loom"}});
    p.last_modified = "2024-06-01";
    p.facets.sorts = {{"date", "2024-06-01"}, {"weight", "10"}};
    p.facets.filters.emplace_back("level", "2");
  }
  {
    PageInput& p = page("Getting started", "guide/getting-started.md", {"Guide"},
                        {{{}, "", "Install Loom, tie a thread, weave.", "npm install @loom/core\nloom --watch"},
                         {{"Getting started", "First cloth"},
                          "first-cloth",
                          "Every *thread* of the [warp](x.md) must be tied before the first pass. Don't hurry.",
                          "loom weave --keep-going"}});
    p.facets.sorts = {{"date", "2023-01-15"}, {"weight", "2"}};
    p.facets.meta = {{"image", "/start.png"}, {"author", "Anne"}};
  }
  {
    // Long enough to go on in further pieces.
    Numbers numbers(3);
    const std::vector<std::string> words = InventedWords(120);
    std::vector<Section> sections = {{{}, "", "A long page, of which every section repeats a pattern.", ""}};
    for (uint32_t i = 1; i <= 24; ++i) {
      std::string prose =
          "In section " + std::to_string(i) + " the pattern repeats every " + std::to_string(i + 3) + " picks.";
      for (uint32_t w = 0; w < 40; ++w) prose += (w % 9 ? " " : ". ") + words[numbers.Below(120)];
      sections.push_back({{"Patterns", "Section " + std::to_string(i)}, "section-" + std::to_string(i), prose, ""});
    }
    PageInput& p = page("Long page", "guide/long.md", {"Guide", "Patterns"}, sections);
    p.facets.filters.emplace_back("level", "3");
    p.facets.meta.emplace_back("author", "Bo");
  }
  for (const char* name : {"one", "two", "three", "four", "five"}) {
    page(std::string("Appendix ") + name, std::string("legal/") + name + ".md", {},
         {{{"Licence"}, "", "This text stands on many pages: the licence of Loom.", ""},
          {{std::string("Note ") + name},
           std::string("note-") + name,
           std::string("A note of its own, number ") + name + ".",
           ""}});
  }
  {
    PageInput& p = page("loom", "reference/cli.md", {"Reference"},
                        {{{}, "", "The command line weaves what a pattern says.", "loom [options] pattern"},
                         {{"Options"},
                          "options",
                          "--keep-going, -k: goes on after an error.\n\n--watch: weaves anew when a thread changes.",
                          ""},
                         {{"--max-picks=N"}, "max-picks", "At most N picks a row.", "loom --max-picks=12"}});
    p.passages[1].terms = {"-k, --keep-going", "--watch"};
    p.facets.sorts = {{"date", "2024-06-01"}, {"weight", "10"}};
  }
  page("Effects", "reference/effects.md", {"Reference"},
       {{{},
         "",
         "Synchronise a component with an outside system. Trying and hoping and replying is no plan.",
         "useEffect(() => connect(), [])"},
        {{"watchEffect(callback)"}, "watch-effect", "Runs when what it reads changes.", "watchEffect(() => draw())"},
        {{"lifecycle"}, "lifecycle", "The lifecycle of a component has three steps.", ""}});
  page(
      "Errors", "reference/errors.md", {"Reference"},
      {{{}, "", "What Loom says when it fails.", ""},
       {{"LOOM-104"}, "loom-104", "Error LOOM-104: the shuttle left the shed. Tie the `warp` again.", "loom: LOOM-104"},
       {{"LOOM-105"}, "loom-105", "Error LOOM-105: no thread. A => B means that B follows A.", ""}});
  {
    PageInput& p =
        page("2.1. Settings", "reference/settings.md", {"Reference"},
             {{{"2.1.1. Warp", "warp_tension (float)"},
               "warp-tension",
               "How tight the warp is, from 0 to 1. The tension of the weft follows.",
               "warp_tension = 0.4"},
              {{"2.1.1. Warp", "thread_count (integer)"}, "thread-count", "Threads of the warp.", "thread_count = 12"},
              {{"2.1.2. Time", "timestamp"}, "timestamp", "Whether rows carry a time stamp.", ""},
              {{"2.1.2. Time", "colour"},
               "colour",
               "| name | meaning |\n|---|---|\n| `thread` | colour of a thread |",
               ""}});
    p.passages[3].terms = {"thread colour", "colour"};
    p.facets.filters.emplace_back("level", "1");
    p.facets.sorts = {{"weight", "7"}};
  }
  page("class Shuttle", "reference/shuttle.md", {"Reference", "Classes"},
       {{{}, "", "The shuttle carries the weft.", "class Shuttle(thread)"},
        {{"Shuttle.throw(force)"}, "throw", "Throws the shuttle through the shed: one pick.", "shuttle.throw(0.8)"},
        {{"~Shuttle()"}, "destructor", "Lets the thread go.", ""},
        {{"loom.weave_all"},
         "weave-all",
         "Weaves all rows in parallel and waits.",
         "await asyncio.gather(*loom.weave_all())"}});
  page("Concurrency: parallel jobs", "reference/concurrency.md", {"Reference"},
       {{{}, "", "Run several jobs side by side and wait for all of them.", "await asyncio.gather(first(), second())"},
        {{"Loom.weave(pattern) = cloth"}, "weave", "Weaves a cloth.", "cloth = Loom.weave(pattern)"}});
  page("Tables", "reference/tables.md", {"Reference"},
       {{{}, "", "Write a table with the <table> element and rows.", "<table><tr></tr></table>"}});
  page("中文指南", "zh/guide.md", {},
       {{{}, "", "缓存保存以前计算的答案。日本語の文書も検索できます。", ""}, {{"图案"}, "pattern", "图案重复。", ""}});
  // A list of links, whose words weigh little, and one that words do not find.
  pages.back().passages[1].weight = 0.15f;
  pages.push_back(MakePageInput(
      "Index", "zz/index.md", {{{}, "", "thread shuttle warp weft pick weave", ""}, {{"More"}, "more", "thread", ""}}));
  pages.back().passages[0].weight = 0;
  pages.back().passages[1].weight = 2;
  return pages;
}

// The guide, with symbols where a heading or a term names one.
inline std::vector<PageInput> NamedPages() {
  std::vector<PageInput> pages = GuidePages();
  const auto name = [&](std::string_view source, size_t passage, std::string symbol, SymbolKind kind,
                        std::string anchor = {}) {
    for (PageInput& page : pages) {
      if (page.source != source) continue;
      const uint32_t line = uint32_t(page.passages[passage].headings.empty() ? 0 : 3);
      page.passages[passage].symbols.push_back({std::move(symbol), std::move(anchor), kind, false, {line, 12}});
      return;
    }
  };
  name("reference/cli.md", 0, "loom", SymbolKind::kCommand);
  name("reference/cli.md", 1, "loom --keep-going", SymbolKind::kOption, "keep");
  name("reference/cli.md", 1, "loom -k", SymbolKind::kOption, "keep");
  name("reference/cli.md", 2, "loom --max-picks", SymbolKind::kOption);
  name("reference/effects.md", 1, "watchEffect", SymbolKind::kFunction);
  name("reference/settings.md", 0, "warp_tension", SymbolKind::kSetting);
  name("reference/settings.md", 1, "thread_count", SymbolKind::kSetting);
  name("reference/shuttle.md", 0, "loom.Shuttle", SymbolKind::kClass);
  name("reference/shuttle.md", 1, "loom.Shuttle.throw", SymbolKind::kMethod);
  name("reference/shuttle.md", 2, "loom.Shuttle.Shuttle", SymbolKind::kMethod, "destructor");
  name("reference/shuttle.md", 3, "loom.weave_all", SymbolKind::kFunction);
  name("reference/concurrency.md", 1, "Loom.weave", SymbolKind::kMethod);
  name("reference/errors.md", 1, "loom.weave.LOOM_104", SymbolKind::kError);
  return pages;
}

// `pages` pages of four short passages in invented words, by topic: enough for several term leaves and partitions.
inline std::vector<PageInput> InventedPages(uint32_t pages) {
  const std::vector<std::string> words = InventedWords(kInventedWords);
  Numbers numbers(23);
  const auto of_topic = [&](uint32_t topic) {
    // Some words are commoner than others.
    const uint32_t per_topic = kInventedWords / kTopics;
    const uint32_t n = std::min(numbers.Below(per_topic), numbers.Below(per_topic));
    return words[n * kTopics + topic];
  };
  std::vector<PageInput> made;
  for (uint32_t i = 0; i < pages; ++i) {
    const uint32_t topic = numbers.Below(kTopics);
    std::vector<Section> sections;
    for (uint32_t s = 0; s < 4; ++s) {
      Section section;
      if (s > 0) {
        // In this order whatever the compiler: operands of + have none.
        const std::string second = numbers.Below(3) ? "" : "_" + of_topic(topic);
        section.headings = {of_topic(topic) + second};
        section.anchor = "s" + std::to_string(s);
      }
      const uint32_t length = 6 + numbers.Below(14);
      for (uint32_t w = 0; w < length; ++w) {
        section.prose += (w ? " " : "") + of_topic(numbers.Below(6) ? topic : numbers.Below(kTopics));
      }
      sections.push_back(section);
    }
    std::string number = std::to_string(i);
    number.insert(0, 3 - number.size(), '0');
    const std::string last = of_topic(topic);
    made.push_back(MakePageInput(of_topic(topic) + " " + last, "p/" + number + ".md", sections));
    made.back().facets.filters.emplace_back("part", std::to_string(i % 3));
  }
  return made;
}

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_CONFORMANCE_COLLECTIONS_H_
