#include "packer/base/progress.h"
#include "packer/base/printable.h"
#include "packer/base/terminal_progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

namespace sheaf::packer {
namespace progress_test {

TEST(Format, CountsInGroupsOfThree) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(Format, BytesInPowersOfAThousand) {
  EXPECT_EQ(FormatBytes(0), "0 bytes");
  EXPECT_EQ(FormatBytes(1), "1 byte");
  EXPECT_EQ(FormatBytes(999), "999 bytes");
  EXPECT_EQ(FormatBytes(1000), "1.0 kB");
  EXPECT_EQ(FormatBytes(9300), "9.3 kB");
  EXPECT_EQ(FormatBytes(999600), "1.0 MB");
  EXPECT_EQ(FormatBytes(12000000), "12 MB");
  EXPECT_EQ(FormatBytes(UINT64_MAX), "18 EB");
}

TEST(Format, DurationsByTheirSize) {
  EXPECT_EQ(FormatDuration(0.312), "0.31 s");
  EXPECT_EQ(FormatDuration(9.94), "9.9 s");
  EXPECT_EQ(FormatDuration(9.96), "10 s");
  EXPECT_EQ(FormatDuration(59.6), "1 min 0 s");
  EXPECT_EQ(FormatDuration(200), "3 min 20 s");
  EXPECT_EQ(FormatDuration(7500), "2 h 5 min");
  EXPECT_EQ(FormatDuration(-1), "0.00 s");
}

TEST(Format, RatesWithOneDecimalBelowTen) {
  EXPECT_EQ(FormatRate(0), "0.0");
  EXPECT_EQ(FormatRate(0.04), "0.0");
  EXPECT_EQ(FormatRate(9.3), "9.3");
  EXPECT_EQ(FormatRate(12.4), "12");
  EXPECT_EQ(FormatRate(1234.5), "1,235");
}

TEST(ParseBytes, UnderstandsUnitsInAnyCase) {
  const std::pair<const char*, uint64_t> cases[] = {{"0", 0},
                                                    {"4096", 4096},
                                                    {"512M", uint64_t(512) << 20},
                                                    {"512mb", uint64_t(512) << 20},
                                                    {"100 MiB", uint64_t(100) << 20},
                                                    {"1.5G", uint64_t(3) << 29},
                                                    {"2k", 2048},
                                                    {"7b", 7},
                                                    {"1T", uint64_t(1) << 40}};
  for (const auto& [text, expected] : cases) {
    uint64_t bytes = 1;
    EXPECT_TRUE(ParseBytes(text, &bytes)) << text;
    EXPECT_EQ(bytes, expected) << text;
  }
}

TEST(ParseBytes, RefusesEverythingElse) {
  for (const char* text :
       {"", "M", "-1", "1X", "1MM", "1 M B", "1.2.3", "99999999999999999999", "1e9", "0x10", ".", "8388608T"}) {
    uint64_t bytes;
    EXPECT_FALSE(ParseBytes(text, &bytes)) << text;
  }
}

TEST(TerminalText, LeavesNothingThatMovesTheCursorOrReordersText) {
  EXPECT_EQ(TerminalText("plain \xC3\xA9 \xE6\x97\xA5"), "plain \xC3\xA9 \xE6\x97\xA5");
  EXPECT_EQ(TerminalText("a\x1b[31mb\r\nc\td"), "a [31mb  c d");
  EXPECT_EQ(TerminalText("a\x7f"
                         "b\xC2\x9b"
                         "c"),
            "a b c");
  EXPECT_EQ(TerminalText("a\xE2\x80\xAE"
                         "b"),
            "a b");                             // right-to-left override
  EXPECT_EQ(TerminalText("a\xFF\xC3"), "a??");  // not UTF-8
  EXPECT_EQ(TerminalText("a\xED\xA0\x80"
                         "b"),
            "a???b");  // a lone surrogate
  EXPECT_EQ(TerminalText("a\xE0\x80\xAF"
                         "b"),
            "a???b");  // an overlong slash
  EXPECT_EQ(TerminalText(std::string_view("a\0b", 3)), "a b");
}

ProgressState Packing() {
  ProgressState state;
  state.stage = "packing";
  state.pages = 1169;
  state.bytes = 9300000;
  state.total_bytes = 18600000;
  state.seconds = 2;
  return state;
}

TEST(FormatProgress, ShowsBarRateAndRemainingTime) {
  EXPECT_EQ(FormatProgress(Packing(), 120),
            "packing  [============>           ]   50%  1,169 pages · 585 pages/s · 4.7 MB/s · 2.0 s left");
}

TEST(FormatProgress, LeavesTheBarOutOfPlainLinesAndNarrowTerminals) {
  EXPECT_EQ(FormatProgress(Packing(), 0), "packing   50%  1,169 pages · 585 pages/s · 4.7 MB/s · 2.0 s left");
  const std::string narrow = FormatProgress(Packing(), 20);
  EXPECT_EQ(narrow, "packing   50%  1,169");
}

TEST(FormatProgress, CutsBetweenCharacters) {
  const std::string cut = FormatProgress(Packing(), 29);
  EXPECT_EQ(cut, "packing   50%  1,169 pages · ");
}

TEST(FormatProgress, ShowsWhatAStageIsDoing) {
  ProgressState state;
  state.stage = "writing";
  state.detail = "graph";
  state.share = 0.25;
  state.seconds = 1;
  EXPECT_EQ(FormatProgress(state, 0), "writing   25%  graph · 3.0 s left");
}

TEST(FormatProgress, ClaimsNoShareWhereAStageCannotTell) {
  ProgressState state;
  state.stage = "writing";
  state.detail = "lexicon";
  state.share = 0;
  EXPECT_EQ(FormatProgress(state, 100), "writing  lexicon");
}

TEST(FormatProgress, StaysSaneWithoutTotalsAndBeyondThem) {
  ProgressState state;
  state.stage = "packing";
  EXPECT_EQ(FormatProgress(state, 0), "packing    0%  0 pages");
  state.bytes = 300;
  state.total_bytes = 100;
  state.pages = 1;
  EXPECT_EQ(FormatProgress(state, 0), "packing  100%  1 page");
}

TEST(TerminalProgress, PrintsMessagesInEveryModeAndNoBarWhenQuiet) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    TerminalProgress terminal(file, ProgressMode::kNone, false);
    Progress progress([&](const ProgressState& state) { terminal.Show(state); }, {});
    progress.BeginStage("packing", 100);
    progress.Update(1, 50);
    terminal.Message("skipped a.md: gone");
  }
  std::rewind(file);
  char text[200] = {};
  const size_t size = std::fread(text, 1, sizeof text - 1, file);
  EXPECT_EQ(std::string(text, size), "skipped a.md: gone\n");
  std::fclose(file);
}

