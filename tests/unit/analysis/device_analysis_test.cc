// Memory, coverage and the tables of GPUs and kernels, on small profiles made by hand.
#include <gtest/gtest.h>

#include <tuple>

#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

TEST(Memory, MeasuresFragmentationAtLargestReservation) {
  TestProfile test;
  test.Op("aten::empty", {0, 100});
  const auto event = [&](Ns time, std::int64_t bytes, std::int64_t allocated,
                         std::int64_t reserved) {
    MemoryRow row;
    row.time = time;
    row.thread = test.main();
    row.device_type = 1;
    row.device = 0;
    row.address = 0x1000;
    row.bytes = bytes;
    row.total_allocated = allocated;
    row.total_reserved = reserved;
    test.builder().AddMemory(row);
  };
  event(10, 900, 900, 1000);
  event(20, -900, 0, 1000);
  event(30, 500, 500, 2000);
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_EQ(NumberOf(analysis, "memory.peak_allocated"), 900);
  EXPECT_EQ(NumberOf(analysis, "memory.peak_reserved"), 2000);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "memory.fragmentation"), 0.75);
  EXPECT_EQ(analysis.Find("memory.peak_share")->absent_because,
            CapabilityGap(Capability::kDeviceProperties));
  const Table& blocks = *analysis.FindTable("memory_events");
  ASSERT_EQ(blocks.rows(), 2U);
  EXPECT_EQ(IntegerAt(blocks, 0, "duration"), 10);
  EXPECT_EQ(IntegerAt(blocks, 1, "released_at"), Column::kAbsentInteger);
}

// The same address on two GPUs is two blocks: the return of one does not end the other.
TEST(Memory, AddressesAreOfTheirDevice) {
  TestProfile test;
  for (const auto& [time, device, bytes] :
       {std::tuple<Ns, std::int32_t, std::int64_t>{10, 0, 100}, {20, 1, 300}, {40, 0, -100}}) {
    MemoryRow row;
    row.time = time;
    row.thread = test.main();
    row.device_type = 1;
    row.device = device;
    row.address = 0x1000;
    row.bytes = bytes;
    test.builder().AddMemory(row);
  }
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& blocks = *analysis.FindTable("memory_events");
  ASSERT_EQ(blocks.rows(), 2U);
  for (std::size_t row = 0; row < 2; ++row) {
    const bool is_first = IntegerAt(blocks, row, "bytes") == 100;
    EXPECT_EQ(IntegerAt(blocks, row, "duration"), is_first ? 30 : Column::kAbsentInteger);
  }
}

TEST(Memory, OperatorsCountTheSelectedIterations) {
  TestProfile test;
  for (int i = 0; i < 3; ++i) {
    const Ns start = 100 * i;
    test.Step(i, {start, start + 90});
    test.Op("aten::empty", {start + 10, start + 30});
    MemoryRow row;
    row.time = start + 20;
    row.thread = test.main();
    row.device_type = 1;
    row.device = 0;
    row.address = 0x1000U + static_cast<unsigned>(i);
    row.bytes = 100;
    test.builder().AddMemory(row);
  }
  const Profile profile = test.Finish();
  Selection selection;
  selection.start = 1;
  const auto analysis = Analyze(std::span(&profile, 1), selection);
  ASSERT_TRUE(analysis);
  const Table& ops = *analysis->FindTable("memory_ops");
  ASSERT_EQ(ops.rows(), 1U);
  EXPECT_EQ(IntegerAt(ops, 0, "calls"), 2);
  EXPECT_EQ(IntegerAt(ops, 0, "allocated"), 200);
}

