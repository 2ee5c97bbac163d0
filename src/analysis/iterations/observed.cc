#include "analysis/iterations/observed.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "analysis/classify/name_memo.h"
#include "analysis/iterations/iteration_parts.h"
#include "analysis/iterations/markers.h"
#include "knowledge/idle.h"
#include "knowledge/iterations.h"
#include "knowledge/launches.h"
#include "knowledge/loss.h"
#include "knowledge/once.h"
#include "model/lost_launches.h"
#include "model/tables.h"

namespace profgauge::analysis::iterations {
namespace {

// A copy may wait for earlier work, like a synchronizing call.
bool MayWait(ApiKind kind) { return kind == ApiKind::kMemcpy || kind == ApiKind::kSync; }

// When at least one device is busy.
std::vector<Span> BusyTimes(const Profile& profile) {
  SpanCollector busy;
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    busy.Add(profile.device.start[row], profile.device.duration[row]);
  }
  return busy.Take();
}

// Adds calls that wait before the device's first recorded work, until that or their end.
void AddHiddenWaits(const Profile& profile, const Iterations& iterations, std::vector<Span>& out) {
  const Ns begin = iterations.window.start;
  const Ns first = DeviceExtent(profile.device).start;
  if (iterations.first != 0 || iterations.all.front().lead_in > 0 || first <= begin) return;
  const ApiTable& api = profile.api;
  const SetupTimes setup(profile);
  for (std::size_t call = 0; call < api.size(); ++call) {
    if (!MayWait(api.kind[call]) || setup[call] > 0 || api.start[call] < begin) continue;
    const Ns end = std::min(first, api.start[call] + std::max<Ns>(api.duration[call], 0));
    if (end - api.start[call] >= knowledge::kIterationsRemarkLeast)
      out.push_back({api.start[call], end});
  }
}

// Whether it is a Python frame in which the profiler starts or stops:
// "torch/profiler/profiler.py(212): stop".
bool IsProfilersFrame(std::string_view name) {
  if (name.find("torch/profiler/profiler.py(") == name.npos) return false;
  for (const std::string_view own : {": step", ": stop", ": stop_trace", ": start_trace", ": start",
                                     ": _transit_action", ": __exit__", ": __enter__"}) {
    if (name.ends_with(own)) return true;
  }
  return false;
}

// cudaProfilerStop and similar calls.
bool IsProfilersCall(std::string_view name) {
  return name.find("ProfilerStop") != name.npos || name.find("ProfilerStart") != name.npos;
}

// Adds times in which no device works while the profiler starts or stops, as its own calls show,
// anywhere: a marker closed by the stop contains the stop.
void AddProfilersCalls(const Profile& profile, std::vector<Span>& out) {
  std::vector<Span> own;
  const auto add = [&own](const auto& table, std::size_t row) {
    if (table.duration[row] < knowledge::kIterationsRemarkLeast) return;
    own.push_back({table.start[row], table.start[row] + table.duration[row]});
  };
  classify::NameMemo is_frame(profile, IsProfilersFrame), is_call(profile, IsProfilersCall);
  for (std::size_t row = 0; row < profile.python.size(); ++row) {
    if (is_frame(profile.python.name[row])) add(profile.python, row);
  }
  for (std::size_t row = 0; row < profile.api.size(); ++row) {
    if (is_call(profile.api.name[row])) add(profile.api, row);
  }
  if (own.empty()) return;
  for (const Span& gap : Subtract(Merge(std::move(own)), BusyTimes(profile))) {
    if (gap.length() >= knowledge::kIterationsRemarkLeast) out.push_back(gap);
  }
}

// Adds times without recorded events between iterations whose numbers jump: the profiler was
// paused.
void AddPauses(const Profile& profile, const Iterations& iterations, std::vector<Span>& out) {
  const std::vector<bool> follows = FollowsDirectly(iterations);
  std::vector<Span> pauses;
  for (std::size_t i = iterations.first; i + 1 < iterations.last; ++i) {
    const Iteration& before = iterations.all[i];
    const Iteration& after = iterations.all[i + 1];
    const Span between{before.time.end, after.time.start};
    if (!follows[i] && between.length() >= knowledge::kIterationsRemarkLeast)
      pauses.push_back(between);
  }
  if (pauses.empty()) return;
  const std::vector<Span> silences = LongestSilence(profile, pauses);
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    if (silences[i] == pauses[i]) out.push_back(pauses[i]);
  }
}

