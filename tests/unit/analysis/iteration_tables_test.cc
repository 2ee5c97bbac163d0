// Operators by iteration, the tree of an iteration, the modules, and operator types by call.
#include <algorithm>
#include <map>

#include "analysis/iterations/markers.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis {
namespace {

std::int64_t Integer(const Table& table, std::size_t row, std::string_view column) {
  return static_cast<std::int64_t>(AsNumber(table.At(row, column), -1));
}
double MetricNumber(const Analysis& analysis, std::string_view id) {
  return AsNumber(analysis.Find(id)->value, -1);
}
// Two iterations; in each aten::linear calls aten::mm twice, which launches a kernel each time.
TestProfile TwoIterations() {
  TestProfile test;
  for (int i = 0; i < 2; ++i) {
    const Ns at = i * 1000;
    test.Step(i, {at, at + 900});
    test.Host(HostKind::kAnnotation, "forward", {at + 10, at + 800});
    test.Op("aten::linear", {at + 20, at + 420});
    for (int k = 0; k < 2; ++k) {
      const Ns from = at + 50 + k * 200;
      test.Op("aten::mm", {from, from + 100});
      test.Launch("gemm", {from + 10, from + 30}, {from + 40, from + 90 + i * 10});
    }
  }
  return test;
}

Analysis AnalyzeRun(Profile profile) {
  auto analysis = Analyze(OneRank(std::move(profile)), {});
  EXPECT_TRUE(analysis.has_value());
  return std::move(*analysis);
}

TEST(IterationTree, MergesSiblingsCountsWorkOnce) {
  const Analysis analysis = AnalyzeRun(TwoIterations().Finish());
  const Table& tree = *analysis.FindTable("op_tree");
  ASSERT_EQ(tree.rows(), 10u);  // Two trees of thread, range, linear, mm, kernel.
  EXPECT_EQ(Integer(tree, 0, "iteration"), 0);
  EXPECT_EQ(TextAt(tree, 0, "kind"), "thread");
  EXPECT_EQ(TextAt(tree, 1, "name"), "forward");
  EXPECT_EQ(TextAt(tree, 3, "name"), "aten::mm");
  EXPECT_EQ(Integer(tree, 3, "calls"), 2);
  EXPECT_EQ(Integer(tree, 3, "depth"), 3);
  EXPECT_EQ(Integer(tree, 3, "parent"), 2);
  EXPECT_EQ(Integer(tree, 3, "host_total"), 200);
  EXPECT_EQ(Integer(tree, 2, "host_self"), 200);
  EXPECT_EQ(TextAt(tree, 4, "name"), "gemm");
  EXPECT_EQ(Integer(tree, 4, "host_total"), -1);
  for (std::size_t row = 0; row < 5; ++row) EXPECT_EQ(Integer(tree, row, "device_total"), 100);
  EXPECT_EQ(Integer(tree, 5, "iteration"), 1);
  EXPECT_EQ(Integer(tree, 5, "node"), 5);
  EXPECT_TRUE(IsAbsent(tree.At(5, "parent")));
  EXPECT_EQ(Integer(tree, 9, "device_total"), 120);
}

TEST(IterationOps, ListsAllModulesThatRan) {
  TestProfile test = TwoIterations();
  test.Host(HostKind::kOp, "aten::view", {1500, 1540}, {}, {}, "model.py(3): forward");
  test.Op("aten::view", {2500, 2540});  // In no iteration.
  const Analysis analysis = AnalyzeRun(test.Finish());
  const Table& ops = *analysis.FindTable("ops_by_iteration");
  std::map<std::pair<std::int64_t, std::string>, std::size_t> rows;
  for (std::size_t row = 0; row < ops.rows(); ++row) {
    rows[{Integer(ops, row, "iteration"), TextAt(ops, row, "name")}] = row;
  }
  ASSERT_EQ(ops.rows(), 5u);
  ASSERT_EQ(rows.size(), 5u);
  const std::size_t mm = rows.at({1, "aten::mm"});
  EXPECT_EQ(Integer(ops, mm, "start"), 1050);
  EXPECT_EQ(Integer(ops, mm, "calls"), 2);
  EXPECT_EQ(Integer(ops, mm, "kernels"), 2);
  EXPECT_EQ(Integer(ops, mm, "time"), 120);
  EXPECT_EQ(Integer(ops, mm, "host_self"), 160);
  const std::size_t linear = rows.at({0, "aten::linear"});
  EXPECT_EQ(Integer(ops, linear, "calls"), 1);
  EXPECT_EQ(Integer(ops, linear, "kernels"), 0);  // Its child's.
  EXPECT_EQ(Integer(ops, linear, "host_self"), 200);
  const std::size_t view = rows.at({1, "aten::view"});
  EXPECT_EQ(Integer(ops, view, "calls"), 1);
  EXPECT_EQ(Integer(ops, view, "time"), 0);
  EXPECT_EQ(Integer(ops, view, "host_self"), 40);
  EXPECT_EQ(TextAt(ops, view, "call_stack"), "model.py(3): forward");
}

TEST(IterationOps, CallsWithoutLaunchesCount) {
  TestProfile test = TwoIterations();
  test.Op("aten::mm", {700, 750});
  const Analysis analysis = AnalyzeRun(test.Finish());
  const Table& ops = *analysis.FindTable("ops_by_iteration");
  for (std::size_t row = 0; row < ops.rows(); ++row) {
    if (TextAt(ops, row, "name") != "aten::mm") continue;
    EXPECT_EQ(Integer(ops, row, "calls"), Integer(ops, row, "iteration") == 0 ? 3 : 2);
    EXPECT_EQ(Integer(ops, row, "kernels"), 2);
  }
}

// Kernels that are linked to their launches, but to no operator.
TEST(IterationOps, AskForWhatIsMissing) {
  TestProfile test;
  test.Step(0, {0, 900});
  test.Launch("gemm", {10, 30}, {40, 90});
  const Analysis analysis = AnalyzeRun(test.Finish());
  EXPECT_EQ(analysis.absent_tables.at("ops_by_iteration"), CapabilityGap(Capability::kHostOps));
}

// As in `ops`: a range around operators that launches a kernel itself is none.
TEST(IterationOps, RangesOfFrameworksAreNoOperators) {
  TestProfile test = TwoIterations();
  test.Op("Optimizer.step#Adam.step", {700, 780});
  test.Launch("adam", {710, 720}, {730, 760});
  const Analysis analysis = AnalyzeRun(test.Finish());
  for (const char* id : {"ops", "ops_by_iteration"}) {
    const Table& ops = *analysis.FindTable(id);
    EXPECT_GT(ops.rows(), 0u);
    for (std::size_t row = 0; row < ops.rows(); ++row) {
      EXPECT_NE(TextAt(ops, row, "name"), "Optimizer.step#Adam.step") << id;
    }
  }
}

TEST(OpTypes, HaveTheRangeOfTheirCalls) {
  const Analysis analysis = AnalyzeRun(TwoIterations().Finish());
  const Table& types = *analysis.FindTable("op_types");
  ASSERT_EQ(TextAt(types, 0, "name"), "mm");
  EXPECT_EQ(Integer(types, 0, "host_total"), 400);
  EXPECT_EQ(Integer(types, 0, "host_mean"), 100);
  EXPECT_EQ(Integer(types, 0, "device_min"), 50);
  EXPECT_EQ(Integer(types, 0, "device_max"), 60);
  EXPECT_EQ(Integer(types, 0, "host_self_min"), 80);
  EXPECT_EQ(Integer(types, 0, "gpu_idle"), 0);
}

TEST(OpTypes, GpuIdleIsWithinACall) {
  TestProfile test;
  test.Op("aten::mm", {0, 500});
  test.Launch("a", {10, 20}, {100, 200});
  test.Launch("b", {30, 40}, {150, 180});  // Inside of a.
  test.Launch("c", {50, 60}, {260, 300});
  const Analysis analysis = AnalyzeRun(test.Finish());
  EXPECT_EQ(Integer(*analysis.FindTable("op_types"), 0, "gpu_idle"), 60);
  EXPECT_EQ(Integer(*analysis.FindTable("op_types"), 0, "gpu_busy"), 140);
  EXPECT_EQ(Integer(*analysis.FindTable("op_types"), 0, "device_self"), 170);
}

TEST(Launches, KnowTheirIterationAndShape) {
  const Analysis analysis = AnalyzeRun(TwoIterations().Finish());
  const Table& launches = *analysis.FindTable("launches");
  ASSERT_EQ(launches.rows(), 4u);
  EXPECT_EQ(Integer(launches, 0, "iteration"), 0);
  EXPECT_EQ(Integer(launches, 3, "iteration"), 1);
  EXPECT_TRUE(IsAbsent(launches.At(0, "grid")));
}

// Net calls two layers of one class; the second calls an operator from within an operator.
TEST(Modules, AreAHierarchyWithTheirWork) {
  TestProfile test;
  const auto frame = [&](std::string_view name, At at, std::int64_t module) {
    PythonRow row;
    row.start = at.start;
    row.duration = at.duration();
    row.name = test.builder().Intern(name);
    row.thread = test.main();
    row.module_id = module;
    test.builder().AddPython(row);
  };
  for (const Ns at : {0, 1000}) {
    frame("nn.Module: Net_0", {at, at + 900}, 0);
    frame("forward", {at + 5, at + 890}, -1);
    frame("nn.Module: Layer_0", {at + 100, at + 300}, 1);
    frame("nn.Module: Layer_1", {at + 400, at + 700}, 2);
    test.Op("aten::linear", {at + 120, at + 220});
    test.Launch("gemm", {at + 130, at + 140}, {at + 150, at + 190});
    test.Op("aten::linear", {at + 420, at + 520});
    test.Op("aten::mm", {at + 430, at + 500});
    test.Launch("gemm", {at + 440, at + 450}, {at + 460, at + 480});
    test.Op("aten::add", {at + 720, at + 760});
    test.Launch("add", {at + 730, at + 740}, {at + 750, at + 755});
  }
  const Analysis analysis = AnalyzeRun(test.Finish());
  const Table& modules = *analysis.FindTable("modules");
  ASSERT_EQ(modules.rows(), 3u);
  EXPECT_EQ(TextAt(modules, 0, "name"), "Net_0");
  EXPECT_EQ(TextAt(modules, 2, "name"), "Layer_1");
  EXPECT_EQ(Integer(modules, 2, "parent"), 0);
  EXPECT_EQ(Integer(modules, 0, "calls"), 2);
  EXPECT_EQ(Integer(modules, 0, "operators"), 2);
  EXPECT_EQ(Integer(modules, 2, "operators"), 2);  // aten::mm is aten::linear's.
  EXPECT_EQ(Integer(modules, 0, "host_total"), 1800);
  EXPECT_EQ(Integer(modules, 0, "host_self"), 2 * (900 - 200 - 300 - 40));
  EXPECT_EQ(Integer(modules, 1, "device_total"), 80);
  EXPECT_EQ(Integer(modules, 0, "device_self"), 10);
  EXPECT_EQ(Integer(modules, 0, "device_total"), 130);
  EXPECT_EQ(Integer(modules, 0, "backward_device"), 0);
}

// Iterations that the profile's end cut off were recorded, but are not selected.
TEST(RunIterations, RecordedOnesIncludeCutOnes) {
  TestProfile test;
  for (int step = 0; step < 3; ++step) test.Step(step, {step * 100, step * 100 + 100});
  test.Launch("k", {0, 1}, {20, 21});
  test.Launch("k", {100, 101}, {120, 121});
  const Analysis analysis = AnalyzeRun(test.Finish());
  EXPECT_EQ(analysis.iterations_total, 3);
  EXPECT_EQ(analysis.iterations_selected, 2);
}

// The loader is outside of the marker: no length shows it, the time from start to start does.
TEST(RunIterations, MeasuresTimeBetweenThem) {
  TestProfile test;
  for (const int number : {0, 1, 2, 10, 11}) {  // The profile skips some.
    const Ns start = number * 1000;
    test.Step(number, {start, start + 600});
    test.Launch("k", {start + 10, start + 20}, {start + 30, start + 500});
  }
  const Analysis analysis = AnalyzeRun(test.Finish());
  EXPECT_EQ(MetricNumber(analysis, "iteration.time.median"), 600);
  EXPECT_EQ(MetricNumber(analysis, "iteration.period.median"), 1000);
  EXPECT_EQ(MetricNumber(analysis, "iteration.period.mean"), 1000);
  EXPECT_DOUBLE_EQ(MetricNumber(analysis, "iteration.between_share"), 0.4);

  TestProfile single;
  single.Step(0, {0, 600});
  single.Launch("k", {10, 20}, {30, 500});
  const Analysis one = AnalyzeRun(single.Finish());
  EXPECT_TRUE(IsAbsent(one.Find("iteration.between_share")->value));
}

// `for batch in loader:` asks for the batch before the iteration is marked.
TEST(RunIterations, WaitsForDataBetweenThemCount) {
  constexpr const char* kNext = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  TestProfile test;
  for (const int number : {0, 1, 2, 10, 11}) {  // The profile skips some.
    const Ns start = number * 1000;
    test.Op(kNext, {start, start + 400});
    test.Step(number, {start + 400, start + 1000});
    test.Launch("k", {start + 410, start + 420}, {start + 430, start + 900});
  }
  const Analysis analysis = AnalyzeRun(test.Finish());
  // Before three of the five; before the others nothing shows how long an iteration waits.
  EXPECT_EQ(MetricNumber(analysis, "breakdown.dataloader.time"), 0);
  EXPECT_EQ(MetricNumber(analysis, "dataloader.exposed_time"), 3 * 400);
  EXPECT_EQ(MetricNumber(analysis, "dataloader.stalled_time"), 3 * 400);
  EXPECT_DOUBLE_EQ(MetricNumber(analysis, "dataloader.exposed_share"), 1200. / (5 * 600 + 1200));
}

TEST(RunIterations, SeparatesOneIterationsDataWaits) {
  for (const bool often : {false, true}) {
    TestProfile test;
    Ns start = 0;
    for (int number = 0; number < 6; ++number) {
      const Ns wait = number == 2 || (often && number == 4) ? 5'000 : 10;
      test.Step(number, {start, start + wait + 500});
      test.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {start, start + wait});
      test.Launch("k", {start + wait, start + wait + 10}, {start + wait + 10, start + wait + 490});
      start += wait + 500;
    }
    const Analysis analysis = AnalyzeRun(test.Finish());
    EXPECT_EQ(MetricNumber(analysis, "dataloader.exposed_time"), often ? 10'040 : 5'050);
    EXPECT_EQ(MetricNumber(analysis, "dataloader.exposed_once"), often ? 0 : 4'990);
  }
}

// A wait of 800 ns: a kernel covers 300 and a copy 200 more.
TEST(RunIterations, SeparatesDataWaitsBesideCopies) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {100, 900});
  test.Launch("k", {10, 20}, {30, 400});
  test.Launch("Memcpy HtoD", {20, 30}, {300, 600}, {}, DeviceKind::kMemcpy, 0, 8);
  const Analysis analysis = AnalyzeRun(test.Finish());
  EXPECT_EQ(MetricNumber(analysis, "dataloader.exposed_time"), 300);
  EXPECT_EQ(MetricNumber(analysis, "dataloader.stalled_time"), 500);
  EXPECT_DOUBLE_EQ(MetricNumber(analysis, "dataloader.exposed_share"), 0.3);
}

