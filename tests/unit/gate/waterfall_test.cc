#include "gate/waterfall.h"

#include <gtest/gtest.h>

#include <numeric>

#include "waterfall_check.h"

namespace profgauge::gate {
namespace {

using testing::ExpectExactSums;

analysis::breakdown::TimePart Kernel(const char* op, const char* kernel, std::int64_t count,
                                     Ns time) {
  analysis::breakdown::TimePart part;
  part.category = "other_kernel";
  part.op_type = "matmul";
  part.op = op;
  part.kernel = kernel;
  part.count = count;
  part.time = time;
  return part;
}

analysis::breakdown::TimePart Other(Ns time) {
  analysis::breakdown::TimePart part;
  part.category = "other";
  part.time = time;
  return part;
}

Snapshot RunOfParts(std::vector<Ns> iterations, std::vector<analysis::breakdown::TimePart> parts) {
  Snapshot run;
  run.iteration_times = std::move(iterations);
  run.parts = std::move(parts);
  return run;
}

const WaterfallStep& FindStep(const Waterfall& waterfall, PartLevel level,
                              const std::string& name) {
  for (const WaterfallStep& step : waterfall.steps) {
    if (step.level == level && step.name == name) return step;
  }
  ADD_FAILURE() << "no step " << name;
  return waterfall.steps.front();
}

TEST(Explain, SplitsCountAndDuration) {
  // Two calls of 100 ns become three of 120 ns: one more costs 100, three slower ones cost 60.
  const Waterfall waterfall =
      Explain(RunOfParts({300}, {Kernel("aten::mm", "gemm", 2, 200), Other(100)}),
              RunOfParts({460}, {Kernel("aten::mm", "gemm", 3, 360), Other(100)}));
  ExpectExactSums(waterfall);
  EXPECT_EQ(waterfall.delta, 160);
  const WaterfallStep& kernel = FindStep(waterfall, PartLevel::kKernel, "gemm");
  EXPECT_EQ(kernel.count_effect, 100);
  EXPECT_EQ(kernel.duration_effect, 60);
  EXPECT_EQ(FindStep(waterfall, PartLevel::kCategory, "other").delta, 0);
}

// As a damaged baseline states it.
TEST(Explain, MissingCountsKeepSumsExact) {
  const Snapshot run = RunOfParts({400}, {Kernel("a", "x", 3, 300), Other(100)});
  const Snapshot odd =
      RunOfParts({400}, {Kernel("a", "x", std::int64_t{1} << 61, 300), Other(100)});
  ExpectExactSums(Explain(run, odd));
  ExpectExactSums(Explain(odd, run));
}

TEST(Explain, SumsExactlyWithRemainders) {
  const Waterfall waterfall = Explain(
      RunOfParts({100, 101, 103}, {Kernel("a", "x", 3, 101), Kernel("b", "y", 5, 100), Other(103)}),
      RunOfParts({90, 91, 93, 94, 97, 96, 99},
                 {Kernel("a", "x", 8, 333), Kernel("b", "z", 11, 220), Other(107)}));
  ExpectExactSums(waterfall);
  EXPECT_EQ(waterfall.base, 101);
  EXPECT_EQ(waterfall.current, 94);
}

TEST(Explain, KernelAtSamePlaceIsRenamed) {
  const Waterfall waterfall =
      Explain(RunOfParts({200}, {Kernel("aten::mm", "volta_sgemm", 2, 200)}),
              RunOfParts({120}, {Kernel("aten::mm", "ampere_sgemm", 2, 120)}));
  ExpectExactSums(waterfall);
  const WaterfallStep& kernel =
      FindStep(waterfall, PartLevel::kKernel, "ampere_sgemm ← volta_sgemm");
  EXPECT_EQ(kernel.change, PartChange::kRenamed);
  EXPECT_EQ(kernel.duration_effect, -80);
}

TEST(Explain, AddedOpsAreCountEffects) {
  const Waterfall waterfall = Explain(RunOfParts({100}, {Kernel("aten::add", "add", 1, 100)}),
                                      RunOfParts({70}, {Kernel("aten::mul", "mul", 1, 70)}));
  ExpectExactSums(waterfall);
  EXPECT_EQ(FindStep(waterfall, PartLevel::kOp, "aten::add").change, PartChange::kRemoved);
  EXPECT_EQ(FindStep(waterfall, PartLevel::kOp, "aten::mul").change, PartChange::kAdded);
  EXPECT_EQ(FindStep(waterfall, PartLevel::kKernel, "mul").count_effect, 70);
  EXPECT_EQ(FindStep(waterfall, PartLevel::kKernel, "add").count_effect, -100);
}

TEST(Explain, ARunAgainstItselfChangesNothing) {
  const Snapshot run = RunOfParts({100, 120}, {Kernel("a", "x", 3, 150), Other(70)});
  const Waterfall waterfall = Explain(run, run);
  ExpectExactSums(waterfall);
  for (const WaterfallStep& step : waterfall.steps) {
    EXPECT_EQ(step.delta, 0);
    EXPECT_EQ(step.count_effect, 0);
    EXPECT_EQ(step.change, PartChange::kChanged);
  }
}

TEST(Explain, OnlyCertainLargeChangesAreSignificant) {
  analysis::breakdown::TimePart slower = Kernel("a", "x", 10, 1000000),
                                steady = Kernel("b", "y", 10, 1000000);
  Snapshot base = RunOfParts(std::vector<Ns>(10, 200000), {slower, steady});
  Snapshot current = RunOfParts(std::vector<Ns>(10, 260000), {slower, steady});
  current.parts[0].time = 1600000;
  for (int i = 0; i < 10; ++i) {
    base.parts[0].series.push_back(100000 + i);
    current.parts[0].series.push_back(160000 + i);
    base.parts[1].series.push_back(100000 + 100 * (i % 5));
    current.parts[1].series.push_back(100000 + 100 * ((i + 2) % 5));
  }
  const Waterfall waterfall = Explain(base, current);
  ExpectExactSums(waterfall);
  EXPECT_TRUE(FindStep(waterfall, PartLevel::kKernel, "x").significant);
  EXPECT_FALSE(FindStep(waterfall, PartLevel::kKernel, "y").significant);
}

TEST(Explain, NewKernelIsTestedAgainstZero) {
  std::vector<Ns> before(6, 10'000'000), after(6, 12'000'000);
  analysis::breakdown::TimePart extra = Kernel("aten::mm", "extra", 6, 12'000'000);
  extra.series = std::vector<Ns>{2'000'000, 2'010'000, 1'990'000, 2'005'000, 1'995'000, 2'000'000};
  const Waterfall waterfall = Explain(RunOfParts(before, {Other(60'000'000)}),
                                      RunOfParts(after, {Other(60'000'000), extra}));
  const WaterfallStep& step = FindStep(waterfall, PartLevel::kKernel, "extra");
  EXPECT_EQ(step.change, PartChange::kAdded);
  EXPECT_TRUE(step.significant);
}

TEST(Explain, FoldsSmallPartsOfBothRuns) {
  // 0.021 % of one run is a separate row, 0.019 % of the other is among its small parts.
  analysis::breakdown::TimePart alone = Kernel("aten::mm", "small", 2, 4'200);
  analysis::breakdown::TimePart folded = Kernel("", "(smaller parts)", 2, 3'800);
  const Waterfall waterfall =
      Explain(RunOfParts({10'000'000, 10'000'000}, {Other(19'995'800), alone}),
              RunOfParts({10'000'000, 10'000'000}, {Other(19'996'200), folded}));
  ExpectExactSums(waterfall);
  const WaterfallStep& step = FindStep(waterfall, PartLevel::kKernel, "(smaller parts)");
  EXPECT_EQ(step.delta, -200);
  EXPECT_EQ(step.change, PartChange::kChanged);
  for (const WaterfallStep& other : waterfall.steps) EXPECT_NE(other.change, PartChange::kRemoved);
}

analysis::breakdown::TimePart OnShapes(const char* shapes, const char* kernel, Ns time) {
  analysis::breakdown::TimePart part = Kernel("aten::mm", kernel, 3, time);
  part.shapes = shapes;
  return part;
}

TEST(Explain, TakesOtherInputsForTheSameWork) {
  const Waterfall waterfall =
      Explain(RunOfParts({400}, {OnShapes("[[64, 64]]", "gemm", 300), Other(100)}),
              RunOfParts({700}, {OnShapes("[[128, 64]]", "gemm", 600), Other(100)}));
  ExpectExactSums(waterfall);
  FindStep(waterfall, PartLevel::kOp, "aten::mm [[128, 64]] ← [[64, 64]]");
  const WaterfallStep& kernel = FindStep(waterfall, PartLevel::kKernel, "gemm");
  EXPECT_EQ(kernel.change, PartChange::kChanged);
  EXPECT_EQ(kernel.count_effect, 0);
  EXPECT_EQ(kernel.duration_effect, 300);
  // Launched twice as often it is other work.
  analysis::breakdown::TimePart more = OnShapes("[[128, 64]]", "gemm", 600);
  more.count = 6;
  const Waterfall other =
      Explain(RunOfParts({400}, {OnShapes("[[64, 64]]", "gemm", 300), Other(100)}),
              RunOfParts({700}, {more, Other(100)}));
  ExpectExactSums(other);
  EXPECT_EQ(FindStep(other, PartLevel::kOp, "aten::mm [[128, 64]]").change, PartChange::kAdded);
}

analysis::breakdown::TimePart CallOf(const char* op, const char* name, std::int64_t count,
                                     Ns time) {
  analysis::breakdown::TimePart part = Kernel(op, name, count, time);
  part.category = "runtime";
  return part;
}

// Launches that the device hid take no time, and are folded: they are not new where it does not.
TEST(Explain, CallsThatWereHiddenAreNotNew) {
  const Snapshot hidden = RunOfParts({1000}, {CallOf("", "(smaller parts)", 5, 10), Other(990)});
  const Snapshot shown = RunOfParts({1600}, {CallOf("aten::mm", "cudaLaunchKernel", 3, 606),
                                             CallOf("", "(smaller parts)", 2, 4), Other(990)});
  const Waterfall waterfall = Explain(hidden, shown);
  ExpectExactSums(waterfall);
  const WaterfallStep& call = FindStep(waterfall, PartLevel::kKernel, "cudaLaunchKernel");
  EXPECT_EQ(call.change, PartChange::kChanged);
  EXPECT_EQ(call.count_effect, 0);
  EXPECT_EQ(call.delta, 600);
  // More of them than were folded are.
  const Snapshot more = RunOfParts({1600}, {CallOf("aten::mm", "cudaMalloc", 6, 600),
                                            CallOf("", "(smaller parts)", 5, 10), Other(990)});
  EXPECT_EQ(FindStep(Explain(hidden, more), PartLevel::kKernel, "cudaMalloc").change,
            PartChange::kAdded);
}

}  // namespace
}  // namespace profgauge::gate