TEST(TerminalProgress, ChoosesLinesWhereStderrIsNoTerminal) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(ChooseProgressMode(file, false), ProgressMode::kLines);
  EXPECT_EQ(ChooseProgressMode(file, true), ProgressMode::kNone);
  EXPECT_FALSE(WantsColor(file));
  std::fclose(file);
}

// A pseudo-terminal, and what was written to it.
class Screen {
 public:
  Screen() : main_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(::grantpt(main_), 0);
    EXPECT_EQ(::unlockpt(main_), 0);
    stream_ = std::fopen(::ptsname(main_), "w");
    EXPECT_NE(stream_, nullptr);
  }
  ~Screen() {
    std::fclose(stream_);
    ::close(main_);
  }
  void Widen(unsigned short columns) {
    struct winsize size = {};
    size.ws_col = columns;
    EXPECT_EQ(::ioctl(main_, TIOCSWINSZ, &size), 0);
  }
  std::FILE* stream() const { return stream_; }
  std::string Shown() const {
    std::string text(4000, '\0');
    const ssize_t size = ::read(main_, text.data(), text.size());
    return text.substr(0, size_t(std::max<ssize_t>(size, 0)));
  }

 private:
  int main_;
  std::FILE* stream_;
};

// Sets a variable, or takes it away, as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    Set(value);
  }
  ~Variable() { Set(before_ ? before_->c_str() : nullptr); }

 private:
  void Set(const char* value) const {
    if (value != nullptr)
      ::setenv(name_, value, 1);
    else
      ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> before_;
};

TEST(TerminalProgress, DrawsABarOnATerminalThatCanAndInColourUnlessAsked) {
  const Screen screen;
  const Variable term("TERM", "xterm"), no_color("NO_COLOR", nullptr);
  EXPECT_EQ(ChooseProgressMode(screen.stream(), false), ProgressMode::kBar);
  EXPECT_TRUE(WantsColor(screen.stream()));
  {
    const Variable plain("NO_COLOR", "1");
    EXPECT_FALSE(WantsColor(screen.stream()));
    const Variable empty("NO_COLOR", "");
    EXPECT_TRUE(WantsColor(screen.stream()));
  }
  for (const char* dumb : {"dumb", "", static_cast<const char*>(nullptr)}) {
    const Variable other("TERM", dumb);
    EXPECT_EQ(ChooseProgressMode(screen.stream(), false), ProgressMode::kLines);
    EXPECT_FALSE(WantsColor(screen.stream()));
  }
}

TEST(TerminalProgress, ClearsItsBarBeforeAMessageAndAtItsEnd) {
  Screen screen;
  screen.Widen(40);
  ProgressState state;
  state.stage = "packing";
  state.pages = 7;
  {
    TerminalProgress terminal(screen.stream(), ProgressMode::kBar, /*color=*/true);
    terminal.Show(state);  // it is not yet time
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    terminal.Show(state);
    const std::string drawn = screen.Shown();
    EXPECT_EQ(drawn.substr(0, 16), "\r\033[K\033[36mpacking") << drawn;
    EXPECT_NE(drawn.find("7 pages"), std::string::npos);
    terminal.Message("note");
    EXPECT_EQ(screen.Shown(), "\r\033[Knote\r\n");
  }
  TerminalProgress plain(screen.stream(), ProgressMode::kBar, /*color=*/false);
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  plain.Show(state);
  EXPECT_EQ(screen.Shown().substr(0, 11), "\r\033[Kpacking");
  plain.Clear();
  EXPECT_EQ(screen.Shown(), "\r\033[K");
}

TEST(Progress, TellsEveryUpdateAndStaysCancelledOnceItIs) {
  std::vector<ProgressState> told;
  bool is_cancelled = false;
  Progress progress([&](const ProgressState& state) { told.push_back(state); }, [&] { return is_cancelled; });
  progress.BeginStage("packing", 100);
  progress.Update(1, 50);
  progress.BeginStage("writing", 0);
  progress.UpdateShare("postings", 0.5);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].stage, "packing");
  EXPECT_EQ(told[0].bytes, 50u);
  EXPECT_EQ(told[0].total_bytes, 100u);
  EXPECT_EQ(told[1].detail, "postings");
  EXPECT_EQ(told[1].pages, 0u);
  EXPECT_FALSE(progress.cancelled());
  is_cancelled = true;
  EXPECT_TRUE(progress.cancelled());
  is_cancelled = false;
  EXPECT_TRUE(progress.cancelled());
  EXPECT_FALSE(Progress().cancelled());
}

}  // namespace progress_test
}  // namespace sheaf::packer
