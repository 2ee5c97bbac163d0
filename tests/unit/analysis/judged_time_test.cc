// The judged part of a profile, on profiles of strangers and as properties of all available ones.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/iterations/context.h"
#include "analysis/iterations/markers.h"
#include "analysis/iterations/observed.h"
#include "fixture.h"
#include "kineto_edit.h"
#include "oracle.h"

namespace profgauge::analysis {
namespace {

Analysis AnalyzeStranger(const std::string& name) {
  const std::vector<Profile> run = ReadTrace("data/strangers/" + name + ".json.gz");
  auto analysis = Analyze(run, {});
  EXPECT_TRUE(analysis.has_value()) << name;
  return std::move(*analysis);
}

bool IsSaid(const Analysis& analysis, std::string_view id) {
  return std::any_of(analysis.remarks.begin(), analysis.remarks.end(),
                     [&](const Remark& remark) { return remark.id == id; });
}

TEST(JudgedTime, StrangersWithoutLaunchesAndMarkers) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const Analysis launch = AnalyzeStranger("window-launch-idle");
  for (const char* name : {"window-nolaunch-idle", "window-annotations-only"}) {
    const Analysis analysis = AnalyzeStranger(name);
    EXPECT_NEAR(NumberOf(analysis, "gpu.idle.mean"), NumberOf(launch, "gpu.idle.mean"), 1e-3);
  }
  EXPECT_NEAR(NumberOf(AnalyzeStranger("cmp-nolaunch-slow3x"), "iteration.time.median") /
                  NumberOf(AnalyzeStranger("cmp-nolaunch-base"), "iteration.time.median"),
              2.93, 0.1);
  // The host's one step ends 6 ms before the first kernel.
  const std::vector<Profile> decode =
      ReadTrace("data/gate/f1-no-runtime-calls/vllm_decode_no_calls.json.gz");
  const auto analysis = Analyze(decode, {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.mean"), 0.0023, 1e-4);
}

// 20 ms of kernels, of which no launch is recorded, from `first` on; in milliseconds.
void AddKernels(Ns first, TestProfile& test) {
  for (Ns i = 0; i < 20; ++i) {
    const Ns at = (first + i) * kMs;
    test.Work("kernel", {at, at + kMs});
  }
}

double IdleOf(TestProfile test) {
  const Profile profile = test.Finish();
  const auto analysis = Analyze(std::span(&profile, 1), {});
  EXPECT_TRUE(analysis.has_value());
  return analysis ? NumberOf(*analysis, "gpu.idle.mean") : -1;
}

// Without launches: host work until the first device work begins is for it; an iteration of the
// host long before shows nothing, and the device may have been busy.
TEST(JudgedTime, WithoutLaunchesHostLeadsDevice) {
  struct Row {
    const char* what;
    HostKind kind;
    Ns from, to;  // Host ranges of 1 ms each.
    double idle;
  };
  const Row kRows[] = {
      {"aten::mm", HostKind::kOp, 0, 85, 0.8},
      {"aten::mm", HostKind::kOp, 0, 2, 0},
      {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", HostKind::kAnnotation, 0, 80,
       0.8},
      {"forward", HostKind::kAnnotation, 40, 85, 2.0 / 3},
      {"forward", HostKind::kAnnotation, 0, 2, 0},
      {"aten::mm", HostKind::kOp, 90, 180, 0},  // Only the host goes on.
  };
  for (const Row& row : kRows) {
    TestProfile test;
    for (Ns at = row.from; at < row.to; ++at) {
      test.Host(row.kind, row.what, {at * kMs, (at + 1) * kMs});
    }
    AddKernels(80, test);
    EXPECT_NEAR(IdleOf(std::move(test)), row.idle, 1e-9) << row.what << row.from << row.to;
  }
}

TEST(JudgedTime, AStrangersStallCountsWhereverItIs) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  for (const char* name : {"last-iteration-stalls-3", "middle-iteration-stalls-3"}) {
    const Analysis analysis = AnalyzeStranger(name);
    EXPECT_NEAR(NumberOf(analysis, "iteration.time.mean"), 40e6, 0.1e6) << name;
    EXPECT_NEAR(NumberOf(analysis, "gpu.idle.mean"), 0.775, 0.001) << name;
  }
}

TEST(JudgedTime, StrangersThatLostWork) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const Analysis first = AnalyzeStranger("first-1-of-6-dropped");
  EXPECT_TRUE(IsSaid(first, "incomplete-start"));
  EXPECT_EQ(first.iterations_selected, 5);
  EXPECT_NEAR(NumberOf(first, "iteration.time.mean"), 9.98e6, 0.05e6);
  const std::vector<Profile> run = ReadTrace("data/strangers/first-1-of-6-dropped.json.gz");
  EXPECT_TRUE(run.front().log.HasDataLoss());
  for (const char* name : {"comm-corr0", "comm-corr-ok"}) {
    EXPECT_NEAR(NumberOf(AnalyzeStranger(name), "profile.kernel_time"), 108e6, 1) << name;
  }
}

TEST(JudgedTime, StrangersWhoseMarkersOverlap) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  EXPECT_TRUE(
      IsSaid(AnalyzeStranger("host-clock-back-50ms"), std::string(iterations::kMarkersDisplaced)));
  const Analysis open = AnalyzeStranger("step-open-ended");
  EXPECT_TRUE(IsSaid(open, "markers-mended"));
  EXPECT_EQ(open.iterations_selected, 12);
  EXPECT_NEAR(NumberOf(open, "iteration.time.mean"), 9.98e6, 0.05e6);
}

