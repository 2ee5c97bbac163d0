// Lost data of a profile, and impossible times, shown on a handful of rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "built_rows.h"
#include "model/lost_launches.h"
#include "model/profile_builder.h"

namespace profgauge {
namespace {

using ::testing::ElementsAre;

TEST(ProfileBuilder, MuchMissingWorkIsLost) {
  for (const int lost : {2, 4, 30}) {
    ProfileBuilder builder;
    const auto main = builder.AddThread("1", "10");
    for (int i = 0; i < 100; ++i) {
      builder.AddApi(Launch(builder, i * 100, 10, main, i));
      if (i >= lost) builder.AddDevice(Kernel(builder, i * 100 + 20, i));
    }
    const Profile profile = *builder.Finish();
    EXPECT_EQ(profile.log[Counter::launches_without_device_event], static_cast<std::size_t>(lost));
    EXPECT_EQ(profile.log.HasDataLoss(), lost == 30);
  }
}

// A kernel that does not name its launch ran all the same, and makes up for no lost one.
TEST(ProfileBuilder, UnlaunchedKernelsAreNoLoss) {
  for (const bool is_lossy : {false, true}) {
    ProfileBuilder builder;
    const auto main = builder.AddThread("1", "10");
    for (int i = 0; i < 100; ++i) {
      builder.AddApi(Launch(builder, i * 100, 10, main, i));
      if (is_lossy && i % 10 == 5) continue;
      builder.AddDevice(Kernel(builder, i * 100 + 20, i % 3 == 0 ? -1 : i));
    }
    const Profile profile = *builder.Finish();
    EXPECT_EQ(profile.log[Counter::kernels_without_launch], is_lossy ? 31u : 34u);
    EXPECT_EQ(profile.log[Counter::launches_without_device_event], is_lossy ? 10u : 0u);
    EXPECT_EQ(profile.log[Counter::events_dropped], is_lossy ? 10u : 0u);
  }
}

// Both were recorded: the driver's call is no separate launch that lost its work.
TEST(ProfileBuilder, NestedDriverCallIsOneLaunch) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  for (int i = 0; i < 100; ++i) {
    builder.AddApi(Launch(builder, i * 100, 10, main, 1000 + i));
    builder.AddApi(Launch(builder, i * 100 + 2, 5, main, i));
    builder.AddDevice(Kernel(builder, i * 100 + 20, i));
  }
  const Profile profile = *builder.Finish();
  EXPECT_EQ(profile.log[Counter::launches_without_device_event], 0u);
  EXPECT_FALSE(profile.log.HasDataLoss());
}

// One call: its row in the profile is that of its number here.
struct Call {
  const char* name;
  Ns start, duration;
  int thread = 0;  // In process 1; thread 2 is of another one.
};

// Which of the launches were captured, as "x" and "-".
std::string CapturedOf(const std::vector<Call>& calls) {
  ProfileBuilder builder;
  const ThreadId threads[] = {builder.AddThread("1", "10"), builder.AddThread("1", "11"),
                              builder.AddThread("2", "20")};
  for (const Call& call : calls) {
    ApiRow row = Launch(builder, call.start, call.duration, threads[call.thread], -1);
    row.name = builder.Intern(call.name);
    if (row.name != builder.Intern("launch")) row.kind = ApiKind::kOther;
    builder.AddApi(row);
  }
  const Profile profile = *builder.Finish();
  const GraphCaptures captures(profile);
  std::string found;
  std::map<Ns, char> by_start;
  for (std::uint32_t row = 0; row < profile.api.size(); ++row) {
    if (profile.api.kind[row] != ApiKind::kLaunch) continue;
    by_start[profile.api.start[row]] = captures.Has(ApiId{row}) ? 'x' : '-';
  }
  for (const auto& [start, mark] : by_start) found += mark;
  return found;
}

TEST(GraphCaptures, ReachFromBeginToEndOfTheirProcess) {
  const char *begin = "cudaStreamBeginCapture", *end = "cudaStreamEndCapture_v10000";
  EXPECT_EQ(CapturedOf({{"launch", 0, 1},
                        {begin, 10, 5},
                        {"launch", 20, 1},
                        {"launch", 25, 1, 1},  // A backward pass has its own thread.
                        {"launch", 27, 1, 2},  // Another process runs its work.
                        {end, 30, 5},
                        {"launch", 40, 1}}),
            "-xx--");
  // Of two captures at once the end of one does not end the other.
  EXPECT_EQ(CapturedOf({{begin, 0, 1},
                        {begin, 10, 1, 1},
                        {end, 20, 1},
                        {"launch", 30, 1, 1},
                        {end, 40, 1, 1},
                        {"launch", 50, 1}}),
            "x-");
  // The driver's calls in the runtime's are the same capture, also where one end lacks them.
  EXPECT_EQ(CapturedOf({{begin, 0, 10},
                        {"cuStreamBeginCapture_v2", 2, 5},
                        {"launch", 20, 1},
                        {end, 30, 10},
                        {"launch", 50, 1}}),
            "x-");
  // One that another thread ends; and both edges of the profile.
  EXPECT_EQ(CapturedOf({{begin, 0, 1}, {"launch", 5, 1}, {end, 10, 1, 1}, {"launch", 20, 1}}),
            "x-");
  EXPECT_EQ(CapturedOf({{"launch", 5, 1}, {end, 10, 1}, {"launch", 20, 1}}), "x-");
  EXPECT_EQ(CapturedOf({{"launch", 5, 1}, {begin, 10, 1}, {"launch", 20, 1}}), "--");
  // An end alone, after a capture that ended, says nothing of the time between.
  EXPECT_EQ(CapturedOf({{begin, 0, 1}, {end, 10, 1}, {"launch", 20, 1}, {end, 30, 1}}), "-");
}

// After the last work that ran, launches were in flight: no launch is lost.
TEST(ProfileBuilder, LaunchesInFlightAreNoLoss) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  for (int i = 0; i < 100; ++i) {
    builder.AddApi(Launch(builder, i * 100, 10, main, i));
    if (i < 60) builder.AddDevice(Kernel(builder, i * 100 + 20, i));
  }
  const Profile profile = *builder.Finish();
  EXPECT_EQ(profile.log[Counter::launches_without_device_event], 40u);
  EXPECT_FALSE(profile.log.HasDataLoss());
}

