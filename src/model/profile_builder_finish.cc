// From the rows as they came to a profile: one origin of time, rows in order, links, names, checks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/interval.h"
#include "base/parallel.h"
#include "knowledge/loss.h"
#include "model/broken_table.h"
#include "model/certificate.h"
#include "model/link.h"
#include "model/mend.h"
#include "model/profile_builder.h"

namespace profgauge {
namespace {

/// A device event at time 0 that lasts no time has lost its times (kineto#109).
bool LostItsTime(const DeviceTable& device, std::size_t row) {
  return device.start[row] == 0 && device.duration[row] == 0;
}

/// Before the links, which look rows up by their thread: one without would be looked for outside of
/// all rows. CheckInvariants() would come too late.
Status CheckThreads(const Profile& profile, const std::vector<FlowRow>& flows,
                    const std::vector<CpuSpan>& spans) {
  const auto is_known = [threads = profile.threads.size()](ThreadId thread) {
    return thread.value < threads;  // Also false for one that is not valid.
  };
  const auto are_known = [&](const auto& threads) {
    for (const ThreadId thread : threads) {
      if (!is_known(thread)) return false;
    }
    return true;
  };
  const bool flows_hold = std::all_of(flows.begin(), flows.end(),
                                      [&](const auto& flow) { return is_known(flow.thread); });
  if (!are_known(profile.host.thread) || !flows_hold) return Fail(BrokenTable(profile, "host"));
  if (!are_known(profile.api.thread)) return Fail(BrokenTable(profile, "api"));
  if (!are_known(profile.memory.thread)) return Fail(BrokenTable(profile, "memory"));
  const bool spans_hold = std::all_of(spans.begin(), spans.end(), [&](const auto& span) {
    return span.core < 0 || is_known(span.thread);
  });
  return spans_hold ? Status() : Fail(BrokenTable(profile, "cpu"));
}

}  // namespace

Result<Profile> ProfileBuilder::Finish() {
  PROFGAUGE_CHECK(CheckThreads(profile_, flows_, cpu_.spans));
  mend::CheckLengths(profile_);
  mend::CheckEvents(profile_);
  Ns origin = FindOrigin();
  Rebase(origin);
  OrderThreads();
  SortTables();
  if (const std::size_t copies =
          DropDoubled(profile_, {host_ids_, host_backward_, api_correlations_, api_op_ids_,
                                 device_correlations_, device_op_ids_})) {
    AddFact(
        "events recorded twice",
        std::to_string(copies) + (profile_.device.size() > 0 ? " of the device; each counts once"
                                                             : " of the host; each counts once"));
  }
  mend::JoinTheOneDevice(profile_);
  ApplyNames();
  NumberLaunches(profile_, arrows_, api_op_ids_, device_op_ids_, api_correlations_,
                 device_correlations_);
  std::size_t impossible = 0;
  const std::function<void()> links[] = {
      [&, this] {
        impossible =
            link::DeviceToCalls(profile_, api_correlations_, device_correlations_, device_op_ids_);
      },
      [this] { link::CallsToRanges(profile_, host_ids_, api_op_ids_); },
      [this] { link::MemoryToRanges(profile_); },
      [this] { link::BackwardToForward(profile_, std::move(flows_), host_backward_); },
      [this] { link::Parents(profile_); },
  };
  ForEachAtOnce(std::size(links), [&](std::size_t i) { links[i](); });
  // Work that was set aside may have been the first or the last of the profile.
  if (impossible > 0) {
    const Ns later = FindOrigin();
    Rebase(later);
    origin += later;
  }
  FinishCpu(origin);
  mend::TellRuntimeKernels(profile_);
  if (doubts_device_ops_ && profile_.api.size() > 0) {
    device_op_ids_.Reset();
  }
  if (clip_overlaps_) ClipDevice();  // Names that are lost count by the time that is left.
  const std::function<void()> looks[] = {
      [this] {
        if (!streams_overlap_ && !clip_overlaps_) CountOverlaps(profile_, device_correlations_);
      },
      [this] { link::DeviceToOps(profile_, host_ids_, device_op_ids_); },
      [this] { mend::CheckNames(profile_); },
  };
  ForEachAtOnce(std::size(looks), [&](std::size_t i) { looks[i](); });
  link::CallStacks(profile_);
  CountSerialized(profile_);
  Certify(profile_);
  PROFGAUGE_CHECK(CheckInvariants(profile_));
  return std::move(profile_);
}

// The earliest time of all tables and of the recording span. Scheduling does not count: it is cut
// to the extent of the events (FinishCpu). Arrows begin and end at events.
Ns ProfileBuilder::FindOrigin() const {
  Ns origin = std::numeric_limits<Ns>::max();
  const auto include = [&](const std::vector<Ns>& times) {
    for (const auto time : times) origin = std::min(origin, time);
  };
  include(profile_.host.start);
  include(profile_.api.start);
  include(profile_.os.start);
  include(profile_.sync.start);
  include(profile_.device_ranges.start);
  include(profile_.python.start);
  include(profile_.memory.time);
  if (has_span_) origin = std::min(origin, profile_.span_start);
  const auto& device = profile_.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!LostItsTime(device, row)) origin = std::min(origin, device.start[row]);
  }
  return origin == std::numeric_limits<Ns>::max() ? 0 : origin;
}

