#include "analysis/analysis.h"

#include <numeric>

#include "fixture.h"

namespace profgauge::analysis {
namespace {

Analysis Analyzed(const std::vector<Profile>& ranks, const Selection& selection = {}) {
  auto analysis = Analyze(ranks, selection);
  EXPECT_TRUE(analysis.has_value()) << (analysis ? "" : analysis.error().message);
  return std::move(*analysis);
}

std::string Reason(const Analysis& analysis, std::string_view id) {
  const Metric* metric = analysis.Find(id);
  return metric == nullptr ? "no such metric" : metric->absent_because;
}

void ExpectSound(const Analysis& analysis) {
  ASSERT_EQ(analysis.metrics.size(), MetricCatalogue().size());
  ASSERT_EQ(analysis.tables.size(), TableCatalogue().size());
  for (const Metric& metric : analysis.metrics) {
    EXPECT_EQ(IsAbsent(metric.value), !metric.absent_because.empty()) << metric.spec->id;
  }
  for (const Table& table : analysis.tables) {
    EXPECT_TRUE(table.CheckShape()) << table.id();
    EXPECT_EQ(table.columns().empty(), analysis.absent_tables.contains(table.id())) << table.id();
  }
}

TEST(Analyze, OneRank) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Step(1, {1000, 2000});
  test.Op("aten::mm", {100, 200});
  test.Launch("gemm", {120, 130}, {200, 600});
  test.Op("aten::mm", {1100, 1300});
  test.Launch("gemm", {1120, 1130}, {1200, 1700});
  const Analysis analysis = Analyzed(OneRank(test.Finish()));
  ExpectSound(analysis);
  EXPECT_EQ(NumberOf(analysis, "profile.wall_time"), 2000);
  EXPECT_EQ(NumberOf(analysis, "profile.kernel_time"), 900);
  EXPECT_EQ(NumberOf(analysis, "profile.gpus"), 1);
  EXPECT_EQ(NumberOf(analysis, "iteration.time.mean"), 1000);
  EXPECT_EQ(NumberOf(analysis, "breakdown.other_kernel.time"), 900);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "gpu.utilization.mean"), 0.45);
  EXPECT_EQ(analysis.iteration_source.by, IterationsBy::kProfilerSteps);
  EXPECT_TRUE(analysis.Find("iteration.time.robust_cv")->low_confidence);
  EXPECT_EQ(analysis.Find("iteration.time.robust_cv")->note,
            "low confidence: 2 iterations (10 or more are needed)");
  const Table* ops = analysis.FindTable("ops");
  ASSERT_EQ(ops->rows(), 1U);
  EXPECT_EQ(ops->At(0, "calls"), Value(std::int64_t{2}));
  EXPECT_EQ(ops->At(0, "device_self"), Value(std::int64_t{900}));
  EXPECT_EQ(ops->At(0, "host_self"), Value(std::int64_t{280}));
  EXPECT_EQ(ops->At(0, "type"), Value(std::string("mm")));
  EXPECT_EQ(ops->At(0, "direction"), Value(std::string("forward")));
}

TEST(Analyze, ASelectionCountsOnlyItsOwn) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Step(1, {1000, 2000});
  test.Op("aten::mm", {100, 200});
  test.Launch("gemm", {120, 130}, {200, 600});
  test.Op("aten::mm", {1100, 1300});
  test.Launch("gemm", {1120, 1130}, {1200, 1700});
  Selection selection;
  selection.warmup = 1;
  const Analysis analysis = Analyzed(OneRank(test.Finish()), selection);
  EXPECT_EQ(NumberOf(analysis, "profile.kernel_time"), 500);
  EXPECT_EQ(analysis.FindTable("ops")->At(0, "calls"), Value(std::int64_t{1}));
  EXPECT_EQ(analysis.FindTable("iterations")->rows(), 1U);
  EXPECT_EQ(analysis.FindTable("iterations")->At(0, "index"), Value(std::int64_t{1}));
  EXPECT_EQ(analysis.iterations_total, 2);
  EXPECT_EQ(analysis.iterations_selected, 1);
}

