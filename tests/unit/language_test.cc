// Languages with rules: what the rules make of words, as Snowball's own Python says (tests/fixtures/languages), and what
// a search finds with them.
#include "text/language.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "packer/pipeline/page_language.h"
#include "search/compounds_builder.h"
#include "text/analyzer.h"
#include "unit/folder_support.h"
#include "unit/support.h"

namespace sheaf {
namespace language_test {

std::string Read(const LanguageRules& rules, std::string_view word) {
  char room[LanguageRules::kRoom];
  std::memcpy(room, word.data(), word.size());
  return std::string(room, rules.Read(room, word.size()));
}

TEST(Language, RulesGiveTheKeysThatSnowballsPythonGives) {
  std::ifstream file("tests/fixtures/languages/words.json");
  const auto table = nlohmann::json::parse(file);
  EXPECT_EQ(table.size(), 27u);
  for (const auto& [tag, words] : table.items()) {
    const LanguageRules rules(LanguageOf(tag));
    EXPECT_EQ(rules.version(), 1) << tag;
    for (const auto& [word, made] : words.items()) EXPECT_EQ(Read(rules, word), made) << tag << ' ' << word;
  }
}

TEST(Language, OneWithoutRulesMakesNothingOfWords) {
  for (const char* tag : {"ja", "zz"}) {
    const LanguageRules rules(LanguageOf(tag));
    EXPECT_EQ(rules.version(), 0);
    EXPECT_EQ(Read(rules, "words"), "");
  }
}

TEST(Language, WhatIsNoWordHasNoKeys) {
  const LanguageRules rules(LanguageOf("de"));
  for (const char* text : {"x", "42", "utf8", "日本", "ไทย", "\xFF\xFE"}) EXPECT_EQ(Read(rules, text), "") << text;
  EXPECT_EQ(Read(rules, "Ebe\u00ADnen"), "eben.*eben*") << "soft hyphen";
  const std::string longest(LanguageRules::kRoom, 'a');
  EXPECT_EQ(Read(rules, longest), "");
}

TEST(Language, DecomposedTextHasTheKeysOfComposedText) {
  const std::pair<const char*, std::pair<const char*, const char*>> words[] = {
      {"fr", {"Cr\u00E9\u00E9es", "Cre\u0301e\u0301es"}},
      {"de", {"\u00C4nderung", "A\u0308nderung"}},
      {"es", {"configuraci\u00F3n", "configuracio\u0301n"}},
      {"ru", {"\u043E\u0431\u0449\u0438\u0439", "\u043E\u0431\u0449\u0438\u0438\u0306"}},
      {"el", {"\u03C0\u03C1\u03BF\u03CA\u03CC\u03BD", "\u03C0\u03C1\u03BF\u03B9\u0308\u03BF\u0301\u03BD"}},
      {"ro", {"fi\u0219iere", "fis\u0326iere"}},
      {"tr", {"\u0130STANBUL", "I\u0307STANBUL"}},
      {"ar", {"\u0623\u0633\u0645\u0627\u0621", "\u0627\u0654\u0633\u0645\u0627\u0621"}},
  };
  for (const auto& [tag, forms] : words) {
    const LanguageRules rules(LanguageOf(tag));
    EXPECT_NE(Read(rules, forms.first), "") << tag;
    EXPECT_EQ(Read(rules, forms.second), Read(rules, forms.first)) << tag;
    // The packer and the query hand over a token's bytes: the marks at its end are among them.
    std::vector<Token> composed, decomposed;
    Analyzer(LanguageOf(tag)).Tokenize(forms.first, &composed);
    Analyzer(LanguageOf(tag)).Tokenize(forms.second, &decomposed);
    ASSERT_EQ(decomposed.size(), 1u) << tag;
    EXPECT_EQ(decomposed[0].term, composed[0].term) << tag;
    EXPECT_EQ(decomposed[0].keys, composed[0].keys) << tag;
  }
  std::vector<Token> tokens;
  Analyzer(LanguageOf("fr")).Tokenize("re\u0301gle\u0301", &tokens);
  std::vector<Token> same;
  Analyzer(LanguageOf("fr")).Tokenize("r\u00E9gl\u00E9", &same);
  EXPECT_EQ(tokens[0].keys, same[0].keys);
}

TEST(Language, MarksThatMakeNoLetterAreNoPartOfAWord) {
  const LanguageRules rules(LanguageOf("ru"));
  EXPECT_NE(Read(rules, "замками"), "");
  EXPECT_EQ(Read(rules, "за\u0301мками"), Read(rules, "замками"));
  EXPECT_EQ(Read(rules, "\u0301\u0301\u0301\u0301\u0301"), "") << "no root of nothing";
}

TEST(Language, TheCatalanPointBetweenTwoLettersIsNoneOfThem) {
  const LanguageRules rules(LanguageOf("ca"));
  EXPECT_NE(Read(rules, "col·leccions"), "");
  EXPECT_EQ(Read(rules, "col·leccions"), Read(rules, "colleccions"));
}

TEST(Language, ARootIsTheFirstFourLettersOfTheStem) {
  EXPECT_EQ(Read(LanguageRules(LanguageOf("de")), "explodierende"), "expl.*explodier*");
  EXPECT_EQ(Read(LanguageRules(LanguageOf("de")), "Explosionen"), "expl.*explosion*");
  EXPECT_EQ(Read(LanguageRules(LanguageOf("de")), "Wege"), "weg*") << "no more letters than that";
  EXPECT_EQ(Read(LanguageRules(LanguageOf("ru")), "рисунок"), "рису.*рисунок*") << "letters, not bytes";
  EXPECT_TRUE(IsRoot("expl.*"));
  EXPECT_FALSE(IsRoot("expl*"));
}

TEST(Language, NamesOfSubtagsAndNumbersAreTheSame) {
  for (const char* tag : {"", "en", "de", "yi"}) EXPECT_EQ(LanguageTag(LanguageOf(tag)), tag);
  EXPECT_EQ(LanguageOf("deu"), Language::kNone);
  EXPECT_EQ(LanguageOf("en"), Language::kEnglish);
}

TEST(Language, KeysThatFoldingMakesTooLongAreNone) {
  const Analyzer analyzer(LanguageOf("de"));
  for (size_t letters = 1; letters < 40; ++letters) {
    std::string word;
    for (size_t i = 0; i < letters; ++i) word += "\u0587";  // folds to two letters
    std::vector<Token> tokens;
    analyzer.Tokenize(word, &tokens);
    for (const Token& token : tokens) {
      for (std::string_view keys = token.keys; !keys.empty();) {
        const size_t end = keys.find('*') + 1;
        ASSERT_GT(end, 0u);
        EXPECT_LE(end, kMaxTermBytes) << letters;
        keys.remove_prefix(end);
      }
    }
  }
}

TEST(Language, KeysAreFoldedAndStandBesideTheTermAsItIsWritten) {
  std::vector<Token> tokens;
  Analyzer(LanguageOf("fr")).Tokenize("l'image créée", &tokens);
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].term, "l");
  EXPECT_TRUE(tokens[0].is_function_word);
  EXPECT_EQ(tokens[1].term, "image");
  EXPECT_EQ(tokens[1].keys, "imag.*imag*");
  EXPECT_EQ(tokens[2].term, "creee");
  EXPECT_EQ(tokens[2].keys, "cre*");
}