// Events that lost their times are put to the origin: at 0 of a Unix clock they would make a
// profile of fifty years.
void ProfileBuilder::Rebase(Ns origin) {
  auto& device = profile_.device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (origin > 0 && LostItsTime(device, row)) {
      device.start[row] = origin;
      profile_.log.Add(Counter::zero_time_events);
    }
  }
  // Gives the time from the first to the last.
  const auto move = [&](std::vector<Ns>& starts, auto duration_of) {
    Span all = {std::numeric_limits<Ns>::max(), 0};
    for (std::size_t row = 0; row < starts.size(); ++row) {
      starts[row] -= origin;
      all.start = std::min(all.start, starts[row]);
      all.end = std::max(all.end, starts[row] + duration_of(row));
    }
    return all;
  };
  const auto move_table = [&](auto& table) {
    return move(table.start, [&table](std::size_t row) { return table.duration[row]; });
  };
  const std::function<Span()> moves[] = {
      [&] { return move_table(profile_.host); },
      [&] { return move_table(profile_.api); },
      [&] { return move_table(device); },
      [&] { return move_table(profile_.os); },
      [&] { return move_table(profile_.sync); },
      [&] { return move_table(profile_.device_ranges); },
      [&] { return move_table(profile_.python); },
      [&] { return move(profile_.memory.time, [](std::size_t) { return Ns{0}; }); },
  };
  std::array<Span, std::size(moves)> moved;
  ForEachAtOnce(moved.size(), [&](std::size_t i) { moved[i] = moves[i](); });
  Ns first = std::numeric_limits<Ns>::max();
  Ns last = 0;
  for (const Span& all : moved) {
    first = std::min(first, all.start);
    last = std::max(last, all.end);
  }
  profile_.first = std::min(first, last);
  profile_.last = last;
  if (has_span_) {
    profile_.span_start -= origin;
    profile_.span_end -= origin;
  }
  for (auto& flow : flows_) flow.time -= origin;
  for (auto& arrow : arrows_) arrow.time -= origin;
  if (counts_from_session_)
    profile_.session_start = std::min<Ns>(0, profile_.session_start - origin);
  // A clock beyond all dates shows none.
  const bool is_told = clock_offset_ > -kFarthestTime && clock_offset_ < kFarthestTime;
  profile_.origin_ns += origin;
  if (is_told) profile_.origin_ns += std::exchange(clock_offset_, 0);
}

// Time before the first and after the last event is cut: scheduling has no separate start.
void ProfileBuilder::FinishCpu(Ns origin) {
  if (cpu_.spans.empty() && cpu_.samples.empty() && cpu_.overhead.empty()) return;
  for (std::vector<CpuSpan>* spans : {&cpu_.spans, &cpu_.overhead}) {
    for (CpuSpan& span : *spans) {
      const Ns start = std::max<Ns>(span.start - origin, 0);
      const Ns end = std::min(span.start - origin + span.duration, profile_.last);
      span.start = start;
      span.duration = end - start;
    }
    std::erase_if(*spans, [](const CpuSpan& span) { return span.duration <= 0; });
  }
  std::vector<StringId> labels(profile_.threads.size());
  for (CpuSpan& span : cpu_.spans) {
    if (span.core < 0) continue;
    StringId& label = labels[span.thread.value];
    const Thread& thread = profile_.threads[span.thread.value];
    if (!label.valid()) {
      label = Intern(thread.name.empty() ? "thread " + std::to_string(thread.tid) : thread.name);
    }
    span.name = label;
  }
  for (CpuSample& sample : cpu_.samples) sample.time -= origin;
  std::erase_if(cpu_.samples, [this](const CpuSample& sample) {
    return sample.time < 0 || sample.time > profile_.last;
  });
  std::stable_sort(cpu_.spans.begin(), cpu_.spans.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.thread.value, a.start) < std::tuple(b.thread.value, b.start);
  });
  std::stable_sort(cpu_.samples.begin(), cpu_.samples.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  profile_.cpu = std::make_shared<const CpuActivity>(std::move(cpu_));
}

