// The command line of sheaf-pack, in this process: what each verb prints and how it ends. tests/node/cli.test.mjs has the
// command `sheaf` before it.
#include "packer/cli/commands.h"

#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "packer/cli/cmd_pack_report.h"
#include "packer/cli/command_line.h"
#include "tests/unit/bundle_edit.h"
#include "tests/unit/folder_support.h"
#include "tests/unit/support.h"

namespace sheaf::packer {
namespace verbs_test {

using Json = nlohmann::json;
using testing::internal::CaptureStderr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStderr;
using testing::internal::GetCapturedStdout;

// The sample with filters, meta, a sort and a symbol.
std::vector<PageInput> Pages() {
  std::vector<PageInput> pages = test::SamplePages();
  pages[0].place = {"Guide"};
  pages[0].facets = {{{"author", "Anne"}, {"kind", "guide"}}, {{"image", "/a.png"}}, {{"date", "2024-03-01"}}};
  pages[1].facets = {{{"author", "Bo"}}, {}, {{"date", "2025-01-01"}}};
  PageInput page = test::MakePageInput("Ovens", "ovens.md",
                                       {{{"fire_kiln"}, "fire", "Fires a cached kiln once.", "fire_kiln(heat)"},
                                        {{"cool_kiln"}, "cool", "Cools the kiln.", ""}});
  const std::string signature = "fire_kiln(heat)";
  SymbolInput fire{"fire_kiln", "fire", SymbolKind::kFunction, /*deprecated=*/true, {}};
  fire.signature = {uint32_t(page.text.find(signature)), uint32_t(signature.size())};
  page.passages[0].symbols = {fire};
  page.passages[1].symbols = {SymbolInput{"cool_kiln", "cool", SymbolKind::kFunction, false, {}}};
  pages.push_back(std::move(page));
  return pages;
}

std::string Text(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

class CommandsTest : public test::FolderTest {
 protected:
  struct Ended {
    int code;
    std::string out, err;
  };

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(FolderTest::SetUp());
    const test::LoadedEncoder encoder(test::TableBytes());
    BuildOptions options = test::SampleOptions();
    options.compression_level = 1;
    bundle_ = Text(test::Build(Pages(), options, &*encoder.encoder));
    Write("b.sheaf", bundle_);
    options.vector_bits = 0;
    Write("words.sheaf", Text(test::Build(Pages(), options, nullptr)));
    const PageInput code = test::MakePageInput("Code", "code.md", {{{}, "", "", "oven = open()\ncool_kiln(oven)"}});
    Write("code.sheaf", Text(test::Build({code}, options, nullptr)));
    Write("table.sheaf", Text(test::TableBytes()));
  }

  static Ended Run(std::vector<std::string> arguments) {
    CaptureStdout();
    CaptureStderr();
    const int code = RunCommandLine(std::move(arguments));
    std::fflush(stdout);
    return {code, GetCapturedStdout(), GetCapturedStderr()};
  }
  Ended Search(std::vector<std::string> more, const std::string& file = "b.sheaf") const {
    more.insert(more.begin(), {"search", At(file)});
    return Run(std::move(more));
  }
  Json SearchJson(std::vector<std::string> more, const std::string& file = "b.sheaf") const {
    more.insert(more.begin(), "--json");
    const Ended ended = Search(std::move(more), file);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return Json::parse(ended.out, nullptr, false);
  }
  // The bundle or table with one byte in its middle changed.
  void WriteDamaged(const std::string& name, std::string bytes) const {
    bytes[bytes.size() / 2] ^= 1;
    Write(name, bytes);
  }

  std::string bundle_;
};

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// ---- help and verbs -------------------------------------------------------------------------------

TEST_F(CommandsTest, SaysItsVersionInEachWay) {
  for (const char* way : {"version", "--version", "--tool-version"}) {
    const Ended ended = Run({way});
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.out, PackerName() + "\n") << way;
  }
}

TEST_F(CommandsTest, HelpsOnStdoutInLinesThatFitATerminal) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{}, {"-h"}, {"--help"}, {"help"}}) {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.code, 0);
    EXPECT_TRUE(Has(ended.out, "Exit codes: 0 done")) << ended.out;
  }
  const Ended search = Run({"help", "search"});
  EXPECT_EQ(search.code, 0);
  EXPECT_TRUE(Has(search.out, "--semantic-weight"));
  std::istringstream lines(search.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
}