TEST(RunIterations, ReportsRankWithoutDeviceWork) {
  const auto remarks = [](bool with_calls) {
    std::vector<Profile> ranks;
    TestProfile works;
    works.Launch("k", {0, 20}, {30, 500});
    ranks.push_back(works.Finish());
    TestProfile idles;
    idles.Op("aten::add", {0, 500});
    if (with_calls) idles.Call("cudaLaunchKernel", ApiKind::kLaunch, {10, 20});
    ranks.push_back(idles.Finish());
    ranks[0].distributed.rank = 0;
    ranks[1].distributed.rank = 1;
    std::string text;
    const auto analysis = Analyze(ranks, {});
    EXPECT_TRUE(analysis.has_value());
    for (const Remark& remark : analysis->remarks) {
      if (remark.id == iterations::kRanksWithoutWork) text += remark.text;
    }
    return text;
  };
  EXPECT_EQ(remarks(true),
            "in the recording of 1 of 2 ranks (1) there is no GPU work, although a GPU is listed "
            "or its runtime was called");
  EXPECT_EQ(remarks(false), "");  // A rank that computes on the host.
}

bool Remarks(const Analysis& analysis, std::string_view id) {
  return std::any_of(analysis.remarks.begin(), analysis.remarks.end(),
                     [id](const Remark& remark) { return remark.id == id; });
}

