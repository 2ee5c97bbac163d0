// The timeline's events of a profile, and their form.
#include "report/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/profile_builder.h"
#include "report/timeline_budget.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {
namespace {

// `ops` operators of 1 to 100 ns on a thread, one each microsecond, and `kernels` kernels.
Profile MakeProfile(int ops, int kernels, std::int64_t streams = 1) {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  for (int i = 0; i < ops; ++i) {
    HostRow row;
    row.start = i * 1000;
    row.duration = 1 + i % 100;
    row.name = builder.Intern("op");
    row.thread = thread;
    builder.AddHost(row);
  }
  for (int i = 0; i < kernels; ++i) {
    DeviceRow row;
    row.start = i * 1000;
    row.duration = 500;
    row.name = builder.Intern("kernel");
    row.gpu = 0;
    row.stream = i % streams;
    builder.AddDevice(row);
  }
  auto profile = builder.Finish();
  EXPECT_TRUE(profile);
  return *std::move(profile);
}

std::size_t HostEvents(const Timeline& timeline, Span span) {
  std::size_t count = 0;
  for (const auto& lane : timeline.lanes) {
    if (timeline.tracks[lane.track].type != TrackType::kThread) continue;
    for (std::uint32_t i = lane.begin; i < lane.end; ++i) {
      if (timeline.start[i] >= span.start && timeline.start[i] < span.end) ++count;
    }
  }
  return count;
}

Finding FindingAt(Ns start, Ns length) {
  Finding finding;
  finding.evidence_heads = {"Start", "Length"};
  finding.evidence = {{std::int64_t{start}, std::int64_t{length}}};
  return finding;
}

TEST(CutTimeline, KeepsDevicesThenLongestHostEvents) {
  const Profile profile = MakeProfile(1000, 200);
  const TimelineCut all = CutTimeline(profile, 1200, {});
  EXPECT_EQ(all.host_lost + all.device_lost, 0u);
  const TimelineCut cut = CutTimeline(profile, 700, {});
  EXPECT_EQ(cut.device_lost, 0u);
  EXPECT_EQ(cut.host_lost, 510u);  // ties go together
  EXPECT_EQ(cut.host, 52);
  EXPECT_EQ(LeftOutText({cut}), "510 host events shorter than 52\u202fns");
}

// Against a list sorted by duration: lengths of all magnitudes, many alike.
TEST(CutTimeline, IsThatOfASortedList) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    ProfileBuilder builder;
    const ThreadId thread = builder.AddThread("1", "1");
    std::vector<Ns> lengths;
    const int events = static_cast<int>(random() % 300);
    for (int i = 0; i < events; ++i) {
      HostRow row;
      row.start = i;
      row.duration = static_cast<Ns>(random() >> (random() % 2 == 0 ? 24 + random() % 40 : 60));
      row.name = builder.Intern("op");
      row.thread = thread;
      builder.AddHost(row);
      lengths.push_back(row.duration);
    }
    const auto profile = builder.Finish();
    ASSERT_TRUE(profile);
    const std::size_t budget = random() % 320;
    const TimelineCut cut = CutTimeline(*profile, budget, {});
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    const Ns least = lengths.size() <= budget ? 0
                     : budget == 0            ? lengths.front() + 1
                                              : lengths[budget - 1] + 1;
    EXPECT_EQ(cut.host, least);
    EXPECT_EQ(cut.host_lost,
              static_cast<std::size_t>(std::count_if(
                  lengths.begin(), lengths.end(), [least](Ns length) { return length < least; })));
  }
}