// True for CUPTI's internal work; code loading and full queues are due to the program.
bool IsProfilersOwn(std::string_view name) {
  for (const std::string_view own :
       {"Buffer Flush", "Activity Buffer Request", "Instrumentation", "Resource"}) {
    if (name == own) return true;
  }
  return false;
}

// Returns the profiler's own work, recorded as ranges of the host table. Kineto records them
// without the thread that they block.
std::vector<Span> OverheadOfNoThread(const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<Span> spans;
  for (std::size_t row = 0; row < host.size(); ++row) {
    if (host.kind[row] != HostKind::kOverhead ||
        host.duration[row] < knowledge::kIterationsRemarkLeast)
      continue;
    if (!host.name[row].valid() || !IsProfilersOwn(profile.Name(host.name[row]))) continue;
    spans.push_back({host.start[row], host.start[row] + host.duration[row]});
  }
  return Merge(std::move(spans));
}

// Returns those of `spans` in which launching threads neither begin nor end any event. Kineto does
// not record the thread that its overhead blocks, so this silence is the evidence.
std::vector<Span> SilentOnes(const std::vector<Span>& spans, const Profile& profile,
                             const std::vector<bool>& launches) {
  std::vector<bool> is_silent(spans.size(), true);
  const auto see = [&](Ns at) {
    const auto after = std::partition_point(spans.begin(), spans.end(),
                                            [at](const Span& span) { return span.end <= at; });
    if (after == spans.end() || after->start >= at) return;
    is_silent[static_cast<std::size_t>(after - spans.begin())] = false;
  };
  const auto see_all = [&](const auto& table) {
    for (std::size_t row = 0; row < table.size(); ++row) {
      if (!table.thread[row].valid() || !launches[table.thread[row].value]) continue;
      see(table.start[row]);
      see(table.start[row] + std::max<Ns>(table.duration[row], 0));
    }
  };
  see_all(profile.host);
  see_all(profile.api);
  std::vector<Span> silent;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (is_silent[i]) silent.push_back(spans[i]);
  }
  return silent;
}

// Adds times in which the profiler blocks a launching thread and no device works.
void AddOverhead(const Profile& profile, std::vector<Span>& out) {
  const bool has_threads = profile.cpu != nullptr && !profile.cpu->overhead.empty();
  const std::vector<Span> of_no_thread = OverheadOfNoThread(profile);
  if (!has_threads && of_no_thread.empty()) return;
  const std::vector<bool> launches = LaunchingThreads(profile);
  std::vector<Span> overhead = SilentOnes(of_no_thread, profile, launches);
  if (has_threads) {
    for (const CpuSpan& span : profile.cpu->overhead) {
      if (launches[span.thread.value]) overhead.push_back({span.start, span.start + span.duration});
    }
  }
  if (overhead.empty()) return;
  SpanCollector busy;
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    busy.Add(profile.device.start[row], profile.device.duration[row]);
  }
  for (const Span& gap : Subtract(Merge(std::move(overhead)), busy.Take())) {
    if (gap.length() >= knowledge::kIterationsRemarkLeast) out.push_back(gap);
  }
}

}  // namespace

std::vector<bool> LaunchingThreads(const Profile& profile) {
  std::vector<bool> launches(profile.threads.size(), false);
  for (std::size_t call = 0; call < profile.api.size(); ++call) {
    const ThreadId thread = profile.api.thread[call];
    if (profile.api.kind[call] == ApiKind::kLaunch && thread.valid()) launches[thread.value] = true;
  }
  return launches;
}

// True if the program captures only once: if there are several iterations, only a few contain a
// part of a capture; without iterations, no work runs between the first and the last capture.
bool HappenOnce(std::span<const Span> captures, std::span<const Span> parts,
                std::span<const Span> busy, const Iterations& iterations) {
  const std::span<const Iteration> selected = iterations.selected();
  if (selected.size() < 2) {
    for (std::size_t i = 0; i + 1 < captures.size(); ++i) {
      const Span between{captures[i].end, captures[i + 1].start};
      if (OverlapLength(busy, std::span(&between, 1)) > 0) return false;
    }
    return true;
  }
  const auto touched = std::ranges::count_if(selected, [&](const Iteration& iteration) {
    return OverlapLength(parts, std::span(&iteration.time, 1)) > 0;
  });
  const auto all = static_cast<std::int64_t>(selected.size());
  return touched <= 1 || static_cast<std::int64_t>(touched) <= knowledge::kOnceShare.Of(all);
}

