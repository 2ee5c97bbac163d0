#include "analysis/iterations/iterations.h"

#include <algorithm>
#include <random>
#include <span>

#include "analysis/iterations/markers.h"
#include "analysis/ranks/analyze_run.h"
#include "fixture.h"
#include "model/summary/summary.h"

namespace profgauge::analysis {

void PrintTo(const Span& span, std::ostream* out) {
  *out << '[' << span.start << ", " << span.end << ')';
}

namespace {

std::vector<Span> Times(const iterations::Iterations& iterations) {
  std::vector<Span> times;
  for (const iterations::Iteration& iteration : iterations.all) times.push_back(iteration.time);
  return times;
}

iterations::Iterations Find(const Profile& profile, const Selection& selection = {}) {
  auto found = iterations::FindIterations(profile, selection);
  EXPECT_TRUE(found.has_value()) << (found ? "" : found.error().message);
  return found.value_or(iterations::Iterations{});
}

TEST(Iterations, FoundAtEveryMoment) {
  iterations::Iterations iterations;
  Ns start = 1'000;
  for (const Ns length : {1, 1, 500, 1, 0, 20, 300, 7}) {
    iterations::Iteration& iteration = iterations.all.emplace_back();
    iteration.host = iteration.time = {start, start + length};
    start += length + 3;  // Between them is nothing.
  }
  for (Ns at = 990; at < start + 10; ++at) {
    std::uint32_t on_host = iterations::Iterations::kNone, in_time = iterations::Iterations::kNone;
    for (std::uint32_t i = 0; i < iterations.all.size(); ++i) {
      const Span span = iterations.all[i].time;
      if (span.start <= at && at <= span.end) on_host = i;
      if (span.start <= at && at < span.end) in_time = i;
    }
    EXPECT_EQ(iterations.AtHostTime(at), on_host) << at;
    EXPECT_EQ(iterations.AtTime(at), in_time) << at;
  }
}

TEST(Iterations, DeviceWorkPushesNextIteration) {
  TestProfile test;
  test.Step(4, {0, 100});
  test.Step(5, {100, 200});
  test.Launch("a", {10, 20}, {30, 150});
  test.Launch("b", {110, 120}, {150, 260});
  const iterations::Iterations found = Find(test.Finish());
  EXPECT_EQ(Times(found), (std::vector<Span>{{0, 150}, {150, 260}}));
  EXPECT_EQ(found.all[0].name, "4");
  EXPECT_EQ(found.all[1].device_events, 1);
  EXPECT_EQ(found.window, (Span{0, 260}));
  EXPECT_EQ(found.source.Text(), "ProfilerStep#N");
  EXPECT_TRUE(found.everything);
}

// A checkpoint that is copied out on a separate stream while the next iterations compute.
TEST(Iterations, LongWorkExtendsNone) {
  struct Case {
    std::string_view what;
    Ns copied;  // When the copy, which iteration 0 launches, is done.
    std::vector<Span> expected;
  };
  for (const Case& of : {Case{"behind", 290, {{0, 100}, {100, 200}, {200, 300}}},
                         Case{"waited for", 118, {{0, 118}, {118, 200}, {200, 300}}}}) {
    SCOPED_TRACE(of.what);
    TestProfile test;
    for (Ns i = 0; i < 3; ++i) {
      const Ns at = 100 * i;
      test.Step(static_cast<int>(i), {at, at + 100});
      test.Launch("k", {at + 10, at + 20}, {at + 20, at + 60});
      test.Launch("k", {at + 20, at + 30}, {at + 60, at + 95});
    }
    test.Launch("Memcpy DtoH", {30, 40}, {40, of.copied}, {}, DeviceKind::kMemcpy, 0, 9);
    EXPECT_EQ(Times(Find(test.Finish())), of.expected);
  }
}

// Six iterations of 1 ms. Those of `side` start work on a separate stream, which lasts for `length`
// after the iteration. After it, with `awaited`, the iteration in which it ends computes on.
std::vector<Span> TimesBeside(std::string_view work, DeviceKind kind, Ns length,
                              std::vector<Ns> side, bool awaited) {
  TestProfile test;
  Ns held = 0;  // Until when an iteration waits.
  for (Ns i = 0; i < 6; ++i) {
    const Ns at = i * kMs;
    test.Step(static_cast<int>(i), {at, at + kMs});
    test.Launch("k", {at + 10'000, at + 20'000}, {at + 20'000, at + 100'000});
    const Ns begin = held < at + 950'000 ? std::max(at + 100'000, held) : at + 100'000;
    test.Launch("k", {at + 20'000, at + 30'000}, {begin, at + 950'000});
    if (std::find(side.begin(), side.end(), i) == side.end()) continue;
    const Ns end = at + kMs + length;
    test.Launch(work, {at + 30'000, at + 40'000}, {at + 950'000, end}, {}, kind, 0, 9);
    if (awaited) held = end;
  }
  return Times(Find(test.Finish()));
}

TEST(Iterations, ConcurrentWorkExtendsNone) {
  std::vector<Span> whole;
  for (Ns i = 0; i < 6; ++i) whole.push_back({i * kMs, (i + 1) * kMs});
  for (const Ns length : {400'000, 1'500'000}) {
    EXPECT_EQ(TimesBeside("Memcpy DtoH", DeviceKind::kMemcpy, length, {0, 2, 5}, false), whole);
    EXPECT_EQ(TimesBeside("average", DeviceKind::kKernel, length, {0, 2, 5}, false), whole);
    EXPECT_EQ(TimesBeside("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", DeviceKind::kKernel, length,
                          {0, 2, 5}, false),
              whole);
  }
  // The one after the next waits.
  EXPECT_EQ(TimesBeside("average", DeviceKind::kKernel, 1'500'000, {0}, true), whole);
}

TEST(Iterations, ExtendsIterationByAwaitedWork) {
  std::vector<Span> extended;
  for (Ns i = 0; i < 6; ++i) {
    const Ns late = i % 2 == 0 ? 0 : 400'000;
    extended.push_back({i * kMs + late, i * kMs + kMs + (400'000 - late) * (i < 4 ? 1 : 0)});
  }
  extended[4].start = 4 * kMs, extended[5].start = 5 * kMs;
  for (const DeviceKind kind : {DeviceKind::kMemcpy, DeviceKind::kKernel}) {
    EXPECT_EQ(TimesBeside("work", kind, 400'000, {0, 2}, true), extended);
  }
  // Every iteration has it: each ends with its own.
  const auto each = TimesBeside("work", DeviceKind::kKernel, 400'000, {0, 1, 2, 3, 4, 5}, false);
  EXPECT_EQ(each.front(), (Span{0, 1'400'000}));
  EXPECT_EQ(each.back(), (Span{5'400'000, 6'400'000}));
}

// The host runs ahead, and another stream has more kernels: computation is waited for all the same.
TEST(Iterations, KernelsExtendItOnAnyStream) {
  TestProfile test;
  for (Ns i = 0; i < 3; ++i) {
    const Ns at = 10 * i;
    test.Step(static_cast<int>(i), {at, at + 10});
    test.Launch("train", {at + 1, at + 2}, {20 + 100 * i, 120 + 100 * i});
    for (Ns k = 0; k < 4; ++k) {
      test.Launch("resize", {at + 3 + k, at + 4 + k}, {at + 5 + k, at + 6 + k}, {},
                  DeviceKind::kKernel, 0, 9);
    }
  }
  EXPECT_EQ(Times(Find(test.Finish())), (std::vector<Span>{{0, 120}, {120, 220}, {220, 320}}));
}

// The kernel that was launched before the profile ends inside iteration 0, before its own work.
TEST(Iterations, EarlierWorkDelaysTheFirst) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Work("earlier", {0, 15});
  test.Launch("a", {10, 20}, {30, 60});
  EXPECT_EQ(Times(Find(test.Finish())), (std::vector<Span>{{15, 100}}));
}

TEST(Iterations, BorderLaunchBelongsToNone) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Launch("in", {10, 20}, {20, 30});
  test.Launch("across", {90, 110}, {120, 300});
  const iterations::Iterations found = Find(test.Finish());
  EXPECT_EQ(Times(found), (std::vector<Span>{{0, 100}}));
  EXPECT_EQ(found.of_device, (std::vector<std::uint32_t>{0, iterations::Iterations::kNone}));
}

TEST(Iterations, DropsIncompleteTailWithDeviceWork) {
  TestProfile test;
  for (int step = 0; step < 4; ++step) test.Step(step, {step * 100, step * 100 + 100});
  for (int i = 0; i < 10; ++i) {
    test.Launch("k", {i, i + 1}, {20 + i, 21 + i});
    test.Launch("k", {100 + i, 101 + i}, {120 + i, 121 + i});
    if (i < 7) test.Launch("k", {200 + i, 201 + i}, {220 + i, 221 + i});
  }
  const iterations::Iterations found = Find(test.Finish());
  EXPECT_EQ(found.all.size(), 2U);
  EXPECT_EQ(found.dropped_at_end, 2);
  EXPECT_TRUE(found.everything);
}

// A profiler that paused cuts the iterations on both sides of the pause: work that the later part
// finds was launched in none, and delays its first iteration. Where the numbers go on no iteration
// is missing, so that the program itself was silent.
TEST(Iterations, PausesDivideTheRecording) {
  constexpr Ns kMs = 1'000'000;
  for (const bool goes_on : {false, true}) {
    TestProfile test;
    int number = 0;
    for (const Ns part : {Ns{0}, 1000 * kMs}) {
      if (part > 0 && !goes_on) number += 10;
      for (Ns step = 0; step < 4; ++step) {
        const Ns at = part + step * 10 * kMs;
        test.Step(number++, {at, at + 10 * kMs});
        if (step == 0) test.Work("earlier", {at, at + 2 * kMs});
        for (Ns i = 0; i < (step < 3 ? 10 : 4); ++i) {
          const Ns call = at + (2 + i / 4) * kMs + i;
          test.Launch("k", {call, call + 1}, {call + 2, call + 3});
        }
      }
    }
    const iterations::Iterations found = Find(test.Finish());
    EXPECT_EQ(found.all.size(), goes_on ? 8U : 6U);  // The last one ends like the fourth.
    EXPECT_EQ(found.dropped_at_end, goes_on ? 0 : 2);
    if (goes_on) continue;
    EXPECT_EQ(Times(found), (std::vector<Span>{{2 * kMs, 10 * kMs},
                                               {10 * kMs, 20 * kMs},
                                               {20 * kMs, 30 * kMs},
                                               {1002 * kMs, 1010 * kMs},
                                               {1010 * kMs, 1020 * kMs},
                                               {1020 * kMs, 1030 * kMs}}));
  }
}

// A step that hung launches less than others; that it took longer than any shows that nothing cut
// it off. Work after the loop in a marker that was never closed, or in flight, is no iteration.
TEST(Iterations, SlowLastIterationIsWhole) {
  struct Case {
    std::string_view what;
    int launches;
    Ns end;
    bool in_flight;
    std::size_t iterations;
  };
  for (const Case& of :
       {Case{"slow", 7, 800, false, 3}, Case{"as long as others", 7, 310, false, 2},
        Case{"little work", 4, 800, false, 2}, Case{"in flight", 7, 800, true, 2},
        Case{"without an end", 7, 200, false, 2}}) {
    SCOPED_TRACE(of.what);
    TestProfile test;
    test.Step(0, {0, 100});
    test.Step(1, {100, 200});
    test.Step(2, {200, of.end});
    for (int i = 0; i < 10; ++i) {
      test.Launch("k", {i, i + 1}, {20 + i, 21 + i});
      test.Launch("k", {100 + i, 101 + i}, {120 + i, 121 + i});
      if (i < of.launches) test.Launch("k", {200 + i, 201 + i}, {220 + i, 221 + i});
    }
    if (of.in_flight) test.Call("cudaLaunchKernel", ApiKind::kLaunch, {260, 261});
    test.Op("later", {900, 910});
    EXPECT_EQ(Find(test.Finish()).all.size(), of.iterations);
  }
}

// The last of an epoch has fewer micro-batches, and the usual optimizer; one that is cut off has
// none.
TEST(Iterations, ShorterLastIterationIsWhole) {
  for (const bool has_optimizer : {true, false}) {
    TestProfile test;
    for (Ns step = 0; step < 3; ++step) {
      Ns at = 1000 * step;
      test.Step(static_cast<int>(step), {at, at + 1000});
      const auto launch = [&](std::string_view name) {
        test.Launch(name, {at, at + 1}, {at + 2, at + 9});
        at += 10;
      };
      for (int part = 0; part < (step < 2 ? 8 : 2); ++part) {
        for (const auto name : {"gemm", "relu", "gemm", "sum"}) launch(name);
      }
      if (step == 2 && !has_optimizer) break;
      for (const auto name : {"sum", "norm", "adam"}) launch(name);
    }
    test.Op("later", {4000, 4010});
    EXPECT_EQ(Find(test.Finish()).all.size(), has_optimizer ? 3U : 2U);
  }
}

TEST(Iterations, ReportsSeveralProcesses) {
  for (const bool several : {false, true}) {
    TestProfile test;
    const ThreadId other = test.builder().AddThread(several ? "2" : "1", "7");
    for (int i = 0; i < 3; ++i) {
      const Ns at = i * 100;
      test.Step(i, {at, at + 90});
      test.Host(HostKind::kIterationMarker, "ProfilerStep#" + std::to_string(i), {at, at + 60},
                other);
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis);
    const auto& remarks = analysis->remarks;
    EXPECT_EQ(std::any_of(remarks.begin(), remarks.end(),
                          [](const Remark& remark) { return remark.id == "several-processes"; }),
              several);
  }
}

// Workers of a server are threads that launch for themselves; loaders launch nothing.
TEST(Iterations, ReportsLaunchingThreads) {
  for (const bool launches : {false, true}) {
    TestProfile test;
    const ThreadId other = test.Thread(7);
    for (int i = 0; i < 5; ++i) {
      test.Step(i, {i * 100, i * 100 + 90});
      test.Launch("k", {i * 100 + 1, i * 100 + 2}, {i * 100 + 3, i * 100 + 80});
      test.Launch("k", {i * 100 + 5, i * 100 + 6}, {i * 100 + 81, i * 100 + 82});
      test.Host(HostKind::kIterationMarker, "ProfilerStep#" + std::to_string(i),
                {i * 300, i * 300 + 60}, other);
      if (launches)
        test.Launch("k", {i * 300 + 3, i * 300 + 4}, {i * 300 + 5, i * 300 + 50}, other);
    }
    const auto analysis = Analyze(OneRank(test.Finish()), {});
    ASSERT_TRUE(analysis);
    const auto& remarks = analysis->remarks;
    EXPECT_EQ(
        std::any_of(remarks.begin(), remarks.end(),
                    [](const Remark& remark) { return remark.id == iterations::kProcessesApart; }),
        launches);
  }
}

// Ranks of one job keep pace; one that does not is not judged.
TEST(Iterations, SlowProcessMakesRunUndecided) {
  for (const Ns pace : {110, 300}) {
    TestProfile test;
    const ThreadId other = test.builder().AddThread("2", "7");
    for (int i = 0; i < 5; ++i) {
      test.Step(i, {i * 100, i * 100 + 90});
      test.Host(HostKind::kIterationMarker, "ProfilerStep#" + std::to_string(i),
                {i * pace, i * pace + 60}, other);
      test.Launch("k", {i * 100 + 1, i * 100 + 2}, {i * 100 + 3, i * 100 + 80});
    }
    const std::vector<Profile> recorded = OneRank(test.Finish());
    const auto summaries = ranks::SummarizeRanks(recorded, {});
    ASSERT_TRUE(summaries);
    std::vector<Profile> stand_ins;
    stand_ins.push_back(ProfileOfSummary(summaries->front(), "run.pgsum"));
    const auto is_told = [](std::span<const Profile> ranks) {
      const auto analysis = Analyze(ranks, {});
      return analysis &&
             std::any_of(analysis->remarks.begin(), analysis->remarks.end(),
                         [](const Remark& r) { return r.id == iterations::kProcessesApart; });
    };
    EXPECT_EQ(is_told(recorded), pace == 300);
    EXPECT_EQ(is_told(stand_ins), pace == 300);
  }
}

TEST(Iterations, TouchingRangesHaveAllWork) {
  TestProfile test;
  for (Ns at = 0; at < 1000; at += 100) test.Launch("k", {at + 40, at + 60}, {at + 70, at + 90});
  const Profile profile = test.Finish();
  std::int64_t events = 0;
  for (const Span range : {Span{0, 310}, Span{310, 1000}}) {
    Selection part;
    part.range = range;
    events += static_cast<std::int64_t>(Find(profile, part).all.front().device_events);
  }
  EXPECT_EQ(events, 10);
}

// An epoch's marker around ten steps is no iteration; of a doubled marker the outer one counts.
TEST(Iterations, SurroundingMarkerIsNoIteration) {
  TestProfile test;
  test.Step(100, {0, 1000});
  for (int i = 0; i < 3; ++i) {
    const Ns at = i * 300;
    test.Step(i, {at, at + 250});
    test.Step(i, {at + 5, at + 240});
  }
  test.Step(3, {1100, 1300});
  const iterations::Iterations found = Find(test.Finish());
  EXPECT_EQ(Times(found), (std::vector<Span>{{0, 250}, {300, 550}, {600, 850}, {1100, 1300}}));
}

TEST(Iterations, MarksLastToTheNext) {
  TestProfile test;
  for (int i = 0; i < 3; ++i) test.Step(i, {i * 300, i * 300});
  test.Op("aten::mm", {650, 800});
  EXPECT_EQ(Times(Find(test.Finish())), (std::vector<Span>{{0, 300}, {300, 600}, {600, 800}}));
}

TEST(Iterations, CpuOnlyKeepsAll) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Step(1, {100, 200});
  test.Op("aten::add", {10, 20});
  EXPECT_EQ(Times(Find(test.Finish())), (std::vector<Span>{{0, 100}, {100, 200}}));
}

TEST(Iterations, WithoutMarkersOneIteration) {
  TestProfile test;
  test.Host(HostKind::kAnnotation, "an annotation is no activity", {0, 900});
  test.Op("aten::add", {100, 160});
  test.Launch("graph", {300, 310}, {320, 420});
  const iterations::Iterations found = Find(test.Finish());
  EXPECT_EQ(Times(found), (std::vector<Span>{{100, 420}}));
  EXPECT_EQ(found.source.Text(), "whole profile");
}

TEST(Iterations, GpuOnlyUsesDeviceEvents) {
  TestProfile test;
  test.Work("a", {0, 10});
  test.Work("b", {50, 80});
  EXPECT_EQ(Times(Find(test.Finish())), (std::vector<Span>{{0, 80}}));
}

TEST(Iterations, EmptyProfileHasEmptyIteration) {
  TestProfile test;
  EXPECT_EQ(Times(Find(test.Finish())), (std::vector<Span>{{0, 0}}));
}

TEST(Iterations, KeyOpSpansStartToStart) {
  TestProfile test;
  for (const Ns start : {0, 100, 250}) {
    test.Op("aten::conv2d", {start, start + 20});
    test.Op("aten::conv2d", {start + 5, start + 15});  // A nested call of the same name.
  }
  Selection selection;
  selection.key_op = "aten::conv2d";
  const iterations::Iterations found = Find(test.Finish(), selection);
  EXPECT_EQ(Times(found), (std::vector<Span>{{0, 100}, {100, 250}}));
  EXPECT_EQ(found.source.Text(), "key op aten::conv2d");
}

TEST(Iterations, MarkerPatternTakesOutermostOnes) {
  TestProfile test;
  const ThreadId other = test.Thread(2);
  test.Host(HostKind::kAnnotation, "train_step", {0, 100});
  test.Host(HostKind::kAnnotation, "train_step/inner", {10, 90});
  test.Host(HostKind::kAnnotation, "train_step", {100, 220});
  test.Host(HostKind::kAnnotation, "train_step", {40, 60}, other);
  Selection selection;
  selection.iteration_marker = "^train_step";
  const iterations::Iterations found = Find(test.Finish(), selection);
  EXPECT_EQ(Times(found), (std::vector<Span>{{0, 100}, {100, 220}}));
  EXPECT_EQ(found.all[1].name, "1");
}

TEST(Iterations, SelectionIsInclusiveFromZero) {
  TestProfile test;
  for (int step = 0; step < 5; ++step) test.Step(step + 10, {step * 100, step * 100 + 100});
  const Profile profile = test.Finish();
  Selection selection;
  selection.start = 1;
  selection.stop = 2;
  iterations::Iterations found = Find(profile, selection);
  EXPECT_EQ(found.window, (Span{100, 300}));
  EXPECT_EQ(found.selected().front().name, "11");
  EXPECT_FALSE(found.everything);
  EXPECT_FALSE(found.SelectsHostTime(99));
  EXPECT_TRUE(found.SelectsHostTime(100));
  EXPECT_FALSE(found.SelectsHostTime(300));

  selection = {};
  selection.warmup = 3;
  EXPECT_EQ(Find(profile, selection).window, (Span{300, 500}));
}

TEST(Iterations, MissingMarkerListsRepeatedRanges) {
  TestProfile test;
  for (int step = 0; step < 3; ++step) test.Step(step, {step * 100, step * 100 + 100});
  test.Op("aten::mm", {310, 320});
  test.Op("aten::mm", {330, 340});
  test.Op("aten::add", {350, 360});
  const Profile profile = test.Finish();
  Selection marker, op;
  marker.iteration_marker = "epoch";
  op.key_op = "aten::bmm";
  EXPECT_EQ(iterations::FindIterations(profile, marker).error().notes,
            std::vector<std::string>{
                "help: ranges that repeat: `ProfilerStep#N` (3 times), `aten::mm` (2 times)"});
  EXPECT_EQ(iterations::FindIterations(profile, op).error().notes,
            std::vector<std::string>{"help: ranges that repeat: `aten::mm` (2 times)"});
}

TEST(Iterations, Errors) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Op("aten::mm", {10, 20});
  const Profile profile = test.Finish();
  struct Case {
    Selection selection;
    std::string code, message;
  };
  Selection bad_marker, no_marker, once, nowhere, late;
  bad_marker.iteration_marker = "step(";
  no_marker.iteration_marker = "epoch";
  once.key_op = "aten::mm";
  nowhere.key_op = "aten::bmm";
  late.start = 3;
  const Case cases[] = {
      {bad_marker, "analysis/bad-marker",
       "the iteration marker `step(` is not a regular expression: missing ): step("},
      {no_marker, "analysis/no-marker", "no host range matches the iteration marker `epoch`"},
      {once, "analysis/no-key-op",
       "the key operator `aten::mm` occurs once; expected at least twice, an iteration runs from "
       "one "
       "start to the next"},
      {nowhere, "analysis/no-key-op",
       "the key operator `aten::bmm` occurs nowhere; expected at least twice, an iteration runs "
       "from one "
       "start to the next"},
      {late, "analysis/empty-selection",
       "no iteration is selected: the selection is 3 to the end, the profile has 1 (0)"},
  };
  for (const Case& c : cases) {
    const auto found = iterations::FindIterations(profile, c.selection);
    ASSERT_FALSE(found.has_value()) << c.code;
    EXPECT_EQ(found.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(found.error().code, c.code);
    EXPECT_EQ(found.error().message, c.message);
    EXPECT_EQ(found.error().notes.size(), 1U);
  }
}

TEST(Iterations, SearchesMissingKeyOpInNames) {
  TestProfile test;
  for (Ns at = 0; at < 300; at += 100) test.Op("aten::conv2d", {at, at + 20});
  test.Op("aten::conv2d_once", {400, 420});
  Selection selection;
  selection.key_op = "conv2d";
  const auto found = iterations::FindIterations(test.Finish(), selection);
  ASSERT_FALSE(found.has_value());
  ASSERT_FALSE(found.error().notes.empty());
  EXPECT_EQ(found.error().notes.front(), "help: operators of that name: `aten::conv2d` (3 times)");
}

// Compared with a direct search, for iterations that touch, are apart, empty or begin together.
TEST(IterationCursor, MatchesDirectSearch) {
  std::mt19937 random(13);
  const auto below = [&random](int end) { return static_cast<Ns>(random() % end); };
  for (int round = 0; round < 300; ++round) {
    iterations::Iterations iterations;
    Ns at = below(20);
    for (Ns i = 1 + below(6); i > 0; --i) {
      iterations::Iteration& added = iterations.all.emplace_back();
      added.host = {at, at + below(10)};
      added.time = {at + below(3), std::max(at + 3, added.host.end)};
      at = added.time.end + (below(2) == 0 ? below(5) : 0);
      if (below(4) == 0) at = added.host.start;
    }
    const auto later = [](const iterations::Iteration& a, const iterations::Iteration& b) {
      return a.time.start < b.time.start;
    };
    std::stable_sort(iterations.all.begin(), iterations.all.end(), later);
    const bool in_order =
        std::is_sorted(iterations.all.begin(), iterations.all.end(),
                       [](const iterations::Iteration& a, const iterations::Iteration& b) {
                         return a.host.start < b.host.start;
                       });
    iterations::IterationCursor hosts(iterations), times(iterations);
    for (int i = 0; i < 200; ++i) {
      const Ns moment = below(2) == 0 ? below(90) : (i * 90) / 200;
      if (in_order) {
        ASSERT_EQ(hosts.AtHostTime(moment), iterations.AtHostTime(moment));
      }
      ASSERT_EQ(times.AtTime(moment), iterations.AtTime(moment));
    }
  }
}

}  // namespace
}  // namespace profgauge::analysis