// A single duration that overflowed is over all kernels that follow and is clipped: for it, the
// time shared with the next one counts. If that is over a tenth of a GPU's time, times are coarse,
// in another unit or of several profiles.
void ProfileBuilder::ClipDevice() {
  //   stream 7   [a ---------- 10)              all stay; a would be clipped to [0, 4) if eight
  //                   [b --- 8)     [c - 14)    like b began and ended within it
  //
  // `shared` counts only time of the next kernel: min(10 - 4, 4) = 4.
  struct Clipped {
    std::uint64_t rows = 0;
    Ns shared = 0, left = 0;
  };
  std::map<std::int32_t, Clipped> gpus;
  auto& t = profile_.device;
  for (std::size_t row = 0; row < t.size(); ++row) {
    Clipped& of_gpu = gpus[t.gpu[row]];
    const bool is_last =
        row + 1 == t.size() || t.gpu[row] != t.gpu[row + 1] || t.stream[row] != t.stream[row + 1];
    const Ns duration = t.duration[row];
    const Ns room = is_last ? duration : t.start[row + 1] - t.start[row];
    of_gpu.left += std::min(duration, room);
    if (duration <= room) continue;
    of_gpu.shared += std::min<Ns>(duration - room, t.duration[row + 1]);
    ++of_gpu.rows;
    // Kernels of a stream may run together: an end beyond some later ones is no fault.
    const std::size_t around = row + knowledge::kLossClippedLeast.value();
    const bool is_wrong = around < t.size() && t.gpu[around] == t.gpu[row] &&
                          t.stream[around] == t.stream[row] &&
                          t.start[around] + t.duration[around] <= t.start[row] + duration;
    if (!is_wrong) continue;
    t.duration.Set(row, room);
    profile_.log.Add(Counter::events_clipped);
  }
  if (streams_overlap_) return;
  for (const auto& [gpu, clipped] : gpus) {
    if (clipped.rows < knowledge::kLossLeastEvents ||
        clipped.shared <= knowledge::kLossOverlapShare.WholeOf(clipped.left))
      continue;
    profile_.log.AddAt(Counter::work_overlapping,
                       fmt::format("device {}: {} of the time of its streams is taken twice", gpu,
                                   FormatDuration(static_cast<double>(clipped.shared))));
    profile_.log.Add(Counter::work_overlapping, clipped.rows - 1);
  }
}

// In one pass, by the old numbers, so that 0 -> 1 and 1 -> 0 are an exchange.
void ProfileBuilder::RenumberGpus(const std::map<std::int32_t, NewGpu>& numbers) {
  const auto renumber = [&numbers](auto& column) {
    for (std::size_t row = 0; row < column.size(); ++row) {
      const auto found = numbers.find(column[row]);
      if (found == numbers.end()) continue;
      if constexpr (requires { column.Set(row, 0); }) {
        column.Set(row, found->second.number);
      } else {
        column[row] = found->second.number;
      }
    }
  };
  renumber(profile_.device.gpu);
  renumber(profile_.sync.gpu);
  renumber(profile_.device_ranges.gpu);
  renumber(profile_.memory.device);
  for (LaunchArrow& arrow : arrows_) {
    if (const auto found = numbers.find(arrow.gpu); found != numbers.end()) {
      arrow.gpu = found->second.number;
    }
  }
  const std::vector<Gpu> listed = std::move(profile_.gpus);
  profile_.gpus.clear();
  std::set<std::int32_t> named;
  for (const auto& [old, made] : numbers) {
    const auto like = std::find_if(listed.begin(), listed.end(),
                                   [id = made.like](const Gpu& gpu) { return gpu.id == id; });
    if (like == listed.end() || !named.insert(made.number).second) continue;
    profile_.gpus.push_back(*like);
    profile_.gpus.back().id = made.number;
  }
  std::copy_if(listed.begin(), listed.end(), std::back_inserter(profile_.gpus),
               [&named](const Gpu& gpu) { return named.insert(gpu.id).second; });
}

void ProfileBuilder::ApplyNames() {
  for (const auto& [key, id] : thread_ids_) {
    auto& thread = profile_.threads[id];
    if (const auto name = thread_names_.find(key); name != thread_names_.end()) {
      thread.name = name->second;
    }
    if (const auto name = process_names_.find(thread.process); name != process_names_.end()) {
      thread.process = "pid " + thread.process + " " + name->second;
    } else if (thread.pid >= 0) {
      thread.process = "pid " + thread.process;
    }
  }
}

}  // namespace profgauge
