// Real profiles of all formats, edited: a stall elsewhere, a link missing, work lost. The numbers
// that must not change then, and the remarks that must appear.
#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/iterations/context.h"
#include "fixture.h"
#include "kineto_edit.h"
#include "model/processes.h"
#include "oracle.h"

namespace profgauge::analysis {
namespace {

bool IsDividedByMarkers(const iterations::Iterations& iterations) {
  return iterations.source.by == IterationsBy::kProfilerSteps ||
         iterations.source.by == IterationsBy::kMarkers;
}

Profile Read(const std::string& path) { return *readers::ReadProfile(path, {}); }

// Calls `test(path, profile, iterations)` with each profile of several iterations with device
// work, all of which end when the host's markers do: the host waits for its device.
template <class Test>
std::size_t ForEachInStep(Test test) {
  std::size_t tested = 0;
  for (const std::string& path : AllRecordings()) {
    const auto profile = readers::ReadProfile(path, {});
    if (!profile || profile->neuron != nullptr || !profile->has_timeline) continue;
    const auto found = iterations::FindIterations(*profile, {});
    if (!found || !IsDividedByMarkers(*found) || found->all.size() < 3) continue;
    const bool in_step = std::all_of(
        found->all.begin(), found->all.end(), [](const iterations::Iteration& iteration) {
          return iteration.device_events > 0 && iteration.time.end == iteration.host.end;
        });
    if (!in_step) continue;
    SCOPED_TRACE(path);
    ++tested;
    test(path, *profile, *found);
    if (testing::Test::HasFailure()) return tested;
  }
  return tested;
}

template <class Table>
void Pause(Ns at, Ns by, Table& table) {
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.start[row] >= at) {
      table.start[row] += by;
      continue;
    }
    const Ns duration = table.duration[row];
    if (table.start[row] + duration < at) continue;
    if constexpr (requires { table.duration.Set(row, duration); }) {
      table.duration.Set(row, duration + by);
    } else {
      table.duration[row] = duration + by;
    }
  }
}

// As if the program had stood still for `by` from `at` on, when no device works.
Profile Paused(Profile profile, Ns at, Ns by) {
  Pause(at, by, profile.host);
  Pause(at, by, profile.api);
  Pause(at, by, profile.device);
  Pause(at, by, profile.python);
  profile.last += by;
  profile.span_end += by;
  return profile;
}

Ns Observed(const Profile& profile) {
  const auto ranks = iterations::BuildRankContexts(std::span(&profile, 1), {});
  EXPECT_TRUE(ranks.has_value());
  if (!ranks) return 0;
  const iterations::RankContext& rank = ranks->front();
  const Span window = rank.window();
  return window.length() - OverlapLength(rank.unobserved, std::span(&window, 1));
}

// When the device has ended all work of an iteration, before its marker ends; nothing otherwise.
std::optional<Ns> AfterWork(const Profile& profile, const iterations::Iterations& iterations,
                            std::size_t i) {
  Ns end = iterations.all[i].host.start;
  const DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.start[row] >= iterations.all[i].host.end) continue;
    end = std::max(end, device.start[row] + device.duration[row]);
  }
  return end + 1 < iterations.all[i].host.end ? std::optional(end + 1) : std::nullopt;
}

TEST(EditedRecordings, AStallCountsInEveryIterationAlike) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  constexpr Ns kStall = 50 * kMs;
  std::size_t stalls = 0;
  const std::size_t tested = ForEachInStep(
      [&](const std::string& path, const Profile& profile, const iterations::Iterations& found) {
        const Ns before = Observed(profile);
        for (const std::size_t i : {std::size_t{0}, found.all.size() / 2, found.all.size() - 1}) {
          const auto at = AfterWork(profile, found, i);
          if (!at) continue;
          ++stalls;
          EXPECT_EQ(Observed(Paused(Read(path), *at, kStall)) - before, kStall) << i;
        }
      });
  EXPECT_GT(tested, 3U);
  EXPECT_GT(stalls, tested);
}

