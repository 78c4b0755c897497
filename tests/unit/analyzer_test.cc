#include "text/analyzer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/processor_time.h"
#include "text/utf8.h"

namespace sheaf {
namespace analyzer_test {

std::vector<Token> Tokens(std::string_view text) {
  static const Analyzer analyzer;
  std::vector<Token> tokens;
  analyzer.Tokenize(text, &tokens);
  return tokens;
}

// "use" word, "=use" whole, "+use" part; tokens of one position joined by a space, positions by
// " | ".
std::string Show(std::string_view text) {
  std::string out;
  uint32_t position = 0;
  for (const Token& token : Tokens(text)) {
    if (!out.empty()) out += token.position == position ? " " : " | ";
    position = token.position;
    if (token.kind == TokenKind::kWhole) out += '=';
    if (token.kind == TokenKind::kPart) out += '+';
    out += token.term;
  }
  return out;
}

TEST(Analyzer, GivesWordsInLowerCase) {
  EXPECT_EQ(Show(""), "");
  EXPECT_EQ(Show("hello"), "hello");
  EXPECT_EQ(Show("Hello, brave\nNEW (World)."), "hello | brave | new | world");
  EXPECT_EQ(Show("utf8, py3"), "utf8 | py3");
}

TEST(Analyzer, SplitsCamelCaseAndKeepsTheWhole) {
  EXPECT_EQ(Show("useEffect"), "=useeffect +use +effect");
  EXPECT_EQ(Show("XMLHttpRequest"), "=xmlhttprequest +xml +http +request");
  EXPECT_EQ(Show("Int32Array"), "=int32array +int32 +array");
  EXPECT_EQ(Show("OAuth2Token"), "=oauth2token +o +auth2 +token");
  EXPECT_EQ(Show("3DModel 3Dmodel"), "=3dmodel +3d +model | =3dmodel +3 +dmodel");
  EXPECT_EQ(Show("PostgreSQL"), "=postgresql +postgre +sql");
  EXPECT_EQ(Show("ΑλφαΒητα"), "=αλφαβητα +αλφα +βητα");
}

TEST(Analyzer, KeepsPluralsAndVersionsOfAcronymsTogether) {
  EXPECT_EQ(Show("URLs APIs, IPv4 GHz"), "urls | apis | ipv4 | ghz");
  EXPECT_EQ(Show("getURLs()"), "=geturls +get +urls");
  EXPECT_EQ(Show("TLSv1.2"), "=tlsv1.2 +tlsv1 +2");
}

TEST(Analyzer, SplitsSnakeCase) {
  EXPECT_EQ(Show("response_model"), "=response_model +response +model");
  EXPECT_EQ(Show("response_model_exclude_unset"), "=response_model_exclude_unset +response +model +exclude +unset");
  EXPECT_EQ(Show("MAX_VALUE"), "=max_value +max +value");
  EXPECT_EQ(Show("__init__"), "=__init__ +init");
  EXPECT_EQ(Show("_private"), "=_private +private");
  EXPECT_EQ(Show("snake_case_"), "=snake_case_ =snake_case +snake +case");
  EXPECT_EQ(Show("_ ___ _._"), "");
}

TEST(Analyzer, SplitsDottedNamesAndKeepsTheirSuffixes) {
  EXPECT_EQ(Show("asyncio.gather"), "=asyncio.gather +asyncio +gather");
  EXPECT_EQ(Show("a.b.c"), "=a.b.c +a =b.c +b +c");
  EXPECT_EQ(Show("aa.bb.cc.dd.ee.ff"), "=aa.bb.cc.dd.ee.ff +aa +bb =cc.dd.ee.ff +cc =dd.ee.ff +dd =ee.ff +ee +ff");
  EXPECT_EQ(Show("torch.nn.cross_entropy"),
            "=torch.nn.cross_entropy +torch =nn.cross_entropy +nn =cross_entropy +cross +entropy");
  EXPECT_EQ(Show("React.useEffect"), "=react.useeffect +react =useeffect +use +effect");
  EXPECT_EQ(Show("foo.__init__"), "=foo.__init__ +foo =__init__ +init");
}

TEST(Analyzer, SplitsScopedNames) {
  EXPECT_EQ(Show("std::vector<T>"), "=std::vector +std +vector | t");
  EXPECT_EQ(Show("std::unique_ptr::get"), "=std::unique_ptr::get +std =unique_ptr::get =unique_ptr +unique +ptr +get");
  EXPECT_EQ(Show("node:fs"), "=node:fs +node +fs");
  EXPECT_EQ(Show("@vue/reactivity"), "=@vue/reactivity +vue +reactivity");
  EXPECT_EQ(Show("@vue/compiler-sfc/dist"), "=@vue/compiler-sfc +vue =compiler-sfc +compiler +sfc | dist");
}

TEST(Analyzer, KnowsFlags) {
  EXPECT_EQ(Show("--save-dev"), "=--save-dev =save-dev +save +dev");
  EXPECT_EQ(Show("--verbose"), "=--verbose +verbose");
  EXPECT_EQ(Show("--port=8080"), "=--port +port | 8080");
  EXPECT_EQ(Show("-Wall"), "=-wall +wall");
  EXPECT_EQ(Show("---x"), "x") << "three dashes are no flag";
  EXPECT_EQ(Show("- item"), "item");
  EXPECT_EQ(Show("-5"), "5");
}

TEST(Analyzer, KnowsHyphenatedNames) {
  EXPECT_EQ(Show("v-model"), "=v-model +v +model");
  EXPECT_EQ(Show("well-known"), "=well-known +well +known");
  EXPECT_EQ(Show("well\u2010known"), "=well-known +well +known");
  EXPECT_EQ(Show("x86_64-linux-gnu"), "=x86_64-linux-gnu =x86_64 +x86 +64 +linux +gnu");
  EXPECT_EQ(Show("pre- and post-"), "pre | and | post");
}

TEST(Analyzer, KeepsDashesOfProseApart) {
  EXPECT_EQ(Show("state—of"), "state | of");
  EXPECT_EQ(Show("state–of"), "state | of");
  EXPECT_EQ(Show("foo--bar"), "foo | bar");
}

TEST(Analyzer, KnowsLanguagesNamedBySigns) {
  EXPECT_EQ(Show("C++"), "=c++ +c");
  EXPECT_EQ(Show("C# F#"), "=c# +c | =f# +f");
  EXPECT_EQ(Show("C++17"), "=c++17 =c++ +c +17");
  EXPECT_EQ(Show("C++'s"), "=c++ +c");
  EXPECT_EQ(Show("libstdc++"), "=libstdc++ +libstdc");
  EXPECT_EQ(Show("Objective-C++"), "=objective-c++ =objective-c +objective +c");
  EXPECT_EQ(Show("a+b a++b a+++"), "a | b | a | b | a");
  EXPECT_EQ(Show("page#anchor a#b"), "page | anchor | a | b");
}

TEST(Analyzer, KnowsTags) {
  EXPECT_EQ(Show("<table> </table>"), "=<table> +table | =<table> +table");
  EXPECT_EQ(Show("<div class=\"x\">"), "=<div> +div | class | x");
  EXPECT_EQ(Show("<br/>"), "=<br> +br");
  EXPECT_EQ(Show("<KeepAlive />"), "=<keepalive> =keepalive +keep +alive");
  EXPECT_EQ(Show("<router-link>"), "=<router-link> =router-link +router +link");
  EXPECT_EQ(Show("<table"), "=<table> +table") << "as typed so far";
  EXPECT_EQ(Show("Vec<T> Option<Box<T>>"), "vec | t | option | box | t");
  EXPECT_EQ(Show("collect::<Vec>()"), "collect | vec");
  EXPECT_EQ(Show("a < b"), "a | b");
  EXPECT_EQ(Show("<user@x.org>"), "user | =x.org +x +org");
}

TEST(Analyzer, KnowsSigils) {
  EXPECT_EQ(Show("@click"), "=@click +click");
  EXPECT_EQ(Show("$emit"), "=$emit +emit");
  EXPECT_EQ(Show("$$props"), "=$$props +props");
  EXPECT_EQ(Show("#id"), "=#id +id");
  EXPECT_EQ(Show("(.env)"), "=.env +env");
  EXPECT_EQ(Show("::before"), "=::before +before");
  EXPECT_EQ(Show("@app.route"), "=@app.route =app.route +app +route");
  EXPECT_EQ(Show("#123 $1"), "123 | 1");
  EXPECT_EQ(Show("#[derive(Debug)]"), "derive | debug");
  EXPECT_EQ(Show("&str *ptr"), "str | ptr");
  EXPECT_EQ(Show("foo.then"), "=foo.then +foo +then");
  EXPECT_EQ(Show("f().then"), "f | then") << "a call in a chain is no file name";
}

TEST(Analyzer, KnowsOperatorsWithSigilsInThem) {
  EXPECT_EQ(Show("@> <@ @@ #> #>> @? <#> ->>"), "=@> | =<@ | =@@ | =#> | =#>> | =@? | =<#> | =->>");
  EXPECT_EQ(Show("a @> b, @>=c"), "a | =@> | b | c");
  EXPECT_EQ(Show("## ### #### @@@@ #!/bin @ #"), "bin") << "headings, drawn lines, the first line of a script";
  EXPECT_EQ(Show("me@home.example"), Show("me @ home.example"));
}

TEST(Analyzer, KnowsOperatorsThatStandAlone) {
  EXPECT_EQ(Show("!! ?. => ... == ==="), "=!! | =?. | ==> | =... | === | ====");
  EXPECT_EQ(Show("a => b, (&&) `::`"), "a | ==> | b | =&& | =::");
  EXPECT_EQ(Show("a=>b !x a&&b"), "a | b | x | a | b") << "beside words they are punctuation";
  EXPECT_EQ(Show("--- *** ==== ----- !!!"), "") << "drawn lines and shouting";
  EXPECT_EQ(Show("| a | b |"), "a | b");
  EXPECT_EQ(Show("../ /.. cd .."), "cd | =..") << "part of a path";
}

TEST(Analyzer, ReadsNumbersAndVersions) {
  EXPECT_EQ(Show("3.12"), "=3.12 +3 +12");
  EXPECT_EQ(Show("3.12.1"), "=3.12.1 +3 +12 +1");
  EXPECT_EQ(Show("v1.0"), "=v1.0 +v1 +0");
  EXPECT_EQ(Show("$0.5"), "=0.5 +0 +5");
  EXPECT_EQ(Show("0xFF 0xDeadBeef"), "0xff | 0xdeadbeef");
  EXPECT_EQ(Show("2024-01-15"), "=2024-01-15 +2024 +01 +15");
}

TEST(Analyzer, ReadsCode) {
  EXPECT_EQ(Show("foo()"), "foo");
  EXPECT_EQ(Show("foo->bar"), "foo | bar");
  EXPECT_EQ(Show("obj?.prop"), "obj | prop");
  EXPECT_EQ(Show("...args"), "args");
  EXPECT_EQ(Show("vite.config.ts"), "=vite.config.ts +vite =config.ts +config +ts");
  EXPECT_EQ(Show("b'data'"), "b | data");
}

TEST(Analyzer, ReadsProse) {
  EXPECT_EQ(Show("and/or"), "and | or");
  EXPECT_EQ(Show("The end. Next"), "the | end | next");
  EXPECT_EQ(Show("e.g. this"), "=e.g +e +g | this");
  EXPECT_EQ(Show("U.S. law"), "=u.s +u +s | law");
  EXPECT_EQ(Show("“quoted” ‘words’ «here»"), "quoted | words | here");
  EXPECT_EQ(Show("use effect"), "use | effect");
}

TEST(Analyzer, DropsPossessivesAndContractions) {
  EXPECT_EQ(Show("don't DON'T don’t"), "dont | dont | dont");
  EXPECT_EQ(Show("user's users' user’s"), "user | users | user");
  EXPECT_EQ(Show("we'll you're I've he'd I'm it's"), "we | you | i | he | i | it");
  EXPECT_EQ(Show("O'Reilly l'homme"), "o | reilly | l | homme");
  EXPECT_EQ(Show("JavaScript's"), "=javascript +java +script");
}

TEST(Analyzer, SplitsUrlsToWordsAndKeepsTheHost) {
  EXPECT_EQ(Show("https://docs.python.org/3/library/asyncio-task.html#asyncio.gather x-y"),
            "=docs.python.org +docs =python.org +python +org | 3 | library | asyncio | task | html | "
            "asyncio | gather | =x-y +x +y");
  EXPECT_EQ(Show("<http://localhost:8080/a%20b?q=1>"), "=localhost:8080 +localhost +8080 | a | b | q | 1");
  EXPECT_EQ(Show("postgres://db"), "postgres | db");
}

TEST(Analyzer, FoldsLettersOfOtherLanguages) {
  EXPECT_EQ(Show("Café Łódź straße ﬁne ＡＢＣ"), "cafe | lodz | strasse | fine | abc");
  EXPECT_EQ(Show("cafe\u0301 co\u00ADop"), "cafe | coop");
  EXPECT_EQ(Show("Привет ΟΔΥΣΣΕΥΣ"), "привет | οδυσσευσ");
  EXPECT_EQ(Show("हिन्दी"), "हिन्दी");
}

TEST(Analyzer, CutsDenseScriptsIntoPairs) {
  EXPECT_EQ(Show("日本語"), "日本 | 本語");
  EXPECT_EQ(Show("本"), "本");
  EXPECT_EQ(Show("Vue组件，第3章"), "vue | 组件 | 第 | 3 | 章");
  EXPECT_EQ(Show("한국어"), "한국 | 국어");
  EXPECT_EQ(Show("データ"), "デー | ータ");
  EXPECT_EQ(Show("ｶﾞｲﾄﾞ"), "ガイ | イド");
  EXPECT_EQ(Show("か\u3099き"), "がき");
  EXPECT_EQ(Show("ไทย"), "ไท | ทย");
}

TEST(Analyzer, SkipsEmoji) { EXPECT_EQ(Show("😀 hi 👩‍💻there 🇪🇺"), "hi | there"); }

TEST(Analyzer, TakesInvalidBytesForSeparators) {
  EXPECT_EQ(Show("ab\xFF"
                 "cd\xC3"),
            "ab | cd");
  EXPECT_EQ(Show(std::string_view("a\0b", 3)), "a | b");
}

TEST(Analyzer, TellsWhereTokensLie) {
  const std::string text = "“Äpfel” use foo.bar's 日本語";
  std::vector<std::string> slices;
  for (const Token& t : Tokens(text)) slices.push_back(text.substr(t.begin, t.end - t.begin));
  EXPECT_EQ(slices, (std::vector<std::string>{"Äpfel", "use", "foo.bar's", "foo", "bar", "日本", "本語"}));
}

TEST(Analyzer, DropsTermsThatAreTooLongButKeepsTheirParts) {
  const std::string word(kMaxTermBytes, 'a');
  EXPECT_EQ(Show(word), word);
  EXPECT_EQ(Show(word + "a b"), "b");
  EXPECT_EQ(Tokens(word + "a b")[0].position, 1u);
  EXPECT_EQ(Show(word + "_b"), "+" + word + " +b");
  EXPECT_EQ(Show("x." + std::string(100000, 'y') + ".z.w"), "+x =z.w +z +w");
}

TEST(Analyzer, TakesAnEndlessRunOfLettersForData) {
  std::string base64;
  while (base64.size() <= kMaxTermBytes) base64 += "eNp9kE1Pwz";
  EXPECT_EQ(Show(base64 + " next"), "next");
  EXPECT_EQ(Show("see https://play.vuejs.org/#" + base64), "see | =play.vuejs.org +play =vuejs.org +vuejs +org");
  EXPECT_EQ(Show("sha." + base64 + ".end"), "+sha +end");
}

TEST(Analyzer, EndsANameAtItsLastPart) {
  EXPECT_EQ(Show("a-b-c-d-e-f-g-h-i-j-k-l-m-n"),
            "=a-b-c-d-e-f-g-h-i-j-k-l +a +b +c +d +e +f +g +h +i +j +k +l | =m-n +m +n");
  size_t parts = 0;
  for (const Token& t : Tokens("aBcDeFgHiJkLmNoPqRsTuVwXyZ")) parts += t.kind == TokenKind::kPart;
  EXPECT_EQ(parts, kMaxParts);
}

TEST(Analyzer, AppendsAndStartsPositionsAnew) {
  Analyzer analyzer;
  std::vector<Token> tokens;
  analyzer.Tokenize("one two", &tokens);
  analyzer.Tokenize("three", &tokens);
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[2].term, "three");
  EXPECT_EQ(tokens[2].position, 0u);
}

// ---- properties ----------------------------------------------------------------------------

std::string RandomText(std::mt19937& random, size_t pieces) {
  static const std::vector<std::string> kPieces = {
      "a",  "b",  "X",      "YZ",     "use",    "Effect", "HTTP",     "s",        "v",      "z",      "t",
      "n",  "7",  "12",     "0x",     "F",      "_",      "__",       "-",        "--",     "---",    ".",
      "..", ":",  "::",     "/",      "//",     "://",    "http",     "@",        "$",      "#",      "<",
      "</", ">",  "/>",     "+",      "++",     "'",      "’",        "'s",       "'t",     "n't",    "!",
      "?",  "=",  "&",      "|",      "*",      "%",      "%20",      " ",        "\n",     "\t",     "(",
      ")",  "[",  "]",      "{",      "}",      "\"",     "`",        ",",        ";",      "\\",     "é",
      "Ä",  "ß",  "ﬁ",      "Ж",      "ж",      "א",      "日",       "本",       "か",     "\u3099", "ﾞ",
      "ｶ",  "한", "\u1100", "\u1161", "\u11A8", "ไ",      "\u0301",   "\u00AD",   "\u200B", "\uFEFF", "😀",
      "—",  "“",  "\u2011", "\u00A0", "\xFF",   "\xC3",   "\xE3\x81", "\xF0\x9F", "Ⅷ",      "²",      "ǅ",
      "ि",  "क"};
  std::string text;
  for (size_t i = 0; i < pieces; ++i) {
    const uint32_t r = random();
    if (r % 16 == 0)
      text += char(r >> 8);
    else if (r % 16 == 1)
      AppendUtf8((r >> 8) % 0xD800, &text);
    else
      text += kPieces[(r >> 4) % kPieces.size()];
  }
  return text;
}

TEST(Analyzer, ThePointOfCatalanIsNoBorderOfAWord) {
  for (const char* text : {"col·lecció", "colŀlecció", "collecció", "COL·LECCIÓ"}) {
    const std::vector<Token> tokens = Tokens(text);
    ASSERT_FALSE(tokens.empty());
    EXPECT_EQ(tokens[0].end, std::strlen(text)) << text;
  }
  EXPECT_EQ(Tokens("col·lecció")[0].term, "colleccio");
  EXPECT_EQ(Tokens("Col·legi")[0].term, "collegi");
  EXPECT_EQ(Tokens("x·y l·y x·l l· ·l").size(), 8u) << "elsewhere it is one";
}

TEST(AnalyzerProperty, TokensOfAnyBytesAreSound) {
  std::mt19937 random(42);
  for (int round = 0; round < 30000; ++round) {
    const std::string text = RandomText(random, 1 + random() % 40);
    const std::vector<Token> tokens = Tokens(text);
    uint32_t begin = 0, position = 0, parts = 0, at_position = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const Token& t = tokens[i];
      ASSERT_FALSE(t.term.empty());
      ASSERT_LE(t.term.size(), kMaxTermBytes);
      ASSERT_TRUE(IsUtf8(t.term)) << text;
      ASSERT_LT(t.begin, t.end);
      ASSERT_LE(t.end, text.size());
      ASSERT_GE(t.begin, begin) << text;
      ASSERT_GE(t.position, position) << text;
      if (i > 0 && t.begin == tokens[i - 1].begin) {
        ASSERT_LE(t.end, tokens[i - 1].end) << text;
      }
      if (t.position != at_position) parts = 0;
      at_position = t.position;
      parts += t.kind == TokenKind::kPart;
      ASSERT_LE(parts, kMaxParts);
      begin = t.begin;
      position = t.position;
    }
    const std::vector<Token> again = Tokens(text);
    ASSERT_EQ(again.size(), tokens.size());
    for (size_t i = 0; i < tokens.size(); ++i) {
      ASSERT_EQ(again[i].term, tokens[i].term);
      ASSERT_EQ(again[i].begin, tokens[i].begin);
    }
  }
}

