// Scripts that are written without spaces, and Hangul, which has some: what a page is found by besides its pairs, and that
// a query finds its page mistyped, unfinished or written another way.
#include "search/unspaced_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "text/analyzer.h"
#include "unit/support.h"

namespace sheaf {
namespace unspaced_test {

using test::FirstSource;
using test::Keyword;
using test::SearchAll;

std::string Further(std::string_view text, bool is_name = true) {
  const Analyzer analyzer(Language::kNone);
  std::vector<Token> tokens;
  analyzer.Tokenize(text, &tokens);
  std::vector<std::string> terms;
  AddUnspaced(text, tokens, is_name, &terms);
  std::string out;
  for (const std::string& term : terms) out += (out.empty() ? "" : " ") + term;
  return out;
}

TEST(Unspaced, IdeographsAndSyllablesStandAlone) {
  EXPECT_EQ(Further("新图层"), "新 图 层");
  EXPECT_EQ(Further("층"), "") << "a run of one is a term already";
  EXPECT_EQ(Further("창을"), "창 을");
  EXPECT_EQ(Further("新。图层"), "图 层");
  EXPECT_EQ(Further("𠮷野"), "𠮷 野");
}

TEST(Unspaced, OfOtherScriptsOnlyTheBeginningOfARunDoes) {
  EXPECT_EQ(Further("รหัส ผ่าน"), "ร ผ");
  EXPECT_EQ(Further("ពាក្យ"), "ព");
  EXPECT_EQ(Further("กำ"), "ก") << "one character that folds to two";
  EXPECT_EQ(Further("ひらがな"), "ひ");
  EXPECT_EQ(Further("層のとき"), "層");
}

TEST(Unspaced, KatakanaIsAlsoHiragana) {
  EXPECT_EQ(Further("レンズ"), "レ れん んず");
  EXPECT_EQ(Further("ﾚﾝｽﾞ"), "レ れん んず") << "half width, the voiced mark apart";
  EXPECT_EQ(Further("サーバー"), "サ さー ーば ばー");
  EXPECT_EQ(Further("ヴァの"), "ヴ ゔぁ") << "a pair with another script in it stays";
  EXPECT_EQ(Further("らーめん"), "ら") << "hiragana is not katakana";
}

TEST(Unspaced, HangulIsAlsoWrittenWithoutItsSpaces) {
  EXPECT_EQ(Further("변형 도구"), "변 형 형도 도 구");
  EXPECT_EQ(Further("새 창"), "새창");
  EXPECT_EQ(Further("변형\n도구"), "변 형 형도 도 구") << "where a line is wrapped";
  for (const char* apart : {"변형  도구", "변형, 도구", "변형-도구", "변형 x 도구"}) {
    EXPECT_EQ(Further(apart), "변 형 도 구") << apart;
  }
  EXPECT_EQ(Further("図層 層"), "図 層") << "other scripts write no spaces within words";
  EXPECT_EQ(Further("변형 図"), "변 형");
}

TEST(Unspaced, BelowHeadingsKatakanaAloneHasMore) {
  EXPECT_EQ(Further("レンズと階層、변형 도구, รหัส", false), "れん んず");
}

TEST(Unspaced, WordsOfOtherScriptsHaveNoFurtherTerms) {
  EXPECT_EQ(Further(""), "");
  EXPECT_EQ(Further("response_model Straße слово \xFF 42 שלום"), "");
  EXPECT_FALSE(IsUnspaced(""));
  EXPECT_FALSE(IsUnspaced("étude"));
  EXPECT_TRUE(IsUnspaced("層"));
  EXPECT_TRUE(IsUnspaced("รห"));
}

// Two pages a language: how to set a password, and how to print.
std::vector<uint8_t> Manual() {
  const auto page = [](const char* source, const char* title, const char* prose) {
    return test::MakePageInput(title, source, {{{}, "", prose, ""}});
  };
  BuildOptions options = test::SampleOptions();
  options.language = Language::kNone;
  return test::Build(
      {
          page("ja/layer.md", "レイヤーマスクの追加",
               "選択した階層にマスクを追加します。サーバーの設定は変わりません。"),
          page("ja/print.md", "印刷の準備", "用紙の大きさを選び、プリンターを確かめます。"),
          page("zh/layer.md", "新建图层", "从菜单中选择命令以创建新的图层，并设置透明度。"),
          page("zh/print.md", "打印文件", "选择纸张大小，然后检查打印机。"),
          page("ko/tools.md", "변형 도구", "붓을 고른 다음 이미지를 회전하거나 기울입니다."),
          page("ko/print.md", "인쇄하기", "용지 크기를 정하고 프린터를 확인합니다."),
          page("th/password.md", "การตั้งรหัสผ่าน", "ป้อนรหัสผ่านใหม่สองครั้งแล้วบันทึก"),
          page("th/print.md", "การพิมพ์เอกสาร", "เลือกขนาดกระดาษแล้วตรวจสอบเครื่องพิมพ์"),
          page("lo/password.md", "ການຕັ້ງລະຫັດຜ່ານ", "ປ້ອນລະຫັດຜ່ານໃໝ່ສອງເທື່ອ ແລ້ວບັນທຶກ"),
          page("lo/print.md", "ການພິມເອກະສານ", "ເລືອກຂະໜາດເຈ້ຍ ແລ້ວກວດເຄື່ອງພິມ"),
          page("km/password.md", "ការកំណត់ពាក្យសម្ងាត់", "បញ្ចូល\u200Bពាក្យ\u200Bសម្ងាត់\u200Bថ្មី\u200Bពីរ\u200Bដង"),
          page("km/print.md", "ការបោះពុម្ពឯកសារ", "ជ្រើស\u200Bទំហំ\u200Bក្រដាស"),
          page("my/password.md", "စကားဝှက် သတ်မှတ်ခြင်း", "စကားဝှက်အသစ်ကို နှစ်ကြိမ် ရိုက်ထည့်ပါ။"),
          page("my/print.md", "စာရွက်စာတမ်း ပုံနှိပ်ခြင်း", "စာရွက်အရွယ်အစားကို ရွေးပါ။"),
      },
      options, nullptr);
}

void ExpectFirst(const std::vector<std::pair<const char*, const char*>>& expected) {
  const auto bundle = Manual();
  Engine engine = test::WholeEngine(bundle, {});
  for (const auto& [query, source] : expected) {
    const Answer answer = SearchAll(&engine, Keyword(query));
    EXPECT_EQ(FirstSource(answer), source) << query;
    EXPECT_TRUE(answer.corrections.empty()) << query;
  }
}

TEST(Unspaced, AMistypedQueryFindsItsPageByTheRest) {
  ExpectFirst({{"レイアーマスク", "ja/layer.md"},
               {"レイヤマスク", "ja/layer.md"},
               {"创键新图层", "zh/layer.md"},
               {"打引文件", "zh/print.md"},
               {"이미지 회젼", "ko/tools.md"},
               {"프린타 확인", "ko/print.md"},
               {"รหัสผาน", "th/password.md"},
               {"เอกสาน", "th/print.md"},
               {"ລະຫັດຜານ", "lo/password.md"},
               {"ເອກະສານນ", "lo/print.md"},
               {"ពាក្យសំងាត់", "km/password.md"},
               {"បោះពុម្ភ", "km/print.md"},
               {"စကားဝှတ်", "my/password.md"},
               {"ပုံနှိတ်", "my/print.md"}});
}

TEST(Unspaced, AnUnfinishedQueryFindsItsPage) {
  ExpectFirst({{"レイヤーマ", "ja/layer.md"},
               {"印刷の準", "ja/print.md"},
               {"新建图", "zh/layer.md"},
               {"打", "zh/print.md"},
               {"변형 도", "ko/tools.md"},
               {"인", "ko/print.md"},
               {"รหัสผ่", "th/password.md"},
               {"การพิ", "th/print.md"},
               {"ລະຫັດ", "lo/password.md"},
               {"ເລືອ", "lo/print.md"},
               {"ពាក្យសម្ង", "km/password.md"},
               {"ការបោះ", "km/print.md"},
               {"စကားဝှ", "my/password.md"},
               {"စာရွ", "my/print.md"}});
}

TEST(Unspaced, OneCharacterFindsTheWordsThatItStandsIn) {
  // At the end of a run, within one, and of other scripts at a beginning; also where another word follows.
  ExpectFirst({{"層", "ja/layer.md"},
               {"层", "zh/layer.md"},
               {"层 透明度", "zh/layer.md"},
               {"붓", "ko/tools.md"},
               {"회", "ko/tools.md"},
               {"ป", "th/password.md"},
               {"ປ", "lo/password.md"},
               {"ជ", "km/print.md"},
               {"ဝ", "my/password.md"}});
}

TEST(Unspaced, OtherWaysOfWritingMeet) {
  ExpectFirst({{"れいやーますく", "ja/layer.md"},
               {"ぷりんたー", "ja/print.md"},
               {"ﾌﾟﾘﾝﾀｰ", "ja/print.md"},
               {"フ\u309Aリンター", "ja/print.md"},  // the half voiced mark apart
               {"サーバ", "ja/layer.md"},
               {"변형도구", "ko/tools.md"},
               {"\u1107\u1167\u11AB\u1112\u1167\u11BC", "ko/tools.md"},                    // 변형, decomposed
               {"\u110B\u1175\u11AB\u1109\u116B\u1112\u1161\u1100\u1175", "ko/print.md"},  // 인쇄하기
               {"ពាក្យ\u200Bសម្ងាត់", "km/password.md"},
               {"การพิมพ์ เอกสาร", "th/print.md"}});
}

TEST(Unspaced, ANameIsFoundByItsWordsApartAndInAnotherOrder) {
  // An index says "cell, copying" of the page "Copying cells"; the other page has both words more often.
  const std::string both = "儲存格 複製 儲存格 複製 儲存格 複製 儲存格 複製";
  BuildOptions options = test::SampleOptions();
  options.language = Language::kNone;
  test::LoadedEncoder encoder(test::TableBytes());
  Engine engine = test::WholeEngine(
      test::Build({test::MakePageInput("鍵盤", "keys.html", {{{"儲存格"}, "", both, ""}}),
                   test::MakePageInput("複製儲存格", "copy.html", {{{}, "", "選取後按下按鈕。", ""}})},
                  options, &*encoder.encoder));
  for (const char* text : {"複製儲存格", "複製 儲存格", "儲存格 複製"}) {
    EXPECT_EQ(FirstSource(SearchAll(&engine, Keyword(text))), "copy.html") << text;
  }
}

TEST(Unspaced, APairThatNobodyWroteIsNotCorrected) {
  // A byte further in the table of characters is another word: 僐 is none for 像.
  const auto bundle = Manual();
  Engine engine = test::WholeEngine(bundle, {});
  const Answer answer = SearchAll(&engine, Keyword("图屃"));
  EXPECT_TRUE(answer.corrections.empty());
  EXPECT_TRUE(answer.hits.empty());
}

TEST(Unspaced, APairIsNotCutInTwoHoweverManyBytesItHas) {
  const auto bundle = Manual();
  Engine engine = test::WholeEngine(bundle, {});
  // 변도, whose syllables stand in titles, composed and not; and two characters of four bytes.
  for (const char* query : {"변도", "\u1107\u1167\u11AB\u1103\u1169", "\U00020000\U00020001"}) {
    EXPECT_TRUE(SearchAll(&engine, Keyword(query)).corrections.empty()) << query;
  }
}

TEST(Unspaced, EnglishBundlesHaveNoneOfIt) {
  for (const Language language : {Language::kNone, Language::kEnglish}) {
    BuildOptions options = test::SampleOptions();
    options.language = language;
    const auto bundle =
        test::Build({test::MakePageInput("Lenses", "lenses.md", {{{"階層"}, "", "In Japanese a lens is レンズ.", ""}})},
                    options, nullptr);
    Engine engine = test::WholeEngine(bundle, {});
    for (const char* query : {"れんず", "層"}) {
      EXPECT_EQ(SearchAll(&engine, Keyword(query)).hits.empty(), language == Language::kEnglish) << query;
    }
  }
}

}  // namespace unspaced_test
}  // namespace sheaf