// Its one range is no iteration 0 of the others'.
TEST(RunIterations, ReportsRankWithoutMarkers) {
  for (const bool marked : {true, false}) {
    std::vector<Profile> ranks;
    for (const int rank : {0, 1}) {
      TestProfile test;
      for (int i = 0; i < 3; ++i) {
        const Ns at = i * 1000;
        if (rank == 0 || marked) test.Step(i, {at, at + 1000});
        test.Launch("k", {at + 10, at + 20}, {at + 30, at + 900});
      }
      ranks.push_back(test.Finish());
      ranks.back().distributed.rank = rank;
    }
    const auto analysis = Analyze(ranks, {});
    ASSERT_TRUE(analysis);
    EXPECT_EQ(Remarks(*analysis, iterations::kRanksWithoutMarkers), !marked);
    EXPECT_EQ(MetricNumber(*analysis, "profile.iterations"), 3);
    EXPECT_NEAR(MetricNumber(*analysis, "iteration.time.max"), 1000, 30);
  }
}

// The host runs ahead: its markers end long before the device's work, whose launches are unknown.
TEST(RunIterations, ReportsUnlaunchedWorkOutside) {
  for (const bool with_launches : {true, false}) {
    TestProfile test;
    for (int i = 0; i < 4; ++i) {
      test.Step(i, {i * 100, i * 100 + 100});
      const At work{i * 1000 + 50, i * 1000 + 950};
      if (with_launches) {
        test.Launch("k", {i * 100 + 10, i * 100 + 20}, work);
      } else {
        test.Work("k", work);
      }
    }
    const std::vector<Profile> run = OneRank(test.Finish());
    for (const int warmup : {0, 2}) {  // Work that a selection leaves out is not such work.
      Selection selection;
      selection.warmup = warmup;
      const auto analysis = Analyze(run, selection);
      ASSERT_TRUE(analysis);
      EXPECT_EQ(Remarks(*analysis, iterations::kWorkOutside), !with_launches) << warmup;
    }
  }
}

