// The part of a change that clocks explain, and the verdict on the rest.
#include "gate/circumstances.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/metric_id.h"

namespace profgauge::gate {
namespace {

/// A run at that clock whose device idles for `idle` of the time.
Snapshot RunAt(double clock, double compute = 0, double memory = 0, double idle = 0) {
  Snapshot run;
  run.metrics["conditions.sm_mhz"] = clock;
  run.metrics["conditions.compute_bound_share"] = compute;
  run.metrics["conditions.memory_bound_share"] = memory;
  run.metrics["gpu.idle.mean"] = idle;
  run.metrics["gpu.utilization.mean"] = 1 - idle;
  return run;
}

ClockChange ClockChangeOf(const Snapshot& base, const Snapshot& current) {
  const auto change = FindClockChange(std::span(&base, 1), std::span(&current, 1));
  EXPECT_TRUE(change.has_value());
  return change.value_or(ClockChange{});
}

// 1980 to 1200 MHz is 1.65 times the cycles' length.
TEST(DeviceClocks, KernelsFollowTheirBottleneck) {
  const ClockChange compute = ClockChangeOf(RunAt(1980, 1), RunAt(1200));
  EXPECT_DOUBLE_EQ(compute.low, 0.65);
  EXPECT_DOUBLE_EQ(compute.high, 0.65);
  const ClockChange memory = ClockChangeOf(RunAt(1980, 0, 1), RunAt(1200));
  EXPECT_DOUBLE_EQ(memory.low, 0);
  EXPECT_DOUBLE_EQ(memory.high, 0);
  const ClockChange unknown = ClockChangeOf(RunAt(1980), RunAt(1200));
  EXPECT_DOUBLE_EQ(unknown.low, 0);
  EXPECT_DOUBLE_EQ(unknown.high, 0.65);
  const ClockChange mixed = ClockChangeOf(RunAt(1980, 0.2, 0.5), RunAt(1200));
  EXPECT_DOUBLE_EQ(mixed.low, 0.13);
  EXPECT_NEAR(mixed.high, 0.325, 1e-12);
}

TEST(DeviceClocks, HostBoundIdleAbsorbsSlowerWork) {
  const ClockChange slower = ClockChangeOf(RunAt(2000, 1, 0, 0.3), RunAt(1000));
  EXPECT_NEAR(slower.low, 0.4, 1e-12);  // 0.7 more work, of which 0.3 was idle.
  EXPECT_NEAR(slower.high, 0.7, 1e-12);
  const ClockChange faster = ClockChangeOf(RunAt(1000, 1, 0, 0.3), RunAt(2000));
  EXPECT_NEAR(faster.low, -0.35, 1e-12);
  EXPECT_EQ(faster.high, 0);
}

TEST(DeviceClocks, TheMemoryHasItsOwn) {
  Snapshot base = RunAt(2000, 0, 1), current = RunAt(1000);
  base.metrics["conditions.memory_mhz"] = 2600;
  current.metrics["conditions.memory_mhz"] = 1300;
  const ClockChange change = ClockChangeOf(base, current);
  EXPECT_DOUBLE_EQ(change.low, 1);
  EXPECT_DOUBLE_EQ(change.high, 1);
}

TEST(DeviceClocks, AlikeOrUnknownOnesExplainNothing) {
  const auto find = [](const Snapshot& base, const Snapshot& current) {
    return FindClockChange(std::span(&base, 1), std::span(&current, 1)).has_value();
  };
  EXPECT_FALSE(find(RunAt(1980), RunAt(1925)));
  EXPECT_TRUE(find(RunAt(1980), RunAt(1900)));
  EXPECT_FALSE(find(RunAt(1980), Snapshot{}));
  EXPECT_FALSE(find(Snapshot{}, RunAt(1980)));
  EXPECT_FALSE(find(RunAt(0), RunAt(1980)));
}

MetricComparison Time(double shift, stats::Change verdict) {
  MetricComparison metric;
  metric.metric = metric::kIterationTimeMedian.text();
  metric.unit = Unit::kTime;
  metric.method = CompareMethod::kStatistics;
  metric.base = 100;
  metric.shift = shift;
  metric.verdict = verdict;
  metric.reason = "measured";
  return metric;
}

MetricComparison Judged(const Snapshot& base, const Snapshot& current, double shift,
                        stats::Change verdict, bool allow = false) {
  RunComparison comparison;
  comparison.metrics.push_back(Time(shift, verdict));
  rules::PolicyBaseline policy;
  policy.match_any = allow;
  JudgeClocks(std::span(&base, 1), std::span(&current, 1), policy, comparison);
  return comparison.metrics.front();
}

TEST(DeviceClocks, SlowerClocksLeaveALimitUndecided) {
  Snapshot slow = RunAt(1200);
  slow.metrics["conditions.power_capped_share"] = 0.63;
  const MetricComparison metric = Judged(RunAt(1980, 0.2, 0.5), slow, 0.22, stats::Change::kFail);
  EXPECT_EQ(metric.verdict, stats::Change::kInconclusive);
  EXPECT_TRUE(metric.over_limit);
  EXPECT_EQ(
      metric.reason,
      "measured; slower because the GPU ran at 1200 instead of 1980 MHz (at its power limit "
      "for 63.0\u202f% of the time), which explains +13.0\u202f% to +33\u202f%: 59 to 100 % of "
      "the change; compare runs at the same clock [baseline/other-clocks]");
  // Kernels of unknown bounds may or may not follow.
  EXPECT_EQ(
      Judged(RunAt(1980), RunAt(1200), 0.22, stats::Change::kFail).reason,
      "measured; the GPU ran at 1200 instead of 1980 MHz, which explains up to +65\u202f%: up "
      "to 100 % of the change; compare runs at the same clock [baseline/other-clocks]");
  // An excess over the largest explanation by more than the limit is the program's.
  EXPECT_EQ(Judged(RunAt(1980, 0.2, 0.5), slow, 0.40, stats::Change::kFail).verdict,
            stats::Change::kFail);
  // Memory-bound kernels do not follow.
  EXPECT_EQ(Judged(RunAt(1980, 0, 1), slow, 0.22, stats::Change::kFail).verdict,
            stats::Change::kFail);
  const MetricComparison allowed =
      Judged(RunAt(1980, 0.2, 0.5), slow, 0.22, stats::Change::kFail, true);
  EXPECT_EQ(allowed.verdict, stats::Change::kFail);
  EXPECT_NE(allowed.reason.find("slower because"), std::string::npos);
}

TEST(DeviceClocks, FasterClocksHideNothing) {
  // At 2000 MHz the same program would take half as long.
  const MetricComparison hidden = Judged(RunAt(1000, 1), RunAt(2000), 0, stats::Change::kPass);
  EXPECT_EQ(hidden.verdict, stats::Change::kInconclusive);
  EXPECT_TRUE(hidden.over_limit);
  EXPECT_EQ(Judged(RunAt(1000, 1), RunAt(2000), -0.5, stats::Change::kImproved).verdict,
            stats::Change::kImproved);
  // A total over the largest explanation fails as before.
  Snapshot base = RunAt(1980), slow = RunAt(1200);
  RunComparison comparison;
  comparison.metrics.push_back(Time(0.1, stats::Change::kFail));
  comparison.metrics[0].total = 0.9;
  comparison.metrics[0].total_limit = 0.05;
  JudgeClocks(std::span(&base, 1), std::span(&slow, 1), {}, comparison);
  EXPECT_EQ(comparison.metrics[0].verdict, stats::Change::kFail);
}

TEST(DeviceClocks, WithoutATimeItIsANote) {
  Snapshot base = RunAt(1980, 1), slow = RunAt(1200);
  slow.metrics["conditions.throttled_share"] = 0.5;
  RunComparison comparison;
  JudgeClocks(std::span(&base, 1), std::span(&slow, 1), {}, comparison);
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_EQ(
      comparison.notes[0],
      "the GPU ran at 1200 instead of 1980 MHz (throttled for 50.0\u202f% of the time), which "
      "explains +65\u202f%");
}

}  // namespace
}  // namespace profgauge::gate