// The rows of one table, and those of the summary beside it, are of one window.
TEST(DeviceTables, CountTheSelectedIterations) {
  TestProfile test;
  test.Work("a", {0, 40});
  test.Step(0, {50, 200});
  test.Launch("a", {60, 62}, {70, 90});
  test.Launch("a", {100, 102}, {110, 130});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& streams = *analysis.FindTable("streams");
  ASSERT_EQ(streams.rows(), 1U);
  EXPECT_EQ(IntegerAt(streams, 0, "kernels"), 2);
  EXPECT_EQ(IntegerAt(streams, 0, "launches"), 2);
  EXPECT_EQ(IntegerAt(streams, 0, "kernel_time"), NumberOf(analysis, "profile.kernel_time"));
  const Table& kernels = *analysis.FindTable("kernels");
  ASSERT_EQ(kernels.rows(), 1U);
  EXPECT_EQ(IntegerAt(kernels, 0, "calls") - IntegerAt(kernels, 0, "outside_calls"), 2);
  EXPECT_EQ(IntegerAt(kernels, 0, "time") - IntegerAt(kernels, 0, "outside"),
            NumberOf(analysis, "profile.kernel_time"));
}

// Kernels that run at once count each; the breakdown has the time in which any runs.
TEST(DeviceTables, KernelTimeIsASum) {
  TestProfile test;
  test.Step(0, {0, 1'000});
  test.Launch("a", {10, 12}, {100, 500});
  test.Launch("b", {12, 14}, {200, 300});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_EQ(NumberOf(analysis, "profile.kernel_time"), 500);
  EXPECT_EQ(IntegerAt(*analysis.FindTable("streams"), 0, "kernel_time"), 500);
  EXPECT_EQ(NumberOf(analysis, "breakdown.other_kernel.time"), 400);
}

TEST(OpTables, SplitHostSelfTimeByIterations) {
  TestProfile test;
  test.Op("aten::mm", {0, 50});
  test.Step(0, {100, 200});
  test.Op("aten::mm", {110, 150});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& ops = *analysis.FindTable("ops");
  ASSERT_EQ(ops.rows(), 1U);
  EXPECT_EQ(IntegerAt(ops, 0, "host_self"), 90);
  EXPECT_EQ(IntegerAt(ops, 0, "outside_host_self"), 50);
}

// Allocated memory at the starts of iterations, by the allocator's totals.
Analysis WithMemoryAtStarts(const std::vector<std::int64_t>& levels) {
  TestProfile test;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Ns start = static_cast<Ns>(i) * 100;
    test.Step(static_cast<int>(i), {start, start + 90});
    // The peak of the iteration, then the level at the start of the next one.
    for (const auto& [at, total] : {std::pair{start + 20, levels[i] + 5000},
                                    {start + 80, i + 1 < levels.size() ? levels[i + 1] : 0}}) {
      MemoryRow row;
      row.time = at;
      row.thread = test.main();
      row.device_type = 1;
      row.device = 0;
      row.bytes = 1;
      row.total_allocated = total;
      test.builder().AddMemory(row);
    }
  }
  return AnalyzeAll(OneRank(test.Finish()));
}

TEST(Memory, GrowsIfIterationsLeaveMore) {
  constexpr const char* kId = "memory.growth";
  EXPECT_EQ(NumberOf(WithMemoryAtStarts({0, 100, 200, 300, 400, 500, 600}), kId), 100);
  // The median of an even number is the mean of the two in the middle.
  EXPECT_EQ(NumberOf(WithMemoryAtStarts({0, 0, 100, 300, 300}), kId), 50);
  EXPECT_EQ(NumberOf(WithMemoryAtStarts({0, 700, 700, 700, 700, 700, 700}), kId), 0);
  EXPECT_EQ(NumberOf(WithMemoryAtStarts({0, 700, 600, 500, 400, 300, 200}), kId), 0);
  EXPECT_EQ(WithMemoryAtStarts({0, 100, 200, 300}).Find(kId)->absent_because,
            "needs the memory in use at the start of 5 selected iterations");
}

TEST(Coverage, SharesOfGpuTime) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Op("aten::mm", {0, 50});
  test.Launch("a", {10, 20}, {30, 60});
  test.Work("lost its launch", {70, 90});
  test.Work("after the last iteration", {101, 151});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.linked_share"), 0.6);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.launched_share"), 0.6);
  // Work without a launch is in the iteration in which it runs.
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.outside_share"), 0.5);
}

