// That rows of a database are searched as their bundle is: what a search asks for, in which order, and the same answers.
#include "search/row_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/unit/support.h"

namespace sheaf {
namespace row_search_test {

// A database that holds a bundle's passages: it matches and counts.
class Database {
 public:
  explicit Database(const std::vector<uint8_t>& bundle) : engine_(test::WholeEngine(bundle, {})) {
    const BundleInfo info = *engine_.Open().value();
    library_.pages = info.pages;
    groups_ = std::move(*engine_.GetGroups().value());
    const std::vector<PassageTerms> terms = std::move(*engine_.GetTerms(0, info.passages).value());
    for (uint32_t i = 0; i < info.passages; ++i) {
      const Passage passage = std::move(*engine_.GetPassage(i).value());
      const Page page = std::move(*engine_.GetPage(passage.page).value());
      Row& row = rows_.emplace_back();
      row.page = passage.page;
      row.passage = i;
      row.first_line = passage.first_line;
      row.last_line = passage.last_line;
      row.title = page.title;
      row.url = page.url;
      row.source = page.source;
      row.anchor = passage.anchor;
      row.headings = passage.headings;
      row.text = passage.text;
      row.words = PackWords(terms[i]);
    }
  }

  Engine& engine() { return engine_; }
  RowLibrary& library() { return library_; }
  std::vector<Row>& rows() { return rows_; }

  // The search's answer, supplied with all that it asks for. `asked`: what that was, in order.
  Result<Answer> Ask(const Query& query, std::vector<RowNeeds>* asked = nullptr, std::vector<float> vector = {},
                     bool known_to_encoder = false) {
    RowSearch search(library_, query, known_to_encoder);
    for (int round = 0; round < 10; ++round) {
      auto outcome = search.Search();
      if (!outcome.ok()) return outcome.error();
      if (Answer* answer = std::get_if<Answer>(&*outcome)) return std::move(*answer);
      const RowNeeds& needs = std::get<RowNeeds>(*outcome);
      if (asked) asked->push_back(needs);
      for (const std::string& stem : needs.stems) {
        const auto is_it = [&](const TermGroup& group) { return group.stem == stem; };
        const auto group = std::find_if(groups_.begin(), groups_.end(), is_it);
        const bool is_there = group != groups_.end();
        search.SupplyGroup(stem, is_there ? group->pages : 0, is_there ? group->terms : RowSearch::Terms());
      }
      for (const RowNeeds::Lengths& lengths : needs.lengths) {
        RowSearch::Terms terms;
        for (const TermGroup& group : groups_) {
          for (const auto& term : group.terms) {
            if (term.first.size() >= lengths.shortest && term.first.size() <= lengths.longest) terms.push_back(term);
          }
        }
        search.SupplyLengths(lengths, std::move(terms));
      }
      for (const std::string& word : needs.unknown) search.SupplyKnown(word, known_to_encoder);
      if (!needs.candidates) continue;
      const Status supplied = search.SupplyCandidates(rows_, vector, false);
      if (!supplied.ok()) return supplied.error();
    }
    ADD_FAILURE() << "the search asks again and again";
    return Answer();
  }

