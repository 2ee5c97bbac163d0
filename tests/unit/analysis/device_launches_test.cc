// Launches and the queue of their work, on small profiles made by hand.
#include <gtest/gtest.h>

#include "analysis/device/queue.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

std::vector<std::int64_t> LengthsOf(std::span<const device::QueueItem> items) {
  std::vector<std::int64_t> lengths;
  device::ForEachLength(items, [&](std::int64_t length) { lengths.push_back(length); });
  return lengths;
}

TEST(Queue, LengthsAndEvents) {
  // Three launched in a row, started one after the other; the fourth finds nothing waiting.
  const device::QueueItem items[] = {{0, 10}, {1, 20}, {2, 30}, {40, 50}};
  EXPECT_EQ(LengthsOf(items), (std::vector<std::int64_t>{0, 1, 2, 0}));
  std::vector<std::int64_t> lengths;
  device::ForEachEvent(std::span(items),
                       [&](device::QueueEvent event) { lengths.push_back(event.length); });
  EXPECT_EQ(lengths, (std::vector<std::int64_t>{1, 2, 3, 2, 1, 0, 1, 0}));
}

TEST(Queue, EarlyStartIsNoNegativeLength) {
  const device::QueueItem items[] = {{10, 5}, {20, 25}};
  EXPECT_EQ(LengthsOf(items), (std::vector<std::int64_t>{0, 0}));
  device::ForEachEvent(std::span(items),
                       [](device::QueueEvent event) { EXPECT_GE(event.length, 0); });
}

TEST(Launches, DelayAndQueue) {
  TestProfile test;
  test.Op("aten::add", {0, 1000});
  test.Launch("a", {0, 10}, {30, 100});      // Delay 20, into an empty queue.
  test.Launch("b", {12, 15}, {100, 150});    // Delay 85, after the one that has not started.
  test.Launch("c", {200, 210}, {205, 250});  // Starts while the call still runs: delay 0.
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& table = *analysis.FindTable("launches");
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(IntegerAt(table, 0, "delay"), 20);
  EXPECT_EQ(IntegerAt(table, 1, "delay"), 85);
  EXPECT_EQ(IntegerAt(table, 2, "delay"), 0);
  EXPECT_EQ(IntegerAt(table, 0, "queue_length"), 0);
  EXPECT_EQ(IntegerAt(table, 1, "queue_length"), 1);
  EXPECT_EQ(TextAt(table, 1, "name"), "b");
  EXPECT_EQ(TextAt(table, 1, "op"), "aten::add");
  EXPECT_EQ(TextAt(table, 1, "call"), "cudaLaunchKernel");
  EXPECT_EQ(NumberOf(analysis, "launch.delay.median"), 20);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "launch.queue_empty_share"), 2.0 / 3);
  const Table& streams = *analysis.FindTable("streams");
  ASSERT_EQ(streams.rows(), 1U);
  EXPECT_EQ(IntegerAt(streams, 0, "kernels"), 3);
  EXPECT_EQ(IntegerAt(streams, 0, "queue_max"), 2);
}

TEST(Launches, SkipsUnwantedTablesKeepsNumbers) {
  TestProfile test;
  test.Op("aten::add", {0, 1000});
  test.Launch("a", {0, 10}, {30, 100});
  test.Launch("b", {12, 15}, {100, 150});
  const std::vector<Profile> ranks = OneRank(test.Finish());
  Selection verdict_only;
  verdict_only.unwanted_tables = {"launches", "kernels_by_iteration", "ops_by_iteration"};
  const auto whole = Analyze(ranks, {}), lean = Analyze(ranks, verdict_only);
  ASSERT_TRUE(whole && lean);
  for (const std::string_view table : verdict_only.unwanted_tables) {
    EXPECT_GT(whole->FindTable(table)->rows(), 0U) << table;
    EXPECT_EQ(lean->FindTable(table)->rows(), 0U) << table;
  }
  for (const Metric& metric : whole->metrics) {
    const Metric& same = *lean->Find(metric.spec->id);
    EXPECT_EQ(IsAbsent(metric.value), IsAbsent(same.value)) << metric.spec->id;
    EXPECT_EQ(AsNumber(metric.value, -1), AsNumber(same.value, -1)) << metric.spec->id;
  }
}

TEST(Launches, ReasonNamesMissingData) {
  TestProfile test;
  test.Op("aten::add", {0, 100});
  test.Work("a", {10, 20});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_TRUE(analysis.absent_tables.contains("launches"));
  EXPECT_EQ(analysis.Find("launch.delay.median")->absent_because,
            CapabilityGap(Capability::kLaunchLinks));
}

}  // namespace
}  // namespace profgauge::analysis