// An inner event comes after its container, whichever table each is of.
TEST(TimelineTracks, SortsEventsOfAnyOrder) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<TimelineEvent> events(random() % 40);
    for (TimelineEvent& event : events) {
      event.start = static_cast<Ns>(random() % 20);
      event.duration = static_cast<Ns>(random() % 20);
      event.kind = static_cast<std::uint32_t>(&event - events.data());
    }
    const auto before = [](const TimelineEvent& a, const TimelineEvent& b) {
      return a.start != b.start ? a.start < b.start : a.duration > b.duration;
    };
    // One table in order, two after each other, or none.
    const std::size_t half = round % 3 == 0 ? 0 : events.size() / 2;
    if (round % 3 != 2) {
      std::stable_sort(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(half), before);
      std::stable_sort(events.begin() + static_cast<std::ptrdiff_t>(half), events.end(), before);
    }
    std::vector<TimelineEvent> sorted = events;
    std::stable_sort(sorted.begin(), sorted.end(), before);
    Timeline timeline;
    TimelineTracks tracks(timeline);
    tracks.StartRank(0);
    tracks.Add({}, events);
    ASSERT_EQ(timeline.start.size(), events.size());
    // A lane keeps the order of the track.
    std::vector<std::size_t> place(events.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) place[sorted[i].kind] = i;
    for (const Timeline::Lane& lane : timeline.lanes) {
      for (std::uint32_t i = lane.begin + 1; i < lane.end; ++i) {
        EXPECT_LT(place[timeline.kind[i - 1]], place[timeline.kind[i]]);
      }
    }
  }
}