TEST(Language, NamesAreKeptAndTheirPartsHaveKeys) {
  std::vector<Token> tokens;
  Analyzer(LanguageOf("de")).Tokenize("GIMP-Bilder", &tokens);
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[0].keys, "");
  EXPECT_EQ(tokens[2].keys, "bild.*bild*");
}

TEST(PageLanguage, ATagIsReadInAnyCaseAndWithItsRegion) {
  using packer::ReadLanguage;
  EXPECT_EQ(ReadLanguage("de-AT")->analysis, LanguageOf("de"));
  EXPECT_EQ(ReadLanguage("de-AT")->tag, "de-AT");
  EXPECT_EQ(ReadLanguage("PT-br")->analysis, LanguageOf("pt"));
  EXPECT_EQ(ReadLanguage("nb")->analysis, LanguageOf("no"));
  EXPECT_EQ(ReadLanguage("en-GB")->tag, "en");
  EXPECT_EQ(ReadLanguage("ja")->analysis, Language::kNone);
  EXPECT_EQ(ReadLanguage("ja")->tag, "ja");
  EXPECT_EQ(ReadLanguage("none")->analysis, Language::kNone);
  for (const char* tag : {"", "d", "de_DE", "de-", "-", "german!", "x y"}) EXPECT_FALSE(ReadLanguage(tag).ok()) << tag;
}

