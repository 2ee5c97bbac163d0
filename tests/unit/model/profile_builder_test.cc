// Sorting and linking, shown on a handful of rows.
#include "model/profile_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace profgauge {
namespace {

using ::testing::ElementsAre;

constexpr HostId kNoHost{};

HostRow Op(ProfileBuilder& builder, std::string_view name, Ns start, Ns duration, ThreadId thread,
           std::int64_t id = -1) {
  HostRow row;
  row.start = start;
  row.duration = duration;
  row.name = builder.Intern(name);
  row.thread = thread;
  row.id = id;
  return row;
}

ApiRow Launch(ProfileBuilder& builder, Ns start, Ns duration, ThreadId thread,
              std::int64_t correlation, std::int64_t op_id = -1) {
  ApiRow row;
  row.start = start;
  row.duration = duration;
  row.name = builder.Intern("cudaLaunchKernel");
  row.kind = ApiKind::kLaunch;
  row.thread = thread;
  row.correlation = correlation;
  row.op_id = op_id;
  return row;
}

DeviceRow Kernel(ProfileBuilder& builder, Ns start, std::int64_t correlation) {
  DeviceRow row;
  row.start = start;
  row.duration = 10;
  row.name = builder.Intern("kernel");
  row.gpu = 0;
  row.stream = 7;
  row.correlation = correlation;
  return row;
}

std::vector<std::string_view> OpsOf(const Profile& profile) {
  std::vector<std::string_view> names;
  for (const auto op : profile.device.op) {
    names.push_back(op.valid() ? profile.Name(profile.host.name[op.value]) : "-");
  }
  return names;
}

TEST(ProfileBuilder, SortsByThreadStartAndLongestFirstAndFindsParents) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  const auto other = builder.AddThread("1", "11");
  builder.AddHost(Op(builder, "inner", 2'000, 100, main));
  builder.AddHost(Op(builder, "elsewhere", 1'500, 900, other));
  builder.AddHost(Op(builder, "outer", 2'000, 500, main));
  builder.AddHost(Op(builder, "next", 2'500, 5, main));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->host.start, ElementsAre(500, 500, 1'000, 0));
  EXPECT_THAT(profile->host.parent, ElementsAre(kNoHost, HostId{0}, kNoHost, kNoHost));
  EXPECT_EQ(profile->origin_ns, 1'500);
  EXPECT_EQ(profile->last, 1'005);
}

TEST(ProfileBuilder, WhatStandsInAFileTwiceCountsOnce) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  for (int copy = 0; copy < 2; ++copy) {
    // Two ranges that begin and end together: their copies stand behind both.
    builder.AddHost(Op(builder, "outer", 0, 300, thread, 1));
    builder.AddHost(Op(builder, "inner", 0, 300, thread, 2));
    for (int i = 0; i < 3; ++i) {
      builder.AddApi(Launch(builder, i * 100, 10, thread, i + 1, 2));
      builder.AddDevice(Kernel(builder, i * 100 + 50, i + 1));
    }
  }
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->device.start, ElementsAre(50, 150, 250));
  EXPECT_THAT(profile->device.launch, ElementsAre(ApiId{0}, ApiId{1}, ApiId{2}));
  EXPECT_THAT(profile->api.start, ElementsAre(0, 100, 200));
  EXPECT_THAT(profile->host.parent, ElementsAre(kNoHost, HostId{0}));
  EXPECT_THAT(profile->facts, ElementsAre(std::pair<std::string, std::string>(
                                  "events recorded twice", "3 of the device; each counts once")));
}

// Kernels of one graph launch share its correlation and, where clocks are coarse, their times.
TEST(ProfileBuilder, WhatOnlyLooksAlikeIsNotDoubled) {
  ProfileBuilder builder;
  builder.AddDevice(Kernel(builder, 50, 1));
  builder.AddDevice(Kernel(builder, 60, 1));
  builder.AddDevice(Kernel(builder, 50, 2));
  DeviceRow other = Kernel(builder, 50, 1);
  other.stream = 8;
  builder.AddDevice(other);
  for (int i = 0; i < 2; ++i) {
    DeviceRow nothing = Kernel(builder, 90, 3);
    nothing.duration = 0;
    builder.AddDevice(nothing);
    builder.AddDevice(Kernel(builder, 95, -1));
  }
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->device.size(), 8U);
  EXPECT_TRUE(profile->facts.empty());
}

TEST(ProfileBuilder, RangesThatOverlapWithoutNestingAreCounted) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "a", 0, 100, thread));
  builder.AddHost(Op(builder, "b", 50, 100, thread));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->host.parent, ElementsAre(kNoHost, HostId{0}));
  EXPECT_EQ(profile->log[Counter::ranges_overlapping], 1u);
}

TEST(ProfileBuilder, LinksAKernelToTheInnermostOpAroundItsLaunch) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "outer", 0, 100'000, thread));
  builder.AddHost(Op(builder, "inner", 10'000, 20'000, thread));
  builder.AddApi(Launch(builder, 12'000, 3'000, thread, 1));
  builder.AddApi(Launch(builder, 50'000, 3'000, thread, 2));
  builder.AddApi(Launch(builder, 200'000, 3'000, thread, 3));
  for (int i = 1; i <= 4; ++i) builder.AddDevice(Kernel(builder, 300'000 + i * 100, i));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(OpsOf(*profile), ElementsAre("inner", "outer", "-", "-"));
  EXPECT_EQ(profile->log[Counter::kernels_without_op], 1u);
  EXPECT_EQ(profile->log[Counter::kernels_without_launch], 1u);
}

// In traces with whole microseconds neighbours touch; only the id tells which of them launched.
std::vector<std::int64_t> LaunchStarts(const Profile& profile) {
  std::vector<std::int64_t> starts;
  for (const ApiId call : profile.device.launch) {
    starts.push_back(call.valid() ? profile.api.start[call.value] : -1);
  }
  return starts;
}

TEST(ProfileBuilder, CorrelationIdsThatComeAgainAreTakenInOrder) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  for (const Ns start : {0, 100, 200}) {
    builder.AddApi(Launch(builder, start, 10, main, 7));
    builder.AddApi(Launch(builder, start + 2, 5, main, 7));  // The driver's call inside.
  }
  // The second starts when the third call is made already.
  for (const Ns start : {20, 210, 300}) builder.AddDevice(Kernel(builder, start, 7));
  EXPECT_EQ(LaunchStarts(*builder.Finish()), (std::vector<std::int64_t>{0, 100, 200}));
}

TEST(ProfileBuilder, OfCallsWithOneIdTheLastBeforeTheWorkLaunchedIt) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "10");
  for (const Ns start : {100, 200, 300}) builder.AddApi(Launch(builder, start, 10, main, 7));
  for (const Ns start : {50, 220}) builder.AddDevice(Kernel(builder, start, 7));
  EXPECT_EQ(LaunchStarts(*builder.Finish()),
            (std::vector<std::int64_t>{-1, 150}));  // Of 200: counted from the first event.
}