TEST_F(CommandsTest, RefuseWhatTheyDoNotKnowAsUsage) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"search", At("b.sheaf")},
                                             {"search", At("b.sheaf"), "x", "--mode", "telepathy"},
                                             {"search", At("b.sheaf"), "x", "--semantic-weight", "2"},
                                             {"inspect"},
                                             {"pack", folder_, "--nonsense"},
                                             {"pack", folder_, "--library", "l"}}) {
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.code, kExitUsage) << arguments.back();
    EXPECT_NE(ended.err, "");
  }
  EXPECT_TRUE(Has(Search({"x", "--mode", "telepathy"}).err, "expected keyword|semantic|hybrid, got 'telepathy'"));
}

// ---- search -----------------------------------------------------------------------------------------

TEST_F(CommandsTest, SearchAnswersInTextWithMarksAddressesAndSymbols) {
  const Ended ended = Search({"--mode", "keyword", "cached", "--facets", "--explain"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(Has(ended.out, " 1. ")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "Guide › Caching answers")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "guide/caching.md:")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "cached -> cached  exact")) << ended.out;
  EXPECT_TRUE(Has(ended.out, "author=Anne  1")) << ended.out;
  const Ended named = Search({"--mode", "keyword", "fire_kiln"});
  EXPECT_TRUE(Has(named.out, "deprecated function  fire_kiln(heat)")) << named.out;
  EXPECT_TRUE(Has(Search({"--mode", "keyword", "cool_kiln"}).out, "     function  cool_kiln\n"));
  EXPECT_TRUE(Has(Search({"--mode", "keyword", "qqqqzz"}).out, "No hits.\n"));
}

TEST_F(CommandsTest, SearchShowsWhatItCorrectedAndCodeOnItsOwnLines) {
  const Ended ended = Search({"--mode", "keyword", "concurency"});
  EXPECT_TRUE(Has(ended.out, "no match for concurency; searched concurrency")) << ended.out;
  const Ended off = Search({"--mode", "keyword", "--no-typo", "concurency"});
  EXPECT_TRUE(Has(off.out, "No hits.")) << off.out;
  const Ended code = Search({"--mode", "keyword", "cool_kiln"}, "code.sheaf");
  EXPECT_TRUE(Has(code.out, "     oven = open()\n     cool_kiln(oven)\n")) << code.out;
}

TEST_F(CommandsTest, SearchAnswersInJsonWithEverythingThatIsKnown) {
  const Json answer = SearchJson({"--mode", "keyword", "--explain", "--facets", "cached"});
  ASSERT_FALSE(answer["hits"].empty()) << answer.dump();
  const Json& hit = answer["hits"][0];
  EXPECT_EQ(hit["source"], "guide/caching.md");
  EXPECT_EQ(hit["meta"]["image"], "/a.png");
  EXPECT_EQ(hit["explanation"]["terms"][0]["word"], "cached");
  EXPECT_FALSE(hit["highlights"].empty());
  EXPECT_EQ(answer["usedSemantic"], false);
  const Json author = {{"key", "author"}, {"values", {{{"value", "Anne"}, {"pages", 1}}}}};
  EXPECT_EQ(answer["facets"][0], author) << answer["facets"].dump();
  const Json named = SearchJson({"--mode", "keyword", "fire_kiln"});
  const Json symbol = {
      {"kind", "function"}, {"deprecated", true}, {"name", "fire_kiln"}, {"signature", "fire_kiln(heat)"}};
  EXPECT_EQ(named["hits"][0]["symbol"], symbol) << named.dump();
  EXPECT_EQ(SearchJson({"--mode", "keyword", "concurency"})["corrections"][0]["term"], "concurrency");
}

TEST_F(CommandsTest, SearchSaysHowEachWordMatched) {
  const auto kinds = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--mode", "keyword", "--explain"});
    std::set<std::string> found;
    const Json answer = SearchJson(words);
    for (const Json& hit : answer["hits"])
      for (const Json& term : hit["explanation"]["terms"]) found.insert(term["kind"]);
    return found;
  };
  EXPECT_TRUE(kinds({"caching"}).count("stem"));
  EXPECT_TRUE(kinds({"synchro"}).count("prefix"));
  EXPECT_TRUE(kinds({"concurency"}).count("typo"));
  EXPECT_TRUE(kinds({"cached"}).count("exact"));
  EXPECT_TRUE(kinds({"use", "effect"}).count("joined")) << *kinds({"use", "effect"}).begin();
}