// Removes the link of every third kernel.
Profile WithoutSomeLinks(Profile profile) {
  DeviceTable& device = profile.device;
  for (std::size_t row = 0; row < device.size(); row += 3) {
    device.launch[row] = {};
    device.op[row] = {};
  }
  return profile;
}

TEST(EditedRecordings, MissingLinksChangeNoTime) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  const std::size_t tested = ForEachInStep(
      [](const std::string& path, const Profile& profile, const iterations::Iterations& found) {
        // Only links show that the clocks of host and device contradict each other.
        if (profile.log[Counter::work_before_launch] > 0) return;
        const Profile edited = WithoutSomeLinks(Read(path));
        const auto after = iterations::FindIterations(edited, {});
        ASSERT_TRUE(after.has_value());
        ASSERT_EQ(after->all.size(), found.all.size());
        EXPECT_EQ(after->lost, found.lost);
        for (std::size_t i = 0; i < found.all.size(); ++i) {
          EXPECT_EQ(after->all[i].time.end, found.all[i].time.end) << i;
          EXPECT_LE(std::abs(after->all[i].time.start - found.all[i].time.start), kMs / 10) << i;
        }
        const auto a = Analyze(std::span(&profile, 1), {});
        const auto b = Analyze(std::span(&edited, 1), {});
        ASSERT_TRUE(a && b);
        const auto& kinds = profile.device.kind;
        if (std::find(kinds.begin(), kinds.end(), DeviceKind::kKernel) != kinds.end()) {
          const double time = NumberOf(*a, "profile.kernel_time");
          EXPECT_NEAR(NumberOf(*b, "profile.kernel_time"), time, 0.01 * time);
        }
        EXPECT_NEAR(NumberOf(*b, "gpu.idle.mean"), NumberOf(*a, "gpu.idle.mean"), 0.01);
      });
  EXPECT_GT(tested, 3U);
}

// Device work that begins in an iteration is of one, whether its launch is recorded or not.
TEST(EditedRecordings, UnlaunchedWorkIsOfAnIteration) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  ForEachInStep([](const std::string& path, const Profile&, const iterations::Iterations&) {
    Profile edited = Read(path);
    std::fill(edited.device.launch.begin(), edited.device.launch.end(), ApiId{});
    const auto found = iterations::FindIterations(edited, {});
    ASSERT_TRUE(found.has_value());
    for (std::size_t row = 0; row < edited.device.size(); ++row) {
      EXPECT_EQ(found->of_device[row], found->AtTime(edited.device.start[row]));
    }
  });
}

void Keep(const Permutation& rows, DeviceTable& device) {
  const auto keep = [&rows](auto& column) {
    if constexpr (requires { column.Keep(rows); }) {
      column.Keep(rows);
    } else {
      auto kept = std::exchange(column, {});
      for (const std::uint32_t row : rows) column.push_back(kept[row]);
    }
  };
  keep(device.start);
  keep(device.duration);
  keep(device.name);
  keep(device.kind);
  keep(device.gpu);
  keep(device.stream);
  keep(device.launch);
  keep(device.op);
  keep(device.config);
  keep(device.collective);
  keep(device.copy);
  keep(device.host_memory);
  keep(device.bytes);
}

TEST(EditedRecordings, ReportsIterationWithoutItsWork) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  std::size_t lost = 0;
  ForEachInStep(
      [&](const std::string& path, const Profile& profile, const iterations::Iterations& found) {
        if (!profile.kernel_markers.empty()) return;  // Aligned with device rows.
        for (const std::size_t i : {std::size_t{0}, found.all.size() / 2}) {
          Permutation rows;
          std::size_t linked = 0;
          for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
            if (found.of_device[row] != i) rows.push_back(row);
            if (found.of_device[row] == i && profile.device.launch[row].valid()) ++linked;
          }
          if (linked < 3) continue;
          ++lost;
          Profile edited = Read(path);
          Keep(rows, edited.device);
          const auto after = iterations::FindIterations(edited, {});
          ASSERT_TRUE(after.has_value());
          EXPECT_GE(after->lost + after->dropped_at_start, 1) << i;
        }
      });
  EXPECT_GT(lost, 3U);
}

