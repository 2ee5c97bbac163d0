// Changes against a baseline, in every document: the same numbers, sums that hold, no markup from
// names, nothing shown only by color.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <regex>

#include "base/metric_id.h"
#include "comparison_fixture.h"
#include "documents.h"
#include "render/shared/change.h"
#include "render/shared/renderer.h"
#include "report/read_report.h"
#include "unzip.h"

namespace profgauge::render {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Page;

std::string Markdown(const report::Report& report) { return RenderMarkdown(report); }

TEST(WaterfallBars, LeadFromBaseToCurrent) {
  const auto bars = WaterfallBars(testing::SampleComparison());
  ASSERT_EQ(bars.size(), 4u);
  EXPECT_EQ(bars[0].to, 100'000'000);
  EXPECT_EQ(bars[1].title, "Other kernels");
  EXPECT_EQ(bars[1].to, 115'000'000);
  EXPECT_EQ(bars[2].to, 112'000'000);
  EXPECT_EQ(bars[3].to, bars[2].to);
}

TEST(WaterfallBars, NeverGoBelowZero) {
  report::Comparison comparison = testing::SampleComparison();
  comparison.base = 20'000'000;
  comparison.current = 25'000'000;
  comparison.waterfall = {testing::Step(gate::PartLevel::kCategory, "cpu", -1, -19'000'000, 0),
                          testing::Step(gate::PartLevel::kCategory, "memcpy", -1, 24'000'000, 0)};
  for (const ChangeBar& bar : WaterfallBars(comparison)) EXPECT_GE(bar.to, 0) << bar.title;
}

TEST(ChangeTree, PassesOverALevelThatOnlyRepeats) {
  const report::Comparison comparison = testing::SampleComparison();
  std::vector<std::string> names;
  for (const ChangeRow& row : ChangeTree(comparison, {})) {
    names.push_back(row.step == nullptr ? "rest" : row.step->name);
  }
  // The op says more than its type, which has no other.
  EXPECT_THAT(names, ElementsAre("other_kernel", "aten::mm [[2, 3]]",
                                 "void gemm<float>(a|b) </script>", "dataloader"));
}

TEST(ChangeTree, SmallerStepsKeepTheSum) {
  report::Comparison comparison = testing::SampleComparison();
  comparison.waterfall = {testing::Step(gate::PartLevel::kCategory, "cpu", -1, 10'000'000, 0),
                          testing::Step(gate::PartLevel::kOpType, "a", 0, 9'900'000, 0),
                          testing::Step(gate::PartLevel::kOpType, "b", 0, 60'000, 0),
                          testing::Step(gate::PartLevel::kOpType, "c", 0, 40'000, 0)};
  std::int64_t sum = 0;
  std::size_t smaller = 0;
  for (const ChangeRow& row : ChangeTree(comparison, {})) {
    if (row.depth == 1) sum += row.delta;
    smaller += row.smaller;
  }
  EXPECT_EQ(sum, 10'000'000);
  EXPECT_EQ(smaller, 2u);
}

TEST(SvgWaterfall, SignAndArrowShowDirection) {
  const std::string svg = SvgWaterfall(testing::SampleComparison());
  EXPECT_THAT(svg,
              HasSubstr("role=\"img\" aria-label=\"Waterfall from 100\u202fms to 112\u202fms"));
  EXPECT_THAT(svg, HasSubstr("▲ +15.0\u202fms"));
  EXPECT_THAT(svg, HasSubstr("▼ −3.00\u202fms"));
  EXPECT_THAT(svg, HasSubstr("the axis begins at"));  // 112 of 100: small on an axis from 0.
  EXPECT_THAT(svg, Not(HasSubstr("style=")));
  report::Comparison same;
  same.base = same.current = 100;
  EXPECT_EQ(SvgWaterfall(same), "");
}

// A word needs an interval that excludes 0, whatever the means say.
TEST(SpeedOf, FollowsTheInterval) {
  struct Row {
    double low, high;
    Speed speed;
    std::string_view sign;
  };
  for (const Row& row : {Row{0.1, 0.14, Speed::kSlower, "▲"}, Row{-0.2, -0.01, Speed::kFaster, "▼"},
                         Row{-0.089, 0.068, Speed::kUndecided, "="}}) {
    for (const std::int64_t delta : {std::int64_t{12'000'000}, std::int64_t{-100'000}}) {
      report::Comparison comparison = testing::SampleComparison();
      comparison.delta = delta;
      comparison.metrics[0].result = report::State::kPass;
      comparison.metrics[0].low = testing::Q(row.low, Unit::kShare);
      comparison.metrics[0].high = testing::Q(row.high, Unit::kShare);
      EXPECT_EQ(SpeedOf(comparison), row.speed) << row.low;
      EXPECT_EQ(LookOfSpeed(comparison).sign, row.sign);
      EXPECT_THAT(ChangeSentence(comparison), HasSubstr(", typically 12.0\u202f% (98 % CI "));
    }
  }
}

// A few iterations are much slower, the typical one is not: "no significant change" would wave it
// through.
TEST(SpeedOf, FollowsTheVerdictOnTheTotal) {
  report::Comparison comparison = testing::SampleComparison();
  comparison.metrics[0].low = testing::Q(-0.01, Unit::kShare);
  comparison.metrics[0].high = testing::Q(0.01, Unit::kShare);
  for (const auto& [result, word, sign] :
       {std::tuple(report::State::kPass, "no significant change", "="),
        std::tuple(report::State::kOpen, "undecided", "?"),
        std::tuple(report::State::kFail, "slower in total", "▲")}) {
    comparison.metrics[0].result = result;
    EXPECT_EQ(SpeedWord(comparison), word);
    EXPECT_EQ(LookOfSpeed(comparison).sign, sign);
  }
  comparison.metrics[0].total = testing::Q(0.192, Unit::kShare);
  EXPECT_THAT(ChangeSentence(comparison), HasSubstr("19.2\u202f%, slower in total"));
}

TEST(SpeedOf, NeedsATestOfTimesThatCompare) {
  report::Comparison comparison = testing::SampleComparison();
  comparison.metrics[0].low = comparison.metrics[0].high = {};
  // Equal typical iterations beside a total over its limit: not "no change".
  comparison.metrics[0].result = report::State::kOpen;
  EXPECT_EQ(SpeedWord(comparison), "undecided");
  comparison.metrics[0].result = report::State::kPass;
  EXPECT_EQ(SpeedOf(comparison), Speed::kNotTested);
  comparison.comparable = false;
  comparison.metrics[0].result = report::State::kNotApplicable;
  comparison.differences = {{"gpus", "2", "1", true}};
  EXPECT_THAT(ChangeSentence(comparison), HasSubstr(": not comparable (different: GPUs)"));
  comparison.comparable = true;
  comparison.metrics[0].result = report::State::kMissing;
  comparison.metrics[0].note = "the runs are stretches of time that hold different amounts of work";
  EXPECT_THAT(ChangeSentence(comparison),
              HasSubstr(": not comparable (the runs are stretches of time that hold"));
  comparison.metrics.clear();
  EXPECT_EQ(SpeedWord(comparison), "not tested");
  comparison.base = comparison.current = 0;
  EXPECT_EQ(SpeedWord(comparison), "unknown: a run has no iteration times");
}

TEST(SpeedOf, OtherWorkSaysHowItDiffers) {
  report::Comparison comparison = testing::SampleComparison();
  comparison.metrics[0].change = {};
  comparison.work = "less";
  comparison.values.clear();
  EXPECT_THAT(ChangeSentence(comparison), EndsWith(": different work"));
  comparison.work_gone = "`softmax` (1 an iteration)";
  EXPECT_THAT(ChangeSentence(comparison),
              EndsWith(": different work, gone: `softmax` (1 an iteration)"));
  report::PairedValue kernels;
  kernels.metric = metric::kKernelCountPerIteration.text();
  kernels.base = testing::Q(5.0, Unit::kNumber);
  kernels.current = testing::Q(3.0, Unit::kNumber);
  comparison.values.push_back(kernels);
  EXPECT_THAT(ChangeSentence(comparison),
              EndsWith(": different work, 2 kernels per iteration fewer (5 → 3)"));
  comparison.work = "same";
  EXPECT_THAT(ChangeSentence(comparison), Not(HasSubstr("fewer")));
}

// The sentence about benchmarks is a field, whatever its words are.
TEST(Comparison, TerminalSaysTheBenchmarks) {
  report::Report report = testing::ComparisonAlone();
  report.comparison->base = report.comparison->current = 0;
  report.comparison->metrics.clear();
  EXPECT_THAT(RenderComparison(report, 0), Not(HasSubstr("benchmarks")));
  report.comparison->benchmarks = "All 5 benchmarks are slower";
  for (const int verbosity : {-1, 0}) {
    EXPECT_THAT(RenderComparison(report, verbosity), HasSubstr("All 5 benchmarks are slower\n"));
  }
  EXPECT_EQ(ChangeSentence(*report.comparison), "All 5 benchmarks are slower");
}

// A policy judges a comparison that is shown alone: each output says its verdict, none "none
// fails".
TEST(Comparison, EachOutputSaysTheVerdict) {
  report::Report report = testing::ComparisonAlone();
  report.comparison->metrics[0].result = report::State::kOpen;
  for (const std::string& text : {Page(report), Markdown(report)}) {
    EXPECT_THAT(text, Not(HasSubstr("policy team.yaml")));
  }
  EXPECT_THAT(Page(report), HasSubstr("comparison only"));
  report.verdict = {};
  report.verdict.status = report::State::kNoVerdict;
  report.verdict.open = 1;
  report.verdict.policy = "team.yaml";
  report.verdict.reasons = {"iteration.time.median: by chance"};
  const std::string judged = "NO VERDICT: 1 undecided · policy team.yaml";
  EXPECT_EQ(JudgedText(report), judged);
  for (const std::string& text : {Page(report), Markdown(report)}) {
    EXPECT_THAT(text, HasSubstr(judged));
    EXPECT_THAT(text, HasSubstr("ndecided: iteration.time.median: by chance"));
    EXPECT_THAT(text, Not(HasSubstr("comparison only")));
    EXPECT_THAT(text, Not(HasSubstr("none fails")));
  }
  EXPECT_THAT(RenderComparison(report, 0), HasSubstr("  undecided     iteration.time.median  "));
}

TEST(Comparison, LegendOnlyIfMarkIsUsed) {
  report::Report report = testing::ComparisonAlone();
  EXPECT_THAT(Page(report), HasSubstr("statistically significant"));
  for (auto& step : report.comparison->waterfall) step.significant = false;
  for (auto& row : report.comparison->kernels.rows) row.significant = false;
  for (const std::string& text : {Page(report), Markdown(report), RenderComparison(report, 0)}) {
    EXPECT_THAT(text, Not(HasSubstr("statistically significant")));
    EXPECT_THAT(text, Not(HasSubstr("★")));
  }
}

// Rows whose calls alone changed are rows, too.
TEST(Comparison, PageCountsTheRowsThatItLeavesOut) {
  report::Report report = testing::ComparisonAlone();
  auto& rows = report.comparison->kernels.rows;
  rows.resize(64, rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    rows[i].delta = 0;
    rows[i].current_count = rows[i].base_count + (i < 63 ? 1 : 0);
  }
  EXPECT_THAT(Page(report), HasSubstr("3 smaller changes are in report.json."));  // 63 of 60.
  rows.resize(60);
  EXPECT_THAT(Page(report), Not(HasSubstr("smaller changes are in report.json.")));
}

TEST(Comparison, CheckPageHasTheSection) {
  report::Report report = testing::SampleReport();
  report.comparison = testing::SampleComparison();
  const std::string page = Page(report);
  for (const char* text :
       {"id=comparison", "href=#comparison", "Differences between the runs", "Driver",
        "beyond the limit", "+15.0\u202fms", "Kernel changes", "★ significant", "p = 0.001",
        "All metrics side by side", "main, the median of 3 runs"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(page, HasSubstr("gemm&lt;float&gt;(a|b) &lt;/script&gt;"));
  EXPECT_THAT(Page(testing::SampleReport()), Not(HasSubstr("id=\"comparison\"")));
}

TEST(Comparison, SeparatelyItIsAPage) {
  const std::string page = Page(testing::ComparisonAlone());
  EXPECT_THAT(page, HasSubstr("<title>▲ branch against main · profgauge</title>"));
  EXPECT_THAT(page, Not(HasSubstr("NOT JUDGED")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"breakdown\"")));
  // Differences are before changes, like in the terminal.
  EXPECT_LT(page.find("Differences between the runs"), page.find("Iteration time change by part"));
  EXPECT_FALSE(std::regex_search(page, std::regex(" style=| on[a-z]+=\"")));
}

TEST(Comparison, MarkdownHasTheSameNumbers) {
  const std::string text = Markdown(testing::ComparisonAlone());
  EXPECT_THAT(text, ::testing::StartsWith("# branch against main, the median of 3 runs"));
  for (const char* part : {"- Driver: 535 → 550", "**+12.0\u202fms** per iteration", ": slower.**",
                           "+15.0\u202fms", "★", "Kernel changes"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(Comparison, QuietIsItsLastLine) {
  const report::Report report = testing::ComparisonAlone();
  const std::string line = RenderComparison(report, -1);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_TRUE(RenderComparison(report, 0).ends_with("\n\n" + line));
}

TEST(Comparison, WorkbookHasWaterfallAndChart) {
  const auto bytes = RenderXlsx(testing::ComparisonAlone());
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto files = testing::Unzip(*bytes);
  for (const char* sheet :
       {"Baseline", "Waterfall", "Kernel changes", "Operator changes", "Side by side"}) {
    EXPECT_THAT(files.at("xl/workbook.xml"), HasSubstr(std::string("<sheet name=\"") + sheet));
  }
  EXPECT_THAT(files.at("xl/charts/chart1.xml"), HasSubstr("'Waterfall'!$A$4:$A$7"));
  EXPECT_THAT(testing::SharedStrings(files), ::testing::Contains("Other kernels"));
  // The bars as numbers: 15 ms slower.
  EXPECT_THAT(files.at("xl/worksheets/sheet2.xml"), HasSubstr("<v>15</v>"));
}

TEST(Comparison, SurvivesReportJson) {
  const std::string json = RenderJson(testing::ComparisonAlone());
  const auto again = report::ReadReport(json, "report.json");
  ASSERT_TRUE(again) << again.error().message << again.error().where.path;
  EXPECT_EQ(RenderJson(*again), json);
  EXPECT_EQ(Page(*again), Page(testing::ComparisonAlone()));
  EXPECT_THAT(json, HasSubstr("\"unit\": \"ns\",\n    \"base\": 100000000,\n    "
                              "\"current\": 112000000,\n    \"delta\": 12000000"));
}

}  // namespace
}  // namespace profgauge::render