// Every copy has its row, unless copies were not recorded at all.
TEST(ProfileBuilder, CopyCallsWithoutCopiesShowLoss) {
  struct Row {
    int calls;
    int copies;  ///< That were recorded.
    std::uint64_t counted;
  };
  for (const Row& row : {Row{20, 0, 20}, Row{20, 1, 0}, Row{7, 0, 0}}) {
    ProfileBuilder builder;
    const auto main = builder.AddThread("1", "10");
    for (int i = 0; i < row.calls; ++i) {
      builder.AddApi(Launch(builder, i * 100, 10, main, i));
      builder.AddDevice(Kernel(builder, i * 100 + 20, i));
      ApiRow copy = Launch(builder, i * 100 + 50, 10, main, 1000 + i);
      copy.kind = ApiKind::kMemcpy;
      builder.AddApi(copy);
      DeviceRow done = Kernel(builder, i * 100 + 70, 1000 + i);
      done.kind = DeviceKind::kMemcpy;
      if (i < row.copies) builder.AddDevice(done);
    }
    const Profile profile = *builder.Finish();
    EXPECT_EQ(profile.log[Counter::copies_not_recorded], row.counted) << row.calls;
    EXPECT_FALSE(profile.log.HasDataLoss());
  }
}

// Launches that are captured run when the graph does; others do not.
TEST(ProfileBuilder, CaptureExcusesItsLaunches) {
  for (const int captured : {0, 1, 60}) {
    ProfileBuilder builder;
    const auto main = builder.AddThread("1", "10");
    const auto call = [&](std::string_view name, Ns at) {
      ApiRow row = Launch(builder, at, 1, main, -1);
      row.name = builder.Intern(name);
      row.kind = ApiKind::kOther;
      builder.AddApi(row);
    };
    call("cudaStreamBeginCapture", 50);
    call("cuStreamBeginCapture", 52);
    if (captured > 0) call("cudaStreamEndCapture", captured * 100 + 50);
    for (int i = 0; i < 100; ++i) {
      builder.AddApi(Launch(builder, i * 100, 10, main, i));
      if (i == 0 || i > 60) builder.AddDevice(Kernel(builder, i * 100 + 20, i));
    }
    EXPECT_EQ((*builder.Finish()).log.HasDataLoss(), captured < 60) << captured;
  }
}

