// The answer on a terminal, as it is there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "documents.h"
#include "fixture.h"
#include "render/shared/renderer.h"
#include "render/shared/words.h"

namespace profgauge::render {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Plain;

TEST(Terminal, AFailingRun) {
  EXPECT_EQ(
      Plain(RenderTerminal(testing::SampleReport(), {})),
      R"(resnet50 <&> "ddp"   kineto · 1 × Tesla V100-SXM2-16GB · 6 iterations · 10.0 ms/iteration
policy recommended · baseline none

  The data loader holds up the GPU: 12.0 % of an iteration waits for data, limit 10 %

  fails       GPU idle 31.4 % (limit 30 %)
              The data loader holds up the GPU (12.0 %)

  iteration   Kernels on Tensor Cores 36.0 %  Other kernels 19.0 %  Communication 15.0 %
              Copies 3.0 %  Sets 1.0 %  Runtime calls 7.0 %  Data loader 12.0 %  Host 4.0 %
              Unattributed 3.0 %

  error  dataloader/exposed  12.0 %                      saves at most 1.20 ms
         do: Raise num_workers, or move decoding to the GPU.
  error  gpu.idle.mean       31.4 %  (error above 30 %)
  loss   the file ends early; totals are lower bounds
  note   iterations 1 to 5 are steadier than the selection
  note   1 limit and 1 rule do not apply: needs memory events; record with profile_memory=True
  note   Savings are simulated: per iteration, and each without the others; "at most" marks an upper
         bound

FAIL  2 errors, 1 missing · 1 measured and good
)");
}

TEST(Terminal, KernelNamesFoldOnlyForPeople) {
  report::Report report = testing::SampleReport();
  const std::string name =
      "void at::native::elementwise<4, at::detail::Array<char*, 1>, float2>(int, "
      "at::Tensor<float> const&)";
  report.remarks.push_back({"x", name + " is slow (by much, as one can see here)"});
  TerminalOptions options;
  options.width = 400;
  EXPECT_THAT(Plain(RenderTerminal(report, options)), HasSubstr(name));
  options.fold_names = true;
  EXPECT_THAT(
      Plain(RenderTerminal(report, options)),
      HasSubstr("void at::native::elementwise<…>(…) is slow (by much, as one can see here)"));
}

TEST(Terminal, MetricsMissedLimitsAreOneLine) {
  report::Report report = testing::SampleReport();
  report.gate.push_back(report.gate[0]);
  report.gate.back().limit = "≤ 15 %";
  report.gate.back().level = report.gate.back().status = report::State::kWarn;
  const std::string text = Plain(RenderTerminal(report, {}));
  EXPECT_THAT(
      text,
      HasSubstr("  error  gpu.idle.mean       31.4 %  (error above 30 %, warning above 15 %)\n"));
  EXPECT_THAT(text, Not(HasSubstr("  warn ")));
}

TEST(Terminal, VerboseShowsPassedRules) {
  TerminalOptions options;
  options.verbosity = 1;
  options.width = 200;
  const std::string text = Plain(RenderTerminal(testing::SampleReport(), options));
  EXPECT_THAT(text, HasSubstr("  pass   tensor_core.efficiency  65.5 %  (warning below 60 %)\n"));
  EXPECT_THAT(text, HasSubstr("read   3 events that end before they start"));
  EXPECT_THAT(text, HasSubstr("saves at most 1.20 ms  12.0 % of an iteration waits"));
}

TEST(Terminal, VerboseSaysWhyAPassIsUncertain) {
  report::Report report = testing::SampleReport();
  report.gate[1].reason = "variance needs at least 10 iterations";
  TerminalOptions options;
  options.verbosity = 1;
  options.width = 200;
  EXPECT_THAT(Plain(RenderTerminal(report, options)),
              HasSubstr("  pass   tensor_core.efficiency  65.5 %  (warning below 60 %)  variance "
                        "needs at least 10 iterations\n"));
}

TEST(Terminal, QuietIsOnlyTheVerdict) {
  TerminalOptions options;
  options.verbosity = -1;
  EXPECT_EQ(RenderTerminal(testing::SampleReport(), options), "FAIL  2 errors, 1 missing\n");
}

TEST(Terminal, ColorsOnlyWhenAsked) {
  TerminalOptions options;
  EXPECT_THAT(RenderTerminal(testing::SampleReport(), options), Not(HasSubstr("\x1b")));
  options.color = true;
  const std::string text = RenderTerminal(testing::SampleReport(), options);
  EXPECT_THAT(text, HasSubstr("\x1b[1;31mFAIL\x1b[0m  2 errors"));
  EXPECT_THAT(text, HasSubstr("\x1b[1;31merror\x1b[0m  gpu.idle.mean"));
}

TEST(Terminal, WhyThereIsNoVerdictOnce) {
  report::Report report = testing::SampleReport();
  report.verdict = {};
  report.verdict.status = report::State::kNoVerdict;
  report.verdict.reasons = {"the profile is incomplete: the file ends early"};
  const std::string text = RenderTerminal(report, {});
  const std::string reason = "  undecided   the profile is incomplete: the file ends early\n";
  const std::size_t at = text.find(reason);
  ASSERT_NE(at, text.npos);
  EXPECT_EQ(text.find("the profile is incomplete: the file", at + reason.size()), text.npos);
  EXPECT_THAT(text, EndsWith("\nNO VERDICT  nothing was judged\n"));
}

TEST(Terminal, NamesCannotDriveTheTerminal) {
  report::Report report = testing::SampleReport();
  report.profile.name = "\x1b[2Jgone";
  report.findings[0].message = "kernel \x1b]0;title\x07 \xff";
  const std::string text = RenderTerminal(report, {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("\\x1b[2Jgone"));
}

TEST(Terminal, LongMessagesWrap) {
  report::Report report = testing::SampleReport();
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i) + " ";
  report.findings[0].message = words + testing::HostileNames()[7];
  TerminalOptions options;
  options.width = 60;
  const std::string text = RenderTerminal(report, options);
  for (int i = 0; i < 60; ++i) EXPECT_THAT(text, HasSubstr("word" + std::to_string(i)));
  EXPECT_THAT(text, HasSubstr(testing::HostileNames()[7]));
}

TEST(Terminal, LongGainUsesLimitColumn) {
  report::Report report = testing::SampleReport();
  report.findings[0].saves.text = "saves 1.20 to 3.40 ms, with quite a long explanation";
  const auto line_of = [&](int width) {
    TerminalOptions options;
    options.width = width;
    const std::string text = Plain(RenderTerminal(report, options));
    const std::size_t at = text.find("  error  dataloader");
    return text.substr(at, text.find('\n', at) - at);
  };
  constexpr std::string_view kFinding = "  error  dataloader/exposed  12.0 %";
  constexpr std::string_view kGain = "saves 1.20 to 3.40 ms, with quite a long explanation";
  EXPECT_EQ(line_of(85), kFinding);  // It does not fit, and begins the next line.
  EXPECT_EQ(line_of(92), fmt::format("{}     {}", kFinding, kGain));
  EXPECT_EQ(line_of(120), fmt::format("{}  {:18}  {}", kFinding, "", kGain));
}

TEST(Terminal, SymptomsAreUnderTheirCause) {
  report::Report report = testing::SampleReport();
  report.findings.resize(3, report.findings[0]);
  const char* const kRules[] = {"io/loader", "gpu/idle", "gpu/gaps"};
  for (std::size_t i = 0; i < 3; ++i) {
    report.findings[i].rule = kRules[i];
    report.findings[i].status = report.findings[i].level = report::State::kWarn;
  }
  report.findings[0].explains = {"gpu/idle"};
  report.findings[1].explains = {"gpu/gaps"};
  report.findings[2].explains = {};
  const std::string text = RenderTerminal(report, {});
  EXPECT_THAT(text, HasSubstr("  warn   io/loader"));
  EXPECT_THAT(text, HasSubstr("  warn   └ gpu/idle"));
  EXPECT_THAT(text, HasSubstr("  warn     └ gpu/gaps"));
  // The order is the report's, even where a symptom is worse than its cause.
  report.findings[1].status = report.findings[1].level = report::State::kError;
  EXPECT_EQ(FiredFindings(report).front(), &report.findings[0]);
}

TEST(Words, ElideMiddleKeepsBothEnds) {
  struct Row {
    std::string_view in;
    std::size_t most;
    std::string_view out;
  };
  const Row kRows[] = {{"abcdef", 6, "abcdef"},
                       {"abcdefg", 6, "abc…fg"},
                       {"äöüäöü", 5, "äö…öü"},
                       {"abcdef", 3, "a…f"},
                       {"", 3, ""},
                       {"\xff\xff\xff\xff", 3, "\xff…\xff"}};
  for (const Row& row : kRows) EXPECT_EQ(ElideMiddle(row.in, row.most), row.out) << row.in;
}

TEST(Words, DeltaHasASign) {
  EXPECT_EQ(DeltaText(0), "±0");
  EXPECT_EQ(Plain(DeltaText(12'300'000)), "+12.3 ms");
  EXPECT_EQ(Plain(DeltaText(-1'200)), "−1.20 µs");
}

}  // namespace
}  // namespace profgauge::render