// Ranks wait for each other: iteration i takes the time of its slowest rank. Times and counts add
// up, over the iterations that all ranks recorded.
TEST(Analyze, SeveralRanks) {
  const auto rank = [](int first_step, Ns second_length) {
    TestProfile test;
    test.Step(first_step, {0, 1000});
    test.Step(first_step + 1, {1000, 1000 + second_length});
    test.Op("aten::mm", {100, 200});
    test.Launch("gemm", {120, 130}, {200, 600});
    test.Launch("gemm", {1010, 1020}, {1020, 1100});
    test.Launch("ncclDevKernel_AllReduce_Sum_f32_RING_LL", {1020, 1030}, {1100, 1200});
    return test.Finish();
  };
  std::vector<Profile> ranks;
  ranks.push_back(rank(4, 500));   // Iterations 4 and 5.
  ranks.push_back(rank(5, 2000));  // Iterations 5 and 6.
  const Analysis analysis = Analyzed(ranks);
  ExpectSound(analysis);
  EXPECT_EQ(NumberOf(analysis, "profile.ranks"), 2);
  EXPECT_EQ(NumberOf(analysis, "profile.gpus"), 2);
  EXPECT_EQ(NumberOf(analysis, "profile.iterations"), 1);
  EXPECT_EQ(NumberOf(analysis, "profile.wall_time"), 1000);
  EXPECT_EQ(NumberOf(analysis, "profile.kernel_time"), 180 + 400);
  const Table* iterations = analysis.FindTable("iterations");
  ASSERT_EQ(iterations->rows(), 1U);
  EXPECT_EQ(iterations->At(0, "name"), Value(std::string("5")));
  EXPECT_EQ(iterations->At(0, "duration"), Value(std::int64_t{1000}));
  EXPECT_EQ(iterations->At(0, "rank"), Value(std::int64_t{1}));
  double parts = 0;
  for (const MetricSpec& spec : MetricCatalogue()) {
    if (spec.id.starts_with("breakdown.") && spec.id.ends_with(".time")) {
      parts += NumberOf(analysis, spec.id);
    }
  }
  EXPECT_EQ(parts, 500 + 1000);

  Selection second;
  second.rank = 1;
  EXPECT_EQ(NumberOf(Analyzed(ranks, second), "profile.ranks"), 1);
  second.rank = 7;
  const auto none = Analyze(ranks, second);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message, "the run has no rank 7");
}

TEST(Analyze, OperatorsOfSeveralRanksAddUp) {
  const auto rank = [](Ns length) {
    TestProfile test;
    test.Op("aten::mm", {100, 100 + length});
    test.Launch("gemm", {110, 120}, {200, 600});
    return test.Finish();
  };
  std::vector<Profile> ranks;
  ranks.push_back(rank(100));
  ranks.push_back(rank(200));
  const Analysis analysis = Analyzed(ranks);
  const Table* ops = analysis.FindTable("ops");
  ASSERT_EQ(ops->rows(), 1U);
  EXPECT_EQ(ops->At(0, "calls"), Value(std::int64_t{2}));
  EXPECT_EQ(ops->At(0, "host_total"), Value(std::int64_t{300}));
  EXPECT_EQ(ops->At(0, "device_self"), Value(std::int64_t{800}));
}

TEST(Analyze, CpuOnlyIsAbsentNotZero) {
  TestProfile test;
  test.Op("aten::mm", {0, 100});
  const Analysis analysis = Analyzed(OneRank(test.Finish()));
  ExpectSound(analysis);
  EXPECT_EQ(Reason(analysis, "gpu.idle.mean"), CapabilityGap(Capability::kDeviceEvents));
  EXPECT_EQ(Reason(analysis, "profile.kernel_time"), CapabilityGap(Capability::kDeviceEvents));
  EXPECT_EQ(Reason(analysis, "iteration.time.cv"),
            "needs at least 2 iterations (1 selected); record more: put a marker around each");
  EXPECT_EQ(NumberOf(analysis, "breakdown.cpu"), 1);
  const Table* ops = analysis.FindTable("ops");
  EXPECT_EQ(ops->At(0, "host_self"), Value(std::int64_t{100}));
  EXPECT_TRUE(IsAbsent(ops->At(0, "device_self")));
  EXPECT_EQ(ops->Find("device_self")->absent_because(), CapabilityGap(Capability::kDeviceEvents));
  EXPECT_EQ(analysis.absent_tables.at("gaps"), CapabilityGap(Capability::kDeviceEvents));
  EXPECT_EQ(analysis.absent_tables.at("ops_by_shape"), CapabilityGap(Capability::kShapes));
}