TEST_F(CommandsTest, SearchTakesAKindOutOfTheWords) {
  const Json all = SearchJson({"--mode", "keyword", "kind:function", "fire_kiln"});
  ASSERT_FALSE(all["hits"].empty());
  for (const Json& hit : all["hits"]) EXPECT_EQ(hit["symbol"]["kind"], "function");
  // Within a word, and of no kind, it is a word as others are.
  for (const char* word : {"mankind:function", "kind:nonsense"}) {
    const Json answer = SearchJson({"--mode", "keyword", word, "cached"});
    ASSERT_FALSE(answer["hits"].empty()) << word;
    EXPECT_FALSE(answer["hits"][0].contains("symbol")) << word;
  }
}

TEST_F(CommandsTest, SearchSelectsAndSorts) {
  const auto sources = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--mode", "keyword"});
    std::vector<std::string> found;
    const Json answer = SearchJson(more);
    for (const Json& hit : answer["hits"]) found.push_back(hit["source"]);
    return found;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(sources({"--filter", "author=Bo", "fields"}), List{"guide/response-models.md"});
  EXPECT_EQ(sources({"--filter", "author=Anne", "--filter", "author=Bo", "--filter", "kind=guide", "cached"}),
            List{"guide/caching.md"});
  const List up = sources({"--sort", "date", "the"}), down = sources({"--sort", "date:desc", "the"});
  ASSERT_GE(up.size(), 2u);
  EXPECT_EQ(up[0], "guide/caching.md");
  EXPECT_EQ(down[0], "guide/response-models.md");
  for (const char* filter : {"author", "=Anne", "author=A\tB"}) {
    const Ended ended = Search({"--filter", filter, "x"});
    EXPECT_EQ(ended.code, kExitUsage) << filter;
    EXPECT_TRUE(Has(ended.err, "expected KEY=VALUE")) << ended.err;
  }
}

TEST_F(CommandsTest, SearchUsesTheTableThatIsNamedAndDoesWithoutOneThatIsNot) {
  const std::string table = At("table.sheaf");
  EXPECT_EQ(SearchJson({"--encoder-table", table, "memoize"})["usedSemantic"], true);
  EXPECT_EQ(SearchJson({"--encoder-table", table, "--mode", "semantic", "memoize"})["usedKeyword"], false);
  EXPECT_EQ(SearchJson({"--encoder-table", table, "--rrf", "--by-passage", "-k", "2", "cached"})["hits"].size(), 2u);
  EXPECT_EQ(SearchJson({"--encoder-table", table, "--semantic-weight", "1", "memoize"})["usedSemantic"], true);

  const Ended missing = Search({"--encoder-table", At("none.sheaf"), "cached"});
  EXPECT_EQ(missing.code, kExitFailed);
  EXPECT_TRUE(Has(missing.err, "none.sheaf: no such file")) << missing.err;
  const Ended wrong = Search({"--encoder-table", At("b.sheaf"), "--json", "cached"});
  EXPECT_EQ(wrong.code, kExitFailed);
  EXPECT_EQ(Json::parse(wrong.out)["ok"], false);

  // The table that it finds is of another space, or there is none: by keywords, and it says so.
  const Ended fallen = Search({"cached"});
  EXPECT_EQ(fallen.code, 0);
  EXPECT_TRUE(Has(fallen.err, "searching by keywords only: ")) << fallen.err;
  EXPECT_TRUE(Has(fallen.out, "guide/caching.md"));
}

TEST_F(CommandsTest, SearchOfABundleWithoutVectorsAnswersByWordsAndRefusesMeaning) {
  const Ended ended = Search({"cached"}, "words.sheaf");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
  const Ended semantic = Search({"--mode", "semantic", "cached"}, "words.sheaf");
  EXPECT_EQ(semantic.code, kExitFailed);
  EXPECT_TRUE(Has(semantic.err, "holds no vectors")) << semantic.err;
}

TEST_F(CommandsTest, SearchReadsByRangesTheSameAnswerAndCountsThem) {
  const std::vector<std::string> question = {"--encoder-table", At("table.sheaf"), "--json", "cached", "answers"};
  std::vector<std::string> lazy = question;
  lazy.push_back("--lazy");
  const Ended whole = Search(question), ranges = Search(lazy);
  EXPECT_EQ(ranges.code, 0);
  EXPECT_EQ(ranges.out, whole.out);
  EXPECT_TRUE(Has(ranges.err, " round trips\n")) << ranges.err;
  EXPECT_EQ(whole.err, "");
}

