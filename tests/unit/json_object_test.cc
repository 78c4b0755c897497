#include "text/json_object.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace sheaf {
namespace {

TEST(JsonObject, TakesWhatRfc8259CallsAnObject) {
  for (const char* text :
       {"{}", " {\n}\t\r", R"({"a":1})", R"({"a":[],"b":{},"c":[1,2,{"d":null}]})",
        R"({"":"","\u00e9\n\"\\\/":"日本語 \ud83d\ude80"})", R"({"a":-0.5e+10,"b":0,"c":1E9,"d":10.25e-3})",
        R"({"a":true,"b":false,"a":null})", R"({"half":"\ud800","huge":1e999})"}) {
    EXPECT_TRUE(IsJsonObject(text)) << text;
  }
}

TEST(JsonObject, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "null",
                           "[]",
                           "\"{}\"",
                           "1",
                           "{",
                           "}",
                           "{}}",
                           "{} {}",
                           "{]",
                           R"({"a"})",
                           R"({"a":})",
                           R"({"a":1,})",
                           R"({,"a":1})",
                           R"({"a":1 "b":2})",
                           R"({a:1})",
                           R"({'a':1})",
                           R"({"a":01})",
                           R"({"a":1.})",
                           R"({"a":.5})",
                           R"({"a":+1})",
                           R"({"a":-})",
                           R"({"a":1e})",
                           R"({"a":NaN})",
                           R"({"a":Infinity})",
                           R"({"a":tru})",
                           R"({"a":[1,]})",
                           R"({"a":[1 2]})",
                           R"({"a":"\x"})",
                           R"({"a":"\u12g4"})",
                           R"({"a":"\u12)",
                           R"({"a":"b)",
                           "{\"a\":\"\n\"}",
                           "{\"a\":\"\xff\"}",
                           "{\"a\":\"\xed\xa0\x80\"}",
                           "\xef\xbb\xbf{}",
                           "{}//",
                           "{\"a\":\f1}",
                           R"({"a":1}x)"}) {
    EXPECT_FALSE(IsJsonObject(text)) << text;
  }
  EXPECT_FALSE(IsJsonObject(std::string_view("{\0}", 3)));
}

TEST(JsonObject, TakesSixtyFourLevelsAndNoMore) {
  const auto nested = [](size_t levels) {
    return "{\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  EXPECT_TRUE(IsJsonObject(nested(kMaxJsonDepth)));
  EXPECT_FALSE(IsJsonObject(nested(kMaxJsonDepth + 1)));
  EXPECT_FALSE(IsJsonObject("{\"a\":" + std::string(60000, '[')));
}

// Of texts that differ from JSON by a few bytes, nlohmann's parser takes the same ones.
TEST(JsonObject, AgreesWithAParserOnMutatedTexts) {
  const std::string sound = R"({"a":[1,-2.5e3,{"b":"é\n\u0041"}],"c":{},"d":[true,false,null,""], "e":0})";
  std::mt19937 random(7);
  const std::string bytes = "{}[],:\"\\u0019.-+eEtrufalsn \n\xc3\xa9\x80/";
  size_t taken = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = sound;
    for (int edits = int(random() % 3); edits >= 0; --edits) {
      const size_t at = random() % text.size();
      const char byte = bytes[random() % bytes.size()];
      switch (random() % 3) {
        case 0: text[at] = byte; break;
        case 1: text.erase(at, 1 + random() % 3); break;
        default: text.insert(at, 1, byte);
      }
    }
    const auto parsed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    EXPECT_EQ(IsJsonObject(text), parsed.is_object()) << text;
    taken += parsed.is_object();
  }
  EXPECT_GT(taken, 1000u);
}

}  // namespace
}  // namespace sheaf