// An iteration that is left out is one all the same: its work is outside of none.
TEST(Coverage, WorkOfUnselectedIterationsIsTheirs) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Launch("a", {10, 20}, {30, 60});
  test.Step(1, {100, 1000});
  test.Launch("a", {110, 120}, {130, 930});
  test.Launch("between", {1000, 1010}, {1030, 1200});
  const Profile profile = test.Finish();
  Selection selection;
  selection.stop = 0;
  const auto analysis = Analyze(std::span(&profile, 1), selection);
  ASSERT_TRUE(analysis);
  EXPECT_DOUBLE_EQ(NumberOf(*analysis, "coverage.outside_share"), 0.17);
}

TEST(Coverage, EarlierWorkIsNoFault) {
  TestProfile test;
  test.Op("aten::mm", {0, 50});
  test.Work("launched before the recording", {0, 30});
  test.Step(0, {10, 100});
  test.Launch("a", {20, 22}, {30, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.linked_share"), 1);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.launched_share"), 1);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.outside_share"), 1.0 / 3);
}

TEST(Coverage, UserRangesAreNoOperators) {
  TestProfile test;
  test.Host(HostKind::kAnnotation, "epoch 0", {0, 200});
  test.Step(0, {0, 100});
  test.Launch("a", {10, 20}, {30, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_TRUE(IsAbsent(analysis.Find("coverage.linked_share")->value));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.launched_share"), 1);
}

TEST(Coverage, AbsentWithoutHostRecord) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Work("a", {10, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  for (const char* id : {"coverage.linked_share", "coverage.launched_share"}) {
    EXPECT_TRUE(IsAbsent(analysis.Find(id)->value)) << id;
    EXPECT_TRUE(analysis.Find(id)->absent_because.starts_with("needs ")) << id;
  }
  // Work then belongs to the iteration in which it starts.
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.outside_share"), 0);
}

TEST(Coverage, CallsWithoutOperatorsShowTheLaunch) {
  TestProfile test;
  test.Launch("a", {0, 20}, {30, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  EXPECT_TRUE(IsAbsent(analysis.Find("coverage.linked_share")->value));
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "coverage.launched_share"), 1);
}

TEST(Gpus, OneRowEach) {
  TestProfile test;
  Gpu gpu;
  gpu.id = 0;
  gpu.name = "Tesla V100";
  gpu.compute_major = 7;
  gpu.compute_minor = 0;
  gpu.sms = 80;
  test.builder().AddGpu(gpu);
  test.Step(0, {0, 100});
  test.Op("aten::mm", {0, 50});
  test.Launch("volta_h884gemm_64x128_ldg8_nt", {10, 20}, {20, 60});
  test.Launch("volta_sgemm_64x64_nn", {20, 30}, {60, 70});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& gpus = *analysis.FindTable("gpus");
  ASSERT_EQ(gpus.rows(), 1U);
  EXPECT_EQ(TextAt(gpus, 0, "compute_capability"), "7.0");
  EXPECT_DOUBLE_EQ(RealAt(gpus, 0, "utilization"), 0.5);
  EXPECT_DOUBLE_EQ(RealAt(gpus, 0, "tensor_core_share"), 0.8);
  EXPECT_EQ(IntegerAt(gpus, 0, "kernel_time"), 50);
}

TEST(Kernels, TableDistinguishesEligibleFromUnknown) {
  TestProfile test;
  test.Op("aten::mm", {0, 50});
  test.Launch("volta_sgemm_64x64_nn", {10, 20}, {20, 60});
  test.Work("volta_sgemm_64x64_nn", {60, 80});  // No operator, but a product by name.
  test.Work("relu", {80, 90});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& table = *analysis.FindTable("kernels_by_op");
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(TextAt(table, 0, "op"), "aten::mm");
  EXPECT_EQ(table.At(0, "tensor_core_eligible"), Value(true));
  EXPECT_EQ(table.At(1, "tensor_core_eligible"), Value(true));
  EXPECT_TRUE(IsAbsent(table.At(1, "op")));
  EXPECT_TRUE(IsAbsent(table.At(2, "tensor_core_eligible")));
  const Table& names = *analysis.FindTable("kernels");
  ASSERT_EQ(names.rows(), 2U);
  EXPECT_EQ(IntegerAt(names, 0, "calls"), 2);
  EXPECT_EQ(IntegerAt(names, 0, "min"), 20);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "kernel.short_share"), 1);
}

}  // namespace
}  // namespace profgauge::analysis