TEST_F(CommandsTest, FilesThatAreNoBundlesAreNamedWithTheReason) {
  Write("text.sheaf", "no bundle at all, whatever its name says");
  WriteDamaged("damaged.sheaf", bundle_);
  WriteDamaged("damaged-table.sheaf", Text(test::TableBytes()));
  Write("short.sheaf", bundle_.substr(0, bundle_.size() - 9));
  for (const char* verb : {"search", "inspect", "verify"}) {
    for (const char* name : {"text.sheaf", "none.sheaf", "short.sheaf", "."}) {
      std::vector<std::string> arguments = {verb, At(name), "--json"};
      if (arguments[0] == "search") arguments.push_back("x");
      const Ended ended = Run(arguments);
      EXPECT_EQ(ended.code, kExitFailed) << verb << name;
      EXPECT_TRUE(Has(ended.err, At(name) + ": ")) << ended.err;
      EXPECT_EQ(Json::parse(ended.out)["ok"], false);
    }
  }
  for (const char* name : {"damaged.sheaf", "damaged-table.sheaf"}) {
    const Ended ended = Run({"verify", At(name)});
    EXPECT_EQ(ended.code, kExitFailed) << name;
    EXPECT_TRUE(Has(ended.err, At(name))) << ended.err;
  }
}

// ---- inspect and verify -------------------------------------------------------------------------------

TEST_F(CommandsTest, InspectShowsABundle) {
  const Ended text = Run({"inspect", At("b.sheaf")});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"woodpile 1.2.3", "bundle, format 1", "6 pages, ", "vectors of 16 × 4 bits in test-16",
                           "made by static, hash ", "passages ", "manifest\n", "vectors.space"})
    EXPECT_TRUE(Has(text.out, part)) << part << "\n" << text.out;
  const Json json = Json::parse(Run({"inspect", At("b.sheaf"), "--json"}).out);
  EXPECT_EQ(json["kind"], "bundle");
  EXPECT_EQ(json["pages"], 6);
  EXPECT_EQ(json["bytes"], bundle_.size());
  EXPECT_EQ(json["encoder"], "static");
  EXPECT_EQ(json["precision"], Json());
  EXPECT_GT(json["sections"].size(), 5u);
  EXPECT_TRUE(Has(Run({"inspect", At("words.sheaf")}).out, "no vectors\n"));
  EXPECT_EQ(Json::parse(Run({"inspect", At("words.sheaf"), "--json"}).out)["encoder"], Json());
}

TEST_F(CommandsTest, InspectShowsATable) {
  const Ended text = Run({"inspect", At("table.sheaf")});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(Has(text.out, "encoder table, format 1")) << text.out;
  EXPECT_TRUE(Has(text.out, "18 words × 16")) << text.out;
  const Json json = Json::parse(Run({"inspect", At("table.sheaf"), "--json"}).out);
  EXPECT_EQ(json["kind"], "encoder table");
  EXPECT_EQ(json["words"], 18);
  EXPECT_FALSE(json["sections"][0].contains("bytesPerPage"));
}

// German pages with the vectors of a transformer that knows English.
std::vector<uint8_t> GermanBundle() {
  BuildOptions options = test::SampleOptions();
  options.compression_level = 1;
  options.language = LanguageOf("de");
  options.document_encoder = DocumentEncoder{"model", std::string(64, '7'), "int8", "bge-small-en-v1-5", 16};
  BundleBuilder builder(options, nullptr);
  auto page = PreparePage(test::SamplePages()[3], Analyzer(options.language), nullptr);
  EXPECT_TRUE(page.ok());
  EXPECT_TRUE(SetVectors(page->get(), std::vector<float>(16, 0.25f), 16).ok());
  EXPECT_TRUE(builder.Add(std::move(*page)).ok());
  auto bundle = builder.Finish({});
  EXPECT_TRUE(bundle.ok());
  return std::move(*bundle);
}

TEST_F(CommandsTest, InspectSaysWhenTheEncoderDoesNotKnowTheLanguage) {
  Write("de.sheaf", Text(GermanBundle()));
  const Ended text = Run({"inspect", At("de.sheaf")});
  EXPECT_TRUE(Has(text.out, "made by model int8, hash 777")) << text.out;
  EXPECT_TRUE(Has(text.out, "the encoder knows English, the pages are in 'de'")) << text.out;
  const Json json = Json::parse(Run({"inspect", At("de.sheaf"), "--json"}).out);
  EXPECT_EQ(json["precision"], "int8");
  EXPECT_EQ(json["hasGraph"], false);
}