TEST(AnalyzerProperty, ATermIsItsOwnTerm) {
  std::mt19937 random(43);
  for (int round = 0; round < 30000; ++round) {
    const std::string text = RandomText(random, 1 + random() % 20);
    for (const Token& t : Tokens(text)) {
      const std::vector<Token> own = Tokens(t.term);
      ASSERT_FALSE(own.empty()) << t.term << " of " << text;
      ASSERT_EQ(own[0].term, t.term) << "of " << text;
      ASSERT_EQ(Analyzer::Fold(t.term), t.term);
      if (t.kind != TokenKind::kWhole) {
        ASSERT_EQ(own.size(), 1u) << t.term << " of " << text;
      }
    }
  }
}

TEST(AnalyzerProperty, TimeIsLinearWhateverTheBytes) {
  // Each of these has bitten some tokenizer; a quadratic one would need hours.
  const Analyzer analyzer;
  for (std::string_view piece :
       {"a", "_", "a.", "a_",     "_a",       "aB",      "-",   "--a",  ".",       "a-",     "<a",       "</",
        "<", "'", "a'", "\u200B", "a.\u200B", "_\u200B", "://", "a://", "http://", "日",     "か\u3099", "@a/",
        "@", "#", "+",  "a+",     "\xF0\x9F", "=<",      "::",  "A",    "AAb",     "\u0301", "A\u0301",  "1A"}) {
    std::string text;
    while (text.size() < (1 << 20)) text += piece;
    std::vector<Token> tokens;
    const double seconds = test::SecondsOf([&] {
      analyzer.Tokenize(text, &tokens);
      analyzer.Fold(text);
    });
    EXPECT_LT(seconds, 20) << piece;
  }
}