std::vector<Span> CaptureParts(const Profile& profile, const Iterations& iterations) {
  if (profile.device.size() == 0 || !profile.has_timeline) return {};
  std::vector<Span> captures;
  for (const std::vector<Span>& of_thread : CaptureTimes(profile)) {
    captures.insert(captures.end(), of_thread.begin(), of_thread.end());
  }
  if (captures.empty()) return {};
  const Span window = iterations.window;
  captures = Intersect(Merge(std::move(captures)), std::span(&window, 1));
  const std::vector<Span> busy = BusyTimes(profile);
  std::vector<Span> parts = Subtract(captures, busy);
  const bool is_little = Length(parts) < knowledge::kIdleCaptureLeast.Of(window.length());
  if (is_little || !HappenOnce(captures, parts, busy, iterations)) return {};
  if (CountCaptures(profile).captured_share() > knowledge::kLossCapturedShare) return {};
  return parts;
}

// Requires recorded calls and device work: otherwise any pause could be the profile's.
std::vector<Span> UnobservedParts(const Profile& profile, const Iterations& iterations) {
  if (profile.device.size() == 0 || profile.api.size() == 0) return {};
  std::vector<Span> spans = CaptureParts(profile, iterations);
  if (!iterations.is_whole && iterations.source.by != IterationsBy::kRange) {
    AddHiddenWaits(profile, iterations, spans);
    AddProfilersCalls(profile, spans);
    AddPauses(profile, iterations, spans);
    AddOverhead(profile, spans);
  }
  const Span window = iterations.window;
  return Intersect(Merge(std::move(spans)), std::span(&window, 1));
}

std::vector<Span> UncountedParts(std::span<const Span> unobserved, const Iterations& iterations) {
  std::vector<Span> parts(unobserved.begin(), unobserved.end());
  if (!iterations.is_whole) {
    const std::span<const Iteration> selected = iterations.selected();
    for (std::size_t i = 0; i + 1 < selected.size(); ++i) {
      const Span between{selected[i].time.end, selected[i + 1].time.start};
      if (between.length() > 0) parts.push_back(between);
    }
    parts.push_back({iterations.window.end, std::numeric_limits<Ns>::max()});
  }
  return Merge(std::move(parts));
}

// Finds long calls before any work, the call that launched the first work, the profiler's start-up.
// cudaFree(0) and cudaDeviceGetStreamPriorityRange create the context, and take up to 30 s.
SetupTimes::SetupTimes(const Profile& profile) {
  const ApiTable& api = profile.api;
  const DeviceTable& device = profile.device;
  if (device.size() == 0) return;
  const Ns first_work = DeviceExtent(device).start;
  for (std::size_t row = 0; row < api.size(); ++row) {
    const bool may_set_up = api.kind[row] == ApiKind::kOther || api.kind[row] == ApiKind::kMemory;
    if (may_set_up && api.duration[row] >= knowledge::kIdleDeviceSetupCall &&
        api.start[row] + api.duration[row] <= first_work) {
      times_[row] = api.duration[row];
    }
  }
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (device.start[row] != first_work || !launch.valid()) continue;
    const Ns until = first_work - api.start[launch.value];
    const Ns duration = api.duration[launch.value];
    // Work that begins much later than the call's return waited for another reason.
    if (until < knowledge::kIdleDeviceSetupCall ||
        until > duration + knowledge::kLaunchesFreeLatency)
      continue;
    times_[launch.value] = std::min(until, duration);
  }
  FindStartUp(profile);
}