// This many of a thousand kernels have no length, the others have `length`.
bool KernelsAreLost(int empty, Ns length) {
  ProfileBuilder builder;
  for (int i = 0; i < 1000; ++i) {
    DeviceRow row = Kernel(builder, 10 + i * 10'000, i);
    row.duration = i < empty ? 0 : length;
    builder.AddDevice(row);
  }
  return (*builder.Finish()).log.HasDataLoss();
}

TEST(ProfileBuilder, ZeroLengthKernelsAreUnknown) {
  EXPECT_FALSE(KernelsAreLost(7, 3001));
  EXPECT_FALSE(KernelsAreLost(100, 3001));
  EXPECT_TRUE(KernelsAreLost(101, 3001));
  // Times in whole microseconds round short ones to none.
  EXPECT_FALSE(KernelsAreLost(500, 3000));
  EXPECT_TRUE(KernelsAreLost(501, 3000));
}

// Effects before their causes, beyond the accuracy of converted clocks: the clocks are apart.
TEST(ProfileBuilder, WorkBeforeLaunchShowsClockError) {
  for (const Ns early : {20'000, 100'000}) {
    ProfileBuilder builder;
    const auto main = builder.AddThread("1", "10");
    for (int i = 0; i < 100; ++i) {
      builder.AddApi(Launch(builder, i * 1'000'000, 10, main, i));
      builder.AddDevice(Kernel(builder, i * 1'000'000 + 5'000 - early, i));
    }
    const Profile profile = *builder.Finish();
    EXPECT_EQ(profile.log[Counter::work_before_launch], early > 50'000 ? 100u : 0u);
    EXPECT_EQ(profile.log.HasDataLoss(), early > 50'000);
  }
}

// A run of 240 launches, 1 ms apart, each with a kernel of 0.9 ms that begins 20 us later. `moved`
// of them, from `from` on, begin elsewhere.
Profile WithMoved(int from, int moved, Ns by, bool waits = false) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  for (int i = 0; i < 240; ++i) {
    const Ns at = Ns{1'000'000} * i + Ns{1'000'000'000} * 200'000;
    builder.AddApi(Launch(builder, at, 1'000, main, i));
    DeviceRow row = Kernel(builder, at + 20'000, i);
    row.duration = waits ? 400'000 : 900'000;
    if (i >= from && i < from + moved) row.start += by;
    builder.AddDevice(row);
    if (!waits) continue;
    builder.AddApi({.start = at + 10'000,
                    .duration = 420'000,
                    .name = builder.Intern("cudaDeviceSynchronize"),
                    .kind = ApiKind::kSync,
                    .thread = main,
                    .correlation = 1'000 + i});
  }
  return *builder.Finish();
}

TEST(ImpossibleTimes, AreSetAsideAndTold) {
  constexpr Ns kMs = 1'000'000, kFar = 100'000'000 * kMs;
  struct Case {
    int from, moved;
    Ns by;
    bool waits;
    std::string_view why;
  };
  for (const Case& of :
       {Case{0, 10, -kFar, false, "before its launch"}, Case{100, 8, kFar, false, "after"},
        Case{239, 1, kFar, false, "27.8 h after its launch, while the device had nothing to do"},
        Case{100, 1, 30 * kMs, false, "after work that was launched later on its stream"},
        Case{50, 5, kMs / 2, true, "after a synchronization that waited for it"}}) {
    const Profile profile = WithMoved(of.from, of.moved, of.by, of.waits);
    EXPECT_EQ(profile.log[Counter::times_impossible], static_cast<std::size_t>(of.moved)) << of.why;
    EXPECT_EQ(profile.device.size(), 240U - static_cast<std::size_t>(of.moved)) << of.why;
    EXPECT_THAT(profile.log.Examples(Counter::times_impossible).front(),
                ::testing::HasSubstr(of.why));
    EXPECT_FALSE(profile.log.HasDataLoss()) << of.why;
    EXPECT_EQ(profile.api.start.front(), 0) << of.why;
    EXPECT_LE(profile.last, 240 * kMs) << of.why;
  }
}

TEST(ImpossibleTimes, ManyLeaveNoVerdict) {
  const Profile late = WithMoved(100, 12, 1'000'000'000'000);
  EXPECT_EQ(late.log[Counter::times_impossible], 12U);
  EXPECT_TRUE(late.log.HasDataLoss());
  // Clocks that differ as a whole: nothing shows which events are right.
  const Profile early = WithMoved(100, 13, -3'000'000);
  EXPECT_EQ(early.log[Counter::work_before_launch], 13U);
  EXPECT_EQ(early.device.size(), 240U);
  EXPECT_TRUE(early.log.HasDataLoss());
}

TEST(ImpossibleTimes, NothingContradictsQueuedWork) {
  for (const Ns by : {Ns{0}, Ns{30'000}}) {
    const Profile profile = WithMoved(0, 240, by);
    EXPECT_EQ(profile.log[Counter::times_impossible], 0U);
    EXPECT_EQ(profile.device.size(), 240U);
  }
}

// Two threads launch on one stream: calls that overlap have no order.
TEST(ImpossibleTimes, OverlappingCallsOfThreadsHaveNoOrder) {
  ProfileBuilder builder;
  const ThreadId threads[] = {builder.AddThread("1", "10"), builder.AddThread("1", "11")};
  for (int i = 0; i < 100; ++i) {
    builder.AddApi(Launch(builder, i / 2 * 2'000'000 + i % 2 * 100, 900'000, threads[i % 2], i));
    builder.AddDevice(Kernel(builder, (i ^ 1) * 1'000'000 + 1'000'000, i));
  }
  const Profile profile = *builder.Finish();
  EXPECT_EQ(profile.log[Counter::times_impossible], 0U);
}

// A hundred kernels of one stream, each of that length, one every 10 us.
ProfileBuilder KernelsEvery10us(Ns length, std::string_view name = "kernel") {
  ProfileBuilder builder;
  for (int i = 0; i < 100; ++i) {
    DeviceRow row = Kernel(builder, i * 10'000, i);
    row.duration = length;
    row.name = builder.Intern(name);
    builder.AddDevice(row);
  }
  return builder;
}

std::uint64_t Overlapping(ProfileBuilder builder) {
  const Profile profile = *builder.Finish();
  EXPECT_EQ(profile.log.HasDataLoss(), profile.log[Counter::work_overlapping] > 0);
  return profile.log[Counter::work_overlapping];
}

TEST(ProfileBuilder, OverlappingKernelsShowWrongTimes) {
  EXPECT_EQ(Overlapping(KernelsEvery10us(10'000)), 0u);
  EXPECT_EQ(Overlapping(KernelsEvery10us(10'900)), 0u);
  EXPECT_EQ(Overlapping(KernelsEvery10us(30'000)), 99u);
  // A few are a glitch.
  ProfileBuilder few;
  for (int i = 0; i < 8; ++i) few.AddDevice(Kernel(few, 5 * i, i));
  EXPECT_EQ(Overlapping(std::move(few)), 0u);
  const Profile profile = *KernelsEvery10us(30'000).Finish();
  EXPECT_THAT(
      profile.log.Examples(Counter::work_overlapping),
      ElementsAre(
          "device 0: kernels that take 3.00\u202Fms lie within 1.02\u202Fms of their streams"));
}

// One kernel that is far too long hides the time of all that lie within it, but not their number.
TEST(ProfileBuilder, KernelsWithinOneShowWrongTimes) {
  for (const int from : {95, 50}) {
    ProfileBuilder builder = KernelsEvery10us(5'000);
    DeviceRow row = Kernel(builder, from * 10'000 + 6'000, 1'000);
    row.duration = Ns{1} << 41;
    builder.AddDevice(row);
    EXPECT_EQ(Overlapping(std::move(builder)) > 0, from == 50) << from;
  }
}

// Numbers of launches meet twice there, and each kernel has a separate call.
TEST(ProfileBuilder, ShiftedCopyInOneFileOverlaps) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  for (int i = 0; i < 200; ++i) {
    const Ns at = i / 2 * 10'000 + i % 2 * 3'000;
    builder.AddApi(Launch(builder, at, 10, main, i / 2));
    DeviceRow row = Kernel(builder, at + 100, i / 2);
    row.duration = 6'000;
    builder.AddDevice(row);
  }
  EXPECT_EQ(Overlapping(std::move(builder)), 100u);
}

TEST(ProfileBuilder, KernelsOfAStreamMayRunTogether) {
  // On streams that the profile does not keep apart.
  ProfileBuilder unknown = KernelsEvery10us(30'000);
  unknown.StreamsMayOverlap();
  EXPECT_EQ(Overlapping(std::move(unknown)), 0u);
  // The branches of a graph, which one call launches.
  ProfileBuilder graph;
  for (int i = 0; i < 100; ++i) {
    DeviceRow row = Kernel(graph, i / 10 * 10'000, i / 10);
    row.duration = 5'000 + i;
    graph.AddDevice(row);
  }
  EXPECT_EQ(Overlapping(std::move(graph)), 0u);
  // Kernels of two processes.
  ProfileBuilder processes;
  for (int i = 0; i < 100; ++i) {
    const auto thread = processes.AddThread(std::to_string(i % 2), "1");
    processes.AddApi(Launch(processes, i * 10'000, 10, thread, i));
    DeviceRow row = Kernel(processes, i * 10'000 + 100, i);
    row.duration = 19'000;
    processes.AddDevice(row);
  }
  EXPECT_EQ(Overlapping(std::move(processes)), 0u);
}

// Since Hopper a kernel may start ahead of its turn, and ends after the one that it waits for.
TEST(ProfileBuilder, HopperKernelsMayStartEarly) {
  for (const std::int32_t major : {8, 9}) {
    for (const bool nested : {false, true}) {
      ProfileBuilder builder = KernelsEvery10us(nested ? 9'000 : 15'000);
      Gpu gpu;
      gpu.id = 0;
      gpu.compute_major = major;
      builder.AddGpu(gpu);
      for (int i = 0; nested && i < 100; ++i) {
        DeviceRow row = Kernel(builder, i * 10'000 + 1'000, 100 + i);
        row.duration = 7'000;
        builder.AddDevice(row);
      }
      EXPECT_EQ(Overlapping(std::move(builder)) > 0, major < 9 || nested) << major << nested;
    }
  }
}

TEST(ProfileBuilder, KernelsWithoutNamesAreLost) {
  for (const std::string_view name : {"", "(unnamed kernel)", "(unnamed kernel 7)", "kernel"}) {
    const Profile profile = *KernelsEvery10us(1'000, name).Finish();
    EXPECT_EQ(profile.log[Counter::kernels_unnamed], name == "kernel" ? 0u : 100u) << name;
  }
  ProfileBuilder few = KernelsEvery10us(1'000);
  for (int i = 0; i < 10; ++i) {
    DeviceRow row = Kernel(few, i * 10'000 + 5'000, 100 + i);
    row.duration = 1'000;
    row.name = few.Intern("");
    few.AddDevice(row);
  }
  EXPECT_FALSE((*few.Finish()).log.HasDataLoss());
}

// Two processes with as many launches: the loss of one is not compensated by the other.
TEST(ProfileBuilder, LossesAreCountedByProcess) {
  for (const std::string_view lost : {"", "work", "names", "order"}) {
    ProfileBuilder builder;
    const ThreadId threads[] = {builder.AddThread("1", "1"), builder.AddThread("2", "2")};
    for (int i = 0; i < 200; ++i) {
      const bool is_lossy = i % 2 == 1 && i < (lost == "work" ? 50 : lost == "names" ? 24 : 20);
      builder.AddApi({.start = i * 100'000,
                      .duration = 1'000,
                      .name = builder.Intern("cudaLaunchKernel"),
                      .kind = ApiKind::kLaunch,
                      .thread = threads[i % 2],
                      .correlation = i});
      if (is_lossy && lost == "work") continue;
      DeviceRow row = Kernel(builder, i * 100'000 + 5'000, i);
      row.gpu = i % 2;
      row.duration = 1'000;
      if (is_lossy && lost == "names") row.name = builder.Intern("");
      if (is_lossy && lost == "order") row.start -= 70'000;
      builder.AddDevice(row);
    }
    const Profile profile = *builder.Finish();
    EXPECT_EQ(profile.log[Counter::events_dropped], lost == "work" ? 25u : 0u) << lost;
    EXPECT_EQ(profile.log[Counter::kernels_unnamed], lost == "names" ? 12u : 0u) << lost;
    EXPECT_EQ(profile.log[Counter::work_before_launch], lost == "order" ? 10u : 0u) << lost;
  }
}

TEST(ProfileBuilder, CopiesWithoutLengthsAreLost) {
  for (const Ns length : {-1, 0, 1'000}) {
    ProfileBuilder builder = KernelsEvery10us(1'000);
    for (int i = 0; i < 3; ++i) {
      DeviceRow row = Kernel(builder, i * 10'000 + 5'000, 100 + i);
      row.kind = DeviceKind::kMemcpy;
      row.duration = std::max<Ns>(length, 0);
      if (length < 0) builder.log().Add(Counter::events_negative_dur);
      builder.AddDevice(row);
    }
    EXPECT_EQ((*builder.Finish()).log.HasDataLoss(), length < 0) << length;
  }
}

TEST(ProfileBuilder, EventsWithoutTimesDoNotExtend) {
  ProfileBuilder builder;
  auto lost = Kernel(builder, 0, -1);
  lost.duration = 0;
  builder.AddDevice(lost);
  builder.AddDevice(Kernel(builder, 1'000'000, -1));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->origin_ns, 1'000'000);
  EXPECT_EQ(profile->log[Counter::zero_time_events], 1u);
}

TEST(ProfileBuilder, ManyKernelsWithoutLengthAreLost) {
  const auto lost = [](int unknown, Counter why) {
    ProfileBuilder builder;
    for (int i = 0; i < 1000; ++i) {
      DeviceRow row = Kernel(builder, i * 100, i);
      if (i < unknown) row.duration = 0;
      builder.AddDevice(row);
    }
    builder.log().Add(why, static_cast<std::uint64_t>(unknown));
    const auto profile = builder.Finish();
    return profile ? (*profile).log[Counter::rows_unusable] : 99;
  };
  EXPECT_EQ(lost(11, Counter::events_negative_dur), 1u);
  EXPECT_EQ(lost(11, Counter::events_missing_dur), 1u);
  EXPECT_EQ(lost(11, Counter::events_overflowed_dur), 1u);
  EXPECT_EQ(lost(10, Counter::events_negative_dur), 0u);
  EXPECT_EQ(lost(100, Counter::events_clipped), 0u);  // Clocks of microseconds have such.
}

// A length is wrong that holds eight later events of its stream, not that of kernels which ran
// together.
TEST(ProfileBuilder, ClipsOnlySerialStreams) {
  for (const bool clip : {false, true}) {
    for (const int later : {1, 7, 8}) {
      ProfileBuilder builder;
      DeviceRow around = Kernel(builder, 100, -1);
      around.duration = 1'000;
      builder.AddDevice(around);
      for (int i = 0; i < later; ++i) builder.AddDevice(Kernel(builder, 104 + 20 * i, -1));
      if (clip) builder.ClipStreamOverlaps();
      const auto profile = builder.Finish();
      ASSERT_TRUE(profile);
      const bool is_clipped = clip && later == 8;
      EXPECT_EQ(profile->device.duration[0], is_clipped ? 4 : 1'000);
      EXPECT_EQ(profile->log[Counter::events_clipped], is_clipped ? 1u : 0u);
    }
  }
}

// A duration that overflowed is over all kernels that follow, and says nothing of these.
TEST(ProfileBuilder, FewOverflowsAreOnlyClipped) {
  ProfileBuilder builder = KernelsEvery10us(5'000);
  DeviceRow row = Kernel(builder, 206'000, 1'000);
  row.duration = Ns{1} << 41;
  builder.AddDevice(row);
  builder.ClipStreamOverlaps();
  const Profile profile = *builder.Finish();
  EXPECT_EQ(profile.log[Counter::events_clipped], 1u);
  EXPECT_EQ(profile.log[Counter::work_overlapping], 0u);
}

// Overlaps of times in another unit are reported; AMD's kernels start ahead of no other.
TEST(ProfileBuilder, MuchClippingMakesTimesUncertain) {
  for (const Ns length : {10'500, 30'000}) {
    ProfileBuilder builder = KernelsEvery10us(length);
    Gpu gpu;
    gpu.id = 0;
    gpu.name = "AMD Instinct MI300X";
    gpu.compute_major = 9;
    builder.AddGpu(gpu);
    builder.ClipStreamOverlaps();
    const Profile profile = *builder.Finish();
    EXPECT_EQ(profile.device.duration[0], length);
    EXPECT_EQ(profile.log[Counter::events_clipped], 0u);
    EXPECT_EQ(profile.log[Counter::work_overlapping], length == 30'000 ? 99u : 0u);
  }
}

}  // namespace
}  // namespace profgauge