 private:
  Engine engine_;
  RowLibrary library_;
  std::vector<Row> rows_;
  std::vector<TermGroup> groups_;
};

Query Keyword(std::string text) {
  Query query = test::Keyword(std::move(text));
  query.prefix = false;  // rows complete no words
  return query;
}

Answer Answered(Result<Answer> answer) {
  if (!answer.ok()) ADD_FAILURE() << answer.error().message;
  return answer.ok() ? std::move(*answer) : Answer();
}

// `within`: of scores.
void ExpectAnswersOfTheBundle(Database* database, const std::vector<const char*>& texts, float within = 1e-6f) {
  for (const char* text : texts) {
    const Answer rows = Answered(database->Ask(Keyword(text)));
    const Answer bundle = test::SearchAll(&database->engine(), Keyword(text));
    ASSERT_EQ(rows.hits.size(), bundle.hits.size()) << text;
    EXPECT_EQ(rows.matching_passages, bundle.matching_passages) << text;
    EXPECT_EQ(rows.weak, bundle.weak) << text;
    ASSERT_EQ(rows.corrections.size(), bundle.corrections.size()) << text;
    for (size_t i = 0; i < rows.hits.size(); ++i) {
      const Hit &hit = rows.hits[i], &expected = bundle.hits[i];
      EXPECT_EQ(hit.passage, expected.passage) << text;
      EXPECT_EQ(hit.page, expected.page) << text;
      EXPECT_NEAR(hit.score, expected.score, within) << text;
      EXPECT_EQ(hit.snippet, expected.snippet) << text;
      EXPECT_EQ(hit.highlights.size(), expected.highlights.size()) << text;
      EXPECT_EQ(hit.url + "#" + hit.anchor, expected.url + "#" + expected.anchor) << text;
    }
  }
}

TEST(RowSearch, AnswersAsTheBundleDoesThatTheRowsAreFrom) {
  Database database(test::SampleBundle());
  ExpectAnswersOfTheBundle(
      &database, {"cached answer", "ttl", "asyncio.gather", "response_model_exclude_unset", "gathering jobs",
                  "std::vector grows", "expiry of answers", "缓存", "use effect", "answrs", "the", "nowhere"});
}

TEST(RowSearch, KeepsTheRulesOfTheOwner) {
  const Analyzer analyzer;
  const auto synonyms = SynonymTerms::Make({{"memo", "cache"}, {"throw away", "purging"}}, analyzer);
  ASSERT_TRUE(synonyms.ok());
  std::vector<PageInput> pages = test::SamplePages();
  pages[2].passages[1].pins = {*PinTerm("fast answers", 1, analyzer)};
  pages[3].passages[0].pins = {*PinTerm("fast answers", 0, analyzer)};
  BuildOptions options = test::SampleOptions();
  options.vector_bits = 0;
  Database database(test::Build(std::move(pages), options, nullptr, &*synonyms));
  // A pinned page counts among those of its word, whatever the query.
  ExpectAnswersOfTheBundle(
      &database, {"memo", "memo answers", "throw away", "throw", "fast answers", "the fast answer", "answers"}, 0.01f);
  const Answer pinned = Answered(database.Ask(Keyword("fast answers")));
  ASSERT_GE(pinned.hits.size(), 3u);
  EXPECT_EQ(pinned.hits[0].source, "reference/effects.md");
  EXPECT_EQ(pinned.hits[1].anchor, "native-code");
  EXPECT_EQ(Answered(database.Ask(Keyword("memo"))).hits.at(0).source, "guide/caching.md");
}

TEST(RowSearch, AsksForGroupsOfWordsFirstAndThenForCandidates) {
  Database database(test::SampleBundle());
  std::vector<RowNeeds> asked;
  Answered(database.Ask(Keyword("cached answers"), &asked));
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_FALSE(asked[0].stems.empty());
  EXPECT_FALSE(asked[0].candidates);
  EXPECT_TRUE(asked[1].candidates);
  EXPECT_TRUE(asked[1].stems.empty());
  EXPECT_EQ(asked[1].text, "cached answers");
  ASSERT_FALSE(asked[1].words.empty());
  for (const RowNeeds::Word& word : asked[1].words) EXPECT_GT(word.weight, 0) << word.stem;
}

TEST(RowSearch, AsksForSpellingsOfAWordThatNoPageHasAndSearchesTheCorrectedText) {
  Database database(test::SampleBundle());
  std::vector<RowNeeds> asked;
  const Answer answer = Answered(database.Ask(Keyword("purgign everything"), &asked));
  ASSERT_EQ(answer.corrections.size(), 1u);
  EXPECT_EQ(answer.corrections[0].word, "purgign");
  EXPECT_EQ(answer.corrections[0].term, "purging");
  const auto wants_lengths = [](const RowNeeds& needs) { return !needs.lengths.empty(); };
  const auto spellings = std::find_if(asked.begin(), asked.end(), wants_lengths);
  ASSERT_NE(spellings, asked.end());
  EXPECT_LE(spellings->lengths[0].shortest, 7u);
  EXPECT_GE(spellings->lengths[0].longest, 7u);
  EXPECT_EQ(asked.back().text, "purging everything");
}

TEST(RowSearch, KeepsAWordThatTheEncoderKnows) {
  Database database(test::SampleBundle());
  database.library().centroid.assign(4, 0);
  Query query = Keyword("purgign everything");
  query.mode = Mode::kHybrid;
  std::vector<RowNeeds> asked;
  const Answer answer = Answered(database.Ask(query, &asked, {}, true));
  EXPECT_TRUE(answer.corrections.empty());
  const auto asks_encoder = [](const RowNeeds& needs) { return needs.unknown == std::vector<std::string>{"purgign"}; };
  EXPECT_TRUE(std::any_of(asked.begin(), asked.end(), asks_encoder));
  EXPECT_EQ(asked.back().text, "purgign everything");
}

TEST(RowSearch, OrdersByTheCosinesOfTheRowsWhereMeaningAloneIsAsked) {
  Database database(test::SampleBundle());
  database.library().centroid.assign(2, 0);
  std::vector<Row>& rows = database.rows();
  for (Row& row : rows) row.cosine = 0.1f;
  rows[3].cosine = 0.9f;
  rows[5].cosine = 0.6f;
  Query query = Keyword("anything");
  query.mode = Mode::kSemantic;
  query.by_passage = true;
  query.top_k = 2;
  const Answer answer = Answered(database.Ask(query, nullptr, {1, 0}));
  EXPECT_TRUE(answer.used_semantic);
  EXPECT_FALSE(answer.used_keyword);
  ASSERT_EQ(answer.hits.size(), 2u);
  EXPECT_EQ(answer.hits[0].passage, 3u);
  EXPECT_EQ(answer.hits[1].passage, 5u);
}

TEST(RowSearch, CountsACandidateOnceHoweverOftenAndInWhateverOrderItComes) {
  Database database(test::SampleBundle());
  const Query query = Keyword("answers");
  const Answer once = Answered(database.Ask(query));
  std::vector<Row>& rows = database.rows();
  std::reverse(rows.begin(), rows.end());
  rows.insert(rows.end(), rows.begin(), rows.begin() + 4);
  const Answer again = Answered(database.Ask(query));
  EXPECT_EQ(again.matching_passages, once.matching_passages);
  ASSERT_EQ(again.hits.size(), once.hits.size());
  for (size_t i = 0; i < once.hits.size(); ++i) {
    EXPECT_EQ(again.hits[i].passage, once.hits[i].passage);
    EXPECT_EQ(again.hits[i].score, once.hits[i].score);
  }
}

TEST(RowSearch, NamesThePassageWhoseWordsAreDamaged) {
  for (const char* words : {" cache", " cache x", " cache 99999", " cache -1", ". cache 1 "}) {
    Database database(test::SampleBundle());
    database.rows()[2].words = words;
    const auto answer = database.Ask(Keyword("cache"));
    ASSERT_FALSE(answer.ok()) << words;
    EXPECT_EQ(answer.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(answer.error().message.find("passage 2 "), std::string::npos) << answer.error().message;
  }
}

TEST(RowSearch, RefusesATooLongQueryAWrongWeightAndTooManyCandidates) {
  Database database(test::SampleBundle());
  EXPECT_EQ(database.Ask(Keyword(std::string(kMaxQueryBytes + 1, 'a'))).error().code, ErrorCode::kTooLarge);
  Query query = Keyword("cache");
  query.semantic_weight = 1.5f;
  EXPECT_EQ(database.Ask(query).error().code, ErrorCode::kInvalidArgument);
  RowSearch search(database.library(), Keyword("cache"), false);
  EXPECT_EQ(search.SupplyCandidates(std::vector<Row>((1 << 16) + 1), {}, false).error().code, ErrorCode::kTooLarge);
}

TEST(RowSearch, PacksWordsWithTheirLevelsAndStemsAsOftenAsTheyCount) {
  PassageTerms passage;
  passage.begins_page = true;
  passage.terms = {{"cach", "cache", 8, 0}, {"cach", "cached", 8, 1}, {"ttl", "ttl", 31, 0}};
  // A number is level and role: 8 roles.
  EXPECT_EQ(PackWords(passage), ". cache 64 cached 65 ttl 248");
  EXPECT_EQ(PackStems(passage), "cach cach ttl ttl ttl ttl ttl ttl ttl ttl");
  passage.begins_page = false;
  passage.terms.resize(1);
  passage.terms[0].level = 0;  // a quarter of a word is one
  EXPECT_EQ(PackWords(passage), " cache 0");
  EXPECT_EQ(PackStems(passage), "cach");
}

}  // namespace row_search_test
}  // namespace sheaf
