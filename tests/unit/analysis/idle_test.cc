#include "analysis/breakdown/idle.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "fixture.h"

namespace profgauge::analysis {
namespace {

using Causes = std::array<Ns, kIdleCauses>;

// Host wait, dataloader, sync, module loading, memory management, launch latency, other.
Causes CausesOf(const std::vector<Profile>& profiles) {
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  EXPECT_TRUE(ranks.has_value());
  Causes sums{};
  for (const iterations::GpuUse& use : iterations::MeasureGpus(ranks->front())) {
    Ns idle = 0;
    for (const breakdown::IdleGap& gap : breakdown::ExplainIdle(ranks->front(), use)) {
      EXPECT_EQ(std::accumulate(gap.causes.begin(), gap.causes.end(), Ns{0}), gap.time.length());
      for (const Ns part : gap.causes) EXPECT_GE(part, 0);
      for (std::size_t i = 0; i < kIdleCauses; ++i) sums[i] += gap.causes[i];
      idle += gap.time.length();
    }
    EXPECT_EQ(idle, use.observed - use.busy);
  }
  return sums;
}

// One iteration from 0 to `end` whose only gap is before the second kernel, at 100'000.
TestProfile TwoKernels(Ns end) {
  TestProfile test;
  test.Step(0, {0, end});
  test.Launch("first", {0, 0}, {0, 100'000});
  return test;
}

TEST(Idle, TheHostHadNotLaunchedYet) {
  TestProfile test = TwoKernels(500'000);
  test.Launch("second", {400'000, 405'000}, {410'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{300'000, 0, 0, 0, 0, 0, 10'000, 0, 0}));
}

TEST(Idle, WaitingForDataAndAllocating) {
  TestProfile test = TwoKernels(500'000);
  test.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {150'000, 250'000});
  test.Call("cudaMalloc", ApiKind::kMemory, {300'000, 350'000});
  test.Launch("second", {400'000, 405'000}, {410'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())),
            (Causes{150'000, 100'000, 0, 0, 0, 50'000, 10'000, 0, 0}));
}

// The call held the host until the queue was empty: the idle time until the next launch is its
// price.
TEST(Idle, ASynchronizationDrainsTheQueue) {
  TestProfile test = TwoKernels(500'000);
  test.Call("cudaStreamSynchronize", ApiKind::kSync, {50'000, 120'000});
  test.Launch("second", {200'000, 205'000}, {210'000, 500'000});
  // It held the host for 50 µs before the gap: an equal part of the gap is its price.
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{30'000, 0, 70'000, 0, 0, 0, 10'000, 0, 0}));
}

// The device's clock is ahead: work ends after the waits for it, so nothing shows which was first.
TEST(Idle, ClocksThatDisagreeShowNoCause) {
  for (const Ns ahead : {Ns{0}, 3 * kMs}) {
    TestProfile test;
    test.Step(0, {0, 20 * kMs});
    for (int i = 0; i < 10; ++i) {
      const Ns at = i * 2 * kMs, work = at + 100'000 + ahead;
      test.Launch("k", {at, at + 5'000}, {work, work + kMs});
      test.Call("cudaDeviceSynchronize", ApiKind::kSync, {at + 10'000, at + 1'200'000});
    }
    const Causes causes = CausesOf(OneRank(test.Finish()));
    const Ns known = std::accumulate(causes.begin(), causes.end(), Ns{0}) -
                     causes[static_cast<std::size_t>(IdleCause::kOther)];
    EXPECT_EQ(known > 0, ahead == 0);
  }
}

// JAX waits for results in ranges, and launches from threads that say nothing.
TEST(Idle, AWaitForResultsDrainsTheQueue) {
  for (const Ns end : {120'000, 450'000}) {
    TestProfile test = TwoKernels(500'000);
    test.Host(HostKind::kAnnotation, "api.py(3105): block_until_ready", {50'000, end},
              test.Thread(2));
    test.Launch("second", {200'000, 205'000}, {210'000, 500'000});
    // One that goes on after the launch waits for the launched work.
    EXPECT_EQ(CausesOf(OneRank(test.Finish())),
              end < 200'000 ? (Causes{30'000, 0, 70'000, 0, 0, 0, 10'000, 0, 0})
                            : (Causes{100'000, 0, 0, 0, 0, 0, 10'000, 0, 0}));
  }
}

// From 30 µs after the last work of all devices on the range waits for none of them.
TEST(Idle, AWaitAfterAllWorkIsTheHosts) {
  for (const bool other_works : {false, true}) {
    TestProfile test = TwoKernels(500'000);
    test.Host(HostKind::kAnnotation, "api.py(3105): block_until_ready", {50'000, 180'000},
              test.Thread(2));
    if (other_works) {
      test.Launch("other", {40'000, 45'000}, {50'000, 170'000}, test.Thread(1), DeviceKind::kKernel,
                  1, 7);
    }
    test.Launch("second", {200'000, 205'000}, {210'000, 500'000});
    const Causes causes = CausesOf(OneRank(test.Finish()));
    if (!other_works) {
      // 30 µs in the range, and 50 µs for which it had held the host.
      EXPECT_EQ(causes, (Causes{20'000, 0, 80'000, 0, 0, 0, 10'000, 0, 0}));
    } else {
      // 100 µs of the first device, and the whole wait behind the last work of the other.
      EXPECT_EQ(causes[static_cast<std::size_t>(IdleCause::kSync)], 230'000);
    }
  }
}

TEST(Idle, PrefetchingLoaderDelaysNothing) {
  TestProfile test = TwoKernels(500'000);
  test.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {100'000, 400'000},
          test.Thread(9));
  test.Launch("second", {400'000, 405'000}, {410'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{300'000, 0, 0, 0, 0, 0, 10'000, 0, 0}));
}

// It may normalize batches with a separate kernel; a thread that launches much is of the loop.
TEST(Idle, BarelyLaunchingLoaderDelaysNothing) {
  for (const int launched : {1, 4}) {
    TestProfile test = TwoKernels(500'000);
    const ThreadId other = test.Thread(9);
    test.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {100'000, 400'000},
            other);
    for (int i = 0; i < 20; ++i) {
      const Ns at = 400'000 + 5'000 * i;
      test.Launch("k", {at, at + 4'000}, {at + 10'000, at + 15'000});
    }
    for (int i = 0; i < launched; ++i) {
      test.Launch("normalize", {401'000 + i, 402'000 + i}, {410'000, 411'000}, other,
                  DeviceKind::kKernel, 0, 9);
    }
    const Causes causes = CausesOf(OneRank(test.Finish()));
    EXPECT_EQ(causes[static_cast<std::size_t>(IdleCause::kDataLoader)],
              launched == 1 ? 0 : 300'000);
  }
}

// A synchronization that finds the GPU idle costs its own time only, and a query blocks no one.
TEST(Idle, ASynchronizationOfAnIdleGpu) {
  TestProfile test = TwoKernels(500'000);
  test.Call("cudaStreamSynchronize", ApiKind::kSync, {150'000, 160'000});
  test.Call("cudaEventQuery", ApiKind::kSync, {90'000, 140'000});
  test.Launch("second", {200'000, 205'000}, {210'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{90'000, 0, 10'000, 0, 0, 0, 10'000, 0, 0}));
}

TEST(Idle, AnotherThreadsSynchronizationIsNoCause) {
  TestProfile test = TwoKernels(500'000);
  test.Call("cudaStreamSynchronize", ApiKind::kSync, {50'000, 120'000}, test.Thread(2));
  test.Launch("second", {200'000, 205'000}, {210'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{100'000, 0, 0, 0, 0, 0, 10'000, 0, 0}));
}

TEST(Idle, LaunchedInTime) {
  TestProfile soon = TwoKernels(500'000);
  soon.Launch("second", {10'000, 15'000}, {120'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(soon.Finish())), (Causes{0, 0, 0, 0, 0, 0, 20'000, 0, 0}));
  TestProfile late = TwoKernels(500'000);
  late.Launch("second", {10'000, 15'000}, {130'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(late.Finish())), (Causes{0, 0, 0, 0, 0, 0, 0, 30'000, 0}));
}

// While a graph is captured nothing can run. Once it is not the run's; again and again it is.
TEST(Idle, AGraphThatIsCapturedOnceIsLeftOut) {
  const auto capture = [](TestProfile& test, Ns at) {
    test.Call("cudaStreamBeginCapture_v10000", ApiKind::kOther, {at, at + 1'000});
    test.LostLaunch({at + 50'000, at + 51'000});
    test.Call("cudaStreamEndCapture_v10000", ApiKind::kOther, {at + 90'000, at + 91'000});
    test.Call("cudaGraphInstantiate_v12000", ApiKind::kOther, {at + 92'000, at + 100'000});
  };
  for (const bool again : {false, true}) {
    TestProfile test;
    test.Launch("a", {0, 1'000}, {2'000, 100'000});
    test.Launch("b", {1'000, 2'000}, {100'000, 200'000});
    capture(test, 200'000);
    test.Launch("c", {300'000, 301'000}, {302'000, 400'000});
    if (again) capture(test, 400'000);
    test.Launch("d", {500'000, 501'000}, {502'000, 600'000});
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    const double captured = NumberOf(*analysis, "coverage.capture_time");
    const double cause = NumberOf(*analysis, "gpu.idle_cause.capture");
    EXPECT_EQ(captured, again ? 0 : 100'000) << again;
    EXPECT_EQ(cause > 0.3, again) << cause;
    // Outside of the capture the other gap of 100 us stays.
    EXPECT_NEAR(NumberOf(*analysis, "gpu.utilization.mean"), again ? 0.657 : 0.788, 0.01);
  }
}

// A profiler may start in the first call that waits, which takes far longer than all others.
TEST(Idle, TheProfilersStartUpIsBeforeTheWindow) {
  const auto idle = [](Ns length, Ns other) {
    TestProfile test;
    test.Launch("a", {0, 1'000}, {2'000, 10'000});
    test.Copy("hipMemcpyWithStream", {20'000, 20'000 + length}, {15'000 + length, 18'000 + length},
              CopyKind::kHostToDevice);
    const Ns behind = 30'000 + length;
    test.Launch("b", {behind, behind + 1'000}, {behind + 2'000, behind + 900'000});
    test.Copy("hipMemcpyWithStream", {behind + 900'000, behind + 900'000 + other},
              {behind + 900'000, behind + 900'000 + other}, CopyKind::kHostToDevice);
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    return std::pair(NumberOf(*analysis, "gpu.idle.mean"),
                     NumberOf(*analysis, "coverage.start_up_time"));
  };
  EXPECT_EQ(idle(400'000'000, 1'000'000).second, 400'000'000);
  EXPECT_LT(idle(400'000'000, 1'000'000).first, 0.1);
  EXPECT_EQ(idle(90'000'000, 1'000'000).second, 0);    // Too short.
  EXPECT_EQ(idle(400'000'000, 40'000'000).second, 0);  // Others take as long.
}

// Only gaps in which the launching thread recorded much may be the profiler's.
TEST(Idle, TheProfilerDelaysByItsEvents) {
  const auto delay = [](int events) {
    TestProfile test;
    test.Step(0, {0, 1'000'000});
    test.Launch("first", {0, 0}, {0, 100'000});
    for (int i = 0; i < events; ++i) test.Op("aten::add", {110'000 + 100 * i, 110'050 + 100 * i});
    test.Launch("second", {895'000, 899'000}, {900'000, 1'000'000});
    test.builder().source().framework = "pytorch";
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    return NumberOf(*analysis, "profiler.delay_time");
  };
  // One of the events is the launch itself.
  EXPECT_EQ(delay(9), 40'000);
  EXPECT_EQ(delay(1'000), 400'000);  // Half of the gap.
}

TEST(Idle, UnrecordedLaunchesAndTheEnd) {
  TestProfile test = TwoKernels(500'000);
  test.Work("orphan", {150'000, 200'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{300'000, 0, 0, 0, 0, 0, 0, 0, 50'000}));
}

TEST(Idle, GapsKnowTheirNeighbors) {
  TestProfile test = TwoKernels(500'000);
  test.Launch("second", {400'000, 405'000}, {410'000, 450'000});
  const auto profiles = OneRank(test.Finish());
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  const auto gaps =
      breakdown::ExplainIdle(ranks->front(), iterations::MeasureGpus(ranks->front()).front());
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].before, DeviceId{0});
  EXPECT_EQ(gaps[0].after, DeviceId{1});
  EXPECT_EQ(gaps[0].main_cause(), IdleCause::kHostWait);
  EXPECT_EQ(gaps[1].before, DeviceId{1});
  EXPECT_FALSE(gaps[1].after.valid());
}

// Neighbors of gaps by the definition: the last work to end before, and the first row that starts
// after.
void ExpectNeighbours(const DeviceTable& device, const breakdown::IdleGap& gap) {
  std::vector<std::uint32_t> rows(device.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return device.start[a] < device.start[b];
  });
  DeviceId before, after;
  Ns latest = 0;
  for (const std::uint32_t row : rows) {
    const Ns start = device.start[row], end = start + device.duration[row];
    ASSERT_FALSE(device.duration[row] > 0 && start < gap.whole.end && end > gap.whole.start);
    if (start >= gap.whole.end) {
      if (!after.valid()) after = DeviceId{row};
    } else if (start <= gap.whole.start && (!before.valid() || end >= latest)) {
      before = DeviceId{row};
      latest = end;
    }
  }
  EXPECT_EQ(gap.before, before);
  EXPECT_EQ(gap.after, after);
}

TEST(Idle, RandomGapsKnowTheirNeighbors) {
  std::mt19937 random(11);
  const auto below = [&random](int end) { return static_cast<Ns>(random() % end); };
  for (int round = 0; round < 200; ++round) {
    TestProfile test;
    test.Step(0, {0, 400});
    const Ns longest = 1 + below(40);
    for (Ns i = below(30); i >= 0; --i) {
      const Ns start = below(500);  // Some after the window.
      const Ns length = below(3) == 0 ? 0 : below(static_cast<int>(longest));
      test.Work("k", {start, start + length}, DeviceKind::kKernel, 0, below(4));
    }
    const auto profiles = OneRank(test.Finish());
    const auto ranks = iterations::BuildRankContexts(profiles, {});
    for (const iterations::GpuUse& use : iterations::MeasureGpus(ranks->front())) {
      Ns until = 0;
      for (const breakdown::IdleGap& gap : breakdown::ExplainIdle(ranks->front(), use)) {
        EXPECT_LE(until, gap.time.start);
        until = gap.time.end;
        ExpectNeighbours(profiles.front().device, gap);
      }
    }
  }
}

// 500 µs of work in each of two iterations and 200 µs of none between them: the share of the window
// by an iteration's length would say 83 µs.
TEST(Idle, IdleTimeIncludesTimeBetweenIterations) {
  TestProfile test;
  test.Step(0, {0, 500'000});
  test.Launch("first", {0, 0}, {0, 500'000});
  test.Step(1, {700'000, 1'200'000});
  test.Launch("second", {700'000, 700'000}, {700'000, 1'200'000});
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.time.mean"), 100'000, 1e-6);
}

TEST(Idle, CausesAddUpOverSeveralGpus) {
  TestProfile test = TwoKernels(500'000);
  test.Launch("second", {400'000, 405'000}, {410'000, 450'000});
  test.Launch("on gpu 1", {100'000, 101'000}, {200'000, 260'000}, {}, DeviceKind::kKernel, 1);
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  double sum = 0;
  for (std::size_t i = 0; i < kIdleCauses; ++i) {
    sum += NumberOf(*analysis, std::string(kIdleCauseInfo[i].metric));
  }
  EXPECT_NEAR(sum, NumberOf(*analysis, "gpu.idle.mean"), 1e-12);
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.mean"), (0.72 + 0.88) / 2, 1e-12);
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.max"), 0.88, 1e-12);
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.time.mean"), 400'000, 1e-6);
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.time.max"), 440'000, 1e-6);
  const Table* gaps = analysis->FindTable("gaps");
  ASSERT_EQ(gaps->rows(), 4U);
  EXPECT_EQ(gaps->At(0, "duration"), Value(std::int64_t{310'000}));
  EXPECT_EQ(gaps->At(0, "cause"), Value(std::string("host not ready")));
  EXPECT_EQ(gaps->At(0, "after"), Value(std::string("second")));
}

// The first launch of a kernel loads its code; the next launch as long as that is only long.
TEST(Idle, AFirstLaunchLoadsCode) {
  TestProfile test = TwoKernels(3'000'000);
  test.Launch("second", {200'000, 900'000}, {905'000, 1'000'000});
  test.Launch("second", {1'100'000, 1'900'000}, {1'905'000, 3'000'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())),
            (Causes{200'000, 0, 0, 700'000, 0, 0, 810'000, 0, 0}));
}

TEST(Idle, CallsThatLoadCode) {
  TestProfile test = TwoKernels(500'000);
  test.Call("cuModuleLoadData", ApiKind::kOther, {150'000, 250'000});
  test.Call("cuLibraryLoadData", ApiKind::kOther, {300'000, 320'000});
  test.Host(HostKind::kOverhead, "Lazy Function Loading", {330'000, 340'000});
  test.Launch("second", {400'000, 405'000}, {410'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{170'000, 0, 0, 130'000, 0, 0, 10'000, 0, 0}));
}

// A library that is used for the first time sets itself up in a cudaFree that frees nothing.
TEST(Idle, AVeryLongFreeSetsALibraryUp) {
  TestProfile test;
  test.Launch("first", {0, 10'000}, {10'000, 1'000'000});
  test.Call("cudaFree", ApiKind::kMemory, {2'000'000, 102'000'000});
  test.Call("cudaFree", ApiKind::kMemory, {103'000'000, 202'999'999});
  test.Launch("second", {203'000'000, 203'010'000}, {203'010'000, 204'000'000});
  test.Step(0, {0, 204'000'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())),
            (Causes{2'000'001, 0, 0, 100'000'000, 0, 99'999'999, 20'000, 0, 0}));
}

// cuDNN's search for a convolution's algorithm waits for the events that time it, once.
TEST(Idle, AlgorithmSearchIsSetUp) {
  for (const char* op : {"aten::cudnn_convolution", "aten::mm"}) {
    TestProfile test = TwoKernels(500'000);
    test.Op(op, {90'000, 450'000});
    test.Call("cudaEventSynchronize", ApiKind::kSync, {150'000, 250'000});
    test.Launch("second", {400'000, 405'000}, {410'000, 500'000});
    const Causes causes = CausesOf(OneRank(test.Finish()));
    EXPECT_EQ(causes[3], op == std::string_view("aten::mm") ? 0 : 100'000) << op;
    EXPECT_EQ(causes[2], op == std::string_view("aten::mm") ? 100'000 : 0) << op;
  }
}

// XLA allocates on one thread for launches of another, of which nothing else is recorded.
TEST(Idle, AllocationForAThreadThatOnlyLaunches) {
  for (const bool says_more : {false, true}) {
    TestProfile test = TwoKernels(500'000);
    const ThreadId launcher = test.Thread(2);
    test.Op("Build buffer allocations", {150'000, 350'000});
    if (says_more) test.Op("execute", {150'000, 350'000}, launcher);
    test.Launch("second", {400'000, 405'000}, {410'000, 500'000}, launcher);
    EXPECT_EQ(CausesOf(OneRank(test.Finish())),
              says_more ? (Causes{300'000, 0, 0, 0, 0, 0, 10'000, 0, 0})
                        : (Causes{100'000, 0, 0, 0, 0, 200'000, 10'000, 0, 0}));
  }
}

// The first calls of a process make the device's context, whatever they are called.
TEST(Idle, LongFirstCallsSetUpDevices) {
  TestProfile test;
  test.Call("cudaDeviceGetStreamPriorityRange", ApiKind::kOther, {10'000'000, 90'000'000});
  test.Call("cudaMalloc", ApiKind::kMemory, {90'000'000, 91'000'000});
  test.Launch("first", {92'000'000, 92'010'000}, {92'010'000, 93'000'000});
  test.Call("cudaGetDevice", ApiKind::kOther, {94'000'000, 154'000'000});
  test.Launch("second", {155'000'000, 155'010'000}, {155'010'000, 156'000'000});
  test.Step(0, {0, 156'000'000});
  // In the first gap 11 ms are the host's own, in the second all but the launch.
  EXPECT_EQ(CausesOf(OneRank(test.Finish())),
            (Causes{73'000'000, 0, 0, 80'000'000, 0, 1'000'000, 20'000, 0, 0}));
}

// Called while the first kernel runs, returned when its own work was done: it waited.
TEST(Idle, WaitingCopyIsSynchronization) {
  TestProfile test = TwoKernels(500'000);
  const auto copy = [&test](At call, At device, std::int64_t correlation) {
    ApiRow row;
    row.start = call.start;
    row.duration = call.duration();
    row.name = test.builder().Intern("cudaMemcpyAsync");
    row.kind = ApiKind::kMemcpy;
    row.thread = test.main();
    row.correlation = correlation;
    test.builder().AddApi(row);
    DeviceRow work;
    work.start = device.start;
    work.duration = device.duration();
    work.name = test.builder().Intern("Memcpy DtoH");
    work.kind = DeviceKind::kMemcpy;
    work.gpu = 0;
    work.stream = 7;
    work.correlation = correlation;
    test.builder().AddDevice(work);
  };
  copy({50'000, 160'000}, {140'000, 150'000}, 1'000);
  test.Launch("second", {250'000, 255'000}, {260'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{0, 0, 140'000, 0, 0, 0, 10'000, 0, 0}));
}

// Starts and lengths are rounded each: a nanosecond between two kernels is no idle time.
TEST(Idle, GapsBelowTheResolutionAreNone) {
  TestProfile test;
  test.Step(0, {0, 10'000});
  test.Work("k", {0, 100});  // Before it no work ends to which a gap would belong.
  for (Ns at = 100; at < 10'000; at += 100)
    test.Work("k", {at + (at % 300 == 0 ? 1 : 2), at + 100});
  const auto profiles = OneRank(test.Finish());
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  const auto gaps =
      breakdown::ExplainIdle(ranks->front(), iterations::MeasureGpus(ranks->front()).front());
  EXPECT_TRUE(gaps.empty());
}

// Times in microseconds that went through floating point miss their tick by a nanosecond or two.
TEST(Idle, ClockTickIsTheResolution) {
  TestProfile test;
  test.Step(0, {0, 400'000});
  for (Ns i = 0; i < 100; ++i) {
    test.Work("k", {i * 4'000 + i % 3, i * 4'000 + (i % 10 == 9 ? 3'000 : 4'000) - i % 2});
  }
  const auto profiles = OneRank(test.Finish());
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  std::size_t counted = 0;
  for (const breakdown::IdleGap& gap :
       breakdown::ExplainIdle(ranks->front(), iterations::MeasureGpus(ranks->front()).front())) {
    EXPECT_GE(gap.time.length(), 990);
    ++counted;
  }
  EXPECT_EQ(counted, 10U);
}

TEST(Idle, GapsShowHostWork) {
  TestProfile test = TwoKernels(1'000'000);
  const auto function = [&test](std::string_view name, At at, ThreadId thread) {
    PythonRow row;
    row.start = at.start;
    row.duration = at.duration();
    row.name = test.builder().Intern(name);
    row.thread = thread;
    test.builder().AddPython(row);
  };
  const ThreadId main = test.main();
  function("train.py(1): <module>", {0, 1'000'000}, main);
  function("train.py(10): epoch", {10'000, 990'000}, main);
  function("train.py(88): preprocess", {120'000, 380'000}, main);
  function("numpy/core/fromnumeric.py(3): sort", {130'000, 370'000}, main);
  test.Host(HostKind::kOp, "aten::item", {600'000, 790'000}, main, {},
            "torch/_tensor.py(5): item;loss.py(7): log");
  test.Launch("second", {400'000, 405'000}, {410'000, 500'000});
  test.Launch("third", {800'000, 805'000}, {810'000, 1'000'000});
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  const Table& gaps = *analysis->FindTable("gaps");
  ASSERT_EQ(gaps.rows(), 2U);
  EXPECT_EQ(gaps.At(0, "doing"), Value(std::string("train.py(88): preprocess")));
  EXPECT_EQ(gaps.At(0, "within"), Value(std::string("train.py(10): epoch")));
  EXPECT_EQ(gaps.At(1, "doing"), Value(std::string("aten::item (loss.py(7): log)")));
  EXPECT_EQ(gaps.At(1, "within"), Value(std::string("train.py(10): epoch")));
}

// The frame covers all of the gap, and the call most of it: it is the cause.
TEST(Idle, GapsShowTheCallThatIsTheirCause) {
  TestProfile test = TwoKernels(500'000);
  test.Op("train_step", {0, 500'000});
  test.Call("cudaFree", ApiKind::kMemory, {110'000, 380'000});
  test.Launch("second", {400'000, 405'000}, {410'000, 500'000});
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& gaps = *analysis.FindTable("gaps");
  ASSERT_EQ(gaps.rows(), 1U);
  EXPECT_EQ(gaps.At(0, "call"), Value(std::string("cudaFree")));
  EXPECT_EQ(gaps.At(0, "doing"), Value(std::string("train_step")));
}

TEST(Idle, GapsBeyondTheTableAreCounted) {
  constexpr int kKernels = 10'002;
  TestProfile test;
  for (int i = 0; i < kKernels; ++i) {
    const Ns at = i * 100'000;
    test.Launch("k", {at, at + 1'000}, {at + 2'000, at + 50'000});
  }
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  const Table& gaps = *analysis.FindTable("gaps");
  EXPECT_EQ(gaps.rows(), 10'000U);
  EXPECT_GT(gaps.all_rows(), 10'000U);
  EXPECT_TRUE(std::ranges::any_of(
      analysis.remarks, [](const Remark& remark) { return remark.id == "table-rows/gaps"; }));
}

// Copies and memsets are device events: to record them was no mistake.
TEST(Idle, WithoutKernelsTheReasonIsThatNoneRan) {
  TestProfile test;
  test.Launch("[CUDA memset]", {0, 50'000}, {51'000, 52'000}, {}, DeviceKind::kMemset);
  const Analysis analysis = AnalyzeAll(OneRank(test.Finish()));
  for (const char* table : {"kernels", "kernels_by_op", "kernels_by_iteration"}) {
    EXPECT_EQ(analysis.absent_tables.find(table)->second, "no kernel ran in the judged time");
  }
  EXPECT_EQ(analysis.Find("kernel.count_per_iteration")->absent_because,
            "no kernel ran in the judged time");
}

}  // namespace
}  // namespace profgauge::analysis