TEST(PageLanguage, APageNamesItInItsRootOrItsFrontMatter) {
  using packer::FileKind;
  using packer::LanguageOfPage;
  EXPECT_EQ(LanguageOfPage("<!doctype html>\n<HTML class=x lang='fr-CA'>", FileKind::kHtml), "fr-CA");
  EXPECT_EQ(LanguageOfPage("<html xml:lang=\"el\">", FileKind::kHtml), "el");
  EXPECT_EQ(LanguageOfPage("<html hreflang=de><p lang=fr>", FileKind::kHtml), "");
  EXPECT_EQ(LanguageOfPage("---\ntitle: A\nlang: tr # Turkish\n---\n", FileKind::kMarkdown), "tr");
  EXPECT_EQ(LanguageOfPage("---\ntitle: A\n---\nlang: tr\n", FileKind::kMarkdown), "");
}

TEST(PageLanguage, FrontMatterNamesALanguageOfPeople) {
  const auto of = [](const std::string& matter) {
    return packer::LanguageOfPage("---\n" + matter + "\n---\n", packer::FileKind::kMarkdown);
  };
  for (const char* program : {"js", "go", "c", "python", "css", "sql", "php", "asp-net", "objective-c"}) {
    EXPECT_EQ(of("language: " + std::string(program)), "") << program;
  }
  for (const char* tag : {"de", "pt-BR", "zh-Hant", "fil-PH", "IW"}) EXPECT_EQ(of("lang: " + std::string(tag)), tag);
  EXPECT_EQ(of("language: js\nlang: de"), "de");
}

class FindLanguage : public test::FolderTest {
 protected:
  void WritePages(int count, const std::string& matter, const std::string& text) {
    for (int i = 0; i < count; ++i) {
      Write("p" + std::to_string(written_++) + ".md", matter.empty() ? text : "---\n" + matter + "\n---\n" + text);
    }
  }
  std::string Found() {
    list_ = *packer::FindSources({folder_}, {});
    return packer::FindLanguage(&list_).tag;
  }
  std::string Note() const { return list_.notes.empty() ? "" : list_.notes.back().reason; }

  packer::SourceList list_;
  int written_ = 0;
};

const char* const kEnglish =
    "The widget that is shown first is the one with this number. If there is no such widget, then nothing is shown, "
    "and "
    "you may ask for the list of all of them to see what there is.\n";

TEST_F(FindLanguage, CountsPagesOfALanguageWhateverTheirCountry) {
  WritePages(3, "lang: de", "Text");
  WritePages(4, "lang: de-AT", "Text");
  WritePages(6, "lang: en", "Text");
  EXPECT_EQ(Found(), "de-AT") << "its commonest tag";
}

TEST_F(FindLanguage, AsksForOnePageInTenToNameIt) {
  WritePages(37, "", kEnglish);
  WritePages(3, "lang: de", kEnglish);
  EXPECT_EQ(Found(), "en");
  WritePages(2, "lang: de", kEnglish);
  EXPECT_EQ(Found(), "de");
}

TEST_F(FindLanguage, SaysThatPagesNameOneWhereItRecognisesAnother) {
  std::string japanese;
  for (int i = 0; i < 6; ++i) japanese += "レイヤーの不透明度を変更します。";
  WritePages(19, "", japanese);
  WritePages(1, "lang: fr", japanese);
  EXPECT_EQ(Found(), "ja");
  EXPECT_TRUE(Note().starts_with("the pages name none for sure, and 20 of 20 ")) << Note();
}

TEST_F(FindLanguage, DoesNotBelieveACodeOfAProgrammingLanguageAgainstTheText) {
  WritePages(20, "language: cs", kEnglish);
  EXPECT_EQ(Found(), "en");
  written_ = 0;
  WritePages(20, "language: cs", "Vrstva, kterou vyberete v seznamu, bude zobrazena na obrazovce.");
  EXPECT_EQ(Found(), "cs") << "text that cannot be told";
}

