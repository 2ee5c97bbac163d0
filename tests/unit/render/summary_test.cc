// The texts of a pull request: each of them as it is read, and at most 200 words.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/value.h"
#include "render/shared/renderer.h"

namespace profgauge::render {
namespace {

report::Quantity Shown(double value, std::string text) {
  report::Quantity quantity;
  quantity.value = Value{value};
  quantity.text = std::move(text);
  return quantity;
}

// Compared with ten runs of main.
report::Report Made(report::State status, report::State result, const std::string& change) {
  report::Report report;
  report.profile.name = "resnet50";
  report.profile.iterations_selected = report.profile.iterations_total = 12;
  report.verdict.status = status;
  report.verdict.policy = "policy.yaml";
  report.baseline.emplace();
  report.baseline->state = "used";
  report.baseline->source = "history:main~10";
  report.baseline->line = "baseline history:main~10: 10 runs (41 … 52)";
  report.comparison.emplace();
  report::Comparison& comparison = *report.comparison;
  comparison.baseline_runs = 10;
  comparison.work = "same";
  comparison.base = 64'000'000, comparison.current = 64'200'000;
  report::ComparedMetric& metric = comparison.metrics.emplace_back();
  metric.metric = "iteration.time.median";
  metric.title = "Median iteration time";
  metric.limit = "≤ +5.0 %";
  metric.result = result;
  metric.base = Shown(63.1e6, "63.1 ms");
  metric.current = Shown(63.4e6, "63.4 ms");
  metric.change = Shown(0.09, change);
  metric.low = Shown(-0.016, "−1.6 %");
  metric.high = Shown(0.027, "+2.7 %");
  metric.total = Shown(0.003, "+0.3 %");
  metric.total_limit = Shown(0.05, "+5.0 %");
  metric.sees = Shown(0.071, "+7.1 %");
  report::Metric& kernels = report.metrics.emplace_back();
  kernels.id = "kernel.count_per_iteration";
  kernels.quantity = Shown(214, "214");
  return report;
}

std::string SummaryOf(const report::Report& report, const std::string& link = "") {
  std::string text = RenderSummary(report, link);
  std::istringstream words(text);
  std::size_t count = 0;
  for (std::string word; words >> word;) ++count;
  EXPECT_LE(count, 200U) << text;
  const std::string thin = "\u202f";
  for (std::size_t at = text.find(thin); at != text.npos; at = text.find(thin)) {
    text.replace(at, thin.size(), " ");
  }
  return text;
}

constexpr std::string_view kTable = R"(| | main | here | change | limit |
|:--|--:|--:|:--|--:|
| Iteration, typical | 63.1 ms | 63.4 ms | @ (−1.6 % to +2.7 %) | ≤ +5.0 % |
)";

std::string TableWith(const std::string& change) {
  std::string text(kTable);
  return text.replace(text.find('@'), 1, change);
}

constexpr std::string_view kMark = "<!-- profgauge:resnet50 -->\n\n";
constexpr std::string_view kSources =
    "\npolicy.yaml · baseline history:main\\~10: 10 runs (41 … 52)";

TEST(Summary, Pass) {
  report::Report report = Made(report::State::kPass, report::State::kPass, "+0.5 %");
  report.comparison->metrics.front().change.value = 0.005;
  EXPECT_EQ(
      SummaryOf(report, "https://ci.example.org/runs/7"),
      "### ✓ **resnet50: not slower** · 12 iterations against 10 runs of main\n" +
          std::string(kMark) + TableWith("+0.5 %") +
          "\nThe same work: 214 kernels per iteration. Finds slowdowns from +7.1 % nine times "
          "in ten.\n" +
          "\n[Report](https://ci.example.org/runs/7) · " + std::string(kSources.substr(1)) + "\n");
}

// A change over 1 % that chance may explain is no proof that nothing is slower.
// A run that is not slower and takes eight times the memory.
TEST(Summary, PassWithWarnings) {
  report::Report report = Made(report::State::kPass, report::State::kPass, "+0.09 %");
  report.verdict.warnings = 1;
  EXPECT_TRUE(SummaryOf(report).find("1 warning in the report.") != std::string::npos)
      << SummaryOf(report);
  report::GateRow& row = report.gate.emplace_back();
  row.metric = "memory.peak_allocated";
  row.title = "Peak memory allocated";
  row.measured = Shown(16e9, "16.0 GB");
  row.baseline = Shown(2e9, "2.00 GB");
  row.change = Shown(7, "+700 %");
  row.limit = "≤ +5 %";
  row.status = report::State::kWarn;
  report.verdict.warnings = 3;
  const std::string text = SummaryOf(report);
  EXPECT_NE(text.find("Warns of:\n"
                      "- Peak memory allocated 2.00 GB → 16.0 GB (+700 %, limit ≤ +5 %)\n\n"
                      "2 other warnings in the report.\n"),
            text.npos)
      << text;
}

TEST(Summary, PassWithinTheLimit) {
  EXPECT_NE(SummaryOf(Made(report::State::kPass, report::State::kPass, "+4.9 %"))
                .find("**resnet50: within the limit**"),
            std::string::npos);
}

TEST(Summary, PassByAWaiver) {
  report::Report report = Made(report::State::kPass, report::State::kPass, "+20.0 %");
  report::GateRow row;
  row.metric = report.comparison->metrics.front().metric;
  row.status = report::State::kWaived;
  report.gate.push_back(row);
  report.remarks.push_back({"waiver", "waived: iteration.time.median (bob, until 2096-12-20)"});
  const std::string text = SummaryOf(report);
  EXPECT_NE(text.find(" slower, waived**"), std::string::npos) << text;
  EXPECT_NE(text.find("Waived: iteration.time.median (bob, until 2096-12-20)."), std::string::npos)
      << text;
  EXPECT_EQ(text.find("within the limit"), std::string::npos) << text;
}

TEST(Summary, Fail) {
  report::Report report = Made(report::State::kFail, report::State::kFail, "+9.2 %");
  report.comparison->current_runs = 2;
  report.verdict.accept_line = "`Profgauge-Accept: +9.2% REASON`";
  const std::string text = SummaryOf(report, "javascript:alert(1)");
  EXPECT_TRUE(text.starts_with("### ✗ **resnet50: 9.2 % slower, confirmed by 2 profiles**\n" +
                               std::string(kMark) + TableWith("+9.2 %")))
      << text;
  EXPECT_NE(text.find("\nIf this is meant, add to a commit message: `Profgauge-Accept: +9.2% "
                      "REASON`\n"),
            text.npos)
      << text;
  EXPECT_EQ(text.find("javascript"), text.npos);
}

// The total has a row only where it decides.
TEST(Summary, FailsInTotal) {
  report::Report report = Made(report::State::kFail, report::State::kFail, "+0.5 %");
  report::ComparedMetric& metric = report.comparison->metrics.front();
  metric.change = Shown(0.005, "+0.5 %");
  metric.change.unit = Unit::kShare;
  metric.total = Shown(0.092, "+9.2 %");
  const std::string text = SummaryOf(report);
  EXPECT_TRUE(text.starts_with("### ✗ **resnet50: 9.2 % slower in total**\n")) << text;
  EXPECT_NE(text.find("\n| Iterations in total |  |  | +9.2 % | +5.0 % |\n"), text.npos) << text;
}

// "Not slower" is said of the typical iteration alone if the total is over its limit.
TEST(Summary, PassesInSpiteOfItsTotal) {
  report::Report report = Made(report::State::kPass, report::State::kPass, "+0.5 %");
  report::ComparedMetric& metric = report.comparison->metrics.front();
  metric.change = Shown(0.005, "+0.5 %");
  metric.change.unit = Unit::kShare;
  EXPECT_NE(SummaryOf(report).find("**resnet50: not slower**"), std::string::npos);
  metric.total = Shown(0.152, "+15.2 %");
  report.remarks.push_back({std::string(report::kPassedTotal), "median: +15.2 %, by a slow start"});
  const std::string text = SummaryOf(report);
  EXPECT_NE(text.find("**resnet50: typical iteration not slower**"), std::string::npos) << text;
  EXPECT_NE(text.find("\nMedian: +15.2 %, by a slow start.\n"), std::string::npos) << text;
  report.remarks.push_back({std::string(report::kPassedOutside), "22 % is outside"});
  EXPECT_NE(SummaryOf(report).find("\n22 % is outside.\n"), std::string::npos);
}

// A failed limit says what has become of its waiver.
TEST(Summary, FailsBeyondItsWaiver) {
  report::Report report = Made(report::State::kFail, report::State::kFail, "+20.0 %");
  report.remarks.push_back({"waiver", "over the bound of its waiver: iteration.time.median"});
  report.remarks.push_back({"verdict", "of something else"});
  const std::string text = SummaryOf(report);
  EXPECT_NE(text.find("\nOver the bound of its waiver: iteration.time.median.\n"), text.npos)
      << text;
  EXPECT_EQ(text.find("else"), text.npos) << text;
}

TEST(Summary, Accepted) {
  report::Report report = Made(report::State::kPass, report::State::kAccepted, "+9.2 %");
  report.verdict.accepted = {{"iteration.time.median", Shown(0.092, "+9.2 %"), Shown(0.1, "+10 %"),
                              "heavier augmentation", "anna", "",
                              "accepted by anna up to +10 %: heavier augmentation"}};
  EXPECT_EQ(SummaryOf(report),
            "### ✓ **resnet50: 9.2 % slower, accepted** · by anna up to +10 %: heavier "
            "augmentation\n" +
                std::string(kMark) + TableWith("+9.2 %") +
                "\nLater runs are compared with this level.\n" + std::string(kSources) + "\n");
}

TEST(Summary, Again) {
  report::Report report = Made(report::State::kNoVerdict, report::State::kOpen, "+9.2 %");
  report.comparison->current_runs = 1;
  report.verdict.again = true;
  report.verdict.recordings = 1;
  report.verdict.needed = 2;
  EXPECT_EQ(SummaryOf(report),
            "### ? **resnet50: 9.2 % slower than main, no verdict yet**\n" + std::string(kMark) +
                TableWith("+9.2 %") +
                "\nOne profile cannot rule out a slow machine. Record once more and judge all "
                "profiles: `profgauge check A B`.\n" +
                std::string(kSources) + "\n");
}

TEST(Summary, LessWork) {
  report::Report report = Made(report::State::kNoVerdict, report::State::kOpen, "−68 %");
  report.comparison->work = "less";
  report.comparison->work_gone = "adamw (0.75 an iteration, 11 % of the time)";
  EXPECT_EQ(
      SummaryOf(report),
      "### ? **resnet50: no verdict, an iteration does less than on main**\n" + std::string(kMark) +
          TableWith("−68 %") +
          "\nGone: adamw (0.75 an iteration, 11 % of the time). New: nothing. Times are not "
          "compared.\n\nAre iterations marked differently, or skipped? If the work changed on "
          "purpose: `Profgauge-Accept: work: REASON`\n" +
          std::string(kSources) + "\n");
}

TEST(Summary, HistoryGone) {
  report::Report report = Made(report::State::kNoVerdict, report::State::kNone, "");
  report.comparison.reset();
  report.baseline->state = "lost";
  report.baseline->line = "the history is empty or gone";
  report.verdict.reasons = {"the history is empty or gone [baseline/lost]"};
  report.verdict.policy = "perf.yaml";
  const std::string text = SummaryOf(report);
  EXPECT_EQ(text.find("Not judged"), text.npos) << text;
  EXPECT_EQ(text.find("perf.yaml · the history"), text.npos) << text;
  EXPECT_TRUE(
      text.starts_with("### ? **resnet50: no verdict, the history of main is empty or gone**\n" +
                       std::string(kMark) + "the history is empty or gone\n"))
      << text;
}

TEST(Summary, FirstRun) {
  report::Report report = Made(report::State::kPass, report::State::kNone, "");
  report.comparison.reset();
  report.baseline->state = "first";
  report.baseline->learning_until = "2096-12-12";
  report.baseline->mark = "learning: 0 of 4 runs of main, nothing was compared";
  const std::string text = SummaryOf(report);
  EXPECT_TRUE(text.starts_with(
      "### ✓ **resnet50: first run, nothing was compared** · Learning: 0 of 4 runs of main, until "
      "2096-12-12\n"))
      << text;
}

TEST(Summary, LoosenedPolicy) {
  report::Report report = Made(report::State::kPass, report::State::kPass, "+0.5 %");
  report.verdict.loosened = {{"fail_on", "error", "never", "fail_on error → never"}};
  EXPECT_NE(SummaryOf(report).find("\n⚠ This branch loosens the policy: fail\\_on error → never. "),
            std::string::npos)
      << SummaryOf(report);
}

}  // namespace
}  // namespace profgauge::render
