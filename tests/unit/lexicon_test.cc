#include "lexical/lexicon.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "lexical/bm25.h"
#include "lexical/edit_distance.h"
#include "lexical/lexicon_builder.h"
#include "lexical/postings_accumulator_builder.h"

namespace sheaf {
namespace {

class ArrayPages : public TermPages {
 public:
  explicit ArrayPages(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  Result<ByteSpan> TermPage(uint32_t index) override {
    const size_t at = size_t(index) * kTermPageBytes;
    if (at >= bytes_.size()) return Error{ErrorCode::kCorrupt, "no such page"};
    return ByteSpan(bytes_).subspan(at, std::min<size_t>(kTermPageBytes, bytes_.size() - at));
  }

 private:
  const std::vector<uint8_t>& bytes_;
};

TEST(Postings, ComeBackAsTheyWereForEveryGapWidth) {
  std::mt19937 random(5);
  for (uint32_t spread : {1u, 2u, 10u, 1000u, 10'000'000u}) {
    for (size_t count : {size_t(1), size_t(2), size_t(127), size_t(128), size_t(129), size_t(1000)}) {
      std::vector<Posting> list;
      uint32_t passage = random() % spread;
      for (size_t i = 0; i < count; ++i) {
        list.push_back({passage, uint8_t(random() % kLevels)});
        passage += 1 + uint32_t(random()) % spread % 4'000'000;
      }
      std::vector<uint8_t> bytes;
      EncodePostings(list, &bytes);
      std::vector<Posting> back;
      ASSERT_TRUE(DecodePostings(bytes, uint32_t(count), passage, &back).ok());
      ASSERT_EQ(back.size(), count);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(back[i].passage, list[i].passage);
        ASSERT_EQ(back[i].level, list[i].level);
      }
    }
  }
}

TEST(Postings, RefuseNumbersBeyondTheBundleAndListsThatEndEarly) {
  std::vector<uint8_t> bytes;
  EncodePostings({{3, 1}, {900, 2}}, &bytes);
  std::vector<Posting> out;
  EXPECT_EQ(DecodePostings(bytes, 2, 900, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(DecodePostings(ByteSpan(bytes).first(bytes.size() - 1), 2, 1000, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(DecodePostings(bytes, 2000, 1000, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(DecodePostings({}, 1, 1000, &out).code(), ErrorCode::kCorrupt);
}

TEST(Lexicon, FindsEveryGroupAmongThousands) {
  std::mt19937 random(7);
  std::map<std::string, std::set<std::string>> model;  // stem -> terms
  for (int i = 0; i < 5000; ++i) {
    std::string stem;
    for (size_t n = 1 + random() % 12; n > 0; --n) stem += char('a' + random() % 6);
    model[stem].insert(stem + "s");
    if (random() % 2) model[stem].insert(stem);
    if (random() % 3 == 0) model[stem].insert(stem.substr(0, stem.size() - 1) + "y");
  }
  LexiconBuilder builder;
  uint32_t terms = 0;
  for (const auto& [stem, forms] : model) {
    for (const std::string& form : forms) {
      std::vector<Posting> postings{{terms % 100, uint8_t(terms % 32)}};
      if (terms % 3) postings.push_back({100 + terms % 100, 5});
      builder.Add(stem, form, postings);
      ++terms;
    }
  }
  builder.Finish();
  EXPECT_EQ(builder.terms(), terms);
  auto lexicon = Lexicon::Open(builder.index());
  ASSERT_TRUE(lexicon.ok());
  ArrayPages pages(builder.pages());
  ASSERT_GT(lexicon->page_count(), 3u);

  uint32_t seen = 0;
  for (const auto& [stem, forms] : model) {
    std::vector<TermEntry> found;
    ASSERT_TRUE(lexicon->FindGroup(&pages, stem, &found).ok());
    std::set<std::string> names;
    for (const TermEntry& entry : found) {
      names.insert(entry.term);
      std::vector<Posting> postings;
      if (entry.bytes) {
        ASSERT_TRUE(DecodePostings(ByteSpan(builder.postings()).subspan(entry.offset, entry.bytes), entry.postings, 1000, &postings).ok());
        EXPECT_EQ(postings[0].passage, seen % 100);
      } else {
        EXPECT_EQ(entry.passage, seen % 100);
      }
      ++seen;
    }
    ASSERT_EQ(names, forms) << stem;
  }
  std::vector<TermEntry> none;
  ASSERT_TRUE(lexicon->FindGroup(&pages, "zzz", &none).ok());
  ASSERT_TRUE(lexicon->FindGroup(&pages, "", &none).ok());
  EXPECT_TRUE(none.empty());

  // A scan by prefix gives what a walk over the model gives.
  for (const std::string prefix : {"", "a", "ab", "abc", "fff", "zz"}) {
    size_t expected = 0, got = 0;
    for (const auto& [stem, forms] : model) {
      if (stem.starts_with(prefix)) expected += forms.size();
    }
    ASSERT_TRUE(lexicon->Scan(&pages, prefix, [&](const TermPageView&, std::string_view, const TermPageView::Form&) { ++got; return true; }).ok());
    EXPECT_EQ(got, expected) << prefix;
  }
}

TEST(Lexicon, DamagedPagesAreRefusedOrReadWithinBounds) {
  LexiconBuilder builder;
  for (char c = 'a'; c <= 'z'; ++c) builder.Add(std::string(3, c), std::string(3, c) + "ing", {{1, 2}, {5, 3}});
  builder.Finish();
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint8_t> damaged = builder.pages();
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = uint8_t(random());
    auto lexicon = Lexicon::Open(builder.index());
    ArrayPages pages(damaged);
    std::vector<TermEntry> found;
    (void)lexicon->FindGroup(&pages, "mmm", &found);
    (void)lexicon->Scan(&pages, {}, [](const TermPageView& page, std::string_view, const TermPageView::Form& form) { return page.Term(form).size() < 1000; });
  }
}

TEST(EditDistance, AgreesWithTheFullMatrix) {
  const auto slow = [](const std::string& a, const std::string& b) {
    std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) {
      for (size_t j = 0; j <= b.size(); ++j) {
        if (!i || !j) { d[i][j] = int(i + j); continue; }
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
    return d[a.size()][b.size()];
  };
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string a, b;
    for (size_t n = random() % 9; n > 0; --n) a += char('a' + random() % 3);
    for (size_t n = random() % 9; n > 0; --n) b += char('a' + random() % 3);
    for (int limit : {0, 1, 2, 3}) ASSERT_EQ(EditDistance(a, b, limit), std::min(slow(a, b), limit + 1)) << a << " " << b;
  }
  EXPECT_EQ(EditDistance("gahter", "gather", 2), 1);
  EXPECT_EQ(EditDistance(std::string(100, 'a'), std::string(100, 'a'), 2), 3);
}

TEST(Bm25, LevelsStayWithinNinePercentAndRiseWithFrequency) {
  for (float x = 0.3f; x < 50; x *= 1.01f) {
    const float back = FrequencyOf(LevelOf(x));
    EXPECT_NEAR(back / x, 1, 0.091) << x;
    EXPECT_GE(LevelOf(x * 1.01f), LevelOf(x));
  }
  EXPECT_EQ(LevelOf(0), 0);
  EXPECT_EQ(LevelOf(1e30f), kLevels - 1);
}

TEST(Bm25, AgreesWithAHandComputedScore) {
  // Ten documents, three with the term: ln(1 + 7.5/3.5) = 1.1451...
  EXPECT_NEAR(Idf(10, 3), 1.14513f, 1e-4);
  // tf 2 in a field twice the average with b .75: 2 / (0.25 + 0.75 * 2) = 1.142857
  EXPECT_NEAR(FieldFrequency(2, 20, 10, 1, 0.75f), 1.142857f, 1e-5);
  EXPECT_NEAR(TermScore(1.14513f, 1.142857f, 1.2f), 1.14513 * 1.142857 * 2.2 / 2.342857, 1e-5);
}

TEST(PostingsAccumulator, GivesTheSameWithAndWithoutSpilling) {
  const auto run = [](bool spill) {
    std::vector<uint8_t> spilled;
    PostingsAccumulator accumulator(Bm25Params{}, [](std::string_view t) { return std::string(t.substr(0, 3)); });
    if (spill) {
      accumulator.SetSpill(2000, [&](ByteSpan b) { spilled.insert(spilled.end(), b.begin(), b.end()); return Status(); },
                           [&](uint64_t offset, size_t size, uint8_t* out) {
                             std::copy_n(spilled.begin() + ptrdiff_t(offset), size, out);
                             return Status();
                           });
    }
    std::mt19937 random(9);
    for (int passage = 0; passage < 300; ++passage) {
      std::map<std::string, TermCounts> terms;
      for (int t = 0; t < 20; ++t) {
        const std::string term = "term" + std::to_string(random() % 400);
        terms[term].term = term;
        ++terms[term].counts[random() % kFieldCount];
      }
      std::vector<TermCounts> list;
      for (auto& [name, counts] : terms) list.push_back(counts);
      EXPECT_TRUE(accumulator.Add(list, {3, 5, uint32_t(20 + random() % 50), 4}).ok());
    }
    std::string out;
    EXPECT_TRUE(accumulator.Finish([&](std::string_view stem, std::string_view term, const std::vector<Posting>& postings) {
      out += std::string(stem) + "/" + std::string(term);
      for (const Posting& p : postings) out += " " + std::to_string(p.passage) + ":" + std::to_string(p.level);
      out += "\n";
    }).ok());
    EXPECT_EQ(spill, !spilled.empty());
    return out;
  };
  EXPECT_EQ(run(false), run(true));
}

}  // namespace
}  // namespace sheaf
