// The dependency graph: one small profile for each kind of edge, and the effect of changes in a
// simulation.
#include "analysis/simulation/graph.h"

#include <gtest/gtest.h>

#include <memory>

#include "analysis/simulation/replay.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

/// A profile with its graph.
struct Built {
  explicit Built(TestProfile&& test) {
    profiles.push_back(test.Finish());
    ranks = *iterations::BuildRankContexts(profiles, {});
    auto built = simulation::PathGraph::Build(ranks.front());
    EXPECT_TRUE(built.has_value()) << (built ? "" : built.error());
    if (built) graph = std::make_unique<simulation::PathGraph>(std::move(*built));
  }
  simulation::PathGraph::StepId Find(simulation::PathTable table, std::string_view name,
                                     bool is_end) const {
    for (simulation::PathGraph::StepId i = 0; i < graph->size(); ++i) {
      const simulation::PathOwner owner = graph->OwnerOf(i);
      if (owner.table != table || owner.is_end != is_end) continue;
      const Profile& profile = profiles.front();
      const StringId id = table == simulation::PathTable::kHost  ? profile.host.name[owner.row]
                          : table == simulation::PathTable::kApi ? profile.api.name[owner.row]
                                                                 : profile.device.name[owner.row];
      if (profile.Name(id) == name) return i;
    }
    ADD_FAILURE() << "no step of " << name;
    return 0;
  }
  simulation::PathEdge BindingOf(simulation::PathTable table, std::string_view name,
                                 bool is_end) const {
    return graph->BindingOf(Find(table, name, is_end)).kind;
  }
  /// The length of all selected iterations together when one segment is shortened.
  Ns LengthWhen(simulation::PathGraph::StepId step, Ns cut) const {
    std::vector<Ns> cuts(graph->size());
    cuts[step] = cut;
    const std::vector<Span> spans = graph->IterationsAt(graph->Replay(cuts));
    return spans.back().end - spans.front().start;
  }

  std::vector<Profile> profiles;
  std::vector<iterations::RankContext> ranks;
  std::unique_ptr<simulation::PathGraph> graph;
};

