// The vectors of tests/conformance: what the documents say, as cases that any implementation can be held against.
// SHEAF_UPDATE_GOLDEN=1 writes them anew (tests/conformance/README.md).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/checksum.h"
#include "bundle/dictionary_builder.h"
#include "bundle/settings.h"
#include "search/corrections.h"
#include "search/keyword_search.h"
#include "tests/conformance/collections.h"
#include "tests/fuzz/edited_bundle.h"
#include "tests/unit/fake_encoder.h"
#include "text/snippet.h"
#include "text/utf8.h"
#include "vector/distance.h"
#include "vector/row_code.h"

namespace sheaf {
namespace conformance_test {

using Json = nlohmann::ordered_json;
using Bytes = std::vector<uint8_t>;
using test::Numbers;

const std::string kFolder = std::string(SHEAF_SOURCE_DIR) + "/tests/conformance/";

bool Updating() { return std::getenv("SHEAF_UPDATE_GOLDEN") != nullptr; }

std::string ReadFile(const std::string& name) {
  std::ifstream in(kFolder + name, std::ios::binary);
  EXPECT_TRUE(in) << name << " is missing; SHEAF_UPDATE_GOLDEN=1 writes it";
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteFile(const std::string& name, std::string_view bytes) {
  std::filesystem::create_directories(std::filesystem::path(kFolder + name).parent_path());
  std::ofstream(kFolder + name, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

// Seven digits are more than any comparison needs; nine tell every float32 apart, as what goes in must be.
constexpr int kCompared = 7, kExact = 9;

double Digits(float v, int digits = kCompared) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*g", digits, double(v));
  return std::strtod(text, nullptr);
}

Json Floats(std::span<const float> values, int digits) {
  Json list = Json::array();
  for (const float v : values) list.push_back(Digits(v, digits));
  return list;
}

std::string Hex(ByteSpan bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const uint8_t b : bytes) (hex += kDigits[b >> 4]) += kDigits[b & 15];
  return hex;
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += char(std::strtoul(std::string(hex.substr(i, 2)).c_str(), nullptr, 16));
  return bytes;
}

// One case a line, so that a change shows which cases it touches.
class Cases {
 public:
  void Add(const Json& one) { lines_.push_back(one.dump()); }
  size_t size() const { return lines_.size(); }
  // Writes or compares the file.
  void Settle(const std::string& name) const {
    std::string text = "[\n";
    for (size_t i = 0; i < lines_.size(); ++i) text += lines_[i] + (i + 1 < lines_.size() ? ",\n" : "\n");
    text += "]\n";
    if (Updating()) WriteFile(name, text);
    const std::string committed = ReadFile(name);
    if (committed == text) return;
    size_t at = 0;
    while (at < text.size() && at < committed.size() && text[at] == committed[at]) ++at;
    const auto line = [at](const std::string& s) {
      const size_t begin = at == 0 ? 0 : s.rfind('\n', std::min(at, s.size()) - 1) + 1;
      return s.substr(begin, s.find('\n', begin) - begin);
    };
    ADD_FAILURE() << name << " differs first in\n  " << line(committed) << "\n  " << line(text)
                  << "\nWhere that is meant, SHEAF_UPDATE_GOLDEN=1 writes it, and the documents change with it.";
  }

 private:
  std::vector<std::string> lines_;
};

const Json& Inputs() {
  static const Json* inputs = new Json(Json::parse(ReadFile("inputs.json")));
  return *inputs;
}

// ---- the golden files ---------------------------------------------------------------------------------

const Bytes& Table(uint32_t bits) {
  static std::map<uint32_t, Bytes> tables;
  Bytes& table = tables[bits];
  if (table.empty()) table = test::ConformanceTableBytes(bits);
  return table;
}

BuildOptions Options(std::string library, uint32_t bits, GraphMode graph = GraphMode::kNever) {
  BuildOptions options;
  options.library = std::move(library);
  options.version = "1.0";
  options.vector_bits = bits;
  options.graph = graph;
  options.graph_m = 8;
  return options;
}

Bytes BuildWith(uint32_t table_bits, std::vector<PageInput> pages, BuildOptions options) {
  test::LoadedEncoder encoder(Table(table_bits));
  return test::Build(std::move(pages), std::move(options), &*encoder.encoder);
}

// With the rules of an owner.
Bytes BuildRuled(std::vector<PageInput> pages) {
  test::LoadedEncoder encoder(Table(8));
  const Analyzer analyzer;
  const auto synonyms = SynonymTerms::Make({{"memo", "cache"},
                                            {"cache", "memo"},
                                            {"throw away", "purge"},
                                            {"fault", "error"},
                                            {"quick start", "getting started"}},
                                           analyzer);
  EXPECT_TRUE(synonyms.ok());
  BundleBuilder builder(Options("ruled", 4), &*encoder.encoder);
  for (PageInput& page : pages) {
    const auto pin = [&](const char* words, size_t rank, PassageInput* passage) {
      passage->pins.push_back(*PinTerm(words, rank, analyzer));
    };
    if (page.source == "guide/caching.md") pin("faster answers", 1, &page.passages.back());
    if (page.source == "guide/C#.md") pin("the faster answers", 0, &page.passages[0]);
    if (page.source == "guide/getting-started.md") pin("installing", 0, &page.passages[0]);
    auto prepared = PreparePage(std::move(page), analyzer, &*encoder.encoder, &*synonyms);
    EXPECT_TRUE(prepared.ok());
    EXPECT_TRUE(builder.Add(std::move(*prepared)).ok());
  }
  return *builder.Finish({});
}

// Vectors by a transformer, that is, from elsewhere.
Bytes BuildGiven() {
  constexpr uint32_t kDimensions = 16;
  BuildOptions options = Options("given", 4);
  options.document_encoder =
      DocumentEncoder{"invented-model", std::string(64, 'a'), "fp32", "invented-16", kDimensions};
  BundleBuilder builder(options, nullptr);
  const Analyzer analyzer;
  for (PageInput& page : test::InventedPages(12)) {
    std::vector<float> rows;
    for (const PassageInput& passage : page.passages) {
      const std::vector<float> row = test::FakeVector(AsBytes(passage.prose), kDimensions);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    auto prepared = PreparePage(std::move(page), analyzer, nullptr);
    EXPECT_TRUE(prepared.ok());
    EXPECT_TRUE(SetVectors(prepared->get(), rows, kDimensions).ok());
    EXPECT_TRUE(builder.Add(std::move(*prepared)).ok());
  }
  auto bytes = builder.Finish({});
  EXPECT_TRUE(bytes.ok());
  return std::move(*bytes);
}

// The file with the parts changed, every checksum and every stored length right.
Bytes PutTogether(fuzz::Parts parts, ContainerKind kind) {
  const auto builder = [&](const SectionInfo& info) {
    return SectionBuilder(info.id, info.codec, info.block_size, 19,
                          parts.dictionary.empty() ? nullptr : &parts.dictionary);
  };
  for (const fuzz::Parts::Part& part : parts.parts) {
    if (!HasPieces(part.info.codec)) continue;
    SectionBuilder section = builder(part.info);
    std::vector<uint32_t> lengths;
    for (const Bytes& piece : part.contents) lengths.push_back(uint32_t(section.AddPiece(piece)));
    for (fuzz::Parts::Part& index : parts.parts) {
      if (index.info.id != fuzz::IndexOf(part.info.id) || index.info.id == part.info.id) continue;
      index.contents[0] = fuzz::WithLengths(part.info.id, kind, index.contents[0], lengths);
    }
  }
  std::vector<SectionBuilder> sections;
  for (const fuzz::Parts::Part& part : parts.parts) {
    SectionBuilder& section = sections.emplace_back(builder(part.info));
    for (const Bytes& content : part.contents) {
      if (HasPieces(part.info.codec))
        section.AddPiece(content);
      else
        section.Append(content);
    }
  }
  auto built = BuildContainer(kind, std::move(sections));
  EXPECT_TRUE(built.ok());
  return built.ok() ? std::move(*built) : Bytes();
}

fuzz::Parts::Part& PartOf(fuzz::Parts* parts, SectionId id) {
  for (fuzz::Parts::Part& part : parts->parts) {
    if (part.info.id == id) return part;
  }
  ADD_FAILURE() << "no section " << SectionName(id);
  return parts->parts[0];
}

// Codecs and block sizes that the packer does not choose, though it may.
Bytes BuildCodecs(const Bytes& guide) {
  fuzz::Parts parts = fuzz::TakeApart(guide, ContainerKind::kBundle);
  DictionarySamples samples;
  for (const Bytes& piece : PartOf(&parts, SectionId::kPassages).contents) {
    for (size_t at = 0; at < piece.size(); at += 256) {
      const ByteSpan sample = ByteSpan(piece).subspan(at, std::min<size_t>(256, piece.size() - at));
      samples.bytes.append(AsText(sample));
      samples.sizes.push_back(sample.size());
    }
  }
  parts.dictionary = TrainDictionary(samples, 2048, 19);
  EXPECT_FALSE(parts.dictionary.empty());
  const std::map<SectionId, std::pair<Codec, uint32_t>> chosen = {
      {SectionId::kSettings, {Codec::kZstd, 256}},
      {SectionId::kTermIndex, {Codec::kZstdDictionary, 4096}},
      {SectionId::kPassageIndex, {Codec::kRaw, 256}},
      {SectionId::kPassageMap, {Codec::kRaw, 256}},
      {SectionId::kManifest, {Codec::kZstdDictionary, 256}},
      {SectionId::kPartitionIndex, {Codec::kRaw, 1024}},
      {SectionId::kFacets, {Codec::kZstdDictionary, 1024}},
      {SectionId::kUrlIndex, {Codec::kRaw, 256}},
      {SectionId::kTerms, {Codec::kRawPieces, kMaxPieceBytes}},
      {SectionId::kSpellings, {Codec::kZstdDictionaryPieces, 16384}},
      {SectionId::kPassages, {Codec::kZstdDictionaryPieces, 65536}},
  };
  for (fuzz::Parts::Part& part : parts.parts) {
    if (const auto it = chosen.find(part.info.id); it != chosen.end()) {
      std::tie(part.info.codec, part.info.block_size) = it->second;
    }
  }
  SectionInfo info;
  info.id = SectionId::kDictionary;
  info.codec = Codec::kZstd;
  info.block_size = kMaxBlockBytes;
  parts.parts.insert(parts.parts.begin() + 5, {info, {parts.dictionary}});
  return PutTogether(std::move(parts), ContainerKind::kBundle);
}

std::vector<PageInput> Some(std::vector<PageInput> pages, const std::function<bool(const PageInput&)>& keep) {
  std::erase_if(pages, [&](const PageInput& page) { return !keep(page); });
  return pages;
}

// The same rows, with other wordings.
Bytes Reworded(const Bytes& table) {
  Container container(table.size());
  EXPECT_TRUE(container.Supply(0, table).ok());
  const auto section = WordingsSection(
      "= throw_away purge\n= stale old expire\n= remember cache memoize\nspeed_up: cache parallel\n"
      "material: cloth yarn\ncrash: error exception fails\n");
  EXPECT_TRUE(section.ok());
  auto reworded = WithWordings(&container, *section);
  EXPECT_TRUE(reworded.ok());
  return *reworded;
}

bool IsCache(const PageInput& p) { return p.source == "guide/caching.md" || p.source[0] == 'z'; }

// By file name. What a bundle's queries are embedded by follows in `TableOf`.
const std::map<std::string, Bytes>& Files() {
  static const auto* files = [] {
    auto* made = new std::map<std::string, Bytes>;
    (*made)["table4"] = Table(4);
    (*made)["table8"] = Table(8);
    (*made)["table-wordings"] = Reworded(Table(8));
    (*made)["guide"] = BuildWith(8, test::GuidePages(), Options("loom", 4));
    (*made)["wide"] = BuildWith(4, test::InventedPages(150), Options("wide", 4));
    // Pages twice, for copies in the graph.
    std::vector<PageInput> twice = test::InventedPages(90);
    for (const PageInput& page : test::InventedPages(12)) {
      twice.push_back(page);
      twice.back().source = "q" + page.source;
      twice.back().url = "https://docs.example/q" + page.source;
    }
    (*made)["eight"] = BuildWith(8, std::move(twice), Options("eight", 8, GraphMode::kAlways));
    (*made)["given"] = BuildGiven();
    BuildOptions plain = Options("plain", 0);
    plain.language = Language::kNone;
    (*made)["plain"] = test::Build(Some(test::GuidePages(), [](const PageInput& p) { return p.source[0] == 'r'; }),
                                   std::move(plain), nullptr);
    const auto is_reference = [](const PageInput& p) { return p.source[0] == 'r'; };
    (*made)["names"] = BuildWith(8, Some(test::NamedPages(), is_reference), Options("names", 4));
    const auto is_short = [](const PageInput& p) { return p.source != "guide/long.md"; };
    (*made)["codecs"] = BuildCodecs(BuildWith(8, Some(test::GuidePages(), is_short), Options("codecs", 4)));
    (*made)["ruled"] = BuildRuled(Some(test::GuidePages(), is_short));
    // What tests/conformance/refused.json is made from: small, and yet every section but the dictionary.
    (*made)["one"] = BuildWith(8, Some(test::GuidePages(), IsCache), Options("one", 4, GraphMode::kAlways));
    return made;
  }();
  return *files;
}

std::string TableOf(const std::string& bundle) {
  return bundle == "wide" ? "table4" : bundle == "given" || bundle == "plain" ? "" : "table8";
}

TEST(Conformance, TodaysBuilderWritesTheGoldenFilesByteForByte) {
  size_t total = 0;
  for (const auto& [name, bytes] : Files()) {
    if (Updating()) WriteFile("bundles/" + name + ".sheaf", AsText(bytes));
    EXPECT_TRUE(ReadFile("bundles/" + name + ".sheaf") == AsText(bytes)) << name;
    total += bytes.size();
  }
  EXPECT_LT(total, 210'000u) << "golden files are small";
}

TEST(Conformance, GoldenFilesTogetherHoldEverySectionFormAndCodec) {
  std::set<SectionId> ids;
  std::set<Codec> codecs;
  std::set<size_t> partitions;
  for (const auto& [name, bytes] : Files()) {
    if (name.starts_with("table")) continue;
    Container container(bytes.size());
    ASSERT_TRUE(container.Supply(0, bytes).ok());
    ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok()) << name;
    for (const SectionInfo& section : container.sections()) {
      ids.insert(section.id);
      codecs.insert(section.codec);
    }
    BundleView view(bytes.size());
    ASSERT_TRUE(view.container().Supply(0, bytes).ok());
    ASSERT_TRUE(view.Open().ok()) << name;
    if (view.has_vectors()) partitions.insert((*view.Partitions())->size());
    Engine engine = test::WholeEngine(bytes, {});
    auto verified = engine.Verify();
    EXPECT_TRUE(verified.value()) << name << (verified.error() ? ": " + verified.error()->message : "");
  }
  EXPECT_EQ(ids.size(), 15u);
  EXPECT_EQ(codecs.size(), 6u);
  EXPECT_TRUE(partitions.count(1));
  EXPECT_GT(*partitions.rbegin(), 8u);
}

// ---- analysis -----------------------------------------------------------------------------------------

Json AnalysisOf(std::string_view text, const Analyzer& analyzer) {
  Json one;
  if (IsUtf8(text)) {
    one["text"] = text;
  } else {
    one["hex"] = Hex(AsBytes(text));
  }
  std::vector<Token> tokens;
  analyzer.Tokenize(text, &tokens);
  Json list = Json::array();
  static constexpr const char* kKinds[] = {"word", "whole", "part"};
  for (const Token& token : tokens) {
    list.push_back(
        {token.term, kKinds[size_t(token.kind)], token.position, token.begin, token.end, analyzer.Stem(token.term)});
  }
  one["tokens"] = std::move(list);
  one["fold"] = Analyzer::Fold(text);
  return one;
}

TEST(Conformance, TextsHaveTheirTokensStemsAndFoldings) {
  const Analyzer analyzer;
  Cases cases;
  for (const Json& text : Inputs()["texts"]) cases.Add(AnalysisOf(text.get<std::string>(), analyzer));
  for (const Json& hex : Inputs()["hex"]) cases.Add(AnalysisOf(FromHex(hex.get<std::string>()), analyzer));
  // Nonsense of what the rules are about.
  static constexpr const char* kStuff[] = {
      "a",        "B",  "foo",    "Bar",    "HTTP", "x2",     "7",  "42",  "0x", "v1", "s",      "z",      "n't",
      "'s",       "'",  "\u2019", "_",      "__",   ".",      ".",  ":",   "::", "-",  "-",      "--",     "/",
      "@",        "#",  "$",      "<",      ">",    "</",     "/>", "+",   "++", "=",  "=>",     "!",      "?.",
      "|",        " ",  " ",      "\n",     "(",    ")",      "\"", "`",   "\\", "%",  "%2",     "://",    "http",
      "https://", "日", "本",     "が",     "か",   "\u3099", "é",  "É",   "ß",  "Ⅷ",  "\u00ad", "\u0301", "\u200d",
      "한",       "ภา", "😀",      "\u2010", "c++",  "С",      "ω",  "\xff"};
  Numbers numbers(5);
  for (int i = 0; i < 240; ++i) {
    std::string text;
    for (uint32_t n = 1 + numbers.Below(14); n > 0; --n) text += kStuff[numbers.Below(std::size(kStuff))];
    cases.Add(AnalysisOf(text, analyzer));
  }
  cases.Settle("analysis.json");
}

TEST(Conformance, WordsHaveTheirStems) {
  // Every ending that the stemmer knows on stems of several shapes, and words that are exceptions to it or to us.
  static constexpr const char* kShapes[] = {"cach", "hop", "hopp", "relat",  "gener", "y",
                                            "say",  "tri", "agr",  "sensib", "luxur", "conn"};
  static constexpr const char* kEndings[] = {
      "",      "s",      "es",      "ies",     "ied",   "ed",      "ing",     "eed",   "edly",   "ingly",   "ly",
      "y",     "ying",   "ational", "tional",  "enci",  "anci",    "abli",    "entli", "izer",   "ization", "ation",
      "ator",  "alism",  "aliti",   "fulness", "ousli", "ousness", "iveness", "iviti", "biliti", "bli",     "ogi",
      "fulli", "lessli", "icate",   "ative",   "alize", "iciti",   "ical",    "ful",   "ness",   "ement",   "ment",
      "ent",   "ion",    "sion",    "tion",    "able",  "ible",    "ance",    "er",    "ic",     "ate",     "iti",
      "ous",   "ive",    "ize",     "e",       "le",    "ll",      "bility",  "ology"};
  static constexpr const char* kOthers[] = {"skis",      "skies",      "dying",
                                            "lying",     "tying",      "idly",
                                            "gently",    "ugly",       "early",
                                            "only",      "singly",     "sky",
                                            "news",      "howe",       "atlas",
                                            "cosmos",    "bias",       "andes",
                                            "inning",    "outing",     "canning",
                                            "herring",   "earring",    "proceed",
                                            "exceed",    "succeed",    "generate",
                                            "communism", "arsenic",    "past",
                                            "universe",  "later",      "emerge",
                                            "organ",     "evening",    "it",
                                            "is",        "a",          "abcdefghijklmnopqrstuvwxyz",
                                            "utf8",      "don't",      "café",
                                            "C",         "use_effect", "hoping",
                                            "hoped",     "hopping",    "falling",
                                            "buzzing",   "agreed",     "feed",
                                            "bleed",     "syzygy",     "queue",
                                            "queued"};
  const Analyzer english, none(Language::kNone);
  Cases cases;
  for (const char* shape : kShapes) {
    for (const char* ending : kEndings) {
      const std::string word = std::string(shape) + ending;
      cases.Add({word, english.Stem(word)});
    }
  }
  for (const char* word : kOthers) {
    cases.Add({word, english.Stem(word)});
    EXPECT_EQ(none.Stem(word), word);
  }
  cases.Settle("stems.json");
}

TEST(Conformance, TextsLoseTheirMarks) {
  Cases cases;
  const auto add = [&](const std::string& text) { cases.Add({text, StripMarks(text)}); };
  for (const Json& text : Inputs()["marks"]) add(text.get<std::string>());
  static constexpr const char* kStuff[] = {"word",
                                           "two words",
                                           "x",
                                           " ",
                                           "  ",
                                           "    ",
                                           "\t",
                                           "\n",
                                           "\n",
                                           "\n\n",
                                           "# ",
                                           "## ",
                                           "#",
                                           "- ",
                                           "* ",
                                           "+ ",
                                           "1. ",
                                           "12) ",
                                           "> ",
                                           "```",
                                           "```js",
                                           "~~~",
                                           "`",
                                           "``",
                                           "*",
                                           "**",
                                           "***",
                                           "_",
                                           "__",
                                           "~~",
                                           "[",
                                           "]",
                                           "](",
                                           "](x)",
                                           "(",
                                           ")",
                                           "![",
                                           "[^1]",
                                           "[^1]: ",
                                           "[a]: b",
                                           "[!NOTE]",
                                           "[x] ",
                                           "|",
                                           " | ",
                                           "---",
                                           "===",
                                           "\\",
                                           "\\*",
                                           "<",
                                           ">",
                                           "<https://x.y>",
                                           "!!! note \"T\"",
                                           "::: tip T",
                                           "{#a}",
                                           "日",
                                           "é",
                                           "\"",
                                           "'",
                                           ":",
                                           "\r\n"};
  Numbers numbers(9);
  for (int i = 0; i < 160; ++i) {
    std::string text;
    for (uint32_t n = 2 + numbers.Below(24); n > 0; --n) text += kStuff[numbers.Below(std::size(kStuff))];
    add(text);
  }
  cases.Settle("marks.json");
}

// ---- vectors ------------------------------------------------------------------------------------------

TEST(Conformance, TextsHaveTheirVectors) {
  const Analyzer analyzer;
  Cases cases;
  std::vector<std::string> texts = {"Parallel caches",
                                    "parallelis",
                                    "caching",
                                    "getHTTPAnswers",
                                    "日本",
                                    "日本日本",
                                    "par",
                                    "stonbra",
                                    "glabrononon",
                                    "C++ 7",
                                    "how is the",
                                    "zzz",
                                    "a " + std::string(64, 'a'),
                                    "café CAFÉ naïve naïves"};
  for (const Json& query : Inputs()["queries"]) texts.push_back(query.get<std::string>());
  for (const char* name : {"table8", "table4"}) {
    test::LoadedEncoder table(Files().at(name));
    for (const std::string& text : texts) {
      const auto vector = table.encoder->Embed(text, analyzer);
      ASSERT_TRUE(vector.ok());
      Json one = {{"table", name}, {"text", text}, {"vector", vector->empty() ? Json() : Floats(*vector, kCompared)}};
      if (!vector->empty()) {
        const Bytes row = QuantizeRow(*vector, 8);
        std::vector<int8_t> codes(row.size());
        UnpackRow(row.data(), uint32_t(row.size()), 8, codes.data());
        one["codes"] = codes;
        one["inverse_norm"] = Digits(InverseNorm(codes.data(), codes.size()));
      }
      cases.Add(one);
    }
  }
  cases.Settle("vectors.json");
}

TEST(Conformance, RowsHaveTheirCodes) {
  Numbers numbers(17);
  Cases cases;
  for (int i = 0; i < 60; ++i) {
    const uint32_t dimensions = 16 * (1 + numbers.Below(4));
    std::vector<float> mean(dimensions), vector(dimensions);
    for (uint32_t d = 0; d < dimensions; ++d) {
      const float falls = 1.0f / float(1 + d);
      mean[d] = i % 4 ? 0.5f * falls * numbers.Centred() : 0;
      vector[d] = mean[d] + falls * numbers.Centred() * (i % 5 ? 1.0f : 0.1f);
    }
    if (i == 7) std::fill(vector.begin(), vector.end(), 0.0f);
    if (i == 8) mean[3] = 2;  // beyond what a mean can be
    if (i == 9) mean[3] = -1;
    const RowCode code(mean);
    const bool is_mean = i % 6 == 0;
    Bytes row = code.Encode(vector, is_mean ? StoredCentroidBytes(dimensions) : StoredRowBytes(dimensions, 4));
    const bool hostile = i >= 40;
    if (hostile) {
      for (uint8_t& b : row) b = uint8_t(numbers.Below(i % 3 ? 256 : 8));
    }
    std::vector<int8_t> codes(dimensions);
    code.Decode(row, codes.data());
    Json one = {{"mean", Floats(mean, kExact)},
                {"row", Hex(row)},
                {"codes", codes},
                {"inverse_norm", Digits(InverseNorm(codes.data(), codes.size()))}};
    if (!hostile) one["vector"] = Floats(vector, kExact);  // that a writer gives this row
    cases.Add(one);
  }
  cases.Settle("rows.json");
}

// ---- answers ------------------------------------------------------------------------------------------

static constexpr const char* kModes[] = {"keyword", "semantic", "hybrid"};

// A query as inputs.json writes it: what is left out is as the core has it.
Query QueryOf(const Json& q) {
  Query query;
  query.text = q.value("text", "");
  const std::string mode = q.value("mode", "hybrid");
  query.mode = mode == "keyword" ? Mode::kKeyword : mode == "semantic" ? Mode::kSemantic : Mode::kHybrid;
  query.top_k = q.value("top_k", 10u);
  query.prefix = q.value("prefix", true);
  query.typo = q.value("typo", true);
  query.rrf = q.value("rrf", false);
  query.by_passage = q.value("by", "page") == "passage";
  query.semantic_weight = q.value("semantic_weight", -1.0f);
  query.selection = q.value("selection", "");
  query.descending = q.value("descending", false);
  query.facets = q.value("facets", false);
  if (q.contains("vector")) query.vector = q["vector"].get<std::vector<float>>();
  query.explain = true;
  return query;
}

Json AnswerOf(const Answer& answer) {
  Json hits = Json::array();
  for (const Hit& hit : answer.hits) {
    hits.push_back({hit.page, hit.passage, Digits(hit.score), hit.anchor, Digits(hit.explanation->keyword_raw),
                    Digits(hit.explanation->cosine), Digits(hit.explanation->coverage),
                    Digits(hit.explanation->page_bonus)});
  }
  Json out = {{"hits", hits},
              {"matching", answer.matching_passages},
              {"keyword", answer.used_keyword},
              {"semantic", answer.used_semantic}};
  if (!answer.hits.empty()) out["weight"] = Digits(answer.hits[0].explanation->semantic_weight);
  if (answer.weak) out["weak"] = true;
  if (answer.ignored_words) out["ignored"] = answer.ignored_words;
  for (const Correction& c : answer.corrections) out["corrections"].push_back({c.word, c.term});
  if (!answer.facets.empty()) out["facets"] = answer.facets;
  return out;
}

// By range: an engine that gets what it asks for, and no more.
Json Ask(const std::string& bundle, const std::string& table_name, const Json& q, bool by_range,
         const Ranking& ranking) {
  const Bytes& bytes = Files().at(bundle);
  const Bytes table = table_name.empty() ? Bytes() : Files().at(table_name);
  Engine engine;
  engine.set_ranking(ranking);
  const Bytes* const sources[] = {&bytes, &table};
  for (uint8_t source = 0; source < 2; ++source) {
    if (sources[source]->empty()) continue;
    EXPECT_TRUE(engine.SetSource(source, sources[source]->size()).ok());
    if (!by_range) {
      EXPECT_TRUE(engine.Supply(source, 0, *sources[source]).ok());
    }
  }
  for (int round = 0; round < 20; ++round) {
    auto outcome = engine.Search(QueryOf(q));
    if (outcome.value()) return AnswerOf(*outcome.value());
    if (outcome.error()) return {{"error", ErrorCodeName(outcome.error()->code)}};
    for (const Range& range : *outcome.needs()) {
      const ByteSpan part = ByteSpan(*sources[range.source]).subspan(size_t(range.offset), size_t(range.length));
      EXPECT_TRUE(engine.Supply(range.source, range.offset, part).ok());
    }
  }
  ADD_FAILURE() << "no answer: " << q.dump();
  return {};
}

std::vector<std::string> InventedQueries(uint32_t count) {
  const std::vector<std::string> words = test::InventedWords(test::kInventedWords);
  Numbers numbers(31);
  std::vector<std::string> queries;
  for (uint32_t i = 0; i < count; ++i) {
    std::string a = words[numbers.Below(uint32_t(words.size()) / (1 + numbers.Below(4)))],
                b = words[numbers.Below(uint32_t(words.size()))];
    switch (i % 7) {
      case 0: queries.push_back(a); break;
      case 1: queries.push_back(a + " " + b); break;
      case 2: queries.push_back(a + " " + b.substr(0, 2 + numbers.Below(uint32_t(b.size()) - 1))); break;
      case 3:
        std::swap(a[1], a[a.size() / 2]);
        queries.push_back(a + " " + b);
        break;
      case 4: queries.push_back("how to " + a + " the " + b + " with it"); break;
      case 5: queries.push_back(a + "_" + b); break;
      default: queries.push_back(a.substr(0, 3)); break;
    }
  }
  return queries;
}

TEST(Conformance, QueriesHaveTheirAnswers) {
  Cases cases;
  const auto add = [&](const std::string& bundle, Json query, bool by_range = false, const Ranking& ranking = {}) {
    Json one = {{"bundle", bundle}};
    if (by_range) one["range"] = true;
    const Ranking usual;
    const auto constant = [&](const char* name, uint64_t value, uint64_t usually) {
      if (value != usually) one["constants"][name] = value;
    };
    constant("probe_bytes", ranking.probe_bytes, usual.probe_bytes);
    constant("probe_runs", ranking.probe_runs, usual.probe_runs);
    constant("candidates", ranking.candidates, usual.candidates);
    one["query"] = query;
    one.update(Ask(bundle, TableOf(bundle), query, by_range, ranking));
    cases.Add(one);
  };
  constexpr uint32_t kFew = 5;
  for (const Json& text : Inputs()["queries"]) {
    for (const char* mode : kModes) add("guide", {{"text", text}, {"mode", mode}, {"top_k", kFew}});
    add("guide", {{"text", text}, {"by", "passage"}, {"top_k", kFew}});
  }
  for (Json query : Inputs()["further"]) {
    if (query.value("vector", false)) {
      query["vector"] = Floats(test::FakeVector(AsBytes("vector"), test::kTableDimensions), kExact);
    }
    add("guide", query);
  }
  // Other wordings, which "table-wordings" alone has: of words that are there and that are not, of two, where the words
  // answer well, and without meaning.
  for (const char* text : {"throw away stale answers", "why does it crash", "which material for a warp", "stale",
                           "speed up remembering", "material", "throwing", "a cached answer expires", "remember"}) {
    for (const bool by_range : {false, true}) {
      Json one = {{"bundle", "guide"}, {"table", "table-wordings"}};
      if (by_range) one["range"] = true;
      one["query"] = {{"text", text}, {"top_k", kFew}};
      one.update(Ask("guide", "table-wordings", one["query"], by_range, {}));
      cases.Add(one);
    }
  }
  // The owner's rules: alone, with other words, in part, by range, with a filter, and where they do not hold.
  for (const char* text : {"memo", "memo answers", "cache", "throw away", "away", "throw it away", "fault", "faults",
                           "quick start", "quick", "installing", "how to install", "install cache", "faster answers",
                           "answer the fastest", "answers faster cache", "memmo", "fau"}) {
    for (const char* mode : {"keyword", "hybrid"}) add("ruled", {{"text", text}, {"mode", mode}, {"top_k", kFew}});
  }
  add("ruled", {{"text", "faster answers"}, {"by", "passage"}, {"top_k", kFew}}, /*by_range=*/true);
  Ranking narrow;
  narrow.probe_bytes = 900;
  narrow.probe_runs = 3;
  Ranking narrower = narrow;
  narrower.probe_bytes = 300;
  Ranking few;
  few.candidates = 8;
  // Word for word, and beyond what a query may have.
  const std::vector<PageInput> pages = test::GuidePages();
  for (size_t section : {3, 9}) {
    const auto& passages = pages[3].passages;
    add("guide", {{"text", passages[section].prose}, {"top_k", 2}});
    add("guide",
        {{"text", passages[section].prose + " " + passages[section + 1].prose}, {"mode", "keyword"}, {"top_k", 2}});
  }
  for (const std::string& text : InventedQueries(7)) {
    for (const char* selection : {"\npart\t1\t\n", "\npart\t0\t2\t\n"}) {
      const Json query = {{"text", text}, {"selection", selection}, {"mode", "semantic"}, {"top_k", kFew}};
      add("wide", query);
      add("wide", query, true, narrow);
    }
  }
  for (const char* text : {"co", "cob", "cost", "cogl"}) add("wide", {{"text", text}, {"top_k", kFew}}, true, narrow);
  for (const std::string& text : InventedQueries(56)) {
    add("wide", {{"text", text}, {"mode", "keyword"}, {"top_k", kFew}});
    add("wide", {{"text", text}, {"top_k", kFew}});
    add("wide", {{"text", text}, {"top_k", kFew}}, true, narrow);
    add("wide", {{"text", text}, {"mode", "semantic"}, {"top_k", kFew}}, true, narrower);
    add("wide", {{"text", text}, {"mode", "semantic"}, {"top_k", kFew}}, true);
  }
  for (const std::string& text : InventedQueries(21)) {
    add("eight", {{"text", text}, {"mode", "semantic"}, {"top_k", kFew}});
    add("eight", {{"text", text}, {"by", "passage"}, {"top_k", kFew}});
    add("eight", {{"text", text}, {"mode", "semantic"}, {"by", "passage"}, {"top_k", kFew}}, false, few);
    add("given", {{"text", text}, {"top_k", 3}, {"vector", Floats(test::FakeVector(AsBytes(text), 16), kExact)}});
  }
  add("given", {{"text", "words alone"}});
  add("given", {{"text", "no vector"}, {"mode", "semantic"}});
  add("plain", {{"text", "no vectors"}, {"mode", "semantic"}});
  size_t number = 0;
  for (const Json& text : Inputs()["queries"]) {
    if (number++ % 4 != 0) continue;
    add("plain", {{"text", text}, {"top_k", 3}});
    add("codecs", {{"text", text}, {"top_k", 3}});
    add("codecs", {{"text", text}, {"top_k", 3}}, true);
  }
  for (const char* text : {"weave", "Loom.weave", "loom.Shuttle.throw()", "Shuttle::thr", "shuttle", "-k",
                           "loom --keep-going", "setting warp_tension", "watchEff", "Shuttel", "weave a thread"}) {
    for (const char* mode : {"keyword", "hybrid"}) add("names", {{"text", text}, {"mode", mode}, {"top_k", kFew}});
    add("names", {{"text", text}, {"by", "passage"}, {"prefix", false}, {"top_k", kFew}});
    add("names", {{"text", text}, {"selection", "\nlevel\t1\t\n"}, {"top_k", kFew}}, true);
  }
  EXPECT_GT(cases.size(), 300u);
  cases.Settle("answers.json");
}

TEST(Conformance, QueriesHaveTheirWordsAndForms) {
  static constexpr const char* kKinds[] = {"exact", "stem", "part", "joined", "prefix", "typo"};
  Cases cases;
  const auto add = [&](const std::string& bundle, const std::string& text, bool prefix) {
    const Bytes& bytes = Files().at(bundle);
    BundleView view(bytes.size());
    ASSERT_TRUE(view.container().Supply(0, bytes).ok());
    ASSERT_TRUE(view.Open().ok());
    const Analyzer analyzer(*view.RequireAnalysis());
    Query query;
    query.text = text;
    query.prefix = prefix;
    QueryEncoder unused;
    const Ranking ranking;
    const SearchContext search{view, unused, analyzer, ranking, query};
    QueryWords found;
    ASSERT_TRUE(FindWords(search, &found).ok());
    // A query with corrections is not scored.
    KeywordScores scores;
    if (found.corrections.empty()) {
      ASSERT_TRUE(ScoreWords(search, &found, &scores).ok());
    }
    Json one = {{"bundle", bundle}, {"text", text}, {"prefix", prefix}};
    Json words = Json::array();
    for (const QueryWord& word : found.words) {
      Json forms = Json::array();
      for (const WordForm& form : word.forms) {
        forms.push_back({form.entry.term, kKinds[size_t(form.kind)], Digits(form.weight), form.entry.postings});
      }
      words.push_back({word.text, Digits(word.boost), kKinds[size_t(word.kind)], word.counts, word.complete,
                       Digits(word.idf), forms});
    }
    one["words"] = std::move(words);
    if (!found.corrections.empty()) {
      for (const Correction& c : found.corrections) one["corrections"].push_back({c.word, c.term});
      std::string corrected = text;
      Correct(found.corrections, analyzer, &corrected);
      one["corrected"] = corrected;
    } else {
      one["highest"] = Digits(scores.highest);
      Json defines = Json::array();
      for (uint32_t p = 0; p < scores.defines.size(); ++p) {
        if (scores.defines[p] > 0) defines.push_back({p, Digits(scores.defines[p])});
      }
      if (!defines.empty()) one["defines"] = std::move(defines);
    }
    cases.Add(one);
  };
  size_t number = 0;
  for (const Json& text : Inputs()["queries"]) add("guide", text.get<std::string>(), number++ % 5 != 4);
  for (const std::string& text : InventedQueries(42)) add("wide", text, true);
  // Beginnings of one word and of many.
  for (const char* text : {"co", "cob", "cost", "cogl", "co co", "c"}) add("wide", text, true);
  const std::vector<std::string> words = test::InventedWords(80);
  for (size_t i = 0; i < words.size(); ++i)
    add("wide", words[i].substr(0, i % 3 == 0 ? 2 : words[i].size() - i % 3), true);
  cases.Settle("words.json");
}

// ---- what must be refused -----------------------------------------------------------------------------

// How `broken` differs from `sound`: its size, and bytes to put at places.
Json Patches(const Bytes& sound, const Bytes& broken) {
  Json patches = Json::array();
  constexpr size_t kJoin = 6;  // equal bytes between two patches that are not worth a new one
  for (size_t at = 0; at < broken.size();) {
    const auto same = [&](size_t i) { return i < sound.size() && sound[i] == broken[i]; };
    if (same(at)) {
      ++at;
      continue;
    }
    size_t end = at + 1, equal = 0;
    for (size_t i = end; i < broken.size() && equal < kJoin; ++i) {
      equal = same(i) ? equal + 1 : 0;
      if (!equal) end = i + 1;
    }
    patches.push_back({at, Hex(ByteSpan(broken).subspan(at, end - at))});
    at = end;
  }
  return patches;
}

void StoreU32(uint32_t v, uint8_t* out) {
  for (int i = 0; i < 4; ++i) out[i] = uint8_t(v >> (8 * i));
}

class Defects {
 public:
  explicit Defects(const Bytes& sound) : sound_(sound) {}

  void Add(const std::string& name, Bytes broken) {
    Engine engine = test::WholeEngine(broken, {});
    auto verified = engine.Verify();
    EXPECT_TRUE(verified.error()) << name << " is not refused";
    if (verified.error()) Record(name, "one", verified.error()->code, sound_, broken);
  }
  // One bit changed; the checksum nearest to it is the only one that tells.
  void Flip(const std::string& name, size_t at) {
    Bytes copy = sound_;
    copy[at] ^= 1;
    Add(name, at < kHeaderBytes ? copy : Sealed(std::move(copy), sound_));
  }
  // Bytes of the header or the directory changed, and the checksums of both.
  void Head(const std::string& name, const std::function<void(Bytes*)>& change) {
    Bytes copy = sound_;
    change(&copy);
    const uint32_t directory = LoadU32(&copy[32]);
    if (64 + size_t(directory) <= copy.size()) {
      StoreU32(Checksum32(ByteSpan(copy).subspan(64, directory)), &copy[44]);
    }
    Add(name, Sealed(std::move(copy), sound_));
  }
  // A section's or piece's contents changed, and everything around them right.
  void Content(const std::string& name, SectionId id, const std::function<void(Bytes*)>& change) {
    fuzz::Parts parts = fuzz::TakeApart(sound_, ContainerKind::kBundle);
    change(&PartOf(&parts, id).contents[0]);
    Add(name, PutTogether(std::move(parts), ContainerKind::kBundle));
  }
  void Without(SectionId id) {
    fuzz::Parts parts = fuzz::TakeApart(sound_, ContainerKind::kBundle);
    std::erase_if(parts.parts, [id](const fuzz::Parts::Part& part) { return part.info.id == id; });
    Add(std::string("without_") + SectionName(id), PutTogether(std::move(parts), ContainerKind::kBundle));
  }
  // Two pieces of vectors of one length in each other's place, with the checksums that they have.
  void Swapped() {
    const Bytes& wide = Files().at("wide");
    Container container(wide.size());
    ASSERT_TRUE(container.Supply(0, wide).ok());
    ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
    const SectionInfo& section = *container.Find(SectionId::kVectors);
    std::map<size_t, size_t> places;  // by length
    size_t at = size_t(section.offset);
    for (const Bytes& piece : fuzz::PiecesOf(&container, section, wide)) {
      const size_t length = piece.size() + kPieceChecksumBytes;
      if (const auto it = places.find(length); it != places.end()) {
        Bytes broken = wide;
        std::swap_ranges(broken.begin() + ptrdiff_t(at), broken.begin() + ptrdiff_t(at + length),
                         broken.begin() + ptrdiff_t(it->second));
        broken = Sealed(std::move(broken), wide);
        Engine engine = test::WholeEngine(broken, {});
        auto verified = engine.Verify();
        ASSERT_TRUE(verified.error()) << "swapped pieces are not refused";
        return Record("vectors_swapped", "wide", verified.error()->code, wide, broken);
      }
      places[length] = at;
      at += length;
    }
    ADD_FAILURE() << "no two partitions are of one length";
  }
  void Mixed(const std::string& name, Bytes broken) { Add(name, Sealed(std::move(broken), sound_)); }
  // The same of the encoder table.
  void Table(const std::string& name, SectionId id, const std::function<void(Bytes*)>& change) {
    const Bytes& table = Files().at("table8");
    fuzz::Parts parts = fuzz::TakeApart(table, ContainerKind::kEncoderTable);
    change(&PartOf(&parts, id).contents[0]);
    const Bytes broken = PutTogether(std::move(parts), ContainerKind::kEncoderTable);
    Engine engine;
    ASSERT_TRUE(engine.SetSource(kEncoderSource, broken.size()).ok());
    ASSERT_TRUE(engine.Supply(kEncoderSource, 0, broken).ok());
    auto opened = engine.OpenEncoder();
    EXPECT_TRUE(opened.error()) << name << " is not refused";
    if (opened.error()) Record(name, "table8", opened.error()->code, table, broken);
  }
  void Settle() const { cases_.Settle("refused.json"); }

 private:
  void Record(const std::string& name, const std::string& from, ErrorCode code, const Bytes& sound,
              const Bytes& broken) {
    cases_.Add({{"name", name},
                {"from", from},
                {"error", ErrorCodeName(code)},
                {"size", broken.size()},
                {"patches", Patches(sound, broken)}});
  }
  // With content hash and header checksum as they should be, unless that hash is the defect.
  static Bytes Sealed(Bytes bytes, const Bytes& sound) {
    if (std::equal(&bytes[24], &bytes[32], &sound[24])) {
      const uint64_t hash = Hash64(ByteSpan(bytes).subspan(kHeaderBytes));
      StoreU32(uint32_t(hash), &bytes[24]);
      StoreU32(uint32_t(hash >> 32), &bytes[28]);
    }
    StoreU32(Checksum32(ByteSpan(bytes).first(60)), &bytes[60]);
    return bytes;
  }

  const Bytes& sound_;
  Cases cases_;
};

TEST(Conformance, DefectiveFilesAreRefused) {
  const Bytes& sound = Files().at("one");
  Defects defects(sound);
  const auto put = [](size_t at, std::vector<uint8_t> bytes) {
    return [at, bytes](Bytes* content) {
      ASSERT_LE(at + bytes.size(), content->size());
      std::copy(bytes.begin(), bytes.end(), content->begin() + ptrdiff_t(at));
    };
  };
  const auto cut = [](size_t bytes) { return [bytes](Bytes* content) { content->resize(content->size() - bytes); }; };

  // The file and its header.
  defects.Add("empty", {});
  defects.Add("no_bundle", Bytes(200, 'P'));
  defects.Add("newline_converted", [&] {
    Bytes b = sound;
    b[6] = '\n';
    return b;
  }());
  defects.Add("short_by_one", {sound.begin(), sound.end() - 1});
  defects.Add("long_by_one", [&] {
    Bytes b = sound;
    b.push_back(0);
    return b;
  }());
  defects.Flip("header_checksum", 60);
  defects.Flip("header_field_flipped", 17);
  defects.Head("newer_version", put(8, {2}));
  defects.Head("kind_of_a_table", put(10, {2}));
  defects.Head("kind_unknown", put(10, {3}));
  defects.Head("reserved_byte_of_header", put(11, {1}));
  defects.Head("reserved_field_of_header", put(59, {1}));
  defects.Head("content_hash", put(24, {0, 1, 2, 3}));
  defects.Head("directory_size", put(32, {1}));
  defects.Head("section_count", put(36, {65}));

  // The directory. Its first entry is that of settings.
  defects.Flip("directory_flipped", 64 + 8);
  defects.Head("section_id_unknown_and_not_skippable", put(64, {99}));
  defects.Head("codec_unknown_and_not_skippable", put(66, {77}));
  defects.Head("flags_reserved", put(67, {0x80}));
  defects.Head("block_size_no_power_of_two", put(68, {0x01, 0x10}));
  defects.Head("block_size_too_small", put(68, {128, 0, 0, 0}));
  defects.Head("block_size_too_large", put(68, {0, 0, 0x20, 0}));
  defects.Head("raw_size_too_large", put(72 + 5, {1}));
  defects.Head("offset_beyond_the_file", put(80 + 3, {1}));
  defects.Head("stored_size_beyond_the_file", put(88 + 3, {1}));
  defects.Head("section_twice", [](Bytes* b) { std::copy_n(b->begin() + 64, 2, b->begin() + 64 + 40); });

  // Blocks and pieces.
  for (const SectionInfo& section : [&] {
         Container container(sound.size());
         EXPECT_TRUE(container.Supply(0, sound).ok());
         EXPECT_TRUE(container.Open(ContainerKind::kBundle).ok());
         return container.sections();
       }()) {
    defects.Flip(std::string("bytes_of_") + SectionName(section.id), size_t(section.offset + section.stored_size / 2));
  }
  for (const SectionId id :
       {SectionId::kSettings, SectionId::kTermIndex, SectionId::kPassageIndex, SectionId::kPassageMap,
        SectionId::kPartitionIndex, SectionId::kTerms, SectionId::kVectors, SectionId::kPassages}) {
    defects.Without(id);
  }

  // Contents.
  const auto settings = [&](const std::string& name, const std::function<void(Settings*)>& change) {
    defects.Content(name, SectionId::kSettings, [&](Bytes* content) {
      auto read = ReadSettings(*content);
      ASSERT_TRUE(read.ok());
      change(&*read);
      *content = WriteSettings(*read);
    });
  };
  settings("no_pages", [](Settings* s) { s->pages = 0; });
  settings("more_pages_than_passages", [](Settings* s) { s->pages = 200; });
  settings("more_passages", [](Settings* s) { s->passages = 200; });
  settings("other_number_of_terms", [](Settings* s) { s->terms = 1; });
  settings("k1_not_a_number", [](Settings* s) { s->k1 = std::numeric_limits<float>::quiet_NaN(); });
  settings("k1_zero", [](Settings* s) { s->k1 = 0; });
  settings("vector_bits_5", [](Settings* s) { s->vector_bits = 5; });
  settings("dimensions_no_multiple_of_16", [](Settings* s) { s->dimensions = 24; });
  settings("dimensions_other_than_the_rows", [](Settings* s) {
    s->dimensions = 16;
    s->centroid.resize(16);
  });
  // After the counts: the language "en" with its length, tokenizer and stemmer;
  defects.Content("language_of_36_bytes", SectionId::kSettings, [](Bytes* b) {
    (*b)[12] = 36;
    b->insert(b->begin() + 15, 34, 'n');
  });
  defects.Content("settings_end_early", SectionId::kSettings, cut(20));
  defects.Content("passage_map_begins_without_a_page", SectionId::kPassageMap, [](Bytes* b) { (*b)[0] ^= 1; });
  defects.Content("passage_map_of_another_size", SectionId::kPassageMap, [](Bytes* b) { b->push_back(0); });
  defects.Content("passage_index_counts_too_many", SectionId::kPassageIndex, [](Bytes* b) { ++(*b)[1]; });
  defects.Content("passage_index_of_no_piece", SectionId::kPassageIndex, put(0, {0}));
  defects.Content("term_index_ends_early", SectionId::kTermIndex, [](Bytes* b) { b->resize(2); });
  defects.Content("term_leaf_of_too_many_groups", SectionId::kTerms, [](Bytes* b) {
    ByteReader r(*b);
    (void)r.Varint();
    (*b)[r.position()] ^= 1;
  });
  defects.Content("spellings_out_of_order", SectionId::kSpellings, [](Bytes* b) { std::swap((*b)[3], (*b)[4]); });
  defects.Content("partition_index_of_no_partition", SectionId::kPartitionIndex, put(0, {0}));
  defects.Content("centroid_dimensions_of_none", SectionId::kPartitionIndex, put(1, {0}));
  defects.Content("centroid_factor_too_large", SectionId::kPartitionIndex, put(2, {0, 0, 0, 0x40}));
  defects.Content("passage_in_no_partition", SectionId::kPartitionIndex, [](Bytes* b) { (*b)[2 + 4 + 2 + 32] = 1; });
  defects.Content("vectors_short_by_a_row", SectionId::kVectors, cut(9));
  defects.Content("facets_of_a_page_too_many", SectionId::kFacets, [](Bytes* b) { b->back() = 100; });
  defects.Content("url_index_lacks_a_page", SectionId::kUrlIndex, put(0, {0, 0, 0, 0}));
  defects.Content("graph_of_other_nodes", SectionId::kGraph, put(4, {1}));
  defects.Content("graph_link_too_high", SectionId::kGraph, put(32, {200, 0, 0, 0}));
  defects.Content("passages_reserved_flag", SectionId::kPassages, [](Bytes* b) { (*b)[0] |= 64; });
  defects.Content("passages_head_without_page", SectionId::kPassages, [](Bytes* b) { (*b)[0] &= uint8_t(~1); });
  defects.Content("passages_text_too_short", SectionId::kPassages, cut(3));

  // Pieces that are sound where they come from.
  defects.Swapped();
  {
    const Bytes other = BuildWith(8, Some(test::GuidePages(), IsCache), Options("two", 4, GraphMode::kAlways));
    ASSERT_EQ(other.size(), sound.size());
    Container container(sound.size());
    ASSERT_TRUE(container.Supply(0, sound).ok());
    ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
    const SectionInfo& section = *container.Find(SectionId::kVectors);
    Bytes mixed = sound;
    std::copy_n(other.begin() + ptrdiff_t(section.offset), section.stored_size,
                mixed.begin() + ptrdiff_t(section.offset));
    EXPECT_EQ(std::mismatch(mixed.begin(), mixed.end(), sound.begin()).first - mixed.begin(),
              ptrdiff_t(section.offset + section.stored_size - kPieceChecksumBytes))
        << "the contents are the same";
    defects.Mixed("vectors_of_another_file", std::move(mixed));
  }
  for (const SectionId id : {SectionId::kPassageIndex, SectionId::kPassageMap, SectionId::kPartitionIndex,
                             SectionId::kFacets, SectionId::kUrlIndex, SectionId::kGraph, SectionId::kTerms,
                             SectionId::kSpellings, SectionId::kVectors, SectionId::kPassages}) {
    defects.Content(std::string("bytes_behind_") + SectionName(id), id, [](Bytes* b) { b->push_back(0); });
  }

  defects.Table("table_of_another_query_version", SectionId::kSettings, put(9, {2}));
  defects.Table("table_dimensions_no_multiple_of_16", SectionId::kSettings, put(0, {24}));
  defects.Table("table_bits_5", SectionId::kSettings, put(4, {5}));
  defects.Table("table_of_other_words", SectionId::kSettings, put(5, {1, 0}));
  defects.Settle();
}

}  // namespace conformance_test
}  // namespace sheaf