TEST_F(CommandsTest, InspectShowsAnyManifestAndBelievesNoneOfIt) {
  const std::vector<uint8_t> bundle = GermanBundle();
  const auto inspected = [&](const std::string& manifest) {
    test::BundleEdit edit(bundle);
    edit.Section(SectionId::kManifest).assign(manifest.begin(), manifest.end());
    Write("m.sheaf", Text(edit.Build()));
    EXPECT_EQ(Run({"inspect", At("m.sheaf"), "--json"}).code, 0) << manifest;
    const Ended ended = Run({"inspect", At("m.sheaf")});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out;
  };
  const std::string unnamed = "made by unnamed transformer, hash 7777777777777777\n";
  const std::string deep(40, '['), deep_end(40, ']');
  for (const std::string& manifest :
       {std::string("no JSON"), std::string("7"), deep + deep_end, std::string(), std::string("\"a\nb\"")}) {
    const std::string out = inspected(manifest);
    EXPECT_TRUE(Has(out, unnamed)) << out;
    EXPECT_FALSE(Has(out, "knows English")) << out;
  }
  EXPECT_TRUE(Has(inspected(deep + deep_end), "manifest\n  " + deep + deep_end));
  EXPECT_TRUE(Has(inspected(R"({"vectors": 1, "language": 1, "empty": {}})"), unnamed));
  EXPECT_TRUE(Has(inspected(R"({"vectors": {"encoder": 1, "precision": []}})"), unnamed));
  EXPECT_TRUE(Has(inspected(R"({"vectors": {"encoder": "own"}})"), "made by own, hash 7777"));
  for (const char* english : {"none", "en", "en-GB"})
    EXPECT_FALSE(Has(inspected(R"({"language": ")" + std::string(english) + "\"}"), "knows English")) << english;
  EXPECT_TRUE(Has(inspected(R"({"language": "eng"})"), "pages are in 'eng'"));
  EXPECT_FALSE(Has(inspected("{\"x\": \"\u001b[2J\"}"), "\033[2J"));  // it moves no cursor
}

TEST_F(CommandsTest, VerifySaysWhatIsWhole) {
  EXPECT_TRUE(Has(Run({"verify", At("b.sheaf")}).out, "b.sheaf: whole: bundle woodpile 1.2.3, "));
  EXPECT_TRUE(Has(Run({"verify", At("table.sheaf")}).out, "table.sheaf: whole: encoder table test-16, "));
  const Json json = Json::parse(Run({"verify", At("b.sheaf"), "--json"}).out);
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["name"], "woodpile 1.2.3");
  EXPECT_GT(json["blocks"].get<int>(), 0);
}

// ---- table ------------------------------------------------------------------------------------------------

class TableCommandTest : public CommandsTest {
 protected:
  void WriteTable(const std::string& description, const std::string& words, size_t floats, float value = 0.5f) {
    Write("t/table.json", description);
    Write("t/words.txt", words);
    std::string rows;
    for (size_t i = 0; i < floats; ++i) rows.append(reinterpret_cast<const char*>(&value), sizeof value);
    Write("t/rows.f32", rows);
  }
  Ended Table(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"table", At("t"), At("new.sheaf")});
    return Run(std::move(more));
  }
  void ExpectRefused(const std::string& part) {
    const Ended ended = Table();
    EXPECT_EQ(ended.code, kExitFailed);
    EXPECT_TRUE(Has(ended.err, part)) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(At("new.sheaf")));
  }
};

constexpr const char* kDescription = R"({"space": "s-16", "dimensions": 16, "manifest": {"by": "hand"}})";