TEST(ProfileBuilder, WorkThatIsMissingInBulkWasLost) {
  for (const int lost : {9, 30}) {
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

// Launches that are captured run when the graph does; others do not.
TEST(ProfileBuilder, ACaptureExcusesWhatIsCaptured) {
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

// Of a thousand kernels so many of no length, the others of `length`.
bool KernelsAreLost(int empty, Ns length) {
  ProfileBuilder builder;
  for (int i = 0; i < 1000; ++i) {
    DeviceRow row = Kernel(builder, 10 + i * 10'000, i);
    row.duration = i < empty ? 0 : length;
    builder.AddDevice(row);
  }
  return (*builder.Finish()).log.HasDataLoss();
}

TEST(ProfileBuilder, KernelsOfNoLengthAtAllAreUnknown) {
  EXPECT_FALSE(KernelsAreLost(7, 3001));
  EXPECT_FALSE(KernelsAreLost(100, 3001));
  EXPECT_TRUE(KernelsAreLost(101, 3001));
  // Times in whole microseconds round short ones to none.
  EXPECT_FALSE(KernelsAreLost(500, 3000));
  EXPECT_TRUE(KernelsAreLost(501, 3000));
}

// Effects before their causes, beyond the accuracy of converted clocks: the clocks are apart.
TEST(ProfileBuilder, WorkBeforeItsLaunchTellsAClockThatIsOff) {
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

TEST(ProfileBuilder, KernelsOfAStreamThatRunAtOnceHaveOtherTimesThanItSays) {
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

// Numbers of launches meet twice there, and each kernel has a call of its own.
TEST(ProfileBuilder, ARecordingAndItsShiftedCopyInOneFileOverlap) {
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

TEST(ProfileBuilder, KernelsOfAStreamMayRunAtOnce) {
  // On streams that the recording does not keep apart.
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
TEST(ProfileBuilder, KernelsMayStartAheadOfTheirTurnOnHopper) {
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

// Two processes with as many launches: what one of them lost is not made up for by the other.
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

TEST(ProfileBuilder, AnIdSettlesTiesBetweenRangesThatTouch) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "outer", 100'000, 100'000, thread, 2));
  builder.AddHost(Op(builder, "inner", 120'000, 70'000, thread, 4));
  builder.AddApi(Launch(builder, 120'000, 0, thread, 1, 2));
  builder.AddApi(Launch(builder, 190'000, 0, thread, 2, 4));
  builder.AddApi(Launch(builder, 190'000, 0, thread, 3));
  for (int i = 1; i <= 3; ++i) builder.AddDevice(Kernel(builder, 300'000 + i * 100, i));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(OpsOf(*profile), ElementsAre("outer", "inner", "outer"));
}

// PyTorch 1.12 to 2.2: ids name ops that did not launch (kineto#843).
TEST(ProfileBuilder, AnIdOfAnOpThatDoesNotContainTheLaunchIsNotTaken) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  const auto other = builder.AddThread("1", "2");
  builder.AddHost(Op(builder, "early", 0, 10'000, thread, 7));
  builder.AddHost(Op(builder, "true", 20'000, 10'000, thread, 8));
  builder.AddHost(Op(builder, "elsewhere", 20'000, 10'000, other, 9));
  builder.AddApi(Launch(builder, 22'000, 1'000, thread, 1, 7));
  builder.AddApi(Launch(builder, 24'000, 1'000, thread, 2, 9));
  for (int i = 1; i <= 2; ++i) builder.AddDevice(Kernel(builder, 300'000 + i * 100, i));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(OpsOf(*profile), ElementsAre("true", "true"));
  EXPECT_EQ(profile->log[Counter::ids_not_containing_launch], 2u);
}

TEST(ProfileBuilder, AnAnnotationIsARangeOfTheCallButNotAnOpOfTheKernel) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "op", 0, 100'000, thread));
  auto note = Op(builder, "note", 10'000, 50'000, thread);
  note.kind = HostKind::kAnnotation;
  builder.AddHost(note);
  builder.AddApi(Launch(builder, 20'000, 1'000, thread, 1));
  builder.AddDevice(Kernel(builder, 300'000, 1));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->api.op[0], HostId{1});
  EXPECT_THAT(OpsOf(*profile), ElementsAre("op"));
}

TEST(ProfileBuilder, BackwardFollowsArrowsThenSequenceNumbers) {
  ProfileBuilder builder;
  const auto main = builder.AddThread("1", "1");
  const auto back = builder.AddThread("1", "2");
  auto wrapper = Op(builder, "aten::linear", 0, 100, main);
  auto forward = Op(builder, "aten::addmm", 10, 50, main);
  forward.sequence = 5;
  auto arrow_target = Op(builder, "AddmmBackward0", 500, 50, back);
  arrow_target.sequence = 4;  // The arrow wins.
  arrow_target.backward = true;
  auto by_number = Op(builder, "evaluate_function: AddmmBackward0", 600, 50, back);
  by_number.sequence = 5;
  by_number.backward = true;
  for (const auto& row : {wrapper, forward, arrow_target, by_number}) builder.AddHost(row);
  builder.AddFlow({.id = 1, .thread = back, .time = 500, .forward = false});
  builder.AddFlow({.id = 1, .thread = main, .time = 0, .forward = true});
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->host.forward, ElementsAre(kNoHost, kNoHost, HostId{0}, HostId{1}));
}

TEST(ProfileBuilder, MemoryEventsBelongToTheInnermostRange) {
  ProfileBuilder builder;
  const auto thread = builder.AddThread("1", "1");
  builder.AddHost(Op(builder, "outer", 0, 100, thread));
  builder.AddHost(Op(builder, "inner", 20, 10, thread));
  builder.AddMemory({.time = 50, .thread = thread, .bytes = -4});
  builder.AddMemory({.time = 25, .thread = thread, .bytes = 4});
  builder.AddMemory({.time = 500, .thread = thread, .bytes = 4});
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->memory.time, ElementsAre(25, 50, 500));
  EXPECT_THAT(profile->memory.op, ElementsAre(HostId{1}, HostId{0}, kNoHost));
}

TEST(ProfileBuilder, ADeviceEventThatLostItsTimesDoesNotStretchTheProfile) {
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

TEST(ProfileBuilder, KernelsOfUnknownLengthAreLostWhereTheyAreMany) {
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

TEST(ProfileBuilder, ClipsOnlyWhenStreamsAreKnownToBeSerial) {
  for (const bool clip : {false, true}) {
    ProfileBuilder builder;
    builder.AddDevice(Kernel(builder, 100, -1));
    builder.AddDevice(Kernel(builder, 104, -1));
    if (clip) builder.ClipStreamOverlaps();
    const auto profile = builder.Finish();
    ASSERT_TRUE(profile);
    EXPECT_THAT(profile->device.duration, ElementsAre(clip ? 4 : 10, 10));
    EXPECT_EQ(profile->log[Counter::events_clipped], clip ? 1u : 0u);
  }
}

// What is cut from times in another unit is told; AMD's kernels start ahead of no other.
TEST(ProfileBuilder, MuchThatIsClippedLeavesTheTimesInDoubt) {
  for (const Ns length : {10'500, 30'000}) {
    ProfileBuilder builder = KernelsEvery10us(length);
    Gpu gpu;
    gpu.id = 0;
    gpu.name = "AMD Instinct MI300X";
    gpu.compute_major = 9;
    builder.AddGpu(gpu);
    builder.ClipStreamOverlaps();
    const Profile profile = *builder.Finish();
    EXPECT_EQ(profile.device.duration[0], 10'000);
    EXPECT_EQ(profile.log[Counter::events_clipped], 99u);
    EXPECT_EQ(profile.log[Counter::work_overlapping], length == 30'000 ? 99u : 0u);
  }
}

TEST(ProfileBuilder, NamesThreadsAndPoolsLaunches) {
  ProfileBuilder builder;
  builder.NameProcess("12", "python");
  const auto thread = builder.AddThread("12", "34");
  builder.NameThread("12", "34", "main");
  EXPECT_EQ(builder.AddThread("12", "34"), thread);
  LaunchConfig config;
  config.registers = 32;
  EXPECT_EQ(builder.AddLaunchConfig(config), builder.AddLaunchConfig(config));
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->threads[0].process, "pid 12 python");
  EXPECT_EQ(profile->threads[0].name, "main");
  EXPECT_EQ(profile->threads[0].tid, 34);
  EXPECT_EQ(profile->launch_configs.size(), 1u);
}

// PyProf's markers tell a stack and stand around the operator that was called with it.
TEST(ProfileBuilder, OperatorsTakeTheStackOfTheMarkerAround) {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  const auto add = [&](const char* name, HostKind kind, Ns start, Ns duration, const char* stack) {
    HostRow row;
    row.start = start;
    row.duration = duration;
    row.name = builder.Intern(name);
    row.kind = kind;
    row.thread = thread;
    if (stack != nullptr) row.call_stack = builder.Intern(stack);
    builder.AddHost(row);
  };
  add("traceMarker", HostKind::kAnnotation, 0, 100, "train.py(3)");
  add("linear", HostKind::kOp, 10, 80, nullptr);
  add("addmm", HostKind::kOp, 20, 50, nullptr);
  add("relu", HostKind::kOp, 75, 10, "own.py(1)");
  add("alone", HostKind::kOp, 200, 10, nullptr);
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  std::vector<std::string> stacks;
  for (const StringId stack : profile->host.call_stack) stacks.emplace_back(profile->Name(stack));
  EXPECT_EQ(stacks, (std::vector<std::string>{"train.py(3)", "train.py(3)", "train.py(3)",
                                              "own.py(1)", ""}));
}

// ROCm's runtime copies and sets by kernels of its own.
TEST(ProfileBuilder, KernelsOfTheRuntimeThatCopyAreCopies) {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  const auto add = [&](std::string_view call, std::string_view work, Ns at, DeviceKind kind) {
    ApiRow api = Launch(builder, at, 10, thread, at);
    api.name = builder.Intern(call);
    builder.AddApi(api);
    DeviceRow row = Kernel(builder, at + 20, at);
    row.name = builder.Intern(work);
    row.kind = kind;
    builder.AddDevice(row);
  };
  add("hipMemcpyDtoDAsync", "__amd_rocclr_copyBuffer.kd", 100, DeviceKind::kKernel);
  add("hipMemcpyWithStream", "__amd_rocclr_copyBufferAligned", 200, DeviceKind::kKernel);
  add("hipMemsetAsync", "__amd_rocclr_fillBufferAligned.kd", 300, DeviceKind::kKernel);
  add("hipLaunchKernel", "copyBuffer", 400, DeviceKind::kKernel);
  // The recording has the copy of this call as well: its kernel is no second one.
  add("hipMemcpyAsync", "__amd_rocclr_copyBuffer", 500, DeviceKind::kKernel);
  DeviceRow copy = Kernel(builder, 540, 500);
  copy.kind = DeviceKind::kMemcpy;
  copy.copy = CopyKind::kDeviceToDevice;
  builder.AddDevice(copy);
  auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  using enum DeviceKind;
  EXPECT_THAT(profile->device.kind,
              ElementsAre(kMemcpy, kMemcpy, kMemset, kKernel, kKernel, kMemcpy));
  EXPECT_THAT(profile->device.copy,
              ElementsAre(CopyKind::kDeviceToDevice, CopyKind::kUnknown, CopyKind::kNone,
                          CopyKind::kNone, CopyKind::kNone, CopyKind::kDeviceToDevice));
}

}  // namespace
}  // namespace profgauge
