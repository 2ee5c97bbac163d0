// The edges of a profile are not the program's doing: work from before, work that the iterations
// did not launch, launches whose work was not recorded, captures.
#include <algorithm>

#include "analysis/iterations/iterations.h"
#include "analysis/iterations/markers.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

std::vector<std::pair<Ns, Ns>> Times(const Profile& profile) {
  const auto found = iterations::FindIterations(profile, {});
  EXPECT_TRUE(found.has_value());
  std::vector<std::pair<Ns, Ns>> times;
  for (const iterations::Iteration& iteration : found->all) {
    times.emplace_back(iteration.time.start, iteration.time.end);
  }
  return times;
}
using Spans = std::vector<std::pair<Ns, Ns>>;

// Its own copy runs on another stream immediately, but its kernels queue after the iteration
// before.
TEST(Leftovers, WaitedForBesideAnotherStream) {
  TestProfile test;
  test.Step(7, {0, 100});
  test.Work("before", {0, 20});
  test.Work("before", {21, 60});
  test.Launch("copy", {2, 3}, {4, 5}, {}, DeviceKind::kMemcpy, 0, 20);
  test.Launch("own", {5, 6}, {61, 180});
  const auto found = iterations::FindIterations(test.Finish(), {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->all[0].time.start, 60);
  EXPECT_EQ(found->all[0].lead_in, 60);
}

// A data loader before the first launch is the iteration's, even when a stray event without a
// recorded launch precedes that launch.
TEST(Leftovers, ALoaderIsNone) {
  TestProfile test;
  test.Step(7, {0, 100 * kMs});
  test.Work("before", {0, 1 * kMs});
  test.Op("DataLoader.__next__", {2 * kMs, 40 * kMs});
  test.Work("stray", {41 * kMs, 42 * kMs});
  test.Launch("own", {43 * kMs, 44 * kMs}, {45 * kMs, 90 * kMs});
  EXPECT_EQ(Times(test.Finish()), (Spans{{1 * kMs, 100 * kMs}}));
}

// A kernel that never gives way delays the iteration no further than to its own first kernel.
TEST(Leftovers, PersistentKernelDelaysFirstOwnKernel) {
  TestProfile test;
  test.Step(7, {0, 100});
  test.Work("persistent", {0, 500}, DeviceKind::kKernel, 0, 99);
  test.Launch("own", {5, 6}, {30, 80});
  EXPECT_EQ(Times(test.Finish()), (Spans{{30, 100}}));
}

// Launched between two markers: of neither iteration, and the second waits for it.
TEST(Leftovers, WorkBetweenIterationsDelaysTheSecond) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Step(1, {150, 250});
  test.Launch("a", {10, 11}, {12, 90});
  test.Launch("between", {120, 121}, {122, 180});
  test.Launch("b", {160, 161}, {180, 260});
  EXPECT_EQ(Times(test.Finish()), (Spans{{0, 100}, {180, 260}}));
}