// A third of the work follows the last marker.
TEST(RunIterations, SaysWhatIsOutside) {
  for (const int unmarked : {0, 2}) {
    TestProfile test;
    for (int i = 0; i < 6; ++i) {
      const Ns at = i * 1000;
      if (i < 6 - unmarked) test.Step(i, {at, at + 1000});
      test.Launch("k", {at + 10, at + 20}, {at + 30, at + 900});
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis);
    EXPECT_EQ(Remarks(*analysis, "outside"), unmarked > 0);
  }
}

TEST(RunIterations, OnlyPythonFramesHaveALength) {
  TestProfile test;
  PythonRow row;
  row.duration = 5000;
  row.name = test.builder().Intern("train.py(3): step");
  row.thread = test.main();
  test.builder().AddPython(row);
  EXPECT_EQ(MetricNumber(AnalyzeRun(test.Finish()), "iteration.time.mean"), 5000);
}

TEST(OtherIterations, AreTheUnselectedOnes) {
  Selection selection;
  selection.start = 1;
  const auto analysis = Analyze(OneRank(TwoIterations().Finish()), selection);
  ASSERT_TRUE(analysis.has_value());
  const Table& others = *analysis->FindTable("other_iterations");
  ASSERT_EQ(others.rows(), 1u);
  EXPECT_EQ(Integer(others, 0, "index"), 0);
  EXPECT_EQ(TextAt(others, 0, "name"), "0");
  EXPECT_EQ(Integer(others, 0, "duration"), 900);
  EXPECT_TRUE(
      AnalyzeRun(TwoIterations().Finish()).FindTable("other_iterations")->columns().empty());
}

