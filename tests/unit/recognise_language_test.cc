// What pages are written in, where they do not say so.
#include "packer/pipeline/recognise_language.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sheaf::packer {
namespace {

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
    EXPECT_EQ(Of({Times(text, 6) + Times(kEnglish, 12)}).tag, "") << "quoted in an English page: " << tag;
  }
}

TEST(RecogniseLanguage, LeavesEnglishAndWhatIsInSeveralLanguagesAlone) {
  EXPECT_EQ(Of({Times(kEnglish, 20), Times(kEnglish, 20)}).tag, "");
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

}  // namespace
}  // namespace sheaf::packer
