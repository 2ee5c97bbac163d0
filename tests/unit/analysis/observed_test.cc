// Edges of a profile of which nothing is known: they are neither busy nor idle.
#include "analysis/iterations/observed.h"

#include <algorithm>

#include "analysis/breakdown/attribution.h"
#include "analysis/iterations/context.h"
#include "fixture.h"
#include "model/category.h"

namespace profgauge::analysis {
namespace {

struct Edges {
  Ns first_copy = 0;    ///< How long the first call waits before its copy starts.
  Ns last_silence = 0;  ///< At the end of the last step.
  Ns silence = 0;       ///< At the end of every other.
  bool stops = true;    ///< The last silence is the profiler's stop, which its call shows.
};

// Four steps of 100 ms. Each copies, launches a kernel of 60 ms, and computes on the host.
TestProfile FourSteps(const Edges& edges) {
  TestProfile test;
  for (int i = 0; i < 4; ++i) {
    const Ns begin = i * 100 * kMs;
    const Ns wait = i == 0 ? edges.first_copy : 0;
    const Ns silence = i == 3 ? edges.last_silence : edges.silence;
    const Ns end = begin + 100 * kMs + (i == 3 ? silence : 0);
    test.Step(i, {begin, end});
    test.Copy("cudaMemcpyAsync", {begin + kMs, begin + 3 * kMs + wait},
              {begin + kMs + 100'000 + wait, begin + 3 * kMs + wait}, CopyKind::kHostToDevice,
              HostMemory::kPageable);
    test.Launch("kernel", {begin + 4 * kMs + wait, begin + 4 * kMs + wait + 5'000},
                {begin + 5 * kMs + wait, begin + 65 * kMs});
    test.Op("aten::add", {begin + 70 * kMs, end - silence});
    if (i == 3 && silence > 0 && edges.stops) {
      test.Call("cudaProfilerStop", ApiKind::kOther, {end - silence, end});
    }
  }
  return test;
}

std::vector<Span> Unobserved(const Edges& edges, const Selection& selection = {}) {
  const std::vector<Profile> profiles = OneRank(FourSteps(edges).Finish());
  const auto ranks = iterations::BuildRankContexts(profiles, selection);
  EXPECT_TRUE(ranks.has_value());
  return ranks->front().unobserved;
}

double Idle(const Edges& edges) {
  const auto analysis = Analyze(OneRank(FourSteps(edges).Finish()), {});
  EXPECT_TRUE(analysis.has_value());
  return AsNumber(analysis->Find("gpu.idle.mean")->value, -1);
}

// As Nsight Systems flushes its buffers on the thread that launches, and says so.
TEST(Observed, HeldUpTimeIsUnobserved) {
  for (const bool launches : {false, true}) {
    TestProfile test = FourSteps({});
    CpuSpan overhead;
    overhead.start = 160 * kMs;  // The device works up to 165 ms.
    overhead.duration = 30 * kMs;
    overhead.thread = launches ? test.main() : test.Thread(9);
    test.builder().AddProfilerOverhead(overhead);
    const std::vector<Profile> profiles = OneRank(test.Finish());
    const auto ranks = iterations::BuildRankContexts(profiles, {});
    ASSERT_TRUE(ranks.has_value());
    const std::vector<Span> held_up = {{165 * kMs, 190 * kMs}};
    EXPECT_EQ(ranks->front().unobserved, launches ? held_up : std::vector<Span>{});
  }
}

// As Kineto passes on CUPTI's messages, which name no thread: launching threads pause, or the
// profiler worked beside them. Loading code is the program's doing.
TEST(Observed, ThreadlessOverheadHoldsUpIdleThreads) {
  struct Row {
    std::string_view name;
    Ns until;  ///< That the main thread's operator of the second step lasts.
    bool held_up;
  };
  const Row kRows[] = {
      {"Buffer Flush", 199 * kMs, true},         {"Activity Buffer Request", 199 * kMs, true},
      {"Buffer Flush", 180 * kMs, false},        {"Lazy Function Loading", 199 * kMs, false},
      {"Command Buffer Full", 199 * kMs, false},
  };
  for (const Row& row : kRows) {
    TestProfile test = FourSteps({.silence = 29 * kMs});
    test.Op("aten::add", {150 * kMs, row.until});
    HostRow overhead;
    overhead.start = 172 * kMs;
    overhead.duration = 18 * kMs;
    overhead.kind = HostKind::kOverhead;
    overhead.name = test.builder().Intern(row.name);
    overhead.thread = test.Thread(9);
    test.builder().AddHost(overhead);
    const std::vector<Profile> profiles = OneRank(test.Finish());
    const auto ranks = iterations::BuildRankContexts(profiles, {});
    ASSERT_TRUE(ranks.has_value());
    const std::vector<Span> held_up = {{172 * kMs, 190 * kMs}};
    EXPECT_EQ(ranks->front().unobserved, row.held_up ? held_up : std::vector<Span>{})
        << row.name << " " << row.until;
  }
}

// A profiler that pauses between two groups of iterations: their numbers jump.
TEST(Observed, APauseIsNeitherBusyNorIdle) {
  // Markers that count in fours pause nowhere, whatever is not recorded between them.
  const auto idle_in_fours = [] {
    TestProfile test;
    for (int i = 0; i < 4; ++i) {
      const Ns begin = i * 200 * kMs;
      test.Step(4 * i, {begin, begin + 100 * kMs});
      test.Launch("kernel", {begin, begin + 5'000}, {begin + 10'000, begin + 99 * kMs});
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    return AsNumber(analysis->Find("gpu.idle.mean")->value, -1);
  };
  const auto idle = [](int second, bool host_goes_on) {
    TestProfile test;
    for (const int step : {0, 1, second, second + 1}) {
      const Ns begin = step * 100 * kMs;
      test.Step(step, {begin, begin + 100 * kMs});
      test.Launch("kernel", {begin, begin + 5'000}, {begin + 10'000, begin + 99 * kMs});
    }
    if (host_goes_on) test.Op("aten::add", {500 * kMs, 510 * kMs});
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    return AsNumber(analysis->Find("gpu.idle.mean")->value, -1);
  };
  // A count that starts again pauses nowhere but, perhaps, there.
  const auto idle_of_restart = [](const std::vector<int>& numbers) {
    TestProfile test;
    Ns begin = 0;
    for (const int number : numbers) {
      test.Step(number, {begin, begin + 100 * kMs});
      test.Launch("kernel", {begin, begin + 5'000}, {begin + 10'000, begin + 100 * kMs});
      begin += 200 * kMs;
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    return AsNumber(analysis->Find("gpu.idle.mean")->value, -1);
  };
  EXPECT_NEAR(idle_of_restart({100, 101, 102, 103, 104, 105}), 500 / 1100.0, 1e-3);
  EXPECT_NEAR(idle_of_restart({100, 101, 102, 103, 50, 51}), 400 / 1000.0, 1e-3);
  EXPECT_NEAR(idle_of_restart({6, 5, 4, 3, 2, 1}), 500 / 1100.0, 1e-3);
  EXPECT_LT(idle(10, false), 0.02);
  EXPECT_GT(idle_in_fours(), 0.4);
  EXPECT_GT(idle(10, true), 0.6);
}

TEST(Observed, AllOfAnOrdinaryProfile) { EXPECT_TRUE(Unobserved({}).empty()); }

// The work that the first copy waits for was launched before the profile.
// Readers place an event that lost its times at the origin: it is not the first work.
TEST(Observed, AnEventWithoutTimesIsNoFirstWork) {
  for (const bool has_lost : {false, true}) {
    TestProfile test;
    test.Op("aten::mm", {0, 1'000});
    test.Call("cudaFree", ApiKind::kOther, {1'000, 400 * kMs});
    test.Launch("kernel", {401 * kMs, 402 * kMs}, {402 * kMs, 500 * kMs});
    if (has_lost) test.Work("lost", {0, 0}, DeviceKind::kKernel, 0, 9);
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    EXPECT_EQ(AsNumber(analysis->Find("profile.wall_time")->value, -1), 100 * kMs) << has_lost;
  }
}

TEST(Observed, FirstCopyWaitsForUnrecordedWork) {
  const std::vector<Span> found = Unobserved({.first_copy = 40 * kMs});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].start, kMs);
  EXPECT_EQ(found[0].end, 41 * kMs + 100'000);
  Selection later;
  later.start = 1;
  EXPECT_TRUE(Unobserved({.first_copy = 40 * kMs}, later).empty());
}

TEST(Observed, ProfilersStopIsUnobserved) {
  const std::vector<Span> found = Unobserved({.last_silence = 80 * kMs, .silence = 2 * kMs});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].start, 400 * kMs);
  EXPECT_EQ(found[0].end, 480 * kMs);
}

// A stall that no call of the profiler's covers is the program's: a checkpoint, say.
TEST(Observed, ProgramsSilenceCounts) {
  EXPECT_TRUE(Unobserved({.last_silence = 80 * kMs, .stops = false}).empty());
  EXPECT_TRUE(Unobserved({.last_silence = 25 * kMs, .silence = 20 * kMs, .stops = false}).empty());
}

// Whichever of three steps stalls for 80 ms, it counts for as much.
TEST(Observed, StallsCountInTheLastStep) {
  for (int stalled = 0; stalled < 3; ++stalled) {
    TestProfile test;
    Ns at = 0;
    for (int i = 0; i < 3; ++i) {
      const Ns end = at + 10 * kMs + (i == stalled ? 80 * kMs : 0);
      test.Step(i, {at, end});
      test.Launch("k", {at, at + 5'000}, {at + 8'000, at + 9 * kMs});
      at = end;
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis.has_value());
    EXPECT_NEAR(NumberOf(*analysis, "iteration.time.mean"), 110e6 / 3, 1e6) << stalled;
    EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.mean"), 83.0 / 110, 0.01) << stalled;
  }
}

TEST(Observed, EdgesAreNoIdleTime) {
  const double plain = Idle({});
  EXPECT_GT(plain, 0.1);
  EXPECT_NEAR(Idle({.last_silence = 80 * kMs}), plain, 1e-9);
  const auto analysis = Analyze(OneRank(FourSteps({.last_silence = 80 * kMs}).Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_TRUE(std::any_of(analysis->remarks.begin(), analysis->remarks.end(),
                          [](const Remark& remark) { return remark.id == "edges"; }));
  // The row keeps its length; the statistics count its observed part.
  EXPECT_EQ(analysis->FindTable("iterations")->At(3, "duration"), Value(180 * kMs));
  EXPECT_EQ(std::get<std::int64_t>(analysis->Find("iteration.time.max")->value), 100 * kMs);
}

// The breakdown covers the time that the lengths count, and so do the data of a comparison.
TEST(Observed, PartsAddUpToObservedTime) {
  const std::vector<Profile> profiles = OneRank(FourSteps({.last_silence = 80 * kMs}).Finish());
  const auto analysis = Analyze(profiles, {});
  const auto attribution = breakdown::AttributeTime(profiles, {});
  ASSERT_TRUE(analysis.has_value() && attribution.has_value());
  double shares = 0;
  Ns sum = 0, parts = 0;
  for (const Category category : BreakdownCategories()) {
    const std::string id = "breakdown." + std::string(CategoryId(category));
    if (IsAbsent(analysis->Find(id)->value)) continue;
    shares += AsNumber(analysis->Find(id)->value, 0);
    sum += std::get<std::int64_t>(analysis->Find(id + ".time")->value);
  }
  for (const breakdown::TimePart& part : attribution->parts) parts += part.time;
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_EQ(sum, 400 * kMs);
  EXPECT_EQ(parts, 400 * kMs);
}

}  // namespace
}  // namespace profgauge::analysis