TEST(Ranges, SummedByPathIgnoringNumbers) {
  TestProfile test;
  for (int i = 0; i < 2; ++i) {
    const Ns at = i * 1000;
    test.Step(i, {at, at + 900});
    test.Host(HostKind::kAnnotation, "[pl][profile]run_training_batch", {at + 10, at + 800});
    test.Host(HostKind::kAnnotation, "[pl][module]Net: layer", {at + 20, at + 220 + i * 100});
    test.Op("aten::mm", {at + 50, at + 150});
    test.Launch("gemm", {at + 60, at + 80}, {at + 90, at + 140});
    test.Launch("add", {at + 500, at + 510}, {at + 520, at + 530});
  }
  const Analysis analysis = AnalyzeRun(test.Finish());
  const Table& ranges = *analysis.FindTable("ranges");
  ASSERT_EQ(ranges.rows(), 3u);
  EXPECT_EQ(TextAt(ranges, 0, "name"), "ProfilerStep#N");
  EXPECT_EQ(TextAt(ranges, 1, "name"), "[pl][profile]run_training_batch");
  EXPECT_EQ(TextAt(ranges, 2, "name"), "[pl][module]Net: layer");
  EXPECT_EQ(Integer(ranges, 2, "parent"), 1);
  EXPECT_EQ(Integer(ranges, 2, "calls"), 2);
  EXPECT_EQ(Integer(ranges, 2, "host_total"), 500);
  EXPECT_EQ(Integer(ranges, 2, "min"), 200);
  EXPECT_EQ(Integer(ranges, 2, "max"), 300);
  EXPECT_EQ(Integer(ranges, 1, "host_self"), 2 * 790 - 500);
  EXPECT_EQ(Integer(ranges, 2, "device_total"), 100);
  EXPECT_EQ(Integer(ranges, 1, "device_self"), 20);
  EXPECT_EQ(Integer(ranges, 0, "device_total"), 120);
  EXPECT_EQ(Integer(ranges, 0, "kernels"), 4);
}

