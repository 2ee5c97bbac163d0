#include "gate/accept.h"

#include <gtest/gtest.h>

#include "gate/compare.h"

namespace profgauge::gate {
namespace {

TEST(Accept, ReadsLines) {
  const auto lines = ParseAcceptance(
      "+9.4% heavier augmentation\n\nwork: skips empty batches\n"
      "memory.peak_allocated +2% larger cache\npolicy: wider\nv2.3 is slower");
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->size(), 5U);
  EXPECT_EQ((*lines)[0].what, "");
  EXPECT_DOUBLE_EQ((*lines)[0].up_to.value(), 0.094);
  EXPECT_EQ((*lines)[0].reason, "heavier augmentation");
  EXPECT_EQ((*lines)[1].what, "work");
  EXPECT_FALSE((*lines)[1].up_to);
  EXPECT_EQ((*lines)[2].what, "memory.peak_allocated");
  EXPECT_EQ((*lines)[2].reason, "larger cache");
  EXPECT_EQ((*lines)[3].what, "policy");
  EXPECT_EQ((*lines)[4].reason, "v2.3 is slower");
}

TEST(Accept, RefusesWhatNamesNoReasonOrNoBound) {
  for (const auto& [text, code] :
       {std::pair("+9%", "accept/no-reason"), std::pair("work:", "accept/no-reason"),
        std::pair("+9 % ", "accept/no-reason"), std::pair("+1e999% x", "accept/bound"),
        std::pair("9% x", "accept/bound"), std::pair("9 % x", "accept/bound"),
        std::pair("+N% REASON", "accept/bound"), std::pair("-3% x", "accept/bound"),
        std::pair("+9% REASON", "accept/no-reason"), std::pair("+9%% x", "accept/bound"),
        std::pair("+5ms x", "accept/bound")}) {
    const auto lines = ParseAcceptance(text);
    ASSERT_FALSE(lines) << text;
    EXPECT_EQ(lines.error().code, code) << text;
    EXPECT_EQ(lines.error().kind, ErrorKind::kUsage);
  }
  std::string many;
  for (int i = 0; i < 200; ++i) many += "x\n";
  EXPECT_EQ(ParseAcceptance(many).error().code, "accept/too-many");
}

MetricComparison Missed(double shift, std::optional<double> total = {}) {
  MetricComparison metric;
  metric.metric = "iteration.time.median";
  metric.method = CompareMethod::kStatistics;
  metric.shift = shift;
  metric.total = total;
  metric.allowed = 0.05;
  return metric;
}

Acceptance Of(const std::string& text) { return {*ParseAcceptance(text), "anna"}; }

TEST(Accept, HoldsUpToItsBoundAndHalfALimit) {
  EXPECT_TRUE(AnswerOf(Of("+20% wider"), Missed(0.20)).accepted);
  EXPECT_TRUE(AnswerOf(Of("+20% wider"), Missed(0.225)).accepted);
  const AcceptanceAnswer over = AnswerOf(Of("+20% wider"), Missed(0.40));
  EXPECT_FALSE(over.accepted);
  EXPECT_EQ(over.why_not,
            "accepted up to +20 %, measured +40 %: write `Profgauge-Accept: +40% REASON`");
  // The total counts, too; a faster typical iteration excuses nothing and needs no excuse.
  EXPECT_FALSE(AnswerOf(Of("+10% wider"), Missed(0.06, 0.5)).accepted);
  EXPECT_TRUE(AnswerOf(Of("+10% wider"), Missed(-0.5, 0.1)).accepted);
}

// A branch of several commits may accept twice: no later line narrows an earlier one.
TEST(Accept, OfSeveralLinesTheWidestHolds) {
  EXPECT_TRUE(AnswerOf(Of("+3% cache\n+20% wider\n+8% logs"), Missed(0.20)).accepted);
  EXPECT_EQ(AnswerOf(Of("+3% cache\n+20% wider"), Missed(0.20)).accepted->reason, "wider");
  // Without a number a line reaches two limits.
  EXPECT_EQ(AnswerOf(Of("+3% cache\nwider"), Missed(0.10)).accepted->reason, "wider");
  EXPECT_EQ(AnswerOf(Of("+30% cache\nwider"), Missed(0.10)).accepted->reason, "cache");
}

TEST(Accept, WithoutANumberReachesTwoLimits) {
  EXPECT_TRUE(AnswerOf(Of("wider"), Missed(0.10)).accepted);
  EXPECT_FALSE(AnswerOf(Of("wider"), Missed(0.15)).accepted);
  EXPECT_FALSE(AnswerOf(Of("wider"), Missed(5)).accepted);
}

TEST(Accept, IsOfWhatItNames) {
  EXPECT_FALSE(AnswerOf(Of("memory.peak_allocated +90% cache"), Missed(0.1)).accepted);
  EXPECT_TRUE(AnswerOf(Of("memory.peak_allocated +90% cache"), Missed(0.1)).why_not.empty());
  EXPECT_FALSE(AnswerOf(Of("work: skips"), Missed(0.1)).accepted);
  EXPECT_FALSE(AnswerOf(Of("+50% all\niteration.time.median +1% own"), Missed(0.1)).accepted);
}

TEST(Accept, WithoutAMetricIsOfTimesAndRates) {
  MetricComparison count = Missed(0.2);
  count.metric = "kernel.count_per_iteration";
  EXPECT_FALSE(AnswerOf(Of("+50% all"), count).accepted);
  EXPECT_TRUE(AnswerOf(Of("+50% all"), count).why_not.empty());
  EXPECT_TRUE(AnswerOf(Of("kernel.count_per_iteration +50% x"), count).accepted);
  MetricComparison rate = Missed(0.2);
  rate.metric = "serve.output_rate";
  EXPECT_TRUE(AnswerOf(Of("+50% all"), rate).accepted);
  PartsComparison parts;
  parts.kind = "kernels";
  parts.worst = 0.2;
  EXPECT_TRUE(AnswerOf(Of("+50% all"), parts).accepted);
}

TEST(Accept, SuggestsALineThatNamesItsMetric) {
  MetricComparison time = Missed(0.1), count = Missed(0.2);
  for (MetricComparison* of : {&time, &count}) of->base = 1, of->verdict = stats::Change::kFail;
  count.metric = "kernel.count_per_iteration";
  EXPECT_EQ(AcceptLine(std::vector{count}),
            "`Profgauge-Accept: kernel.count_per_iteration +20% REASON`");
  EXPECT_EQ(AcceptLine(std::vector{count, time}),
            "`Profgauge-Accept: +10% REASON`, "
            "`Profgauge-Accept: kernel.count_per_iteration +20% REASON`");
  EXPECT_EQ(AcceptLine(std::vector<MetricComparison>{}), "");
}

TEST(Accept, SaysWhoAndUpToWhat) {
  EXPECT_EQ(AcceptedText({"iteration.time.median", 0.2, 0.25, false, "wider model", "anna", ""}),
            "accepted by anna up to +25 %: wider model");
  EXPECT_EQ(AcceptedText({"iteration.time.median", 0.26, 0.25, false, "wider model", "anna", ""}),
            "accepted by anna up to +25 %, and half a limit more: wider model");
  // Of a line without a number.
  const auto answer = AnswerOf(Of("wider model"), Missed(0.08));
  ASSERT_TRUE(answer.accepted);
  EXPECT_EQ(AcceptedText(*answer.accepted),
            "accepted by anna up to +10 %, twice the limit since the line has no number: wider "
            "model");
  EXPECT_NE(AnswerOf(Of("wider model"), Missed(0.2)).why_not.find("since the line has no number"),
            std::string::npos);
}

}  // namespace
}  // namespace profgauge::gate
