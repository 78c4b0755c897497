// What pages are written in, where they do not say so.
#include "packer/pipeline/recognise_language.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sheaf::packer {
namespace recognise_language_test {

std::string Times(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all.append(text).append("\n");
  return all;
}

// Some sixty of German's function words.
const char* const kGerman =
    "Wenn Sie eine Ebene in der Liste auswählen, dann wird sie auf dem Bild angezeigt, und alle anderen sind nicht zu "
    "sehen. Das ist auch bei einer Maske so, die aus einem Kanal oder von einer Auswahl erstellt wurde. Wie kann ich "
    "das ändern? Dazu haben wir hier ein Werkzeug, mit dem es ohne Mühe geht; für mehr als eine Datei gibt es aber "
    "noch kein Beispiel. Was soll man tun, um den Rand des Bildes zu sehen? Er muss nur über die Leiste nach unten "
    "gezogen werden, bis man ihn sieht. Diese Werte werden durch das Programm gesetzt, doch nur unter der Bedingung, "
    "dass sie vor dem Start gespeichert sind. Wo keine Datei ist, hat die Suche weder Anfang noch Ende. Damit können "
    "sich auch große Bilder im Speicher halten, wenn dieser reicht, sonst bin ich seit langem gegen solche Dateien. "
    "Welche Farbe hat ihr Hintergrund? Am Rand war er zum Teil hell, vom Licht her, und im Bild sehr dunkel. Da du "
    "ja dein Bild hast, bist du schon fertig: mir und uns hilft es, euch und ihnen dann wohl auch.";
// The same few of them, however long.
const char* const kRelative =
    "Die Laag in die Lys met die naam van der Beeld op die skerm, en die gebruiker sal die waarde in die venster sien "
    "in die program wat die beeld met die masker wys.";
const char* const kEnglish =
    "When you choose a layer in the list, it is shown in the image, and all of the others are hidden. This is also "
    "what happens with a mask that was made from a channel or a selection. How can I change that? There is a tool "
    "for it here.";

const char* const kHebrew =
    "אין צורך להתקין דבר לפני השימוש בספרייה. הורידו את החבילה, פתחו אותה בתיקייה של הפרויקט והפעילו את הפקודה הראשית. "
    "אם אין "
    "לכם הרשאות כתיבה בתיקייה הזאת, בקשו ממנהל המערכת לשנות אותן עבורכם לפני ההפעלה.";
const char* const kYiddish =
    "די פראגראם איז ניט גרייט און דער באניצער דארף ווארטן. ווען איר עפנט דעם פענצטער מיט א קנעפל, ווייזט ער די ליסטע "
    "פון אלע "
    "טעקעס. דאס איז אויף דער רעכטער זייט, און מיר שרייבן ניט צו דער טעקע.";
const char* const kIndonesian =
    "Anda dapat mengubah ukuran gambar ini dengan alat yang ada dalam daftar, dan hasilnya akan disimpan di berkas "
    "itu. "
    "Jika tidak ada berkas, bagaimana kita bisa membuka gambar? Untuk hal itu juga ada sebuah menu, karena setiap "
    "gambar "
    "harus lebih kecil dari layar pada saat dicetak. Apakah mereka sudah tahu bahwa suatu berkas hanya dibuka oleh "
    "pengguna? Apa atau siapa saja adalah pengguna, seperti saya dan dia, agar secara umum semua sama.";
const char* const kMalay =
    "Anda boleh mengubah saiz imej ini dengan alat yang ada dalam senarai, dan hasilnya akan disimpan di fail itu. "
    "Jika "
    "tiada fail, bagaimana kita bisa membuka imej? Untuk perkara itu juga ada sebuah menu, kerana setiap imej mesti "
    "lebih "
    "kecil dari skrin pada saat dicetak. Apakah mereka sudah tahu bahwa suatu fail hanya dibuka oleh pengguna? Apa "
    "atau "
    "siapa sahaja ialah pengguna, seperti saya dan dia, agar secara umum semua sama dan tidak harus diubah.";
const char* const kIrish =
    "Cad é an uirlis seo agus conas a osclaíonn sí na comhaid? Tá gach íomhá sa liosta, ach níor cheart don úsáideoir "
    "iad "
    "a athrú faoi láthair. Má tá tú ag obair leis an gcomhad sin, ní mór do na daoine eile fanacht ar an líne nó as "
    "líne, "
    "mar is le duine amháin an comhad nach bhfuil dúnta. Cén fáth? Den chuid is mó ba mhaith leis an gclár go mbeadh "
    "sé "
    "slán, cé go bhfuil mé ag fanacht den chéad uair.";
const char* const kGaelic =
    "Chan eil an t-inneal seo air an liosta, ach tha gach dealbh sa phasgan agus faodaidh tu iad atharrachadh leis a' "
    "chlàr sin. Ma tha thu ag obair le faidhle, feumaidh daoine eile feitheamh airson do theachdaireachd mar as "
    "àbhaist, "
    "is cha dèan e cron as na h-ath-sgrìobhaidhean. Bha sinn ag iarraidh gum biodh e sàbhailte do na h-uile, go "
    "dearbh, "
    "agus deach mar sin an clàr a dhùnadh ar làrach nan lìon, nach robh sin ceart, nó ba mhath leis.";

Recognised Of(const std::vector<std::string>& pages) { return RecogniseLanguage(pages); }

TEST(RecogniseLanguage, KnowsALanguageByItsFunctionWords) {
  const Recognised german = Of({Times(kGerman, 3), Times(kGerman, 2), kEnglish, "Inhalt"});
  EXPECT_EQ(german.tag, "de");
  EXPECT_EQ(german.pages, 2u);
  EXPECT_EQ(german.judged, 3u) << "a page of one word does not count";
}

TEST(RecogniseLanguage, KnowsALanguageThatHasAScriptOfItsOwn) {
  const std::pair<const char*, const char*> texts[] = {
      {"ja", "レイヤーの不透明度を変更します。"},
      {"zh", "这个图层的不透明度可以更改。"},
      {"zh-Hant", "這個圖層的不透明度可以更改。"},
      {"ko", "레이어의 불투명도를 변경합니다."},
      {"th", "เปลี่ยนความทึบของเลเยอร์"},
      {"el", "Η αδιαφάνεια της στρώσης αλλάζει."},
      {"he", "שינוי האטימות של השכבה בתמונה"},
      {"hy", "Շերտի անթափանցիկությունը փոխվում է"},
  };
  for (const auto& [tag, text] : texts) {
    EXPECT_EQ(Of({Times(text, 6)}).tag, tag);
    EXPECT_EQ(Of({text}).tag, "") << "too short: " << tag;
    EXPECT_EQ(Of({Times(text, 6) + Times(kEnglish, 12)}).tag, "en") << "quoted in an English page: " << tag;
  }
}

TEST(RecogniseLanguage, ASectionInAnotherScriptIsNotWhatAnEnglishPageIsIn) {
  const std::string chinese = Times("这个图层的不透明度可以更改。", 8), english = Times(kEnglish, 2);
  EXPECT_EQ(Of({english + chinese}).tag, "en") << "more than a third of it";
  EXPECT_EQ(Of({english + Times(chinese, 2)}).tag, "zh") << "more than half";
  EXPECT_EQ(Of({Times("GIMP Layer Opacity", 12) + chinese}).tag, "zh") << "names are no English text";
}

TEST(RecogniseLanguage, SingleLettersAreNoWords) {
  std::string table;
  for (const char* letter : {"α", "β", "γ", "δ", "ε", "ζ", "η", "θ", "ι", "κ", "λ", "μ", "ν", "ξ", "π", "ρ"}) {
    table +=
        std::string("| ") + letter + " | " + letter + "₀ | sin(" + letter + ") | k" + letter + " | " + letter + "m |\n";
  }
  EXPECT_EQ(Of({table}).tag, "");
  EXPECT_EQ(Of({"Η αδιαφάνεια της στρώσης αλλάζει με το εργαλείο, και ο κατάλογος τη δείχνει."}).tag, "el");
}

TEST(RecogniseLanguage, HebrewIsNotYiddish) {
  EXPECT_EQ(Of({kHebrew}).tag, "he");
  EXPECT_EQ(Of({Times(kHebrew, 20)}).tag, "he");
  EXPECT_EQ(Of({kYiddish}).tag, "yi");
  EXPECT_EQ(Of({kYiddish, kHebrew, kHebrew}).tag, "he");
}

TEST(RecogniseLanguage, FewWordsInAScriptOfTheirOwnDoNotDecideForManyEnglishPages) {
  const std::string chinese = Times("这个图层的不透明度可以更改。", 6),
                    japanese = Times("レイヤーの不透明度を変更します。", 20);
  std::vector<std::string> pages(39, "Returns the widget with the given number from the list of all running widgets.");
  pages.push_back(chinese);
  EXPECT_EQ(Of(pages).tag, "");
  // A Japanese project whose reference is in English, short pages of it.
  std::vector<std::string> mostly(30, "Returns the widget with the given number.");
  mostly.insert(mostly.end(), 10, japanese);
  EXPECT_EQ(Of(mostly).tag, "ja");
  // Pages of code hold no words.
  std::vector<std::string> code(39);
  code.push_back(japanese);
  EXPECT_EQ(Of(code).tag, "ja");
}

TEST(RecogniseLanguage, FewPagesDoNotDecideForManyEnglishOnesThatAreTooShortToBeJudged) {
  std::vector<std::string> short_pages(33,
                                       "Returns the widget with this number from the list of all that are shown, or "
                                       "nothing if it is not there. It does not change the list of widgets.");
  short_pages.insert(short_pages.end(), 7, kGerman);
  EXPECT_EQ(Of(short_pages).tag, "");
  std::vector<std::string> german(33, "Gibt das Fenster mit dieser Nummer aus der Liste aller Fenster, oder nichts.");
  german.insert(german.end(), 7, kGerman);
  EXPECT_EQ(Of(german).tag, "de");
}

TEST(RecogniseLanguage, ChineseIsInTheScriptThatMostOfItsPagesShow) {
  const std::string plain = Times("不透明度可以更改。文件保存。", 6),
                    traditional = Times("這個圖層的不透明度可以更改。", 6);
  const Recognised found = Of({plain, plain, traditional});
  EXPECT_EQ(found.tag, "zh-Hant") << "characters that are the same in both do not tell";
  EXPECT_EQ(found.pages, 3u);
}

TEST(RecogniseLanguage, MalayIsNotIndonesianNorScottishGaelicIrish) {
  EXPECT_EQ(Of({Times(kIndonesian, 8)}).tag, "id");
  EXPECT_EQ(Of({Times(kMalay, 8)}).tag, "");
  EXPECT_EQ(Of({Times(kIrish, 8)}).tag, "ga");
  EXPECT_EQ(Of({Times(kGaelic, 8)}).tag, "");
}

TEST(RecogniseLanguage, KnowsEnglishAndLeavesWhatIsInSeveralLanguagesAlone) {
  EXPECT_EQ(Of({Times(kEnglish, 20), Times(kEnglish, 20)}).tag, "en");
  EXPECT_EQ(Of({Times(kGerman, 5), Times(kEnglish, 20)}).tag, "") << "half of the pages";
  EXPECT_EQ(Of({Times(kGerman, 5), Times("レイヤーの不透明度を変更します。", 9)}).tag, "");
  EXPECT_EQ(Of({}).tag, "");
  EXPECT_EQ(Of({"", "12 34", "\xFF\xFE"}).tag, "");
}

TEST(RecogniseLanguage, LeavesARelativeOfALanguageAlone) {
  for (int times : {10, 30, 100}) {
    const Recognised found = Of({Times(kRelative, times)});
    EXPECT_EQ(found.tag, "") << times;
    EXPECT_EQ(found.judged, 1u) << "it has function words of some language";
  }
}

TEST(RecogniseLanguage, NeedsSomeHundredWordsToTell) { EXPECT_EQ(Of({kGerman}).tag, ""); }

}  // namespace recognise_language_test
}  // namespace sheaf::packer
