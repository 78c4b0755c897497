// Symbols: keys, the section and what a query that names something finds (search/symbols.h).
#include "search/symbols.h"

#include <gtest/gtest.h>

#include "bundle/container.h"
#include "tests/unit/bundle_edit.h"
#include "tests/unit/support.h"

namespace sheaf {
namespace symbols_test {

using test::Keyword;
using test::SearchAll;

struct Named {
  std::string name;
  SymbolKind kind = SymbolKind::kFunction;
  std::string anchor = {};
};

// A page for each symbol, whose heading names it and whose code is its signature.
std::vector<PageInput> PagesOf(const std::vector<Named>& symbols) {
  std::vector<PageInput> pages;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const auto& [name, kind, anchor] = symbols[i];
    const std::string signature = name + "(kiln,\n    heat)";
    PageInput page = test::MakePageInput(
        "Page " + std::to_string(i), "page" + std::to_string(100 + i) + ".md",
        {{{}, "", "Firing clay takes a day.", ""}, {{name}, "entry", "It fires " + name + " once.", signature}});
    const std::string& text = page.text;
    const size_t begin = text.find("Firing clay takes a day.") + 26;
    SymbolInput symbol{name, anchor, kind, i == 0, {}};
    symbol.signature = {uint32_t(text.find(signature) - begin), uint32_t(signature.size())};
    page.passages[1].symbols = {symbol};
    pages.push_back(std::move(page));
  }
  return pages;
}

std::vector<uint8_t> BundleOf(const std::vector<Named>& symbols) {
  BuildOptions options = test::SampleOptions();
  options.vector_bits = 0;
  return test::Build(PagesOf(symbols), std::move(options), nullptr);
}

// The names of the symbols among the hits, in order; those below must be none.
std::vector<std::string> NamesOf(const Answer& answer) {
  std::vector<std::string> names;
  bool over = false;
  float last = 1;
  for (const Hit& hit : answer.hits) {
    EXPECT_LE(hit.score, last);
    last = hit.score;
    if (!hit.symbol) {
      over = true;
    } else {
      EXPECT_FALSE(over) << hit.symbol->name << " comes below a page";
      names.push_back(hit.symbol->name);
    }
  }
  return names;
}

std::vector<std::string> Find(Engine* engine, const std::string& query) {
  return NamesOf(SearchAll(engine, Keyword(query)));
}

using Names = std::vector<std::string>;

std::string Shown(std::string key) {
  std::replace(key.begin(), key.end(), '\1', '|');
  return key;
}

TEST(SymbolKey, IsTheNameReadBackwards) {
  EXPECT_EQ(Shown(SymbolKey("std::collections::HashMap::insert")), "insert|hashmap|collections|std");
  EXPECT_EQ(Shown(SymbolKey("os.path.join(path, *paths)")), "join|path|os");
  EXPECT_EQ(Shown(SymbolKey("HashMap insert")), "insert|hashmap");
  EXPECT_EQ(Shown(SymbolKey("Array#each")), "each|array");
  EXPECT_EQ(Shown(SymbolKey("widget->show()")), "show|widget");
  EXPECT_EQ(Shown(SymbolKey("build/2")), "build");
  EXPECT_EQ(Shown(SymbolKey("GET /users/{id}")), "id|users|get");
}

TEST(SymbolKey, LeavesOutSigilsAndWordsForKinds) {
  EXPECT_EQ(Shown(SymbolKey("--save-dev")), "save-dev");
  EXPECT_EQ(Shown(SymbolKey("$HOME")), "home");
  EXPECT_EQ(Shown(SymbolKey("function print")), "print");
  EXPECT_EQ(Shown(SymbolKey("typing.type")), "type|typing") << "a part of a name";
  EXPECT_EQ(Shown(SymbolKey("__init__")), "__init__");
  EXPECT_EQ(Shown(SymbolKey("Vec<T>")), "vec");
  EXPECT_EQ(Shown(SymbolKey("+=")), "+=");
}

TEST(SymbolKey, OfWhatNamesNothingIsEmpty) {
  EXPECT_EQ(SymbolKey(""), "");
  EXPECT_EQ(SymbolKey(" ? "), "");
  EXPECT_EQ(SymbolKey("a b c d e f g h i"), "");
  EXPECT_EQ(SymbolKey(std::string(kMaxSymbolName + 1, 'a')), "");
}

TEST(Symbols, AreFoundByEachFormOfTheirName) {
  const auto bundle =
      BundleOf({{"clay.ovens.Kiln.fire", SymbolKind::kMethod}, {"clay.ovens.Kiln", SymbolKind::kClass}});
  Engine engine = test::WholeEngine(bundle, {});
  for (const char* query : {"fire", "Kiln.fire", "kiln.fire()", "ovens.Kiln.fire", "clay.ovens.Kiln.fire", "Kiln fire",
                            "Kiln::fire", "method fire", "fire("}) {
    EXPECT_EQ(Find(&engine, query), Names{"clay.ovens.Kiln.fire"}) << query;
  }
  EXPECT_EQ(Find(&engine, "Kiln"), Names{"clay.ovens.Kiln"});
  EXPECT_EQ(Find(&engine, "Oven.fire"), Names{}) << "a method of another class";
}

TEST(Symbols, HaveKindSignatureAndAnchor) {
  const auto bundle = BundleOf({{"kiln.fire", SymbolKind::kMethod, "own"}});
  Engine engine = test::WholeEngine(bundle, {});
  const Answer answer = SearchAll(&engine, Keyword("kiln.fire"));
  ASSERT_FALSE(answer.hits.empty());
  ASSERT_TRUE(answer.hits[0].symbol);
  const HitSymbol& symbol = *answer.hits[0].symbol;
  EXPECT_EQ(symbol.kind, SymbolKind::kMethod);
  EXPECT_EQ(symbol.name, "kiln.fire");
  EXPECT_EQ(symbol.signature, "kiln.fire(kiln, heat)") << "on one line";
  EXPECT_TRUE(symbol.deprecated);
  EXPECT_EQ(answer.hits[0].anchor, "own");
}

TEST(Symbols, ThatAreUnfinishedAreFoundByTheirBeginning) {
  const auto bundle = BundleOf({{"Kiln.insert"}, {"Kiln.inspect"}, {"Oven.insert"}});
  Engine engine = test::WholeEngine(bundle, {});
  EXPECT_EQ(Find(&engine, "Kiln.insp"), Names{"Kiln.inspect"});
  EXPECT_EQ(Find(&engine, "Kiln.ins"), (Names{"Kiln.insert", "Kiln.inspect"}));
  Query whole = Keyword("Kiln.insp");
  whole.prefix = false;
  EXPECT_EQ(NamesOf(SearchAll(&engine, whole)), Names{});
}

TEST(Symbols, ThatAreMistypedAreFoundAsCorrected) {
  const auto bundle = BundleOf({{"Kiln.temperature"}, {"Kiln.fire"}});
  Engine engine = test::WholeEngine(bundle, {});
  EXPECT_EQ(Find(&engine, "temperatrue"), Names{"Kiln.temperature"});
}

TEST(Symbols, OfOneNameAreOrderedByHowTheyAreWrittenAndConstructorsComeLast) {
  const auto bundle = BundleOf({{"java.Kiln.Kiln", SymbolKind::kMethod},
                                {"java.Kiln", SymbolKind::kClass},
                                {"tools.kiln", SymbolKind::kModule},
                                {"Oven.try_kiln", SymbolKind::kMethod}});
  Engine engine = test::WholeEngine(bundle, {});
  EXPECT_EQ(Find(&engine, "Kiln"), (Names{"java.Kiln", "java.Kiln.Kiln", "tools.kiln"}));
  EXPECT_EQ(Find(&engine, "kiln"), (Names{"tools.kiln", "java.Kiln", "java.Kiln.Kiln"}));
}

TEST(Symbols, OfAKindThatIsAskedForAreTheOnlyHits) {
  const auto bundle = BundleOf({{"a.kiln", SymbolKind::kFunction}, {"b.kiln", SymbolKind::kSetting}});
  Engine engine = test::WholeEngine(bundle, {});
  Query query = Keyword("kiln");
  query.kind = SymbolKind::kSetting;
  const Answer answer = SearchAll(&engine, query);
  ASSERT_EQ(answer.hits.size(), 1u);
  ASSERT_TRUE(answer.hits[0].symbol);
  EXPECT_EQ(answer.hits[0].symbol->name, "b.kiln");
}

TEST(Symbols, PassTheFiltersOfTheirPage) {
  std::vector<PageInput> pages = PagesOf({{"a.kiln"}, {"b.kiln"}});
  pages[1].facets.filters = {{"level", "api"}};
  BuildOptions options = test::SampleOptions();
  options.vector_bits = 0;
  const auto bundle = test::Build(std::move(pages), std::move(options), nullptr);
  Engine engine = test::WholeEngine(bundle, {});
  Query query = Keyword("kiln");
  query.selection = "\nlevel\tapi\t\n";
  EXPECT_EQ(NamesOf(SearchAll(&engine, query)), Names{"b.kiln"});
}

TEST(Symbols, OfManyLeavesAreFoundEachAndVerified) {
  std::vector<Named> symbols;
  for (int i = 0; i < 700; ++i)
    symbols.push_back({"clay.Kiln" + std::to_string(i) + ".part" + std::to_string(i * 7 % 700)});
  const auto bundle = BundleOf(symbols);
  Engine engine = test::WholeEngine(bundle, {});
  const auto verified = engine.Verify();
  EXPECT_FALSE(verified.error()) << verified.error()->message;
  for (size_t i = 0; i < symbols.size(); i += 23) {
    const Names found = Find(&engine, symbols[i].name);
    ASSERT_FALSE(found.empty()) << symbols[i].name;
    EXPECT_EQ(found[0], symbols[i].name);
  }
  EXPECT_GT(test::BundleEdit(bundle).Pieces(SectionId::kSymbols).size(), 2u);
}

struct LazySearch {
  Answer answer;
  int rounds = 0;              // behind the open bundle
  uint64_t bytes_symbols = 0;  // of their section
};

// A search of a bundle that is read by range.
LazySearch SearchByRange(const std::vector<uint8_t>& bundle, const std::string& text) {
  Container container(bundle.size());
  EXPECT_TRUE(container.Supply(0, bundle).ok());
  EXPECT_TRUE(container.Open(ContainerKind::kBundle).ok());
  const SectionInfo& section = *container.Find(SectionId::kSymbols);
  Engine engine;
  EXPECT_TRUE(engine.SetSource(kBundleSource, bundle.size()).ok());
  LazySearch search;
  const auto supply = [&](const Needs& needs) {
    for (const Range& range : needs) {
      if (range.offset >= section.offset && range.offset < section.offset + section.stored_size)
        search.bytes_symbols += range.length;
      EXPECT_TRUE(engine.Supply(range.source, range.offset, ByteSpan(bundle).subspan(range.offset, range.length)).ok());
    }
  };
  for (auto opened = engine.Open(); !opened.value(); opened = engine.Open()) {
    if (!opened.needs()) ADD_FAILURE() << opened.error()->message;
    if (!opened.needs()) return search;
    supply(*opened.needs());
  }
  for (; search.rounds < 10; ++search.rounds) {
    auto outcome = engine.Search(Keyword(text));
    EXPECT_FALSE(outcome.error());
    if (outcome.value()) search.answer = std::move(*outcome.value());
    if (!outcome.needs()) return search;
    supply(*outcome.needs());
  }
  ADD_FAILURE() << "the search does not end";
  return search;
}

TEST(Symbols, AreNotReadForAQueryThatNamesNothingAndOneLeafForOneThatDoes) {
  std::vector<Named> symbols;
  for (int i = 0; i < 700; ++i)
    symbols.push_back({"clay.Kiln" + std::to_string(i) + ".part" + std::to_string(i * 7 % 700)});
  const auto bundle = BundleOf(symbols);
  EXPECT_EQ(SearchByRange(bundle, "takes").bytes_symbols, 0u);
  EXPECT_EQ(SearchByRange(bundle, "how long does firing clay take").bytes_symbols, 0u);
  const uint64_t one = SearchByRange(bundle, "Kiln23.part161").bytes_symbols;
  EXPECT_GT(one, 0u);
  EXPECT_LT(one, 4096u);
}

TEST(Symbols, AreReadTogetherWithTheTextsOfWhatTheWordsFound) {
  std::vector<Named> symbols;
  for (int i = 0; i < 700; ++i)
    symbols.push_back({"clay.Kiln" + std::to_string(i) + ".part" + std::to_string(i * 7 % 700)});
  const auto bundle = BundleOf(symbols);
  Engine resident = test::WholeEngine(bundle, {});
  for (const char* query : {"Kiln23.part161", "part161", "Kiln500", "clay.Kiln699.part693", "takes"}) {
    const LazySearch lazy = SearchByRange(bundle, query);
    EXPECT_EQ(lazy.rounds, 2) << query << ": words, then the leaf and texts";
    const Answer whole = SearchAll(&resident, Keyword(query));
    EXPECT_EQ(NamesOf(lazy.answer), NamesOf(whole)) << query;
    ASSERT_EQ(lazy.answer.hits.size(), whole.hits.size()) << query;
    for (size_t i = 0; i < whole.hits.size(); ++i) {
      EXPECT_EQ(lazy.answer.hits[i].passage, whole.hits[i].passage) << query;
      EXPECT_EQ(lazy.answer.hits[i].score, whole.hits[i].score) << query;
    }
  }
}

TEST(Symbols, OutOfOrderOrOfNoPassageAreRefused) {
  const auto bundle = BundleOf({{"alpha"}, {"beta"}});
  for (const auto& edit : std::vector<std::function<void(std::vector<uint8_t>*)>>{
           [](std::vector<uint8_t>* leaf) { (*leaf)[3] = 'z'; },            // zlpha, beta
           [](std::vector<uint8_t>* leaf) { (*leaf)[0] = 200; },            // more symbols than bytes
           [](std::vector<uint8_t>* leaf) { (*leaf)[15] = kSymbolKinds; },  // behind both names
           [](std::vector<uint8_t>* leaf) { (*leaf)[19] = 200; },           // the passage of alpha
           [](std::vector<uint8_t>* leaf) { leaf->push_back(0); }}) {
    test::BundleEdit changed(bundle);
    ASSERT_EQ(changed.Pieces(SectionId::kSymbols)[0][0], 2);
    edit(&changed.Pieces(SectionId::kSymbols)[0]);
    Engine engine = test::WholeEngine(changed.Build(), {});
    const auto verified = engine.Verify();
    ASSERT_TRUE(verified.error());
    EXPECT_EQ(verified.error()->code, ErrorCode::kCorrupt);
  }
}

TEST(Symbols, LeaveABundleWithoutThemAsItWas) {
  BuildOptions options = test::SampleOptions();
  options.vector_bits = 0;
  const auto bundle = test::Build(test::SamplePages(), std::move(options), nullptr);
  Container container(bundle.size());
  ASSERT_TRUE(container.Supply(0, bundle).ok());
  ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
  EXPECT_EQ(container.Find(SectionId::kSymbols), nullptr);
}

}  // namespace symbols_test
}  // namespace sheaf
