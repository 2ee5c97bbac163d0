// The critical path adds up, and says where a change matters: on small profiles, and as properties
// of generated and real ones.
#include "analysis/simulation/critical_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "analysis/replay.h"
#include "analysis/simulation/replayer.h"
#include "fixture.h"
#include "oracle.h"

namespace profgauge::analysis {
namespace {

// In time order.
std::vector<simulation::PathSegment> PathOf(const simulation::PathGraph& graph) {
  std::vector<simulation::PathSegment> path;
  simulation::VisitCriticalPath(graph, {},
                                [&path](std::span<const simulation::PathSegment> segments) {
                                  path.insert(path.end(), segments.begin(), segments.end());
                                });
  std::reverse(path.begin(), path.end());
  return path;
}

// The sums of the path, which those of its segments must be.
simulation::PathSums SumsOf(const simulation::PathGraph& graph) {
  const std::vector<Ns> times = graph.Replay({});
  simulation::PathSums sums{};
  for (const simulation::PathSegment& segment : PathOf(graph)) {
    sums[static_cast<std::size_t>(segment.kind)] += segment.time.length();
  }
  const simulation::ScenarioChanges none({}, graph, 0, {}, nullptr);
  EXPECT_EQ(simulation::SumCriticalPath(graph, none, times, graph.IterationsAt(times), {}), sums);
  return sums;
}

struct Replayed {
  explicit Replayed(std::vector<Profile> read) : profiles(std::move(read)) {
    auto ranks = iterations::BuildRankContexts(profiles, {});
    EXPECT_TRUE(ranks.has_value());
    replayer = std::make_unique<simulation::Replayer>(
        std::make_shared<const std::vector<iterations::RankContext>>(std::move(*ranks)));
    EXPECT_EQ(replayer->why_not(), "");
  }
  const simulation::PathGraph& graph() const { return replayer->graphs().front(); }
  std::vector<Profile> profiles;
  std::unique_ptr<simulation::Replayer> replayer;
};

std::vector<Profile> One(TestProfile&& test) {
  std::vector<Profile> profiles;
  profiles.push_back(test.Finish());
  return profiles;
}

// A loader, two kernels that the device is busy with, and a wait for them.
std::vector<Profile> Small(std::string_view wait = "cudaStreamSynchronize") {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Host(HostKind::kAnnotation, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            {1'000, 9'000});
  test.Op("aten::mm", {10'000, 30'000});
  test.Launch("first", {12'000, 16'000}, {20'000, 60'000});
  test.Launch("second", {20'000, 24'000}, {61'000, 80'000});
  test.Call(wait, ApiKind::kSync, {40'000, 85'000});
  return One(std::move(test));
}

Ns Of(const simulation::PathSums& sums, PathKind kind) {
  return sums[static_cast<std::size_t>(kind)];
}

TEST(CriticalPath, PartsAreNamedAndAddUp) {
  const Replayed run(Small());
  const std::vector<simulation::PathSegment> path = PathOf(run.graph());
  Ns at = 0;
  for (const simulation::PathSegment& segment : path) {
    EXPECT_EQ(segment.time.start, at);
    EXPECT_GT(segment.time.end, segment.time.start);
    at = segment.time.end;
  }
  EXPECT_EQ(at, 100'000);
  const simulation::PathSums sums = SumsOf(run.graph());
  EXPECT_EQ(Of(sums, PathKind::kDataLoader), 8'000);
  EXPECT_EQ(Of(sums, PathKind::kKernel), 59'000);
  EXPECT_EQ(Of(sums, PathKind::kLaunch), 8'000 + 1'000);  // To the first kernel, to the second.
  EXPECT_EQ(Of(sums, PathKind::kSync), 5'000);
  EXPECT_EQ(Of(sums, PathKind::kHost), 1'000 + 1'000 + 2'000 + 15'000);
  EXPECT_EQ(Of(sums, PathKind::kUnknown), 0);
}

// The host's operator outlasts its kernel: without iterations that is no time of the program.
TEST(CriticalPath, WithoutIterationsWorkEndsIt) {
  TestProfile test;
  test.Op("aten::mm", {0, 500'000});
  test.Launch("gemm", {1'000, 2'000}, {5'000, 355'000});
  const Replayed run(One(std::move(test)));
  const simulation::Scaling kernel{simulation::PathTable::kDevice, {{0, 0}}, 0.5};
  const simulation::Prediction half = run.replayer->Predict({{kernel}});
  EXPECT_EQ(half.recorded_time, 355'000);
  EXPECT_EQ(half.iteration_time, 180'000);
  EXPECT_EQ(Of(SumsOf(run.graph()), PathKind::kKernel), 350'000);
}

// Nothing shows whether the host works or waits while the device does.
TEST(CriticalPath, SilentHostBesideABusyDeviceIsUnknown) {
  const auto of = [](Ns kernel_end, bool may_wait) {
    TestProfile test;
    test.Step(0, {0, 10'000'000});
    test.Op("aten::mm", {0, 100'000});
    test.Launch("gemm", {10'000, 20'000}, {30'000, kernel_end});
    const Replayed run(One(std::move(test)));
    EXPECT_EQ(run.replayer->MayMissWaits(), may_wait);
    return SumsOf(run.graph());
  };
  const simulation::PathSums busy = of(9'800'000, true), idle = of(5'000'000, false);
  EXPECT_EQ(Of(busy, PathKind::kUnknown), 9'900'000);
  EXPECT_EQ(Of(busy, PathKind::kHost) + Of(busy, PathKind::kLaunch), 100'000);
  EXPECT_EQ(Of(idle, PathKind::kUnknown), 0);
  EXPECT_EQ(Of(idle, PathKind::kHost) + Of(idle, PathKind::kLaunch), 10'000'000);
}

// Each maker's runtime, and the layers below it, have their own waiting calls.
TEST(CriticalPath, KnowsWaitsOfAnyName) {
  const simulation::PathSums expected = SumsOf(Replayed(Small()).graph());
  for (const char* wait : {"AscendCL@aclrtSynchronizeStream", "mtiaSynchronize", "cnrtQueueSync",
                           "hsa_signal_wait_scacquire", "deviceSynchronize"}) {
    EXPECT_EQ(SumsOf(Replayed(Small(wait)).graph()), expected) << wait;
  }
}

// A checkpoint is copied out while the next iterations compute, and after the last.
TEST(CriticalPath, EndsWithTheIterations) {
  TestProfile test;
  for (Ns i = 0; i < 3; ++i) {
    const Ns at = 100'000 * i;
    test.Step(static_cast<int>(i), {at, at + 100'000});
    test.Launch("k", {at + 10'000, at + 12'000}, {at + 20'000, at + 95'000});
    if (i == 1) continue;
    test.Launch("Memcpy DtoH", {at + 14'000, at + 16'000}, {at + 80'000, at + 250'000}, {},
                DeviceKind::kMemcpy, 0, 9);
  }
  const std::vector<Profile> profiles = One(std::move(test));
  const auto analysis = Analyze(profiles, {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(AsNumber(analysis->Find("iteration.time.mean")->value, 0), 100'000);
  const Table* path = analysis->FindTable("critical_path");
  Ns sum = 0;
  for (std::size_t row = 0; row < path->rows(); ++row) {
    sum += path->Find("time")->IntegerAt(row);
  }
  EXPECT_EQ(sum, 300'000);
}

TEST(CriticalPath, KeepsLongestMoves) {
  const Replayed run(Small());
  const std::vector<simulation::PathMove> all =
      simulation::LongestPathMoves(*run.replayer, 0, 1'000).kept;
  ASSERT_GT(all.size(), 3U);
  EXPECT_EQ(simulation::LongestPathMoves(*run.replayer, 0, all.size()).left_out, 0U);
  for (std::size_t most = 0; most < all.size(); ++most) {
    const simulation::PathMoves some = simulation::LongestPathMoves(*run.replayer, 0, most);
    EXPECT_LE(some.kept.size(), most);
    EXPECT_EQ(some.kept.size() + some.left_out, all.size());
    Ns least = 100'000, longest_left_out = 0;
    std::size_t next = 0;
    for (const simulation::PathMove& move : all) {
      if (next < some.kept.size() && some.kept[next].time == move.time) {
        least = std::min(least, move.time.length());
        ++next;
      } else {
        longest_left_out = std::max(longest_left_out, move.time.length());
      }
    }
    EXPECT_EQ(next, some.kept.size());
    EXPECT_GT(least, longest_left_out);
  }
}

TEST(CriticalPath, StepsNameTheirContainers) {
  const Replayed run(Small());
  const Profile& profile = run.profiles.front();
  Ns at = 0;
  std::vector<std::string> said;
  for (const simulation::PathMove& part :
       simulation::LongestPathMoves(*run.replayer, 0, 1'000).kept) {
    EXPECT_EQ(part.time.start, at);
    at = part.time.end;
    said.push_back(std::string(part.name));
    if (part.in.row == simulation::PathGraph::kNone) continue;
    const auto in_of = [&](const auto& table) {
      return Span{table.start[part.in.row], table.start[part.in.row] + table.duration[part.in.row]};
    };
    const Span in = part.in.table == simulation::PathTable::kDevice ? in_of(profile.device)
                    : part.in.table == simulation::PathTable::kApi  ? in_of(profile.api)
                                                                    : in_of(profile.host);
    // Between a call and its work the path leaves the call; its wait between two kernels comes
    // before the second.
    if (part.kind == PathKind::kLaunch) continue;
    EXPECT_LE(in.start, part.time.start) << part.name;
    EXPECT_GE(in.end, part.time.end) << part.name;
  }
  EXPECT_EQ(at, 100'000);
  for (const char* name : {"first", "second", "cudaLaunchKernel", "cudaStreamSynchronize"}) {
    EXPECT_NE(std::find(said.begin(), said.end(), name), said.end()) << name;
  }
}

TEST(CriticalPath, MetricsAndTablesHaveEqualParts) {
  const std::vector<Profile> profiles = Small();
  const auto analysis = Analyze(profiles, {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(AsNumber(analysis->Find("critical.kernel.time")->value, 0), 59'000);
  EXPECT_EQ(AsNumber(analysis->Find("critical.dataloader.share")->value, 0), 0.08);
  EXPECT_TRUE(IsAbsent(analysis->Find("critical.waiting.share")->value));
  const Table* table = analysis->FindTable("critical_path");
  Ns sum = 0;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    sum += table->Find("time")->IntegerAt(row);
  }
  EXPECT_EQ(sum, 100'000);
  const Table* slack = analysis->FindTable("slack");
  ASSERT_EQ(slack->rows(), 2u);
  EXPECT_EQ(slack->Find("critical_time")->IntegerAt(0), 40'000);
  EXPECT_EQ(slack->Find("slack")->IntegerAt(0), 0);
}

// Nothing marks iterations, and the device is still busy with work from before: the window begins
// with the first work that was recorded, also where that comes earlier.
TEST(CriticalPath, WindowMovesWithTheDevice) {
  TestProfile test;
  test.Op("aten::mm", {0, 100'000});
  test.Launch("first", {10'000, 12'000}, {200'000, 300'000});
  const Replayed run(One(std::move(test)));
  const simulation::PathGraph& graph = run.graph();
  ASSERT_EQ(graph.rank().iterations.window.start, 200'000);
  ASSERT_FALSE(graph.OwnerOf(0).is_end);
  ASSERT_EQ(graph.RecordedAt(0), 200'000);
  std::vector<Ns> cuts(graph.size());
  cuts[0] = 60'000;
  const std::vector<Span> spans = graph.IterationsAt(graph.Replay(cuts));
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans.front().start, 140'000);
  EXPECT_EQ(spans.front().end, 240'000);
}

// If a call sets the device up first, the window begins with its end, and moves with that: earlier
// host work is no part of it.
TEST(CriticalPath, WindowMovesWithASetUpDevice) {
  TestProfile test;
  test.Op("before", {0, 10 * kMs});
  test.Op("main", {10 * kMs, 200 * kMs});
  test.Call("cudaMalloc", ApiKind::kMemory, {20 * kMs, 100 * kMs});
  test.Launch("kernel", {110 * kMs, 111 * kMs}, {111 * kMs + 5'000, 180 * kMs});
  const Replayed run(One(std::move(test)));
  const simulation::PathGraph& graph = run.graph();
  ASSERT_EQ(graph.rank().iterations.window.start, 100 * kMs);
  const Ns least = graph.rank().iterations.window.length();
  for (simulation::PathGraph::StepId step = graph.device_steps(); step < graph.size(); ++step) {
    if (graph.RecordedAt(step) > 100 * kMs) continue;
    std::vector<Ns> cuts(graph.size());
    cuts[step] = 1 * kMs;
    const std::vector<Span> spans = graph.IterationsAt(graph.Replay(cuts));
    EXPECT_EQ(spans.front().length(), least) << step;
  }
}

// However much is to grow, and however often: times stay numbers, and more is never less.
TEST(CriticalPath, ScenariosBeyondAllTimesStayFinite) {
  constexpr Ns kLong = 400'000'000'000;
  TestProfile test;
  test.Step(0, {0, 41 * kLong});
  for (Ns i = 0; i < 40; ++i) {
    const Ns at = i * kLong;
    test.Op("aten::mm", {at + 1'000, at + kLong / 4 * 3});
    test.Launch("gemm", {at + 2'000, at + 3'000}, {at + 5'000, at + kLong / 8 * 7});
  }
  const Replayed run(One(std::move(test)));
  double before = 0;
  for (const double factor : {1.0, 1e3, 1e6, 1e12, 1e300}) {
    SCOPED_TRACE(factor);
    simulation::Scenario scenario;
    for (const simulation::PathTable table :
         {simulation::PathTable::kDevice, simulation::PathTable::kHost,
          simulation::PathTable::kHost}) {
      simulation::Scaling& scaling = scenario.scalings.emplace_back();
      scaling.table = table;
      scaling.factor = factor;
      for (std::uint32_t row = 0; row < 40; ++row) scaling.rows.push_back({0, row});
    }
    const double time = run.replayer->Predict(scenario).iteration_time;
    EXPECT_GE(time, before);
    EXPECT_LT(time, 1e18);
    before = time;
  }
  EXPECT_GT(before, 1e12);
}

TEST(CriticalPath, WithoutLaunchesItSaysWhy) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Work("kernel", {10'000, 20'000});
  const std::vector<Profile> profiles = One(std::move(test));
  const auto analysis = Analyze(profiles, {});
  const Metric* metric = analysis->Find("critical.kernel.share");
  EXPECT_TRUE(IsAbsent(metric->value));
  EXPECT_EQ(metric->absent_because, CapabilityGap(Capability::kLaunchLinks));
  EXPECT_EQ(AnalyzeForReplay(profiles, {})->replayer, nullptr);
}

// --- Properties.

Ns LengthWith(const simulation::PathGraph& graph, const simulation::PathChanges& cuts) {
  const std::vector<Span> spans = graph.IterationsAt(graph.Replay(cuts));
  return spans.back().end - spans.front().start;
}

// On a seeded sample of steps of one profile.
void ExpectProperties(const Replayed& run, const std::string& name) {
  SCOPED_TRACE(name);
  const simulation::PathGraph& graph = run.graph();
  const std::vector<simulation::PathSegment> path = PathOf(run.graph());
  const Ns whole = LengthWith(graph, {});
  Ns sum = 0;
  std::vector<bool> on_path(graph.size());
  for (const simulation::PathSegment& segment : path) {
    sum += segment.time.length();
    if (segment.step != simulation::PathGraph::kNone) on_path[segment.step] = true;
  }
  EXPECT_EQ(sum, whole);

  std::mt19937 random(7);
  std::vector<Ns> cuts(graph.size());
  const auto sample = [&](bool wanted) {
    for (int tries = 0; tries < 1000; ++tries) {
      const auto step = static_cast<simulation::PathGraph::StepId>(random() % graph.size());
      // A path is clipped to the beginnings of iterations: a segment across that edge moves it too.
      if (on_path[step] == wanted && graph.SegmentOf(step) > 0) return step;
    }
    return simulation::PathGraph::kNone;
  };
  for (int i = 0; i < 12; ++i) {
    const simulation::PathGraph::StepId off = sample(false);
    if (off != simulation::PathGraph::kNone) {
      cuts[off] = graph.SegmentOf(off) / 2;
      EXPECT_EQ(LengthWith(graph, cuts), whole) << "off the path, step " << off;
      cuts[off] = 0;
    }
  }
  for (int i = 0; i < 12 && !path.empty(); ++i) {
    const simulation::PathSegment& segment = path[random() % path.size()];
    if (segment.edge == simulation::PathEdge::kNone ||
        segment.time.start == path.front().time.start)
      continue;
    cuts[segment.step] = -12'345;
    EXPECT_EQ(LengthWith(graph, cuts), whole + 12'345) << "on the path, step " << segment.step;
    cuts[segment.step] = 0;
  }
}

TEST(Scenario, MemoryCallsKeepScaledRangesTime) {
  TestProfile test;
  test.Step(0, {0, 200'000});
  test.Op("aten::addmm", {10'000, 150'000});
  test.Call("cudaFree", ApiKind::kMemory, {20'000, 120'000});
  test.Launch("gemm", {125'000, 130'000}, {135'000, 140'000});
  const Replayed run(One(std::move(test)));
  const simulation::Scenario without{{{simulation::PathTable::kHost, {{0, 1}}, 0, false}}, false};
  EXPECT_EQ(run.replayer->Predict(without).iteration_time, 200'000 - (140'000 - 100'000));
}

// The host is far ahead: calls that launch into a full queue return when the device lets them,
// whatever they themselves would take.
TEST(Scenario, FullQueuesDelayFastLaunches) {
  constexpr Ns kWork = 50'000, kCall = 1'000;
  constexpr int kPlaces = 1021, kCalls = 1100;
  for (const bool copies : {false, true}) {
    TestProfile test;
    test.Step(0, {0, 2 * kCalls * kWork});
    simulation::Scaling calls{simulation::PathTable::kApi, {}, 0, false};
    Ns host = 10'000;
    for (int i = 0; i < kCalls; ++i) {
      const Ns begins = 15'000 + i * kWork;
      const Ns room = i < kPlaces ? 0 : 15'000 + (i - kPlaces + 1) * kWork + 6'000;
      const Ns returns = std::max(host + kCall, room);
      if (copies) {
        test.Copy("cudaMemcpyAsync", {host, returns}, {begins, begins + kWork},
                  CopyKind::kDeviceToDevice);
      } else {
        test.Launch("work", {host, returns}, {begins, begins + kWork});
      }
      if (i >= kPlaces) calls.rows.push_back({0, static_cast<std::uint32_t>(i)});
      host = returns;
    }
    // The host works on after them, so that it decides when the iteration ends.
    test.Call("cudaEventRecord", ApiKind::kOther, {host, 2 * kCalls * kWork - 100'000});
    const Replayed run(One(std::move(test)));
    const double before = run.replayer->Predict({{}, false}).iteration_time;
    const double after = run.replayer->Predict({{calls}, false}).iteration_time;
    // The rest of a call is the time until it notices its place, 6 us late.
    EXPECT_LE(before - after, 7'000) << (copies ? "copies" : "launches");
  }
}

// A host that waits in each iteration works on between them only then: without the wait, that work
// runs beside the device's. Markers that meet hold all of the time.
TEST(Scenario, MuchTimeBetweenIterationsCounts) {
  for (const Ns between : {Ns{30'000}, Ns{0}}) {
    TestProfile test;
    const Ns period = 100'000 + between;
    simulation::Scenario scenario;
    simulation::Scaling& waits = scenario.scalings.emplace_back();
    waits.table = simulation::PathTable::kApi;
    waits.factor = 0;
    for (int i = 0; i < 10; ++i) {
      const Ns at = i * period;
      test.Step(i, {at, at + 100'000});
      test.Launch("work", {at + 1'000, at + 2'000}, {at + 5'000, at + 90'000});
      test.Call("cudaDeviceSynchronize", ApiKind::kSync, {at + 3'000, at + 92'000});
      test.Op("log", {at + 100'000, at + period});
      waits.rows.push_back({0, static_cast<std::uint32_t>(2 * i + 1)});
    }
    const Replayed run(One(std::move(test)));
    const simulation::Prediction predicted = run.replayer->Predict(scenario);
    // The last one has nothing after it.
    EXPECT_DOUBLE_EQ(predicted.recorded_time, 100'000 + 0.9 * static_cast<double>(between));
    EXPECT_LT(predicted.iteration_time, 90'000) << "what the device needs";
    EXPECT_DOUBLE_EQ(run.replayer->Predict({{}, false}).iteration_time, predicted.recorded_time);
  }
}

// The times by themselves are simulated without keeping those of all steps.
TEST(Scenario, PredictionsNeedNoPath) {
  TestProfile test;
  test.Step(0, {0, 400'000});
  for (Ns at : {10'000, 110'000, 210'000}) {
    test.Op("aten::mm", {at, at + 40'000});
    test.Launch("gemm", {at + 5'000, at + 10'000}, {at + 15'000, at + 90'000});
    test.Call("cudaStreamSynchronize", ApiKind::kSync, {at + 50'000, at + 92'000});
  }
  const Replayed run(One(std::move(test)));
  const simulation::Scaling host{simulation::PathTable::kHost, {{0, 1}, {0, 2}}, 0, false};
  const simulation::Scaling calls{simulation::PathTable::kApi, {{0, 0}, {0, 1}, {0, 3}}, 3, false};
  const simulation::Scaling device{simulation::PathTable::kDevice, {{0, 1}}, 0.5, false};
  const simulation::Scenario all[] = {{{host, calls}, false},
                                      {{device}, false},
                                      {{}, false},
                                      {{calls}, false},
                                      {{device, host}, false}};
  for (const simulation::Scenario& one : all) {
    const simulation::Prediction expected = run.replayer->Predict(one);
    const simulation::Prediction found =
        run.replayer->Predict(one, simulation::PredictionOf::kTimes);
    EXPECT_EQ(found.iteration_time, expected.iteration_time);
    EXPECT_EQ(found.path, simulation::PathSums{});
  }
}

TEST(CriticalPath, OnlyItsSegmentsMatter) {
  ExpectProperties(Replayed(Small()), "small");
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  for (const char* path :
       {"data/kineto/v100_resnet50/resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz",
        "data/kineto/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
        "data/kineto/hta/critical_path/alexnet/benchmark_result_2869224_1695835535_trace.json.gz",
        "data/kineto/dlrm_8ranks/worker0_step_12.1694128201545.pt.trace.json.gz"}) {
    ExpectProperties(Replayed(ReadTrace(path)), path);
  }
}

// HTA's critical path of simple_add has 315 nodes of 159 events, and leaves the host for the GPU by
// a launch delay of 27 us. Ours stays on the host: with HTA a gap between operators at the top
// weighs nothing, so that its longest path is shorter than the step, and the one that goes by the
// GPU wins although the GPU had ended long before the host went on. On alexnet, where the host does
// wait, both go by the GPU: launch, kernels, the next on the stream, another stream,
// synchronization.
TEST(CriticalPath, WhereItDiffersFromHtas) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  struct Row {
    const char* file;
    std::size_t segments, launches, syncs;
  };
  for (const Row& row :
       {Row{"simple_add/benchmark_result_493459_1694039959_trace.json.gz", 382, 0, 0},
        Row{"alexnet/benchmark_result_2869224_1695835535_trace.json.gz", 178, 1, 1}}) {
    SCOPED_TRACE(row.file);
    const auto profiles = ReadTrace("data/kineto/hta/critical_path/" + std::string(row.file));
    Selection selection;
    selection.iteration_marker = "model.alex_net.*forward";
    selection.start = selection.stop = 1;
    const auto ranks = iterations::BuildRankContexts(profiles, selection);
    ASSERT_TRUE(ranks.has_value());
    const auto graph = simulation::PathGraph::Build(ranks->front());
    ASSERT_TRUE(graph.has_value());
    const std::vector<simulation::PathSegment> path = PathOf(*graph);
    const auto count = [&](simulation::PathEdge edge) {
      return static_cast<std::size_t>(
          std::count_if(path.begin(), path.end(),
                        [edge](const simulation::PathSegment& s) { return s.edge == edge; }));
    };
    EXPECT_EQ(path.size(), row.segments);
    EXPECT_EQ(count(simulation::PathEdge::kLaunch), row.launches);
    EXPECT_EQ(count(simulation::PathEdge::kSync), row.syncs);
    EXPECT_EQ(count(simulation::PathEdge::kDuration) > 0, row.launches > 0);
  }
}

TEST(CriticalPath, OneStepGivesAllPaths) {
  TestProfile test;
  test.Step(0, {0, 50'000});
  test.Op("a", {10'000, 40'000});
  test.Step(1, {50'000, 100'000});
  test.Op("a", {60'000, 90'000});
  const Replayed run(One(std::move(test)));
  EXPECT_EQ(Of(SumsOf(run.graph()), PathKind::kHost), 100'000);
}

}  // namespace
}  // namespace profgauge::analysis