TEST(PathGraph, LaunchThenStreamThenSynchronization) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Op("aten::mm", {10'000, 30'000});
  test.Launch("first", {12'000, 16'000}, {20'000, 60'000});
  test.Launch("second", {20'000, 24'000}, {61'000, 80'000});
  test.Call("cudaStreamSynchronize", ApiKind::kSync, {40'000, 85'000});
  const Built built(std::move(test));
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kDevice, "first", false),
            simulation::PathEdge::kLaunch);
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kDevice, "second", false),
            simulation::PathEdge::kStream);
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kDevice, "second", true),
            simulation::PathEdge::kDuration);
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kApi, "cudaStreamSynchronize", true),
            simulation::PathEdge::kSync);
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kHost, "aten::mm", true),
            simulation::PathEdge::kProgram);
  EXPECT_EQ(built.graph->edges_dropped(), 0u);
  // The device is the bottleneck: a faster kernel ends the iteration earlier, until the host is.
  const auto first = built.Find(simulation::PathTable::kDevice, "first", true);
  EXPECT_EQ(built.LengthWhen(first, 0), 100'000);
  EXPECT_EQ(built.LengthWhen(first, 10'000), 90'000);
  EXPECT_EQ(built.LengthWhen(first, -7'000), 107'000);
  // The first starts 8 us after its launch began, the second ends 19 us after its start, which is
  // not before its own launch at 20 us; the call cannot return before it began.
  EXPECT_EQ(built.LengthWhen(first, 40'000), 100'000 - 40'000);
}

TEST(PathGraph, OverlappingWorkHasNegativeLag) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Launch("first", {12'000, 16'000}, {20'000, 60'000});
  test.Launch("second", {20'000, 24'000}, {55'000, 80'000});
  const Built built(std::move(test));
  const auto second = built.Find(simulation::PathTable::kDevice, "second", false);
  EXPECT_EQ(built.graph->BindingOf(second).kind, simulation::PathEdge::kStream);
  EXPECT_EQ(built.graph->SegmentOf(second), -5'000);
  EXPECT_EQ(built.graph->Replay({})[second], 55'000);
}

TEST(PathGraph, ClocksThatDifferKeepTheirDifference) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Launch("early", {12'000, 16'000}, {11'000, 60'000});
  const Built built(std::move(test));
  EXPECT_EQ(built.graph->SegmentOf(built.Find(simulation::PathTable::kDevice, "early", false)),
            -1'000);
}

TEST(PathGraph, CrossingRangesHaveOnlyStartEdges) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Op("a", {10'000, 30'000});
  test.Op("b", {20'000, 60'000});
  test.Op("c", {40'000, 50'000});
  const Built built(std::move(test));
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kHost, "b", false),
            simulation::PathEdge::kProgram);
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kHost, "b", true),
            simulation::PathEdge::kDuration);
  const auto end = built.Find(simulation::PathTable::kHost, "b", true);
  EXPECT_EQ(built.LengthWhen(end, -1'000'000), 100'000) << "nothing waits for that end";
}

TEST(PathGraph, EndsWithinResolutionNest) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Op("parent", {10'000, 30'000});
  test.Op("child", {20'000, 31'000});
  test.Op("next", {30'000, 40'000});
  const Built built(std::move(test));
  const auto end = built.Find(simulation::PathTable::kHost, "parent", true);
  EXPECT_EQ(built.graph->SegmentOf(end), -1'000);
  EXPECT_EQ(built.LengthWhen(built.Find(simulation::PathTable::kHost, "child", true), -5'000),
            105'000);
}

TEST(PathGraph, BackwardWaitsForForward) {
  TestProfile test;
  const ThreadId autograd = test.Thread(2);
  test.Step(0, {0, 100'000});
  HostRow row;
  row.name = test.builder().Intern("aten::mm");
  row.thread = test.main();
  row.start = 10'000;
  row.duration = 20'000;
  row.sequence = 5;
  test.builder().AddHost(row);
  row.name = test.builder().Intern("MmBackward0");
  row.thread = autograd;
  row.start = 40'000;
  row.backward = true;
  test.builder().AddHost(row);
  test.Op("optimizer", {70'000, 90'000});
  const Built built(std::move(test));
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kHost, "MmBackward0", false),
            simulation::PathEdge::kThread);
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kHost, "optimizer", false),
            simulation::PathEdge::kThread);
  EXPECT_EQ(built.LengthWhen(built.Find(simulation::PathTable::kHost, "aten::mm", true), 5'000),
            95'000);
  EXPECT_EQ(built.LengthWhen(built.Find(simulation::PathTable::kHost, "MmBackward0", true), 5'000),
            95'000);
}

// Recordings without sequence numbers: the backward thread is known by taking turns.
TEST(PathGraph, AlternatingThreadsWaitForEachOther) {
  TestProfile test;
  const ThreadId autograd = test.Thread(2);
  test.Step(0, {0, 100'000});
  test.Op("loader", {0, 30'000});
  HostRow row;
  row.name = test.builder().Intern("MmBackward");
  row.thread = autograd;
  row.start = 40'000;
  row.duration = 20'000;
  test.builder().AddHost(row);
  test.Launch("kernel", {45'000, 46'000}, {47'000, 59'000}, autograd);
  test.Op("optimizer", {70'000, 90'000});
  const Built built(std::move(test));
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kHost, "MmBackward", false),
            simulation::PathEdge::kThread);
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kHost, "optimizer", false),
            simulation::PathEdge::kThread);
  EXPECT_TRUE(built.graph->free_threads().empty());
  EXPECT_EQ(built.LengthWhen(built.Find(simulation::PathTable::kHost, "loader", true), 30'000),
            70'000);
}

TEST(PathGraph, UnrelatedThreadStaysAsRecorded) {
  TestProfile test;
  const ThreadId other = test.Thread(2);
  test.Step(0, {0, 100'000});
  test.Op("host", {0, 90'000});
  HostRow row;
  row.name = test.builder().Intern("side work");
  row.thread = other;
  row.start = 10'000;
  row.duration = 60'000;
  test.builder().AddHost(row);
  test.Launch("kernel", {45'000, 46'000}, {47'000, 59'000}, other);
  const Built built(std::move(test));
  ASSERT_EQ(built.graph->free_threads().size(), 1u);
  EXPECT_EQ(built.graph->free_threads()[0], other.value);
}

TEST(PathGraph, WorkThatWaitedForAnotherStream) {
  TestProfile test;
  test.Step(0, {0, 200'000});
  test.Launch("compute", {10'000, 12'000}, {15'000, 80'000});
  test.Call("cudaStreamWaitEvent", ApiKind::kSync, {14'000, 15'000});
  test.Launch("nccl", {16'000, 18'000}, {82'000, 120'000}, {}, DeviceKind::kKernel, 0, 20);
  const Built built(std::move(test));
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kDevice, "nccl", false),
            simulation::PathEdge::kEvent);
}

// The end of the iterations when "compute" lasts 50 us longer, of work on stream 20 that starts
// long after it all the same. `calls` are between the launches.
Ns EndWhenComputeIsLonger(const std::vector<std::string>& calls, std::int64_t streams = 2) {
  TestProfile test;
  test.Step(0, {0, 200'000});
  if (streams > 2) {
    test.Launch("third", {1'000, 2'000}, {3'000, 4'000}, {}, DeviceKind::kKernel, 0, 30);
  }
  test.Launch("compute", {10'000, 12'000}, {15'000, 80'000});
  Ns at = 14'000;
  for (const std::string& call : calls) {
    const ApiKind kind = call == "cudaStreamWaitEvent" ? ApiKind::kSync : ApiKind::kOther;
    test.Call(call, kind, {at, at + 200});
    at += 300;
  }
  test.Launch("nccl", {130'000, 132'000}, {136'000, 200'000}, {}, DeviceKind::kKernel, 0, 20);
  const Built built(std::move(test));
  return built.LengthWhen(built.Find(simulation::PathTable::kDevice, "compute", true), -70'000);
}

TEST(PathGraph, KeepsEventsForLaterDelays) {
  EXPECT_EQ(EndWhenComputeIsLonger({}), 200'000);
  EXPECT_EQ(EndWhenComputeIsLonger({"cudaEventRecord"}), 200'000);
  EXPECT_EQ(EndWhenComputeIsLonger({"cudaStreamWaitEvent"}), 214'000) << "80 + 70 + 64 us";
  EXPECT_EQ(EndWhenComputeIsLonger({"cudaEventRecord", "cudaStreamWaitEvent"}), 214'000);
}

TEST(PathGraph, WaitsForEventsStream) {
  EXPECT_EQ(EndWhenComputeIsLonger({"cudaStreamWaitEvent"}, 3), 200'000) << "which one is unknown";
  EXPECT_EQ(EndWhenComputeIsLonger({"cudaEventRecord", "cudaStreamWaitEvent"}, 3), 214'000);
}

TEST(PathGraph, StreamsIgnoreTheirOwnEvents) {
  TestProfile test;
  test.Step(0, {0, 300'000});
  test.Launch("nccl", {1'000, 2'000}, {3'000, 20'000}, {}, DeviceKind::kKernel, 0, 20);
  test.Launch("first", {10'000, 12'000}, {15'000, 80'000});
  test.Call("cudaEventRecord", ApiKind::kOther, {13'000, 13'500});
  test.Call("cudaStreamWaitEvent", ApiKind::kSync, {14'000, 15'000});
  test.Launch("second", {90'000, 92'000}, {95'000, 100'000});
  test.Launch("reduce", {110'000, 112'000}, {115'000, 120'000}, {}, DeviceKind::kKernel, 0, 20);
  const Built built(std::move(test));
  const auto times = [&](std::string_view longer) {
    std::vector<Ns> cuts(built.graph->size());
    cuts[built.Find(simulation::PathTable::kDevice, longer, true)] = -100'000;
    return built.graph->Replay(cuts);
  };
  const auto second = built.Find(simulation::PathTable::kDevice, "second", false);
  const auto reduce = built.Find(simulation::PathTable::kDevice, "reduce", false);
  EXPECT_EQ(times("nccl")[second], 95'000);
  EXPECT_EQ(times("first")[reduce], 180'000) << "where the event stands";
  EXPECT_EQ(times("second")[reduce], 115'000) << "which is before this";
}

TEST(PathGraph, WorkWaitingForDeviceRoom) {
  TestProfile test;
  test.Step(0, {0, 200'000});
  test.Launch("large", {10'000, 12'000}, {15'000, 100'000});
  test.Launch("small", {14'000, 16'000}, {98'000, 110'000}, {}, DeviceKind::kKernel, 0, 20);
  test.Call("cudaDeviceSynchronize", ApiKind::kSync, {20'000, 200'000});
  const Built built(std::move(test));
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kDevice, "small", false),
            simulation::PathEdge::kEvent);
  // Its last blocks leave room before it ends.
  EXPECT_EQ(built.graph->SegmentOf(built.Find(simulation::PathTable::kDevice, "small", false)),
            -2'000);
  EXPECT_EQ(built.LengthWhen(built.Find(simulation::PathTable::kDevice, "large", true), 50'000),
            150'000);
}

TEST(PathGraph, LateWorkWaitedForNoStream) {
  TestProfile test;
  test.Step(0, {0, 200'000});
  test.Launch("before", {1'000, 2'000}, {15'000, 40'000});
  test.Launch("after a pause", {10'000, 12'000}, {60'000, 100'000});
  test.Launch("small", {14'000, 16'000}, {98'000, 110'000}, {}, DeviceKind::kKernel, 0, 20);
  test.Call("cudaDeviceSynchronize", ApiKind::kSync, {20'000, 200'000});
  const Built built(std::move(test));
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kDevice, "small", false),
            simulation::PathEdge::kLaunch);
}

// The call of a copy from pageable memory returns when its last part is on its way.
TEST(PathGraph, PageableCopyWaitsForItsStream) {
  for (const std::int64_t bytes : {1 << 20, 1 << 16}) {
    TestProfile test;
    test.Step(0, {0, 200'000});
    test.Launch("kernel", {1'000, 2'000}, {5'000, 60'000});
    test.Copy("cudaMemcpyAsync", {3'000, 90'000}, {65'000, 90'050}, CopyKind::kHostToDevice,
              HostMemory::kPageable, bytes);
    const Built built(std::move(test));
    const auto kernel = built.Find(simulation::PathTable::kDevice, "kernel", true);
    const bool is_long = bytes > 1 << 16;
    EXPECT_EQ(built.BindingOf(simulation::PathTable::kApi, "cudaMemcpyAsync", true),
              is_long ? simulation::PathEdge::kSync : simulation::PathEdge::kProgram);
    EXPECT_EQ(built.LengthWhen(kernel, 30'000), is_long ? 170'000 : 200'000);
  }
}

// A copy that waited for another stream while its call waited for it: not for its launch.
TEST(PathGraph, BlockingCopyWaitsForBusyStream) {
  TestProfile test;
  test.Step(0, {0, 200'000});
  test.Launch("nccl", {1'000, 2'000}, {5'000, 98'000}, {}, DeviceKind::kKernel, 0, 20);
  test.Copy("cudaMemcpyAsync", {10'000, 110'000}, {100'000, 103'000}, CopyKind::kDeviceToHost,
            HostMemory::kPageable);
  const Built built(std::move(test));
  const auto nccl = built.Find(simulation::PathTable::kDevice, "nccl", true);
  EXPECT_EQ(built.LengthWhen(nccl, 50'000), 150'000);
}

// A stream's queue holds some thousand launches: after them the host waits for the device.
TEST(PathGraph, LaunchesWaitForQueueRoom) {
  constexpr Ns kWork = 50'000, kCall = 1'000;
  constexpr int kPlaces = 1021, kCalls = 1100;
  TestProfile test;
  test.Step(0, {0, kCalls * kWork + 100'000});
  Ns host = 10'000;
  for (int i = 0; i < kCalls; ++i) {
    const Ns begins = 15'000 + i * kWork;
    const Ns room = i < kPlaces ? 0 : 15'000 + (i - kPlaces + 1) * kWork + 6'000;
    const Ns returns = std::max(host + kCall, room);
    test.Launch("work", {host, returns}, {begins, begins + kWork});
    host = returns;
  }
  test.Call("cudaEventRecord", ApiKind::kOther, {host + 1'000, host + 2'000});
  const Built built(std::move(test));
  const auto last = built.Find(simulation::PathTable::kApi, "cudaEventRecord", true);
  std::vector<Ns> cuts(built.graph->size());
  for (simulation::PathGraph::StepId i = 1; i < built.graph->device_steps(); i += 2)
    cuts[i] = kWork / 2;
  const Ns at = built.graph->Replay(cuts)[last];
  // 78 launches waited, each for the end of a kernel: 79 kernels ended before the last had room.
  EXPECT_EQ(built.graph->RecordedAt(last) - at, (kCalls - kPlaces) * (kWork / 2));
}

TEST(PathGraph, CopiesBlockAsRecorded) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Copy("cudaMemcpy", {10'000, 50'000}, {20'000, 45'000});
  const Built built(std::move(test));
  EXPECT_EQ(built.BindingOf(simulation::PathTable::kApi, "cudaMemcpy", true),
            simulation::PathEdge::kSync);
}

// XLA waits by callbacks: an iteration that awaits its result shows a thread that is silent until
// the device is done. Where frameworks record such calls, silence is other work.
TEST(PathGraph, SilentXlaThreadWaitsForWork) {
  const auto length = [](std::string_view framework, At kernel, Ns cut) {
    TestProfile test;
    test.builder().source().framework = framework;
    test.Step(0, {0, 200'000});
    test.Op("PjitFunction(step)", {1'000, 30'000});
    test.Launch("dot", {10'000, 20'000}, kernel);
    const Built built(std::move(test));
    return built.LengthWhen(built.Find(simulation::PathTable::kDevice, "dot", true), cut);
  };
  EXPECT_EQ(length("xla", {25'000, 180'000}, 0), 200'000);
  EXPECT_EQ(length("xla", {25'000, 180'000}, 100'000), 100'000);
  EXPECT_EQ(length("pytorch", {25'000, 180'000}, 100'000), 200'000);
  // An event that ended long before the thread went on did not hold it up.
  EXPECT_EQ(length("xla", {25'000, 90'000}, 50'000), 200'000);
  // Nor did an event that ended after.
  EXPECT_EQ(length("xla", {25'000, 210'000}, 0),
            length("xla", {25'000, 210'000}, 100'000) + 10'000);
}

TEST(PathGraph, SlackIsFreeDelay) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Launch("long", {10'000, 12'000}, {15'000, 90'000});
  test.Launch("short", {14'000, 16'000}, {20'000, 30'000}, {}, DeviceKind::kKernel, 0, 20);
  test.Call("cudaDeviceSynchronize", ApiKind::kSync, {20'000, 95'000});
  const Built built(std::move(test));
  std::vector<Ns> slacks(built.graph->size());
  simulation::VisitSlacks(
      *built.graph, [&](simulation::PathGraph::StepId step, Ns slack) { slacks[step] = slack; });
  EXPECT_EQ(slacks[built.Find(simulation::PathTable::kDevice, "long", true)], 0);
  const auto free = built.Find(simulation::PathTable::kDevice, "short", true);
  EXPECT_EQ(slacks[free], 65'000);
  EXPECT_EQ(built.LengthWhen(free, -65'000), 100'000);
  EXPECT_EQ(built.LengthWhen(free, -65'001), 100'001);
}

TEST(PathGraph, WithoutLaunchesThereIsAReason) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Work("kernel", {10'000, 20'000});
  std::vector<Profile> profiles;
  profiles.push_back(test.Finish());
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  const auto graph = simulation::PathGraph::Build(ranks->front());
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error(), CapabilityGap(Capability::kLaunchLinks, profiles.front().hints));
}

}  // namespace
}  // namespace profgauge::analysis