TEST(CutTimeline, KeepsAreasAroundFindingsWhole) {
  const Profile profile = MakeProfile(1000, 200);
  const TimelineCut cut = CutTimeline(profile, 700, {{100'000, 200'000}, {0, 1'000'000}});
  ASSERT_EQ(cut.around.size(), 1u) << "the second one is too large";
  EXPECT_TRUE(cut.KeepsHost(150'000, 1));
  EXPECT_FALSE(cut.KeepsHost(250'000, 1));
  const TimelineCut full = CutTimeline(profile, 1200, {{100'000, 200'000}});
  EXPECT_TRUE(full.around.empty()) << "nothing has to go";
}

TEST(BuildTimeline, KeepsHostEventsAroundFindings) {
  const Profile profile = MakeProfile(1000, 200);
  Report report;
  report.findings = {FindingAt(100'000, 100'000)};
  TimelineOptions options;
  options.budget = 500;
  const Timeline timeline = BuildTimeline({&profile, 1}, report, options);
  EXPECT_LE(timeline.start.size(), 500u);
  EXPECT_EQ(HostEvents(timeline, {100'000, 200'000}), 100u);
  EXPECT_LT(HostEvents(timeline, {200'000, 300'000}), 50u);
  EXPECT_NE(timeline.left_out.find(" (kept near findings)"), std::string::npos);
  EXPECT_TRUE(timeline.is_cut);
}

analysis::simulation::PathMove PartAt(Span time, PathKind kind,
                                      analysis::simulation::PathOwner in) {
  return {time, kind, false, "a step", "aten::mm", in};
}

TEST(BuildTimeline, CriticalPathIsALinkedTrack) {
  const Profile profile = MakeProfile(10, 10);
  TimelineOptions options;
  analysis::simulation::PathMoves moves;
  moves.kept = {
      PartAt({0, 100}, PathKind::kHost, {analysis::simulation::PathTable::kHost, true, 0}),
      PartAt(
          {100, 1000}, PathKind::kUnknown,
          {analysis::simulation::PathTable::kHost, false, analysis::simulation::PathGraph::kNone}),
      PartAt({1000, 1500}, PathKind::kKernel, {analysis::simulation::PathTable::kDevice, true, 1})};
  options.paths = {{&profile, moves}};
  const Timeline timeline = BuildTimeline({&profile, 1}, {}, options);
  ASSERT_EQ(timeline.tracks.front().type, TrackType::kPath);
  ASSERT_EQ(timeline.link.size(), timeline.start.size());
  const auto& lane = timeline.lanes.front();
  ASSERT_EQ(lane.end - lane.begin, 3u);
  const auto in = [&](std::size_t step) { return timeline.link[lane.begin + step]; };
  EXPECT_EQ(timeline.kinds[timeline.kind[in(0)]].name, "op");
  EXPECT_EQ(timeline.start[in(0)], 0);
  EXPECT_EQ(in(1), Timeline::kNoLink);
  EXPECT_EQ(timeline.kinds[timeline.kind[in(2)]].name, "kernel");
  EXPECT_EQ(timeline.start[in(2)], 1000);
  const Timeline::Kind& kind = timeline.kinds[timeline.kind[lane.begin + 2]];
  EXPECT_EQ(kind.name, "a step");
  EXPECT_EQ(kind.detail, std::string(InfoOf(PathKind::kKernel).title) + " of aten::mm");
  EXPECT_EQ(kind.category, Category::kOtherKernel);
  const Timeline without = BuildTimeline({&profile, 1}, {}, {});
  EXPECT_EQ(without.start.size() + 3, timeline.start.size());
}

TEST(BuildTimeline, CountsOmittedStepsOfLongPaths) {
  const Profile profile = MakeProfile(1, 1);
  TimelineOptions options;
  analysis::simulation::PathMoves moves;
  moves.kept = {PartAt(
      {0, 100}, PathKind::kHost,
      {analysis::simulation::PathTable::kHost, false, analysis::simulation::PathGraph::kNone})};
  moves.left_out = 20'000;
  options.paths = {{&profile, moves}};
  const Timeline timeline = BuildTimeline({&profile, 1}, {}, options);
  EXPECT_EQ(timeline.lanes.front().end, 1u);
  EXPECT_EQ(timeline.left_out, "the 20\u202f000 shortest segments of the critical path");
  EXPECT_FALSE(timeline.is_cut);  // All events are there.
}

TEST(BuildTimeline, ManyStreamsShareASection) {
  const Profile profile = MakeProfile(1, 400, 40);
  const Timeline timeline = BuildTimeline({&profile, 1}, {}, {});
  std::size_t alone = 0, together = 0;
  for (const auto& track : timeline.tracks) {
    if (track.type != TrackType::kStream) continue;
    track.section.empty() ? ++alone : ++together;
    if (!track.section.empty()) {
      EXPECT_EQ(track.section, "28 more streams");
    }
  }
  EXPECT_EQ(alone, kBusiestTracks);
  EXPECT_EQ(together, 28u);
}

// Like the breakdown: its parts have their colors, all else is an annotation.
TEST(BuildTimeline, HostRangesHaveBreakdownCategories) {
  struct Row {
    HostKind kind;
    std::string_view name;
    Category expected;
  };
  constexpr Row kRows[] = {
      {HostKind::kAnnotation, "gloo:all_reduce", Category::kCommunication},
      {HostKind::kOp, "aten::mm", Category::kCpu},
      {HostKind::kPython, "forward", Category::kCpu},
      {HostKind::kAnnotation, "enumerate(DataLoader)#_Iter.__next__", Category::kDataLoader},
      {HostKind::kAnnotation, "nccl:all_reduce", Category::kAnnotation},
      {HostKind::kIterationMarker, "ProfilerStep#1", Category::kAnnotation},
  };
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  Ns at = 0;
  for (const Row& row : kRows) {
    HostRow range;
    range.start = at += 100;
    range.duration = 50;
    range.name = builder.Intern(row.name);
    range.kind = row.kind;
    range.thread = thread;
    builder.AddHost(range);
  }
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  const Timeline timeline = BuildTimeline(std::span(&*profile, 1), Report{}, {});
  ASSERT_EQ(timeline.kinds.size(), std::size(kRows));
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    EXPECT_EQ(timeline.kinds[i].name, kRows[i].name);
    EXPECT_EQ(timeline.kinds[i].category, kRows[i].expected) << kRows[i].name;
  }
}

// NVTX attributes belong to operators and ranges alike; in other profiles their place has
// are arguments, which no detail repeats.
TEST(BuildTimeline, OperatorsShowAttachedData) {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  Ns at = 0;
  for (const std::string_view attached : {"color #76b900", "color #ff0000", "[\"\", \"3\"]"}) {
    HostRow op;
    op.start = at += 100;
    op.duration = 50;
    op.name = builder.Intern("conv");
    op.kind = HostKind::kOp;
    op.thread = thread;
    op.input_shapes = builder.Intern("[[1, 2]]");
    op.concrete_inputs = builder.Intern(attached);
    builder.AddHost(op);
  }
  const auto profile = builder.Finish();
  ASSERT_TRUE(profile);
  const Timeline timeline = BuildTimeline(std::span(&*profile, 1), Report{}, {});
  ASSERT_EQ(timeline.kinds.size(), 3u);
  EXPECT_EQ(timeline.kinds[0].detail, "[[1, 2]], color #76b900");
  EXPECT_EQ(timeline.kinds[1].detail, "[[1, 2]], color #ff0000");
  EXPECT_EQ(timeline.kinds[2].detail, "[[1, 2]]");
}

TEST(BusiestTracks, KeepTheirOrder) {
  EXPECT_EQ(BusiestTracks({1, 2}), (std::vector<bool>{true, true}));
  std::vector<Ns> busy(20, 1);
  busy[19] = 5;
  const std::vector<bool> chosen = BusiestTracks(busy);
  EXPECT_TRUE(chosen[19]);
  EXPECT_EQ(std::count(chosen.begin(), chosen.end(), true), static_cast<long>(kBusiestTracks));
}

// A core that nothing of the program ran on has a row too, where the host's cores are known.
TEST(BuildTimeline, IdleCoresHaveRows) {
  const auto rows = [](const char* cores) {
    ProfileBuilder builder;
    const ThreadId thread = builder.AddThread("1", "1");
    if (*cores != '\0') builder.AddFact("cpu_cores", cores);
    builder.AddCpuSpan({100, 50, thread, 2, builder.Intern("main")});
    DeviceRow kernel;
    kernel.duration = 500;
    kernel.name = builder.Intern("kernel");
    kernel.gpu = 0;
    builder.AddDevice(kernel);
    std::vector<Profile> ranks;
    ranks.push_back(*builder.Finish());
    const Timeline timeline = BuildTimeline(ranks, {}, {});
    std::string told;
    for (const auto& lane : timeline.lanes) {
      const auto& track = timeline.tracks[lane.track];
      if (track.type == TrackType::kCore)
        told += track.name + ": " + std::to_string(lane.end - lane.begin) + "; ";
    }
    return told;
  };
  EXPECT_EQ(rows(""), "core 2: 1; ");
  EXPECT_EQ(rows("4"), "core 0: 0; core 1: 0; core 2: 1; core 3: 0; ");
  EXPECT_EQ(rows("4000"), "core 2: 1; ");
}

// A sample has no length; its innermost function names it, the whole stack is its detail.
TEST(BuildTimeline, SampledStacksAreMomentsOfTheirThread) {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "7");
  builder.AddCpuSample({300, thread, builder.Intern("main\ntrain\nforward")});
  builder.AddCpuSample({100, thread, builder.Intern("main\ntrain")});
  DeviceRow kernel;
  kernel.duration = 500;
  kernel.name = builder.Intern("kernel");
  kernel.gpu = 0;
  builder.AddDevice(kernel);
  std::vector<Profile> ranks;
  ranks.push_back(*builder.Finish());
  const Timeline timeline = BuildTimeline(ranks, {}, {});
  std::vector<std::string> told;
  for (const auto& lane : timeline.lanes) {
    if (timeline.tracks[lane.track].type != TrackType::kSample) continue;
    EXPECT_EQ(timeline.tracks[lane.track].group, "Sampled call stacks");
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const auto& kind = timeline.kinds[timeline.kind[i]];
      EXPECT_EQ(timeline.duration[i], 0);
      told.push_back(kind.name + ": " + kind.detail);
    }
  }
  EXPECT_EQ(told,
            (std::vector<std::string>{"train: main › train", "forward: main › train › forward"}));
}

}  // namespace
}  // namespace profgauge::report