TEST_F(FindLanguage, BelievesEveryCodeInTheRootOfAPageAgainstTheText) {
  // As of a manual that is translated in part.
  std::istringstream codes(
      "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el "
      "eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu iw "
      "ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na "
      "nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn "
      "so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "
      "pt-BR zh-Hant-TW pl-PL SV");
  for (std::string code; codes >> code;) {
    for (int i = 0; i < 20; ++i) {
      Write("p" + std::to_string(i) + ".html",
            "<html lang=\"" + code + "\"><body><p>" + kEnglish + "</p></body></html>");
    }
    EXPECT_EQ(Found(), code);
    EXPECT_EQ(Note(), "") << code;
  }
}

TEST_F(FindLanguage, BelievesFewPagesInMarkupNoMoreThanTheManyThatMayNameAProgram) {
  WritePages(19, "language: cs", kEnglish);
  Write("a.html", std::string("<html lang=cs><body><p>") + kEnglish + "</p></body></html>");
  EXPECT_EQ(Found(), "en");
}

TEST_F(FindLanguage, ReadsOnWhereAPageBeginsWithData) {
  const std::string japanese =
      "レイヤーの不透明度を変更します。レイヤーの不透明度を変更します。レイヤーの不透明度を変更します。";
  const std::string data(300'000, 'x');
  const std::string cells = "{\"cell_type\": \"code\", \"source\": [], \"outputs\": [{\"data\": \"" + data +
                            "\"}]}, {\"cell_type\": \"markdown\", \"source\": \"" + japanese + "\"}";
  Write("a.ipynb", "{\"cells\": [" + cells + "], \"metadata\": {}, \"nbformat\": 4}");
  EXPECT_EQ(Found(), "ja");
  std::filesystem::remove(At("a.ipynb"));
  Write("b.html", "<html><head><style>" + data + "</style></head><body><p>" + japanese + "</p></body></html>");
  EXPECT_EQ(Found(), "ja");
}

Engine GermanEngine(Language language = LanguageOf("de")) {
  using test::MakePageInput;
  BuildOptions options = test::SampleOptions();
  options.language = language;
  test::LoadedEncoder encoder(test::TableBytes());
  return test::WholeEngine(
      test::Build({MakePageInput("Explosion", "explosion.html", {{{}, "", "Die Linien streben auseinander.", ""}}),
                   MakePageInput("Ebenenmaske", "maske.html", {{{}, "", "Sie verdeckt einen Teil der Ebene.", ""}}),
                   MakePageInput("Ebenholz", "ebenholz.html", {{{}, "", "Eine Fl\u00E4che ohne H\u00F6hen.", ""}}),
                   MakePageInput("Drucken", "drucken.html", {{{}, "", "Papier einlegen, cache leeren, drucken.", ""}})},
                  options, &*encoder.encoder));
}

// What the terms of a search for `part` get by the compounds.
TEST(Compounds, AWordIsFoundByTheWordsThatItIsMadeOf) {
  const Analyzer german(LanguageOf("de"));
  Compounds compounds(german);
  const std::vector<Posting> twice = {{1, 8}, {2, 8}}, once = {{7, 8}};
  compounds.Add("eben*", twice);
  compounds.Add("ebene", twice);
  compounds.Add("ebenenmask*", once);
  compounds.Add("ebenenmaske", once);
  compounds.Add("mask*", twice);
  compounds.Add("maske", twice);
  std::vector<std::string> found;
  compounds.Finish([&](std::string_view, std::string_view term, const std::vector<Posting>& postings) {
    if (postings.back().passage == 7) found.emplace_back(term);
  });
  EXPECT_EQ(found, (std::vector<std::string>{"eben*", "ebenenmask*", "ebenenmaske", "mask*"}));
}

TEST(Compounds, InHebrewAWordIsFoundWithALetterBeforeIt) {
  const Analyzer none(Language::kNone);
  Compounds compounds(none);
  const std::vector<Posting> bare = {{0, 10, NameRole::kThreeWords}}, with = {{1, 10, NameRole::kFourWords}},
                             and_with = {{2, 10, NameRole::kManyWords}};
  // "file", "the file", "and the file"; "sea" has two letters, and the rest of "ruler" is no word.
  std::map<std::string, std::vector<Posting>> terms = {{"קובץ", bare}, {"הקובץ", with}, {"והקובץ", and_with},
                                                       {"ים", bare},   {"הים", with},   {"סרגל", bare}};
  for (const auto& [term, postings] : terms) compounds.Add(term, postings);
  std::map<std::string, std::vector<uint32_t>> found;
  compounds.Finish([&](std::string_view stem, std::string_view term, const std::vector<Posting>& postings) {
    EXPECT_EQ(stem, term);
    for (const Posting& posting : postings) found[std::string(term)].push_back(posting.passage);
  });
  EXPECT_EQ(found["קובץ"], (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(found["הקובץ"], (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(found["והקובץ"], (std::vector<uint32_t>{2}));
  EXPECT_EQ(found["ים"], (std::vector<uint32_t>{0}));
}

TEST(Compounds, ExistInSomeLanguagesAlone) {
  EXPECT_TRUE(JoinsWords(LanguageOf("sv")));
  EXPECT_FALSE(JoinsWords(LanguageOf("fr")));
  EXPECT_FALSE(JoinsWords(Language::kEnglish));
}

TEST(Compounds, OnesThatNoTextHasAreSearchedByTheTwoWordsTheyAreMadeOf) {
  Engine engine = GermanEngine();
  // The texts have "Linien" and "Flaeche" apart.
  const Answer answer = test::SearchAll(&engine, test::Keyword("neue Linienfl\u00E4che"));
  EXPECT_EQ(answer.hits.size(), 2u);
  ASSERT_EQ(answer.corrections.size(), 1u);
  EXPECT_EQ(answer.corrections[0].word, "linienflache");
  EXPECT_EQ(answer.corrections[0].term, "Linien fl\u00E4che");
  EXPECT_TRUE(test::SearchAll(&engine, test::Keyword("Ebenenmasken")).corrections.empty());
  // One word of two is not enough, nor three letters.
  EXPECT_TRUE(test::SearchAll(&engine, test::Keyword("Linienquark")).corrections.empty());
  EXPECT_TRUE(test::SearchAll(&engine, test::Keyword("Linienden")).corrections.empty());
}

TEST(Compounds, ThatTheDocumentationWritesApartAreNotCorrectedWhereTypedApart) {
  Engine engine = GermanEngine();
  // "Eben" and "holz" stand nowhere alone; together they do.
  const Answer answer = test::SearchAll(&engine, test::Keyword("eben holz"));
  EXPECT_TRUE(answer.corrections.empty());
  EXPECT_EQ(test::FirstSource(answer), "ebenholz.html");
}

TEST(Compounds, OfTheQueryItselfAreKnownToo) {
  Engine engine = GermanEngine();
  EXPECT_TRUE(test::SearchAll(&engine, test::Keyword("eben holz Ebenholz")).corrections.empty());
}

TEST(Compounds, KeepAccentsWithTheirLettersAndHaveAnEnd) {
  test::LoadedEncoder encoder(test::TableBytes());
  Engine engine = test::WholeEngine(
      test::Build({test::MakePageInput("Pages", "pages.html",
                                       {{{}, "", "The caf\u00E9 has a terrace, and the terrace has no door.", ""}})},
                  test::SampleOptions(), &*encoder.encoder));
  const Answer accent = test::SearchAll(&engine, test::Keyword("cafe\u0301terrace"));
  ASSERT_EQ(accent.corrections.size(), 1u);
  EXPECT_EQ(accent.corrections[0].term, "cafe\u0301 terrace");
  // What is typed within a word and dropped has no end.
  std::string marks = "cafe";
  for (int i = 0; i < 100; ++i) marks += "\u0301";
  EXPECT_TRUE(test::SearchAll(&engine, test::Keyword(marks + "terrace")).corrections.empty());
}

TEST(Compounds, AreExplainedAsTheWordThatWasTyped) {
  Engine engine = GermanEngine();
  Query query = test::Keyword("Linienfl\u00E4che");
  query.explain = true;
  const Answer answer = test::SearchAll(&engine, query);
  ASSERT_EQ(answer.hits.size(), 2u);
  for (const Hit& hit : answer.hits) {
    ASSERT_FALSE(hit.explanation->terms.empty());
    for (const TermMatch& match : hit.explanation->terms) EXPECT_EQ(match.word, "linienflache") << match.term;
  }
}

TEST(Compounds, InEnglishLikewiseALostSpaceIsFoundOnceNoSpellingIs) {
  test::LoadedEncoder encoder(test::TableBytes());
  Engine engine = test::WholeEngine(
      test::Build({test::MakePageInput("Pages", "pages.html",
                                       {{{}, "", "A function takes each argument. Functions and arguments.", ""}}),
                   test::MakePageInput("Argument", "argument.html",
                                       {{{}, "", "The functionally pure argument of a function.", ""}})},
                  test::SampleOptions(), &*encoder.encoder));
  const Answer lost = test::SearchAll(&engine, test::Keyword("functionargument"));
  ASSERT_EQ(lost.corrections.size(), 1u);
  EXPECT_EQ(lost.corrections[0].term, "function argument");
  EXPECT_EQ(lost.hits.size(), 2u);
  Query exact = test::Keyword("functionargument");
  exact.typo = false;
  EXPECT_TRUE(test::SearchAll(&engine, exact).corrections.empty());
  const Answer slip = test::SearchAll(&engine, test::Keyword("functionaly"));
  ASSERT_EQ(slip.corrections.size(), 1u);
  EXPECT_EQ(slip.corrections[0].term, "functionally");
}

// ---- what a search does with roots, and with an English table ----

TEST(Roots, FindWhatBeginsAlikeWhereNoFormOfTheWordIs) {
  Engine engine = GermanEngine();
  const Answer answer = test::SearchAll(&engine, test::Keyword("explodierende"));
  EXPECT_EQ(test::FirstSource(answer), "explosion.html");
  EXPECT_TRUE(answer.corrections.empty());
}

TEST(Roots, StandFarBehindTheFormsOfTheWord) {
  Engine engine = GermanEngine();
  const Answer answer = test::SearchAll(&engine, test::Keyword("Ebenen"));
  ASSERT_EQ(answer.hits.size(), 2u);
  EXPECT_EQ(answer.hits[0].source, "maske.html") << "though the other has its root in the title";
  EXPECT_LT(answer.hits[1].score, answer.hits[0].score / 2);
}

TEST(Roots, LeaveOneEditToACorrection) {
  Engine engine = GermanEngine();
  Query query = test::Keyword("Ebenenmakse");
  const Answer slip = test::SearchAll(&engine, query);
  ASSERT_EQ(slip.corrections.size(), 1u);
  EXPECT_EQ(slip.corrections[0].term, "ebenenmaske");
  query.text = "Ebenenmasti";  // two edits: may be another word that begins alike
  const Answer other = test::SearchAll(&engine, query);
  EXPECT_TRUE(other.corrections.empty());
  EXPECT_FALSE(other.hits.empty());
}

TEST(Roots, AloneAreNoWordThatIsFound) {
  Engine engine = GermanEngine();
  Query query = test::Keyword("druckwerkstattgesellen");
  query.mode = Mode::kHybrid;
  EXPECT_TRUE(test::SearchAll(&engine, query).weak);
  query.text = "drucken";
  EXPECT_FALSE(test::SearchAll(&engine, query).weak);
}

TEST(Meaning, HasASmallerShareWhereTheTableIsOfAnotherLanguage) {
  for (const Language language : {LanguageOf("de"), Language::kNone, Language::kEnglish}) {
    Engine engine = GermanEngine(language);
    Query query = test::Keyword("cache");
    query.mode = Mode::kHybrid;
    query.explain = true;
    const Answer by_table = test::SearchAll(&engine, query);
    ASSERT_FALSE(by_table.hits.empty());
    query.vector.assign(16, 0.1f);
    const Answer by_vector = test::SearchAll(&engine, query);
    ASSERT_FALSE(by_vector.hits.empty());
    const float table = by_table.hits[0].explanation->semantic_weight;
    const float vector = by_vector.hits[0].explanation->semantic_weight;
    if (language == Language::kEnglish) {
      EXPECT_EQ(table, vector);
    } else {
      EXPECT_LT(table, vector) << LanguageTag(language);
    }
  }
}

}  // namespace language_test
}  // namespace sheaf