TEST(Analyze, GpuOnlyAndEmpty) {
  TestProfile gpu_only;
  gpu_only.Work("kernel", {0, 100});
  gpu_only.Work("kernel", {150, 200});
  const Analysis analysis = Analyzed(OneRank(gpu_only.Finish()));
  ExpectSound(analysis);
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "gpu.idle.mean"), 0.25);
  EXPECT_EQ(analysis.absent_tables.at("ops"), CapabilityGap(Capability::kHostOps));
  // Nothing shows the host's work: no cause is 0, the idle time is of other causes.
  for (const char* cause : {"dataloader", "host_wait", "sync"}) {
    EXPECT_EQ(Reason(analysis, std::string("gpu.idle_cause.") + cause),
              CapabilityGap(Capability::kLaunchLinks));
  }
  EXPECT_DOUBLE_EQ(NumberOf(analysis, "gpu.idle_cause.other"), 0.25);
  EXPECT_EQ(Reason(analysis, "breakdown.cpu"), CapabilityGap(Capability::kHostOps));
  EXPECT_EQ(Reason(analysis, "dataloader.exposed_share"), CapabilityGap(Capability::kHostOps));

  TestProfile empty;
  const Analysis nothing = Analyzed(OneRank(empty.Finish()));
  ExpectSound(nothing);
  EXPECT_EQ(Reason(nothing, "breakdown.cpu"), "the iterations have no length");
}

TEST(Analyze, OpsByShapeAndStack) {
  TestProfile test;
  test.Host(HostKind::kOp, "aten::mm", {0, 100}, {}, "[[2, 3], [3, 4]]", "a.py(1): f");
  test.Host(HostKind::kOp, "aten::mm", {100, 300}, {}, "[[2, 3], [3, 4]]", "a.py(2): g");
  test.Host(HostKind::kOp, "aten::mm", {300, 350}, {}, "[[1], [1]]", "a.py(2): g");
  const Analysis analysis = Analyzed(OneRank(test.Finish()));
  const Table* shapes = analysis.FindTable("ops_by_shape");
  ASSERT_EQ(shapes->rows(), 2U);
  EXPECT_EQ(shapes->At(0, "input_shapes"), Value(std::string("[[2, 3], [3, 4]]")));
  EXPECT_EQ(shapes->At(0, "host_total"), Value(std::int64_t{300}));
  EXPECT_TRUE(IsAbsent(shapes->At(0, "call_stack")));  // Two different ones.
  EXPECT_EQ(shapes->At(1, "call_stack"), Value(std::string("a.py(2): g")));
  const Table* stacks = analysis.FindTable("ops_by_stack");
  ASSERT_EQ(stacks->rows(), 2U);
  EXPECT_EQ(stacks->At(0, "call_stack"), Value(std::string("a.py(2): g")));
  EXPECT_EQ(stacks->At(0, "calls"), Value(std::int64_t{2}));
}

TEST(Analyze, ProposesASteadyRange) {
  TestProfile test;
  Ns at = 0;
  int step = 0;
  for (const Ns length : {5000, 3000, 1000, 1010, 990, 1000}) {
    test.Step(step++, {at, at + length});
    at += length;
  }
  const Analysis analysis = Analyzed(OneRank(test.Finish()));
  ASSERT_EQ(analysis.remarks.size(), 1U);
  EXPECT_EQ(analysis.remarks[0].id, "unsteady-selection");
  EXPECT_NE(analysis.remarks[0].text.find("Iterations 2 to 5 are steady"), std::string::npos);
  EXPECT_NE(analysis.remarks[0].text.find("--iter-start=2 --iter-stop=5"), std::string::npos);
}

}  // namespace
}  // namespace profgauge::analysis