// Kineto's own log: dropped records, and a trace that stopped early.
TEST(JudgedTime, KinetosDroppedRecordsAreLost) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const auto run = ReadTrace("data/run-side/trace_with_warnings.pt.trace.json");
  ASSERT_EQ(run.size(), 1u);
  EXPECT_GE(run.front().log[Counter::events_dropped], 12345u);
}

TEST(JudgedTime, CountsKinetosLogWithoutText) {
  struct Row {
    const char* log;
    bool launches;
    std::uint64_t dropped;
  };
  const Row kRows[] = {
      {R"("WARNING": ["Dropped 7 activity records"])", true, 7},
      {R"x("ERROR": ["Exceeded max GPU buffer count (9 > 8)"])x", true, 1},
      {R"("WARNING": ["State: CollectTrace stopped by GPU profiler."])", true, 1},
      {R"("WARNING": ["GPU trace is empty!"])", true, 1},
      {R"("WARNING": ["GPU trace is empty!"])", false, 0},
      {R"("WARNING": ["Dropped out of school", 5], "ERROR": "Dropped 7 activity records")", true,
       0},
      {R"("INFO": ["Dropped 7 activity records"])", true, 0},
  };
  for (const Row& row : kRows) {
    const std::string call =
        R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":3,)"
        R"("args":{"correlation":1}},)";
    const std::string text =
        std::string(R"({"traceEvents": [)") + (row.launches ? call : "") +
        R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":9}], )" +
        row.log + "}";
    const auto profile = ReadTraceText(text);
    ASSERT_TRUE(profile.has_value()) << row.log;
    EXPECT_EQ(profile->log[Counter::events_dropped], row.dropped) << row.log;
  }
}

void ExpectWindowHoldsDeviceWork(const Profile& profile) {
  const auto ranks = iterations::BuildRankContexts(std::span(&profile, 1), {});
  ASSERT_TRUE(ranks.has_value());
  const iterations::RankContext& rank = ranks->front();
  const DeviceTable& device = profile.device;
  if (rank.iterations.source.by != IterationsBy::kUndivided || !profile.has_timeline) return;
  if (profile.neuron != nullptr || device.size() == 0) return;
  // No number includes the start-up of a recording.
  if (iterations::SetupTimes(profile).start_up() > 0) return;
  std::set<std::pair<std::int32_t, std::int64_t>> streams;
  Ns kernels = 0;
  for (std::size_t row = 0; row < device.size(); ++row) {
    streams.emplace(device.gpu[row], device.stream[row]);
    if (device.kind[row] == DeviceKind::kKernel) kernels += device.duration[row];
    if (device.duration[row] == 0) continue;
    EXPECT_GE(device.start[row], rank.window().start);
    EXPECT_LE(device.start[row] + device.duration[row], rank.window().end);
  }
  // Streams whose kernels overlap are reported as such when they are read.
  const bool overlap = profile.log[Counter::work_overlapping] > 0;
  if (!overlap && profile.source.format == "kineto") {
    EXPECT_LE(static_cast<double>(kernels), 1.1 * static_cast<double>(rank.window().length()) *
                                                static_cast<double>(streams.size()));
  }
  const auto analysis = Analyze(std::span(&profile, 1), {});
  ASSERT_TRUE(analysis.has_value());
  for (const Remark& remark : analysis->remarks) {
    if (remark.id != "window") continue;
    const auto outside = [&](Ns start, Ns end, bool before) {
      return before ? start < rank.window().start : end > rank.window().end;
    };
    for (const bool before : {true, false}) {
      const std::string said = std::string(before ? "before" : "after") + ", there is neither";
      if (remark.text.find(said) == std::string::npos) continue;
      for (std::size_t row = 0; row < profile.host.size(); ++row) {
        if (profile.host.kind[row] != HostKind::kOp) continue;
        EXPECT_FALSE(outside(profile.host.start[row],
                             profile.host.start[row] + profile.host.duration[row], before));
      }
    }
  }
}

TEST(JudgedTime, HoldsAllWorkWithoutMarkers) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  std::size_t read = 0;
  for (const std::string& path : AllRecordings()) {
    const auto profile = readers::ReadProfile(path, {});
    if (!profile) continue;
    SCOPED_TRACE(path);
    ++read;
    ExpectWindowHoldsDeviceWork(*profile);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(read, 100U);
}

}  // namespace
}  // namespace profgauge::analysis