// The tail of a recorded part that is no iteration was not launched before the profile.
TEST(Leftovers, RecordedWorkBeforeTheIterationsIsNoBacklog) {
  for (const bool is_recorded : {true, false}) {
    TestProfile test;
    test.Step(0, {100, 200});
    test.Step(1, {200, 300});
    if (is_recorded) {
      test.Launch("head", {50, 51}, {60, 130});
    } else {
      test.Work("head", {60, 130});
    }
    test.Launch("a", {110, 111}, {130, 190});
    test.Launch("b", {210, 211}, {212, 290});
    const std::vector<Profile> run = OneRank(test.Finish());
    const auto analysis = Analyze(run, {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_EQ(NumberOf(*analysis, "coverage.backlog_time"), is_recorded ? 0 : 30);
  }
}

// Two seconds of work on the host are no backlog of the device, whose first launch waits for 70 us:
// a queue would have to end right then by chance.
TEST(Window, JudgesHeadWithHostWork) {
  TestProfile test;
  test.Op("start-up", {0, 2'000 * kMs});
  test.Launch("first", {2'000 * kMs, 2'000 * kMs + 10'000}, {2'000 * kMs + 80'000, 2'001 * kMs});
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(NumberOf(*analysis, "coverage.backlog_time"), 0);
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.mean"), 2000.0 / 2001, 1e-3);
  EXPECT_FALSE(analysis->Find("gpu.idle.mean")->may_be.has_value());
}

// A wait of as much as a tenth of the time before may be either: the verdict knows both numbers.
TEST(Window, WaitingFirstLaunchMakesHeadUncertain) {
  TestProfile test;
  test.Op("aten::mm", {0, 100 * kMs});
  test.Launch("first", {40 * kMs, 41 * kMs}, {60 * kMs, 100 * kMs});
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.mean"), 0.6, 1e-9);
  EXPECT_EQ(analysis->Find("gpu.idle.mean")->may_be, 0.0);
}

// A rank without a window is neither busy nor idle, in the bound as in the value.
TEST(Window, AnEmptyOneBoundsNothing) {
  std::vector<Profile> run;
  TestProfile waits, empty;
  waits.Op("aten::mm", {0, 100 * kMs});
  waits.Launch("first", {40 * kMs, 41 * kMs}, {60 * kMs, 100 * kMs});
  empty.Work("mark", {0, 0});
  run.push_back(waits.Finish());
  run.push_back(empty.Finish());
  const auto analysis = Analyze(run, {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_NEAR(NumberOf(*analysis, "gpu.utilization.mean"), 0.4, 1e-9);
  EXPECT_EQ(analysis->Find("gpu.utilization.mean")->may_be, 1.0);
}

// The work that a call waited for was launched before the profile; from then on the queue was
// empty.
TEST(Window, StartsAtTheDrainedQueue) {
  TestProfile test;
  test.Op("aten::mm", {0, 100 * kMs});
  test.Call("cudaDeviceSynchronize", ApiKind::kSync, {1 * kMs, 20 * kMs});
  test.Launch("first", {40 * kMs, 41 * kMs}, {60 * kMs, 100 * kMs});
  EXPECT_EQ(Times(test.Finish()), (Spans{{20 * kMs, 100 * kMs}}));
}

// Without launches and markers: the window holds all device work, and the host's.
TEST(Window, HoldsAllWorkWithoutLaunches) {
  for (const HostKind kind : {HostKind::kOp, HostKind::kAnnotation}) {
    TestProfile test;
    test.Host(kind, "forward", {0, 1 * kMs});
    test.Work("k", {10'000, 1 * kMs});
    test.Work("k", {100 * kMs, 101 * kMs});
    const std::vector<Profile> run = OneRank(test.Finish());
    EXPECT_EQ(Times(run.front()), (Spans{{0, 101 * kMs}}));
    const auto analysis = Analyze(run, {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.mean"), 99.0 / 101, 1e-3);
  }
}

TEST(Window, StartsWithBusyQueuesFirstEvent) {
  TestProfile test;
  test.Op("aten::mm", {0, 50 * kMs});
  test.Work("before", {10 * kMs, 30 * kMs});
  test.Launch("own", {1 * kMs, 2 * kMs}, {30 * kMs, 60 * kMs});
  const std::vector<Profile> run = OneRank(test.Finish());
  EXPECT_EQ(Times(run.front()), (Spans{{10 * kMs, 60 * kMs}}));
  const auto analysis = Analyze(run, {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(NumberOf(*analysis, "gpu.idle.mean"), 0);
  EXPECT_EQ(NumberOf(*analysis, "coverage.backlog_time"), 10 * kMs);
  EXPECT_EQ(NumberOf(*analysis, "kernel.count_per_iteration"), 2);
}

TEST(Window, EmptyQueueStartsWithTheProfile) {
  TestProfile test;
  test.Op("aten::mm", {0, 50 * kMs});
  test.Launch("own", {20 * kMs, 21 * kMs}, {21 * kMs + 8'000, 60 * kMs});
  EXPECT_EQ(Times(test.Finish()), (Spans{{0, 60 * kMs}}));
}

// The first calls of a process make the device's context, whatever they are there for.
TEST(Window, StartsAfterDeviceSetUp) {
  struct Case {
    At first, copy;
    Ns start;
  };
  for (const Case& of : {Case{{10 * kMs, 115 * kMs}, {114 * kMs, 115 * kMs}, 114 * kMs},
                         Case{{10 * kMs, 113 * kMs}, {113 * kMs + 1'000, 115 * kMs}, 113 * kMs},
                         Case{{10 * kMs, 50 * kMs}, {49 * kMs, 50 * kMs}, 0}}) {
    TestProfile test;
    test.Op("main", {0, 300 * kMs});
    test.Launch("copy", of.first, of.copy, {}, DeviceKind::kMemcpy);
    test.Launch("kernel", {116 * kMs, 117 * kMs}, {118 * kMs, 300 * kMs});
    const std::vector<Profile> run = OneRank(test.Finish());
    EXPECT_EQ(Times(run.front()), (Spans{{of.start, 300 * kMs}}));
    const auto analysis = Analyze(run, {});
    ASSERT_TRUE(analysis.has_value());
    const Table* calls = analysis->FindTable("api_calls");
    ASSERT_EQ(calls->rows(), 1u);
    EXPECT_EQ(AsNumber(calls->At(0, "calls"), 0), of.start > 0 ? 1 : 2);
    EXPECT_EQ(analysis->remarks.size(), of.start > 0 ? 1u : 0u);
  }
  TestProfile test;
  test.Op("main", {0, 300 * kMs});
  test.Call("cudaMalloc", ApiKind::kMemory, {5 * kMs, 80 * kMs});
  test.Launch("kernel", {90 * kMs, 91 * kMs}, {91 * kMs + 8'000, 300 * kMs});
  EXPECT_EQ(Times(test.Finish()), (Spans{{80 * kMs, 300 * kMs}}));
}

// What the host does after it is no idle time: nothing shows what it would have launched.
TEST(Window, EndsWithLastWork) {
  for (const Ns launch : {30, 50}) {  // In flight at the end.
    TestProfile test;
    test.Op("aten::mm", {0, 90});
    test.Launch("own", {1, 2}, {3, 40});
    test.Call("cudaLaunchKernel", ApiKind::kLaunch, {launch, launch + 1});
    EXPECT_EQ(Times(test.Finish()), (Spans{{0, 40}}));
  }
}

TEST(Window, LeavesTheHostsTailOut) {
  for (const bool is_marked : {false, true}) {
    TestProfile test;
    if (is_marked) {
      test.Step(0, {0, 50});
      test.Step(1, {50, 100});
      test.Launch("other", {52, 53}, {55, 90});
    }
    test.Op("aten::mm", {0, 70});
    test.Launch("own", {1, 2}, {3, 40});
    test.Call("cudaDeviceSynchronize", ApiKind::kSync, {30, 41});
    test.Call("cudaEventDestroy", ApiKind::kOther, {45, 46});
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    const Table& calls = *analysis->FindTable("api_calls");
    EXPECT_EQ(calls.rows(), is_marked ? 3u : 2u);
    if (is_marked) {
      EXPECT_FALSE(analysis->Find("coverage.tail_time")->absent_because.empty());
    } else {
      EXPECT_EQ(NumberOf(*analysis, "coverage.tail_time"), 30);
      EXPECT_EQ(NumberOf(*analysis, "iteration.time.mean"), 40);
    }
  }
}

TEST(InIterations, MetricsCountLaunchedWork) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Step(1, {100, 200});
  test.Work("volta_fp16_s884gemm", {0, 10});
  for (const Ns at : {0, 100}) {
    test.Launch("elementwise", {at + 11, at + 12}, {at + 20, at + 50});
    test.Launch("elementwise", {at + 13, at + 14}, {at + 50, at + 90});
  }
  test.Launch("copy", {200, 201}, {210, 230}, {}, DeviceKind::kMemcpy);
  const std::vector<Profile> run = OneRank(test.Finish());
  const auto analysis = Analyze(run, {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(NumberOf(*analysis, "profile.kernel_time"), 140);
  EXPECT_EQ(NumberOf(*analysis, "tensor_core.share"), 0);
  EXPECT_EQ(NumberOf(*analysis, "kernel.count_per_iteration"), 2);
  EXPECT_EQ(analysis->FindTable("kernels_by_op")->rows(), 1U);
  const Table* kernels = analysis->FindTable("kernels");
  ASSERT_EQ(kernels->rows(), 2U);
  EXPECT_EQ(kernels->Find("outside")->IntegerAt(0), 0);
  EXPECT_EQ(kernels->Find("outside")->IntegerAt(1), 10);
}

std::vector<Profile> RanksThatStartAStepApart() {
  std::vector<Profile> ranks;
  for (const int first : {5, 6}) {
    TestProfile test;
    for (int i = 0; i < 5; ++i) {
      const Ns at = i * 100;
      test.Step(first + i, {at, at + 100});
      test.Launch("k", {at + 1, at + 2}, {at + 3, at + 90});
    }
    Profile profile = test.Finish();
    profile.distributed.rank = first - 5;
    profile.distributed.world_size = 2;
    ranks.push_back(std::move(profile));
  }
  return ranks;
}

// Steps 5 to 9 and 6 to 10: the run has 6 to 9, and positions mean the same on both.
TEST(Ranks, AreMatchedByTheRecordedNumber) {
  const std::vector<Profile> run = RanksThatStartAStepApart();
  const auto found = iterations::FindIterations(run, {});
  ASSERT_TRUE(found.has_value());
  for (const iterations::Iterations& rank : *found) {
    ASSERT_EQ(rank.all.size(), 4U);
    EXPECT_EQ(rank.all[0].name, "6");
    EXPECT_EQ(rank.partial, (std::vector<std::string>{"5", "10"}));
    EXPECT_EQ(iterations::IterationLabel(rank.source, rank.all[0].name, 0), "ProfilerStep#6 (0)");
  }
  Selection selection;
  selection.start_number = selection.stop_number = 7;
  const auto analysis = Analyze(run, selection);
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(analysis->iterations_total, 4);
  EXPECT_EQ(analysis->iterations_selected, 1);
  ASSERT_EQ(analysis->remarks.size(), 1U);
  EXPECT_NE(analysis->remarks[0].text.find("#5, #10"), std::string::npos);
}

// Steps of one rank, the last of them without device work.
Profile StepsOf(int rank, int steps, int without_work) {
  TestProfile test;
  for (int i = 0; i < steps; ++i) {
    const Ns at = i * 100;
    test.Step(i, {at, at + 100});
    if (i < steps - without_work) {
      test.Launch("k", {at + 1, at + 2}, {at + 3, at + 90});
    } else {
      test.Call("cudaLaunchKernel", ApiKind::kLaunch, {at + 1, at + 2});
    }
  }
  Profile profile = test.Finish();
  profile.distributed.rank = rank;
  profile.distributed.world_size = 2;
  return profile;
}

// One that has no most iterations takes them from all.
TEST(Ranks, EarlyRankMakesOthersUndecided) {
  for (const int steps : {3, 7}) {
    std::vector<Profile> run;
    run.push_back(StepsOf(0, 8, 0));
    run.push_back(StepsOf(1, steps, 0));
    const auto analysis = Analyze(run, {});
    ASSERT_TRUE(analysis.has_value());
    ASSERT_EQ(analysis->remarks.size(), 1U);
    EXPECT_EQ(analysis->remarks[0].id == iterations::kIterationsPartial, steps == 3);
  }
}

// Work in flight at the end of one rank does not excuse another rank's loss.
TEST(Ranks, ReportsTheLargestLoss) {
  std::vector<Profile> run;
  run.push_back(StepsOf(0, 8, 1));
  run.push_back(StepsOf(1, 8, 4));
  const auto analysis = Analyze(run, {});
  ASSERT_TRUE(analysis.has_value());
  const auto lost =
      std::find_if(analysis->remarks.begin(), analysis->remarks.end(),
                   [](const Remark& remark) { return remark.id == iterations::kIterationsLost; });
  ASSERT_NE(lost, analysis->remarks.end());
  EXPECT_EQ(lost->text,
            "the last 4 of 8 iterations are excluded: they launched work that was not recorded");
}

TEST(Iterations, NumbersWithZerosAreNumbers) {
  TestProfile test;
  for (int i = 0; i < 3; ++i) {
    test.Host(HostKind::kIterationMarker, fmt::format("step 00{}", i + 7), {i * 100, i * 100 + 90});
    test.Launch("a", {i * 100 + 1, i * 100 + 2}, {i * 100 + 3, i * 100 + 80});
  }
  const Profile profile = test.Finish();
  Selection selection;
  selection.start_number = 8;
  const auto of = [&profile](const Selection& by) {
    const auto analysis = Analyze(std::span(&profile, 1), by);
    return analysis ? analysis->iterations_selected : -1;
  };
  EXPECT_EQ(of(selection), 2);
  Selection all;
  all.stop = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(of(all), 3);
}

TEST(Ranks, AnUnknownNumberIsAnError) {
  const std::vector<Profile> run = RanksThatStartAStepApart();
  Selection selection;
  selection.start_number = 5;
  const auto analysis = Analyze(run, selection);
  ASSERT_FALSE(analysis.has_value());
  EXPECT_EQ(analysis.error().kind, ErrorKind::kUsage);
  EXPECT_NE(analysis.error().message.find("#6 to #9"), std::string::npos);
}

// A graph of 500 kernels is one launch, and its kernels do not wait for each other.
TEST(Launches, AGraphIsOne) {
  TestProfile test;
  test.Step(0, {0, 100'000});
  test.Launch("alone", {10, 20}, {30, 40});
  test.Launch("second", {15, 25}, {40, 50});
  ApiRow call;
  call.start = 100;
  call.duration = 50;
  call.name = test.builder().Intern("cudaGraphLaunch");
  call.kind = ApiKind::kLaunch;
  call.thread = test.main();
  call.correlation = 1000;
  test.builder().AddApi(call);
  for (int i = 0; i < 500; ++i) {
    DeviceRow row;
    row.start = 250 + i * 10;
    row.duration = 10;
    row.name = test.builder().Intern("node");
    row.gpu = 0;
    row.stream = 7;
    row.correlation = 1000;
    test.builder().AddDevice(row);
  }
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  // `second` waits for `alone`; the graph finds an empty queue.
  EXPECT_DOUBLE_EQ(NumberOf(*analysis, "launch.queue_empty_share"), 2.0 / 3);
  // 10, 15 and 100.
  EXPECT_EQ(NumberOf(*analysis, "launch.delay.median"), 15);
}

TEST(Capture, NothingRanIsNoIdleTime) {
  TestProfile test;
  test.Call("cudaStreamBeginCapture", ApiKind::kOther, {0, 10});
  for (Ns at = 10; at < 1000; at += 10) {
    test.Call("cudaLaunchKernel", ApiKind::kLaunch, {at, at + 5});
  }
  test.Call("cudaStreamEndCapture", ApiKind::kOther, {1000, 1010});
  test.Launch("a set", {1020, 1030}, {1035, 1040}, {}, DeviceKind::kMemset);
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(NumberOf(*analysis, "launch.captured_share"), 1);
  for (const char* id : {"gpu.idle.mean", "gpu.utilization.mean", "gpu.idle_cause.host_wait"}) {
    const Metric* metric = analysis->Find(id);
    EXPECT_TRUE(IsAbsent(metric->value)) << id;
    EXPECT_NE(metric->absent_because.find("graph capture"), std::string::npos) << id;
  }
}

// A graph is captured once and runs often: that is no profile of a capture.
TEST(Capture, RunsOutweighIt) {
  TestProfile test;
  test.Call("cudaStreamBeginCapture", ApiKind::kOther, {0, 10});
  test.Call("cudaLaunchKernel", ApiKind::kLaunch, {10, 15});
  test.Call("cudaStreamEndCapture", ApiKind::kOther, {20, 30});
  for (Ns at = 100; at < 400; at += 100) test.Launch("node", {at, at + 5}, {at + 10, at + 90});
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_DOUBLE_EQ(NumberOf(*analysis, "launch.captured_share"), 0.25);
  EXPECT_GT(NumberOf(*analysis, "gpu.utilization.mean"), 0);
}

// Four iterations of five kernels of 1 ms each. The host takes 3 ms for one and runs ahead, or
// waits for the device at its end. For every third kernel the link to its launch is missing, or the
// launch.
enum class Missing { kNothing, kLink, kLaunch };
Profile Unlinked(bool runs_ahead, Missing missing) {
  TestProfile test;
  Ns host = 0, busy_until = 0;
  int kernel = 0;
  for (int i = 0; i < 4; ++i) {
    const Ns begin = host;
    for (int k = 0; k < 5; ++k, ++kernel) {
      const At call{begin + 100'000 + k * 500'000, begin + 110'000 + k * 500'000};
      const Ns start = std::max(busy_until, call.end + 5'000);
      busy_until = start + kMs;
      if (missing == Missing::kNothing || kernel % 3 != 0) {
        test.Launch("kernel", call, {start, busy_until});
      } else {
        test.Work("kernel", {start, busy_until});
        if (missing == Missing::kLink) test.LostLaunch(call);
      }
    }
    host = runs_ahead ? begin + 3 * kMs : busy_until + 10'000;
    test.Step(i, {begin, host});
  }
  return test.Finish();
}

TEST(Unlinked, BelongToNeighborsIterations) {
  for (const bool runs_ahead : {false, true}) {
    const Spans whole = Times(Unlinked(runs_ahead, Missing::kNothing));
    EXPECT_EQ(Times(Unlinked(runs_ahead, Missing::kLink)), whole) << runs_ahead;
    const Spans without = Times(Unlinked(runs_ahead, Missing::kLaunch));
    ASSERT_EQ(without.size(), whole.size());
    EXPECT_EQ(without.front().first, whole.front().first);
    EXPECT_EQ(without.back().second, whole.back().second);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      // A kernel between two iterations that overlap in the queue may be of either.
      const Ns most = runs_ahead ? kMs : 0;
      EXPECT_LE(std::abs(without[i].second - whole[i].second), most) << i;
    }
  }
}

// No launch is lost, and so no iteration is.
TEST(Unlinked, LoseNothing) {
  for (const Missing missing : {Missing::kLink, Missing::kLaunch}) {
    const auto found = iterations::FindIterations(Unlinked(true, missing), {});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->lost, 0);
    EXPECT_EQ(found->launches_lost, 0);
    EXPECT_EQ(found->dropped_at_start + found->dropped_at_end, 0);
    std::int64_t events = 0;
    for (const iterations::Iteration& iteration : found->all) events += iteration.device_events;
    EXPECT_EQ(events, 20);
  }
}

}  // namespace
}  // namespace profgauge::analysis