void SetupTimes::FindStartUp(const Profile& profile) {
  const ApiTable& api = profile.api;
  const auto waits = [&](std::size_t row) {
    return MayWait(api.kind[row]) && profile.Name(api.name[row]).find("Query") == std::string::npos;
  };
  std::map<ApiKind, Ns> of_kind;
  std::vector<std::size_t> first_waits;  // By thread; calls are sorted by thread.
  std::vector<Ns> launches;
  ThreadId has_waited;
  for (std::size_t row = 0; row < api.size(); ++row) {
    if (api.kind[row] == ApiKind::kLaunch) launches.push_back(api.start[row]);
    if (!waits(row)) continue;
    of_kind[api.kind[row]] += std::max<Ns>(api.duration[row], 0);
    if (has_waited == api.thread[row] && has_waited.valid()) continue;
    has_waited = api.thread[row];
    if (api.duration[row] >= knowledge::kIdleStartUpCall) first_waits.push_back(row);
  }
  if (first_waits.empty()) return;
  const Ns last_work = DeviceExtent(profile.device).end;
  const std::vector<Span> busy = BusyTimes(profile);
  for (const std::size_t row : first_waits) {
    const Span call{api.start[row], api.start[row] + api.duration[row]};
    const Ns others = of_kind[api.kind[row]] - call.length();
    const auto before = std::ranges::count_if(launches, [&](Ns at) { return at < call.start; });
    const bool is_early = call.start - profile.first <= knowledge::kIdleStartUpBegin ||
                          before < knowledge::kIdleStartUpLaunches.value();
    const Ns worked = Length(Intersect(busy, std::span(&call, 1)));
    const bool is_idle = call.length() - worked >= knowledge::kIdleStartUpIdle.Of(call.length());
    if (!is_early || !is_idle || last_work <= call.end ||
        call.length() < knowledge::kIdleStartUpRatio.Of(others))
      continue;
    times_[row] = call.length();
    start_up_ += call.length();
  }
}

std::vector<bool> CallsBeforeWindow(const Profile& profile, const Iterations& iterations) {
  if (!iterations.is_whole || iterations.source.by != IterationsBy::kUndivided ||
      !profile.has_timeline)
    return {};
  const SetupTimes setup(profile);
  std::vector<bool> calls;
  for (const auto& [row, time] : setup.calls()) {
    if (profile.api.start[row] + time > iterations.window.start) continue;
    calls.resize(profile.api.size());
    calls[row] = true;
  }
  return calls;
}

// Threads with markers, and threads with at least a twentieth of the most launches.
std::vector<bool> FindLoopThreads(const Profile& profile) {
  std::vector<std::int64_t> launched(profile.threads.size(), 0);
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    if (!launch.valid() || profile.device.kind[row] != DeviceKind::kKernel) continue;
    const ThreadId thread = profile.api.thread[launch.value];
    if (thread.valid()) ++launched[thread.value];
  }
  std::int64_t most = 0;
  for (const std::int64_t count : launched) most = std::max(most, count);
  std::vector<bool> threads(launched.size(), false);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i] = launched[i] > 0 && launched[i] >= knowledge::kIterationsLoopThreadShare.Of(most);
  }
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    const ThreadId thread = profile.host.thread[row];
    if (profile.host.kind[row] == HostKind::kIterationMarker && thread.value < threads.size()) {
      threads[thread.value] = true;
    }
  }
  if (std::none_of(threads.begin(), threads.end(), [](bool is) { return is; })) {
    threads.assign(threads.size(), true);
  }
  return threads;
}

namespace {

/// The largest value that is not an outlier. Outliers are the largest group, of at most a tenth of
/// all (or one), whose smallest is more than three times the next value. Among 90 40 12 11 and 16
/// smaller ones there may be two: 40 > 3 × 12, so 12 is returned. REQUIRES: at least two values.
Ns LargestUsual(std::vector<Ns> times) {
  std::sort(times.begin(), times.end(), std::greater<>());
  for (std::size_t few = std::max<std::size_t>(1, knowledge::kOnceShare.WholeOf(times.size()));
       few > 0; --few) {
    if (times[few - 1] > knowledge::kOnceStandsOut.Of(times[few])) return times[few];
  }
  return times.front();
}

}  // namespace

std::vector<Ns> WithoutOnce(std::vector<Ns> times, std::span<const std::int64_t> calls,
                            knowledge::Count least) {
  if (times.size() < least) return times;
  const Ns limit = LargestUsual(times);
  std::int64_t usual_calls = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (times[i] <= limit) usual_calls = std::max(usual_calls, calls[i]);
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool has_other_work =
        !calls.empty() && calls[i] > knowledge::kOnceOtherWork.Of(usual_calls);
    if (!has_other_work) times[i] = std::min(times[i], limit);
  }
  return times;
}

Ns OnlyOnce(const std::vector<Ns>& times, std::span<const std::int64_t> calls,
            knowledge::Count least) {
  const std::vector<Ns> usual = WithoutOnce(times, calls, least);
  Ns once = 0;
  for (std::size_t i = 0; i < times.size(); ++i) once += times[i] - usual[i];
  return once;
}

}  // namespace profgauge::analysis::iterations