// nvtx-plugins marks a layer and its gradient in two domains.
TEST(Ranges, AGradientIsBesideItsForwardRange) {
  TestProfile test;
  const auto range = [&](std::string_view name, std::string_view domain, At at) {
    HostRow row;
    row.start = at.start;
    row.duration = at.duration();
    row.name = test.builder().Intern(name);
    row.domain = test.builder().Intern(domain);
    row.kind = HostKind::kAnnotation;
    row.thread = test.main();
    test.builder().AddHost(row);
  };
  range("Dense 1", "Forward", {0, 100});
  range("Loss", "Forward", {100, 200});
  range("Twice", "Forward", {200, 210});
  range("grad_Twice", "Gradient", {300, 310});
  range("Dense 1 grad", "Gradient", {400, 450});
  test.Launch("wgrad", {410, 420}, {430, 460});
  const Analysis analysis = AnalyzeRun(test.Finish());
  const Table& ranges = *analysis.FindTable("ranges");
  ASSERT_EQ(ranges.rows(), 5u);
  std::string told;
  for (std::size_t row = 0; row < ranges.rows(); ++row) {
    if (IsAbsent(ranges.At(row, "gradient"))) continue;
    told += TextAt(ranges, row, "name") + " by " + TextAt(ranges, row, "gradient") + ": " +
            std::to_string(Integer(ranges, row, "gradient_host")) + ", " +
            std::to_string(Integer(ranges, row, "gradient_device")) + "; ";
  }
  EXPECT_EQ(told, "Dense N by Dense 1 grad: 50, 30; Twice by grad_Twice: 10, 0; ");
}