TEST_F(TableCommandTest, MakesATableFromPlainFiles) {
  WriteTable(kDescription, "one\r\ntwo\n##three", 48);
  const Ended made = Table({"--bits", "4"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(Has(made.err, "s-16: 3 words × 16 in 4 bits")) << made.err;
  const Json json = Json::parse(Run({"inspect", At("new.sheaf"), "--json"}).out);
  EXPECT_EQ(json["words"], 3);
  EXPECT_EQ(json["manifest"]["by"], "hand");
  EXPECT_EQ(Table({"--bits", "5"}).code, kExitUsage);
}

TEST_F(TableCommandTest, RefusesFilesThatDoNotFitTogether) {
  ExpectRefused("table.json");
  for (const auto& [description, part] : std::vector<std::pair<const char*, const char*>>{
           {"[]", "is not a JSON object"},
           {"{", "is not a JSON object"},
           {R"({"dimensions": 16})", "has no \"space\""},
           {R"({"space": 1, "dimensions": 16})", "has no \"space\""},
           {R"({"space": "", "dimensions": 16})", "has no \"space\""},
           {R"({"space": "s"})", "has no \"dimensions\" between 1 and 4096"},
           {R"({"space": "s", "dimensions": -4})", "has no \"dimensions\""},
           {R"({"space": "s", "dimensions": 0})", "has no \"dimensions\""},
           {R"({"space": "s", "dimensions": 4097})", "has no \"dimensions\""},
           {R"({"space": "s", "dimensions": 16, "manifest": 1})", "not an object"}}) {
    WriteTable(description, "one\n", 16);
    ExpectRefused(part);
  }
  WriteTable(kDescription, "one\n\ntwo\n", 32);
  ExpectRefused("words.txt: line 2 is empty");
  WriteTable(kDescription, "one\ntwo\n", 31);
  ExpectRefused("124 bytes; expected 128 (2 words × 16 × 4)");
  WriteTable(kDescription, "one\ntwo\n", 32, std::numeric_limits<float>::infinity());
  ExpectRefused("the row of 'one' holds a number that is not finite");
  WriteTable(kDescription, "one\none\n", 32);
  ExpectRefused("one");
  std::filesystem::remove(At("t/rows.f32"));
  ExpectRefused("rows.f32");
  std::filesystem::remove(At("t/words.txt"));
  ExpectRefused("words.txt");
}

TEST_F(TableCommandTest, GivesATableOtherWordings) {
  Write("wordings.txt", "= cache memoize\n");
  const Ended made = Run({"table", At("table.sheaf"), At("new.sheaf"), "--wordings", At("wordings.txt")});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_GT(Read("new.sheaf").size(), Read("table.sheaf").size());
  EXPECT_EQ(Run({"verify", At("new.sheaf")}).code, 0);
  EXPECT_EQ(SearchJson({"--encoder-table", At("new.sheaf"), "memoize"})["usedSemantic"], true);

  Write("broken.txt", "alone\n");
  const Ended broken = Run({"table", At("table.sheaf"), At("no.sheaf"), "--wordings", At("broken.txt")});
  EXPECT_EQ(broken.code, kExitFailed);
  EXPECT_TRUE(Has(broken.err, At("broken.txt") + ": ")) << broken.err;
  EXPECT_EQ(Run({"table", At("b.sheaf"), At("no.sheaf"), "--wordings", At("wordings.txt")}).code, kExitFailed);
  EXPECT_EQ(Run({"table", At("none"), At("no.sheaf"), "--wordings", At("wordings.txt")}).code, kExitFailed);
  EXPECT_FALSE(std::filesystem::exists(At("no.sheaf")));
}

// ---- pack, unread and watch -----------------------------------------------------------------------------

TEST_F(CommandsTest, PackSummarisesNamesFailuresAndNotes) {
  Write("docs/a.md", "# A\n\nWords of a kiln.\n");
  Write("docs/b.html", "<html><head><title>B</title></head><body><p>More words.</p></body></html>");
  Write("docs/guide.adoc", "= Guide\n\nWords.\n");
  Write("docs/node_modules/x/readme.md", "# X\n");
  const std::vector<std::string> arguments = {At("docs"), "--library", "l",  "--version",   "1",
                                              "--level",  "1",         "-o", At("o.sheaf"), "--encoder",
                                              "none",     "--jobs",    "1"};
  const Ended ended = Run(arguments);  // pack may be left out
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(Has(ended.err, "o.sheaf  2 pages, ")) << ended.err;
  EXPECT_TRUE(Has(ended.err, "passed over: node_modules/ (1 file)")) << ended.err;
  EXPECT_TRUE(Has(ended.err, "note .: left out: 1 file of AsciiDoc")) << ended.err;
  EXPECT_TRUE(Has(ended.err, "\n1 note\n")) << ended.err;
  EXPECT_EQ(ended.out, "");
  for (const char* silent : {"--quiet", "--brief"}) {
    std::vector<std::string> more = arguments;
    more.push_back(silent);
    EXPECT_FALSE(Has(Run(more).err, "pages, ")) << silent;
  }

  std::filesystem::create_symlink(At("nowhere"), At("docs/gone.md"));
  Write("docs/zeros.md", std::string(40, '\0'));
  std::vector<std::string> json = arguments;
  json.push_back("--json");
  const Ended report = Run(json);
  const Json said = Json::parse(report.out);
  EXPECT_EQ(said["pages"], 2) << report.out;
  EXPECT_EQ(report.code, said["skipped"].empty() ? kExitOk : kExitPartial);
}

TEST_F(CommandsTest, PackFailsWithTheReasonAndLeavesTheOlderBundle) {
  Write("o.sheaf", "the older one");
  std::filesystem::create_directory(At("empty"));
  const std::vector<std::string> arguments = {"pack", At("empty"),   "--library", "l",    "--version", "1",
                                              "-o",   At("o.sheaf"), "--encoder", "none", "--json"};
  const Ended ended = Run(arguments);
  EXPECT_EQ(ended.code, kExitFailed);
  EXPECT_EQ(Json::parse(ended.out)["ok"], false);
  EXPECT_NE(ended.err, "");
  EXPECT_EQ(Read("o.sheaf"), "the older one");
  const Ended folder = Run({"pack", At("empty"), "--library", "l", "--version", "1", "-o", At("no/such/o.sheaf")});
  EXPECT_EQ(folder.code, kExitFailed) << folder.err;
  const Ended nowhere = Run({"pack", At("none"), "--library", "l", "--version", "1", "-o", At("o.sheaf")});
  EXPECT_NE(nowhere.code, kExitOk);
  EXPECT_EQ(Read("o.sheaf"), "the older one");
}

TEST_F(CommandsTest, PackSaysWhyNothingWasPacked) {
  const auto why = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"pack", At("docs"), "--library",   "l",         "--version",
                                          "1",    "-o",       At("o.sheaf"), "--encoder", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = Run(arguments);
    EXPECT_EQ(ended.code, kExitFailed);
    return ended.err;
  };
  Write("docs/guide.adoc", "= Guide\n\nWords.\n");
  Write("docs/node_modules/x/readme.md", "# X\n");
  const std::string unread = why({});
  EXPECT_TRUE(Has(unread, "no documentation found in " + At("docs"))) << unread;
  EXPECT_TRUE(Has(unread, "1 file of formats such as AsciiDoc, ")) << unread;
  EXPECT_TRUE(Has(unread, "1 folder passed over (node_modules and such; ")) << unread;
  Write("docs/a.md", "# A\n\nWords.\n");
  EXPECT_TRUE(Has(why({"--include", "*.rst"}), "1 file did not pass --include and --exclude"));
  Write("docs/a.md", "");
  std::filesystem::remove(At("docs/guide.adoc"));
  EXPECT_TRUE(Has(why({}), "no page could be packed; 1 file left out, such as a.md: ")) << why({});
}

TEST(PackReporting, CountsKindsBeyondTheFirstTogether) {
  std::vector<LeftOut> kinds;
  for (int i = 0; i < 10; ++i) kinds.push_back({"k" + std::to_string(i), 2, "x"});
  const std::string counted = Counted(kinds);
  EXPECT_TRUE(Has(counted, "k7 (2 pages) and 4 pages of other kinds")) << counted;
  EXPECT_EQ(Counted({}), "");
}

TEST_F(CommandsTest, UnreadNamesWhatConvertersReadFirst) {
  Write("docs/a.md", "# A\n\nWords.\n");
  Write("docs/guide.adoc", "= Guide\n\nWords.\n");
  const Ended ended = Run({"unread", At("docs"), "--library", "l", "--version", "1"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::set<std::string> formats;
  const Json said = Json::parse(ended.out);
  for (const Json& file : said["files"]) formats.insert(file["format"]);
  EXPECT_EQ(formats, (std::set<std::string>{"asciidoc"}));
  const Ended missing = Run({"unread", At("none"), "--library", "l", "--version", "1"});
  EXPECT_EQ(missing.code, kExitFailed);
  EXPECT_EQ(Json::parse(missing.out)["ok"], false);
  EXPECT_EQ(Run({"unread", At("docs"), "--library", "", "--version", "1"}).code, kExitUsage);
}

class WatchCommandTest : public CommandsTest {
 protected:
  // Runs `watch` with these lines on stdin.
  Ended Watch(const std::string& lines, const std::string& library = "l", const std::string& output = "o.sheaf") {
    std::istringstream in(lines);
    std::streambuf* before = std::cin.rdbuf(in.rdbuf());
    const std::vector<std::string> arguments = {"watch", At("docs"), "--library", library, "--version", "1",
                                                "-o",    At(output), "--encoder", "none",  "--quiet"};
    const Ended ended = Run(arguments);
    std::cin.rdbuf(before);
    std::cin.clear();
    return ended;
  }
};

TEST_F(WatchCommandTest, PrintsALineForEachRound) {
  Write("docs/a.md", "# A\n\nWords of a kiln.\n");
  const Ended ended = Watch("again\nonce more\n");
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::istringstream lines(ended.out);
  std::vector<Json> rounds;
  for (std::string line; std::getline(lines, line);) rounds.push_back(Json::parse(line));
  ASSERT_EQ(rounds.size(), 3u) << ended.out;
  EXPECT_EQ(rounds[0]["prepared"], 1);
  EXPECT_EQ(rounds[1]["prepared"], 0);
  EXPECT_EQ(rounds[2]["ok"], false);
  EXPECT_TRUE(Has(rounds[2].dump(), "expected 'again', got 'once more'"));
  EXPECT_TRUE(std::filesystem::exists(At("o.sheaf")));
}

TEST_F(WatchCommandTest, RefusesAtOnceWhatCannotBegin) {
  EXPECT_EQ(Watch("", "").code, kExitUsage);
  Write("docs/a.md", "# A\n\nWords.\n");
  EXPECT_EQ(Watch("", "l", "no/such/o.sheaf").code, kExitFailed);
}

// ---- the report of pack ------------------------------------------------------------------------------------

// What `print` writes to stderr.
template <typename Print>
std::string Printed(Print print) {
  CaptureStderr();
  print();
  return GetCapturedStderr();
}

TEST(PackReporting, CountsNotesBeyondTheFirstAndNamesEveryProblemOnce) {
  const std::string said = Printed([] {
    TerminalProgress terminal(stderr, ProgressMode::kNone, false);
    Reporter reporter(&terminal, /*quiet=*/false, /*color=*/false);
    for (int i = 0; i < 25; ++i) reporter({"n" + std::to_string(i), "odd"}, false);
    for (int i = 0; i < 2; ++i) reporter({"p.md", "cannot be read"}, true);
    reporter({"q.md", "no vector", /*packed=*/true}, true);
  });
  EXPECT_TRUE(Has(said, "note n19: odd\nfurther notes are only counted")) << said;
  EXPECT_FALSE(Has(said, "n20"));
  EXPECT_EQ(said.find("skipped p.md"), said.rfind("skipped p.md: cannot be read")) << said;
  EXPECT_TRUE(Has(said, "in part q.md: no vector")) << said;
  EXPECT_EQ(Printed([] {
              TerminalProgress terminal(stderr, ProgressMode::kNone, false);
              Reporter reporter(&terminal, /*quiet=*/true, /*color=*/true);
              reporter({"n", "odd"}, false);
              reporter({"p", "bad"}, true);
            }),
            "\033[31mskipped\033[0m p: bad\n");
}

TEST(PackReporting, SaysHowManyFilesFailed) {
  const auto said = [](const std::vector<Remark>& problems, bool json = true) {
    return Printed([&] { EXPECT_EQ(SayWhatFailed(problems, json), problems.empty() ? kExitOk : kExitPartial); });
  };
  const Remark gone{"a", "gone"}, part{"b", "no vector", true};
  EXPECT_EQ(said({}), "");
  EXPECT_EQ(said({gone}), "1 file failed and is not in the bundle, see above\n");
  EXPECT_EQ(said({gone, gone}, false), "2 files failed and are not in the bundle, see above (exit code 3)\n");
  EXPECT_EQ(said({part}), "1 page has passages without a vector, see above\n");
  EXPECT_EQ(said({gone, part, part}),
            "1 file failed and is not in the bundle; 2 pages have passages without a vector, see above\n");
}

TEST(PackReporting, SummarisesAllThatWasLeftOutAndMade) {
  PackReport report;
  report.output = "o.sheaf";
  report.pages = report.framed_pages = 2;
  report.has_embedding = true;
  report.encoder = DocumentEncoder{"model", "", "int8", "space", 16};
  report.embedding.cached = 3;
  for (int i = 0; i < 7; ++i) report.passed_over.push_back({"f" + std::to_string(i), {}});
  report.passed_over[0].files = 2;
  report.left_out = {{"error pages", 1, "404.html"}};
  report.not_read = {{"PDF", 2, "a.pdf"}};
  report.symbols = {{"class", 1}, {"function", 1200}};
  report.notes = {{"a", "odd"}};
  const std::string said = Printed([&] { PrintSummary(report); });
  for (const char* part :
       {"o.sheaf  2 pages, 0 passages\n", "vectors by model int8: 0 passages embedded, 3 from the cache\n",
        "passed over: f0/ (2 files), f1/ (too many files to count), ", " and 2 more folders\n",
        "left out: error pages (1 page) (--no-ignore packs them)\n",
        "without menus and notices that most pages share: 2 pages\n", "named: class 1, function 1,200\n",
        "not read: PDF (2 files)\n", "1 note\n"})
    EXPECT_TRUE(Has(said, part)) << part << "\n" << said;
}

}  // namespace verbs_test
}  // namespace sheaf::packer