TEST(EditedRecordings, NoMarkerVanishesWithoutACount) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  std::size_t divided = 0;
  for (const std::string& path : AllRecordings()) {
    const auto profile = readers::ReadProfile(path, {});
    if (!profile) continue;
    const auto found = iterations::FindIterations(*profile, {});
    if (!found || !IsDividedByMarkers(*found)) continue;
    SCOPED_TRACE(path);
    ++divided;
    const auto shown = static_cast<std::int64_t>(found->all.size()) + found->dropped_at_start +
                       found->dropped_at_end;
    EXPECT_LE(found->marker_faults.all, shown + found->marker_faults.displaced);
  }
  EXPECT_GT(divided, 20U);
}

// The trace, merged with that of a second process which did the same a moment later, on a GPU of
// the same number.
std::string MergedWithAnother(const std::string& text) {
  constexpr std::int64_t kOther = 50'000'000;
  const auto number = [](boost::json::value* value) {
    return value != nullptr && value->is_int64() ? value->get_int64() : -1;
  };
  boost::json::value trace = boost::json::parse(text);
  boost::json::value* list =
      trace.is_object() ? trace.as_object().if_contains("traceEvents") : &trace;
  boost::json::array others;
  for (const boost::json::value& event : list->as_array()) {
    if (!event.is_object() || !event.as_object().contains("ts")) continue;
    boost::json::object other = event.as_object();
    if (!other["ts"].is_number()) continue;
    other["ts"] = other["ts"].to_number<double>() + 3;
    boost::json::value* args = other.if_contains("args");
    const bool is_device = args != nullptr && args->is_object() &&
                           args->as_object().contains("stream") &&
                           args->as_object().contains("device");
    for (const char* id : {"correlation", "External id", "external id"}) {
      if (args == nullptr || !args->is_object()) break;
      if (boost::json::value* value = args->as_object().if_contains(id); number(value) > 0) {
        *value = number(value) + kOther;
      }
    }
    if (!is_device && number(other.if_contains("pid")) >= 0)
      other["pid"] = number(&other["pid"]) + kOther;
    if (number(other.if_contains("id")) >= 0) other["id"] = number(&other["id"]) + kOther;
    others.push_back(std::move(other));
  }
  for (boost::json::value& other : others) list->as_array().push_back(std::move(other));
  return boost::json::serialize(trace);
}

TEST(EditedRecordings, SharedNumberIsTwoGpusOrDoubted) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  constexpr std::uintmax_t kSmall = 1'500'000;  // Bytes, gzipped: the others are alike.
  std::size_t tested = 0;
  for (const std::string& name : AllTraces()) {
    const std::string path = SharedPath(name);
    if (!path.ends_with(".gz") || std::filesystem::file_size(path) > kSmall) continue;
    const auto alone = readers::ReadProfile(path, {});
    if (!alone) continue;
    const DeviceTable& device = alone->device;
    std::size_t kernels = 0;
    for (std::size_t row = 0; row < device.size(); ++row) {
      kernels += device.kind[row] == DeviceKind::kKernel && device.launch[row].valid() ? 1 : 0;
    }
    if (kernels < 20) continue;
    SCOPED_TRACE(path);
    auto merged = ReadTraceText(MergedWithAnother(Inflated(path)));
    ASSERT_TRUE(merged.has_value());
    const std::vector<Profile> parts = SplitProcesses(*std::move(merged));
    const ImportLog& log = parts.front().log;
    ++tested;
    EXPECT_TRUE(parts.size() > 1 || log[Counter::gpus_unknown] > 0 ||
                log[Counter::work_overlapping] > 0);
  }
  EXPECT_GT(tested, 5U);
}

}  // namespace
}  // namespace profgauge::analysis