TEST(Ranges, PairsNeedADomainOfGradients) {
  TestProfile test;
  test.Host(HostKind::kAnnotation, "layer", {0, 100});
  test.Host(HostKind::kAnnotation, "layer grad", {100, 200});
  const Analysis analysis = AnalyzeRun(test.Finish());
  const Table& ranges = *analysis.FindTable("ranges");
  EXPECT_TRUE(IsAbsent(ranges.At(0, "gradient")));
  EXPECT_FALSE(ranges.Find("gradient")->absent_because().empty());
}

TEST(Ranges, AreAbsentWithAReason) {
  TestProfile test;
  test.Op("aten::mm", {0, 100});
  test.Launch("gemm", {10, 20}, {30, 40});
  const Analysis analysis = AnalyzeRun(test.Finish());
  EXPECT_NE(analysis.absent_tables.at("ranges").find("record_function"), std::string::npos);
}

// Lightning's profiler names modules by ranges, and records no Python frames.
TEST(Modules, LightningsRangesReplaceMissingFrames) {
  TestProfile test;
  test.Step(0, {0, 900});
  test.Host(HostKind::kAnnotation, "[pl][profile]run_training_batch", {5, 890});
  test.Host(HostKind::kAnnotation, "[pl][module]lit.Net: net", {10, 400});
  test.Host(HostKind::kAnnotation, "[pl][module]torch.nn.Linear: net.head", {20, 220});
  test.Op("aten::mm", {50, 150});
  test.Launch("gemm", {60, 80}, {90, 140});
  const Analysis analysis = AnalyzeRun(test.Finish());
  const Table& modules = *analysis.FindTable("modules");
  ASSERT_EQ(modules.rows(), 2u);
  EXPECT_EQ(TextAt(modules, 0, "name"), "lit.Net: net");
  EXPECT_EQ(TextAt(modules, 1, "name"), "torch.nn.Linear: net.head");
  EXPECT_EQ(Integer(modules, 1, "parent"), 0);
  EXPECT_EQ(Integer(modules, 1, "operators"), 1);
  EXPECT_EQ(Integer(modules, 1, "device_self"), 50);
  EXPECT_EQ(Integer(modules, 0, "device_total"), 50);
  EXPECT_EQ(Integer(modules, 0, "host_self"), 390 - 200);
}

TEST(Modules, AreAbsentWithAReason) {
  const Analysis analysis = AnalyzeRun(TwoIterations().Finish());
  EXPECT_TRUE(analysis.FindTable("modules")->columns().empty());
  EXPECT_NE(analysis.absent_tables.at("modules").find("with_modules=True"), std::string::npos);
}

}  // namespace
}  // namespace profgauge::analysis
