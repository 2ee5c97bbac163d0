#include "gate/pairing.h"

#include <gtest/gtest.h>

namespace profgauge {
namespace {

WorkSum Sum(std::string name, std::int64_t count, Ns gpu, std::vector<Ns> series = {}) {
  WorkSum sum;
  sum.name = std::move(name);
  sum.count = count;
  sum.gpu_time = gpu;
  sum.host_time = gpu / 10;
  sum.series = std::move(series);
  return sum;
}

TimePart Part(std::string category, std::string kernel, Ns time) {
  TimePart part;
  part.category = std::move(category);
  part.op = "aten::mm";
  part.shapes = "[[2, 3]]";
  part.kernel = std::move(kernel);
  part.time = time;
  part.count = 1;
  return part;
}

Snapshot RunOfKernels(std::vector<WorkSum> kernels, std::vector<TimePart> parts) {
  Snapshot run;
  run.iteration_times = {10'000'000, 10'000'000};
  run.work.iterations = 2;
  run.work.has_gpu = true;
  run.work.kernels = std::move(kernels);
  run.parts = std::move(parts);
  return run;
}

const PairedWork& Row(const PairedTable& table, const std::string& name) {
  for (const PairedWork& row : table.rows) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return table.rows.front();
}

TEST(PairKernels, WhatARunLacksTookNoTime) {
  // 2 ms per iteration on one side only: tested against zeros.
  const std::vector<Ns> series = {2'000'000, 2'010'000, 1'990'000, 2'005'000, 1'995'000, 2'000'000};
  Snapshot without = RunOfKernels({Sum("gemm", 6, 6'000)}, {});
  Snapshot with = RunOfKernels({Sum("gemm", 6, 6'000), Sum("extra", 6, 12'000'000, series)}, {});
  for (Snapshot* run : {&without, &with}) {
    run->iteration_times = std::vector<Ns>(6, 10'000'000);
    run->work.iterations = 6;
  }
  const PairedTable added = PairKernels(without, with);
  EXPECT_EQ(Row(added, "extra").change, PartChange::kAdded);
  EXPECT_TRUE(Row(added, "extra").significant);
  const PairedTable removed = PairKernels(with, without);
  EXPECT_EQ(Row(removed, "extra").change, PartChange::kRemoved);
  EXPECT_TRUE(Row(removed, "extra").significant);
}

TEST(PairKernels, TheRestOfOneListIsTheRestOfBoth) {
  const PairedTable table = PairKernels(
      RunOfKernels({Sum("gemm", 2, 4'000), Sum("last", 2, 10)}, {}),
      RunOfKernels({Sum("gemm", 2, 4'000), Sum("other", 2, 12), Sum("(smaller)", 2, 10)}, {}));
  EXPECT_EQ(Row(table, "(smaller)").delta, 0);
  for (const PairedWork& row : table.rows) EXPECT_NE(row.name, "last");
}

TEST(PairKernels, SplitsCountAndDurationPerIteration) {
  const PairedTable table = PairKernels(RunOfKernels({Sum("gemm", 4, 4'000)}, {}),
                                        RunOfKernels({Sum("gemm", 6, 9'000)}, {}));
  const PairedWork& row = Row(table, "gemm");
  EXPECT_EQ(row.base_count, 2);
  EXPECT_EQ(row.current_count, 3);
  EXPECT_EQ(row.base, 2'000);
  EXPECT_EQ(row.delta, 2'500);
  EXPECT_EQ(row.count_effect, 1'000);     // One more of 1 000 ns.
  EXPECT_EQ(row.duration_effect, 1'500);  // Three that take 500 ns longer.
}

TEST(PairKernels, RowsSumExactly) {
  const PairedTable table =
      PairKernels(RunOfKernels({Sum("a", 3, 1'001), Sum("b", 1, 333), Sum("gone", 1, 7)}, {}),
                  RunOfKernels({Sum("a", 2, 500), Sum("b", 5, 999), Sum("new", 1, 1)}, {}));
  Ns sum = 0;
  for (const PairedWork& row : table.rows) {
    sum += row.delta;
    EXPECT_EQ(row.delta, row.count_effect + row.duration_effect) << row.name;
  }
  EXPECT_EQ(sum, table.delta);
  EXPECT_EQ(Row(table, "gone").change, PartChange::kRemoved);
  EXPECT_EQ(Row(table, "new").change, PartChange::kAdded);
}

// A kernel of another name at the same place is the same kernel, also when it lost its Tensor
// Cores and counts for another category.
TEST(PairKernels, MatchesRenamedKernelsByPlace) {
  const Snapshot base =
      RunOfKernels({Sum("hmma_gemm", 2, 4'000)}, {Part("tensor_core_kernel", "hmma_gemm", 4'000)});
  const Snapshot current =
      RunOfKernels({Sum("sgemm", 2, 8'000)}, {Part("other_kernel", "sgemm", 8'000)});
  const PairedTable table = PairKernels(base, current);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].name, "sgemm ← hmma_gemm");
  EXPECT_EQ(table.rows[0].change, PartChange::kRenamed);
  EXPECT_EQ(table.rows[0].count_effect, 0);
  EXPECT_EQ(table.rows[0].duration_effect, 2'000);
}

TEST(PairKernels, AKernelThatStillRunsWasNotRenamed) {
  const Snapshot base = RunOfKernels({Sum("a", 2, 4'000)}, {Part("other_kernel", "a", 4'000)});
  const Snapshot current =
      RunOfKernels({Sum("a", 1, 10), Sum("b", 2, 8'000)}, {Part("other_kernel", "b", 8'000)});
  const PairedTable table = PairKernels(base, current);
  EXPECT_EQ(Row(table, "b").change, PartChange::kAdded);
  EXPECT_EQ(Row(table, "a").change, PartChange::kChanged);
}

TEST(PairKernels, CallsOutCertainAndLargeChangesOnly) {
  const std::vector<Ns> slow(20, 900'000), fast(20, 300'000), tiny(20, 1'000), less(20, 900);
  const PairedTable table = PairKernels(
      RunOfKernels({Sum("large", 20, 6'000'000, fast), Sum("small", 20, 18'000, less)}, {}),
      RunOfKernels({Sum("large", 20, 18'000'000, slow), Sum("small", 20, 20'000, tiny)}, {}));
  EXPECT_TRUE(Row(table, "large").significant);
  EXPECT_FALSE(Row(table, "small").significant);  // Certain, but of no weight.
  EXPECT_GE(Row(table, "small").p_value, 0);
}

TEST(PairKernels, RunsWithoutSumsHaveNoTable) {
  EXPECT_TRUE(PairKernels(Snapshot(), RunOfKernels({Sum("a", 1, 1)}, {})).rows.empty());
}

TEST(PairOps, TakesHostTimeWhereARunHasNoGpuWork) {
  Snapshot base = RunOfKernels({}, {});
  base.work.ops = {Sum("aten::mm", 2, 2'000)};
  Snapshot current = base;
  current.work.has_gpu = false;
  const PairedTable table = PairOps(base, current);
  EXPECT_TRUE(table.of_host);
  EXPECT_EQ(Row(table, "aten::mm").base, 100);
  EXPECT_FALSE(PairOps(base, base).of_host);
}

TEST(PairValues, KeepsWhatOneSideLacks) {
  Snapshot base, current;
  base.metrics["gpu.idle.mean"] = 0.1;
  current.metrics["gpu.idle.mean"] = 0.2;
  current.metrics["kernel.count_per_iteration"] = 5;
  const auto values = PairValues(base, current);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].spec->id, "gpu.idle.mean");
  EXPECT_FALSE(values[1].base);
  EXPECT_EQ(values[1].current, 5);
}

}  // namespace
}  // namespace profgauge