// ---- stems ---------------------------------------------------------------------------------

TEST(Stem, BringsFormsOfAWordTogether) {
  const Analyzer analyzer;
  EXPECT_EQ(analyzer.Stem("connections"), analyzer.Stem("connecting"));
  EXPECT_EQ(analyzer.Stem("queries"), analyzer.Stem("query"));
  EXPECT_EQ(analyzer.Stem("hoping"), "hope");
  EXPECT_EQ(analyzer.Stem("news"), "news");
}

TEST(Stem, LeavesNamesAndOtherLanguagesAlone) {
  const Analyzer analyzer;
  for (const char* term : {"", "is", "as", "v-models", "utf8s", "user_names", "größen", "日本", "c++"}) {
    EXPECT_EQ(analyzer.Stem(term), term);
  }
  EXPECT_EQ(analyzer.Stem(std::string(100, 's')), std::string(100, 's'));
  EXPECT_EQ(Analyzer(Language::kNone).Stem("connections"), "connections");
}

TEST(Stem, IsItsTermUpToTheLastByte) {
  const Analyzer analyzer;
  // Snowball's own exceptions first: dying would be die.
  std::vector<std::string> words = {
      "dying",   "lying",   "tying",   "skis",    "skies",  "idly",    "gently",   "ugly",      "early",  "only",
      "singly",  "sky",     "news",    "howe",    "atlas",  "cosmos",  "bias",     "andes",     "inning", "outing",
      "canning", "herring", "earring", "proceed", "exceed", "succeed", "generate", "communism", "arsenal"};
  const std::vector<std::string> endings = {
      "",        "s",       "es",      "ed",      "ing",     "ies",    "ied",  "ly",   "edly",  "ingly",
      "ational", "ization", "fulness", "ousness", "iveness", "tional", "bli",  "ogi",  "ogist", "alism",
      "ality",   "iviti",   "icate",   "ative",   "alize",   "ical",   "ness", "ment", "ement", "ence",
      "able",    "ible",    "ion",     "sion",    "y",       "ying",   "e",    "ee",   "eed",   "eedly",
      "bling",   "izing",   "ated",    "lled",    "pping",   "us",     "ss",   "sses", "ousli", "li"};
  std::mt19937 random(5);
  for (int i = 0; i < 8000; ++i) {
    std::string root;
    for (uint32_t letters = 1 + random() % 7; letters > 0; --letters) {
      root += (random() % 5 < 2) ? "aeiouy"[random() % 6] : char('a' + random() % 26);
    }
    for (const std::string& ending : endings) words.push_back(root + ending);
  }
  size_t stemmed = 0;
  for (const std::string& word : words) {
    const std::string stem = analyzer.Stem(word);
    ASSERT_FALSE(stem.empty());
    ASSERT_EQ(stem.substr(0, stem.size() - 1), word.substr(0, stem.size() - 1)) << word;
    stemmed += stem != word;
  }
  EXPECT_GT(stemmed, words.size() / 2) << "the stemmer does not stem";
  EXPECT_EQ(analyzer.Stem("dying"), "dying");
}

TEST(Stem, SurvivesMovingTheAnalyzer) {
  Analyzer first;
  Analyzer second(std::move(first));
  EXPECT_EQ(second.Stem("running"), "run");
  first = std::move(second);
  EXPECT_EQ(first.Stem("running"), "run");
}

// ---- queries -------------------------------------------------------------------------------

TEST(IsStopWord, KnowsFunctionWordsOnly) {
  for (const char* word :
       {"how", "what", "why", "when", "which", "who", "where", "can",  "do",  "does", "is", "are",   "my",  "i",
        "you", "it",   "to",  "of",   "in",    "on",  "for",   "with", "the", "a",    "an", "yours", "dont"}) {
    EXPECT_TRUE(IsStopWord(word)) << word;
  }
  for (const char* word : {"", "vector", "async", "not", "if_", "The", "aa", "zzz", "use", "get"}) {
    EXPECT_FALSE(IsStopWord(word)) << word;
  }
}

}  // namespace analyzer_test
}  // namespace sheaf
