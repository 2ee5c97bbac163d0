#include "analysis/iterations/utilization.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "analysis/classify/device_spans.h"
#include "analysis/iterations/idle_walk.h"
#include "analysis/iterations/kernel_work.h"
#include "analysis/iterations/observed.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/parallel.h"
#include "base/partition_point.h"
#include "knowledge/iterations.h"
#include "knowledge/utilization.h"

namespace profgauge::analysis::iterations {
namespace {

// Rows of one GPU; the device table is sorted by it.
struct GpuRows {
  std::int32_t gpu = -1;
  std::size_t begin = 0, end = 0;
  bool has_kernel = false;
  Ns kernel_time = 0;
};

// The GPU's rows, with 32-bit numbers.
classify::DeviceRows RowsOf(const GpuRows& rows) {
  return {static_cast<std::uint32_t>(rows.begin), static_cast<std::uint32_t>(rows.end)};
}

// One entry for each GPU with rows, in table order.
std::vector<GpuRows> SplitByGpu(const DeviceTable& device) {
  std::vector<GpuRows> gpus;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (gpus.empty() || gpus.back().gpu != device.gpu[row]) {
      gpus.push_back({device.gpu[row], row, row, false, 0});
    }
    gpus.back().end = row + 1;
    if (device.kind[row] != DeviceKind::kKernel) continue;
    gpus.back().has_kernel = true;
    gpus.back().kernel_time += device.duration[row];
  }
  return gpus;
}

// With several ranks, returns the GPUs that a rank hardly uses (often "cuda:0", the default of many
// programs): they belong to other ranks, so they are not idle.
std::vector<GpuRows> OthersGpus(const Profile& profile, const std::vector<GpuRows>& used) {
  std::vector<GpuRows> others;
  if (profile.distributed.world_size <= 1) return others;
  Ns most = 0;
  for (const GpuRows& rows : used) most = std::max(most, rows.kernel_time);
  for (const GpuRows& rows : used) {
    const bool is_stray = static_cast<double>(rows.kernel_time) <
                          knowledge::kUtilizationStrayGpuShare * static_cast<double>(most);
    if (rows.has_kernel && is_stray) others.push_back(rows);
  }
  return others;
}

void RemarkOthersGpus(std::span<const RankContext> ranks, catalog::Output& out) {
  for (const RankContext& rank : ranks) {
    const DeviceTable& device = rank.profile->device;
    for (const GpuRows& rows : OthersGpus(*rank.profile, SplitByGpu(device))) {
      out.AddRemark("other-gpu",
                    out.Told(fmt::format(
                        "rank {} runs less than {:g} % of its kernels' time on {{{{ "
                        "device.device }}}} {}: it is taken for another rank's, "
                        "and does not count as idle",
                        rank.rank, 100 * knowledge::kUtilizationStrayGpuShare.value(), rows.gpu)));
    }
  }
}

// The part of a row in the window; its end is before its start if there is none.
Span RowInWindow(const DeviceTable& device, std::size_t row, Span window) {
  return {std::max(device.start[row], window.start),
          std::min(device.start[row] + device.duration[row], window.end)};
}

// Blocks per SM are summed over all running kernels, up to at most 1.
std::optional<double> SmEfficiency(const Profile& profile, std::span<const Gpu> gpus,
                                   const GpuRows& rows, Span window, Ns length) {
  std::vector<std::uint32_t> known;
  const auto blocks_of = [&](std::uint32_t row) {
    return BlocksPerSm(profile, gpus, DeviceId{row}).value_or(0);
  };
  for (auto row = static_cast<std::uint32_t>(rows.begin); row < rows.end; ++row) {
    if (blocks_of(row) > 0) known.push_back(row);
  }
  if (known.empty() || length <= 0) return std::nullopt;
  double sum = 0;
  SweepKernels(
      known, [&](std::uint32_t row) { return RowInWindow(profile.device, row, window); }, blocks_of,
      [&sum](Ns from, Ns to, double level) {
        sum += std::min(level, 1.0) * static_cast<double>(to - from);
      });
  return sum / static_cast<double>(length);
}

// Mean over the kernels with a recorded estimate, weighted by their time in the window.
std::optional<double> Occupancy(const Profile& profile, const GpuRows& rows, Span window) {
  double weighted = 0;
  double weight = 0;
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    const LaunchConfigId config = profile.device.config[row];
    if (!config.valid()) continue;
    const double occupancy = profile.launch_configs[config.value].occupancy;
    if (!(occupancy >= 0)) continue;
    const Span span = RowInWindow(profile.device, row, window);
    if (span.end <= span.start) continue;
    weighted += occupancy * static_cast<double>(span.length());
    weight += static_cast<double>(span.length());
  }
  if (weight <= 0) return std::nullopt;
  return weighted / weight;
}

// When a GPU runs only graphs that were recorded as one event.
std::vector<Span> WholeGraphSpans(const Profile& profile, const GpuRows& rows) {
  const DeviceTable& device = profile.device;
  const auto is_whole = [&](std::size_t row) { return profile.IsWholeGraph(row); };
  if (FirstWhere(rows.begin, rows.end, is_whole) == rows.end) return {};
  SpanCollector graphs, others;
  for (std::size_t row = rows.begin; row < rows.end; ++row) {
    (is_whole(row) ? graphs : others).Add(device.start[row], device.duration[row]);
  }
  return Subtract(graphs.Take(), others.Take());
}

// The iterations, each extended to the next start.
std::vector<Span> UpToTheNext(std::span<const Iteration> iterations, Span window) {
  std::vector<Span> times;
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    const Ns end = i + 1 < iterations.size() ? iterations[i + 1].time.start : window.end;
    times.push_back({iterations[i].time.start, std::max(end, iterations[i].time.start)});
  }
  return times;
}

// Measures the idle time, and its one-off part in single iterations.
void MeasureIdle(const Profile& profile, const GpuRows& rows, Span window,
                 std::span<const Span> observed, std::span<const Iteration> iterations,
                 GpuUse& use) {
  const std::vector<Span> times = UpToTheNext(iterations, window);
  std::vector<Ns> idle_in(times.size(), 0);
  Ns idle = 0;
  std::size_t next = 0;
  const auto add = [&](Span gap, Span, std::uint32_t) {
    idle += gap.length();
    while (next < times.size() && times[next].end <= gap.start) ++next;
    for (std::size_t i = next; i < times.size() && times[i].start < gap.end; ++i) {
      const Span common{std::max(times[i].start, gap.start), std::min(times[i].end, gap.end)};
      idle_in[i] += std::max<Ns>(0, common.length());
    }
  };
  VisitIdle(profile.device, RowsOf(rows), observed, add, [](std::uint32_t) {});
  use.busy = use.observed - idle;
  use.idle_once = OnlyOnce(idle_in, {}, knowledge::kIterationsUsualLeast);
  if (use.idle_once == 0) return;
  use.idle_most_in = std::max_element(idle_in.begin(), idle_in.end()) - idle_in.begin();
  const std::vector<Ns> usual = WithoutOnce(idle_in, {}, knowledge::kIterationsUsualLeast);
  for (std::size_t i = 0; i < usual.size(); ++i) use.idle_once_in += usual[i] < idle_in[i] ? 1 : 0;
}

GpuUse MeasureGpu(const Profile& profile, std::span<const Gpu> gpus, const GpuRows& rows,
                  Span window, std::span<const Span> observed,
                  std::span<const Iteration> iterations, Ns captured) {
  GpuUse use;
  use.gpu = rows.gpu;
  use.window = std::max<Ns>(window.length() - captured, 0);
  use.observed = Length(observed);
  // Each call walks over the rows and sets different members.
  const auto is_kernel = [&profile](std::uint32_t row) {
    return profile.device.kind[row] == DeviceKind::kKernel;
  };
  const std::function<void()> walks[] = {
      [&] { use.sm_efficiency = SmEfficiency(profile, gpus, rows, window, use.window); },
      [&] { MeasureIdle(profile, rows, window, observed, iterations, use); },
      [&] {
        use.kernel_busy = classify::TimeWithin(profile.device, RowsOf(rows), window, is_kernel);
      },
      [&] { use.whole_graphs = OverlapLength(WholeGraphSpans(profile, rows), observed); },
      [&] { use.occupancy = Occupancy(profile, rows, window); },
  };
  ForEachAtOnce(std::size(walks), [&](std::size_t i) { walks[i](); });
  return use;
}

// Mean, minimum and maximum of the known values.
struct Pool {
  double sum = 0, min = 0, max = 0;
  std::int64_t count = 0;
  void Add(double value) {
    min = count == 0 ? value : std::min(min, value);
    max = count == 0 ? value : std::max(max, value);
    sum += value;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
};

// The iteration with most one-off idle time, in words: "iteration 12 of rank 3". Empty: none.
std::string MostOnce(std::span<const RankContext> ranks) {
  const RankContext* rank = nullptr;
  const GpuUse* most = nullptr;
  for (const RankContext& one : ranks) {
    for (const GpuUse& use : MeasureGpus(one)) {
      if (use.idle_once <= (most == nullptr ? 0 : most->idle_once)) continue;
      rank = &one;
      most = &use;
    }
  }
  if (most == nullptr) return {};
  const auto position = static_cast<std::size_t>(most->idle_most_in);
  const auto selected = rank->iterations.selected();
  if (position >= selected.size()) return {};
  const std::string label =
      IterationLabel(rank->iterations.source, selected[position].name,
                     static_cast<std::int64_t>(rank->iterations.first + position));
  return fmt::format("{}iteration {}{}",
                     most->idle_once_in > 1
                         ? fmt::format("{} iterations, most of it in ", most->idle_once_in)
                         : "",
                     label, ranks.size() > 1 ? fmt::format(" of rank {}", rank->rank) : "");
}

// Values without one-off idle time.
struct Usual {
  Pool idle, idle_time, utilization;
};

void BoundByOnce(std::span<const RankContext> ranks, const Usual& usual, catalog::Output& out) {
  const double idle = AsNumber(out.ValueOf(metric::kGpuIdleMean), 0);
  const std::string most = MostOnce(ranks);
  if (idle - usual.idle.mean() < knowledge::kUtilizationLittleIdle || most.empty()) return;
  const auto bound = [&](MetricId id, double other, const std::string& text) {
    out.MayBe(
        id, other,
        fmt::format("{} without the extra idle time of {}. If that is not typical, judge others: "
                    "`--iter-start`, `--iter-stop`",
                    text, most));
  };
  bound(metric::kGpuIdleMean, usual.idle.mean(), FormatShare(usual.idle.mean()));
  bound(metric::kGpuIdleTimeMean, usual.idle_time.mean(), FormatDuration(usual.idle_time.mean()));
  bound(metric::kGpuUtilizationMean, usual.utilization.mean(),
        FormatShare(usual.utilization.mean()));
}

// Computes the metrics without the edges, in which the device may have been busy. If they differ,
// each metric may have any value between the recorded one and this one.
void BoundByEdges(std::span<const RankContext> ranks, catalog::Output& out) {
  Pool idle, utilization;
  Ns longest = 0;
  for (const RankContext& rank : ranks) {
    if (rank.window().length() <= 0) continue;  // Like AddUtilization().
    for (const GpuUse& use : MeasureGpus(rank)) {
      const Ns edges = std::min(rank.iterations.in_doubt, use.observed - use.busy);
      const auto share = [](Ns part, Ns whole) {
        return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
      };
      idle.Add(share(use.observed - use.busy - edges, use.observed - edges));
      utilization.Add(share(use.kernel_busy, use.window - edges));
      longest = std::max(longest, edges);
    }
  }
  const double all = AsNumber(out.ValueOf(metric::kGpuIdleMean), 0);
  if (longest == 0 || all - idle.mean() < knowledge::kUtilizationLittleIdle) return;
  const std::string why = out.Told(
      fmt::format("without {} at the edges of the profile, where the {{{{ device.device }}}} may "
                  "have run work that was not recorded",
                  FormatDuration(static_cast<double>(longest))));
  out.MayBe(metric::kGpuIdleMean, idle.mean(), FormatShare(idle.mean()) + " " + why);
  out.MayBe(metric::kGpuUtilizationMean, utilization.mean(),
            FormatShare(utilization.mean()) + " " + why);
}

}  // namespace

// A GPU that only copies, beside one with kernels, is a side effect and need not be busy.
std::vector<GpuUse> MeasureGpus(const Profile& profile, std::span<const Gpu> gpus, Span window,
                                std::span<const Span> unobserved,
                                std::span<const Iteration> iterations, Ns captured) {
  const std::vector<Span> observed = ObservedOf(window, unobserved);
  std::vector<GpuRows> used = SplitByGpu(profile.device);
  if (std::any_of(used.begin(), used.end(), [](const GpuRows& g) { return g.has_kernel; })) {
    std::erase_if(used, [](const GpuRows& g) { return !g.has_kernel; });
  }
  for (const GpuRows& other : OthersGpus(profile, used)) {
    std::erase_if(used, [&](const GpuRows& g) { return g.gpu == other.gpu; });
  }
  std::vector<GpuUse> uses;
  for (const GpuRows& rows : used) {
    uses.push_back(MeasureGpu(profile, gpus, rows, window, observed, iterations, captured));
  }
  return uses;
}

std::vector<Span> ObservedOf(Span window, std::span<const Span> unobserved) {
  if (window.length() <= 0) return {};
  return Subtract(std::span(&window, 1), unobserved);
}

std::optional<double> BlocksPerSm(const Profile& profile, std::span<const Gpu> gpus,
                                  DeviceId kernel) {
  const LaunchConfigId id = profile.device.config[kernel.value];
  if (!id.valid()) return std::nullopt;
  const LaunchConfig& config = profile.launch_configs[id.value];
  if (config.blocks_per_sm >= 0) return config.blocks_per_sm;
  const Gpu* gpu = classify::FindGpu(gpus, profile.device.gpu[kernel.value]);
  if (gpu == nullptr || gpu->sms <= 0 || config.grid[0] <= 0) return std::nullopt;
  return static_cast<double>(config.grid[0]) * config.grid[1] * config.grid[2] / gpu->sms;
}

void AddUtilization(std::span<const RankContext> ranks, catalog::Output& out) {
  RemarkOthersGpus(ranks, out);
  Pool utilization;
  Pool idle;
  Pool idle_time;  // Per iteration of the rank, since ranks differ in iteration time.
  Usual usual;
  Pool efficiency;
  Pool occupancy;
  for (const RankContext& rank : ranks) {
    if (rank.window().length() <= 0) continue;
    for (const GpuUse& use : MeasureGpus(rank)) {
      utilization.Add(use.utilization());
      idle.Add(use.idle_share());
      const auto iterations =
          static_cast<double>(std::max<std::size_t>(rank.iterations.selected().size(), 1));
      const Ns idle_sum = use.observed - use.busy;
      idle_time.Add(static_cast<double>(idle_sum) / iterations);
      usual.idle.Add(use.usual_idle_share());
      usual.idle_time.Add(static_cast<double>(idle_sum - use.idle_once) / iterations);
      usual.utilization.Add(use.usual_utilization());
      if (use.sm_efficiency) efficiency.Add(*use.sm_efficiency);
      if (use.occupancy) occupancy.Add(*use.occupancy);
    }
  }
  if (utilization.count > 0) {
    out.Set(metric::kGpuUtilizationMean, utilization.mean());
    out.Set(metric::kGpuUtilizationMin, utilization.min);
    out.Set(metric::kGpuIdleMean, idle.mean());
    out.Set(metric::kGpuIdleMax, idle.max);
    out.Set(metric::kGpuIdleTimeMean, idle_time.mean());
    out.Set(metric::kGpuIdleTimeMax, idle_time.max);
    BoundByOnce(ranks, usual, out);
    BoundByEdges(ranks, out);
  } else {
    for (const MetricId id :
         {metric::kGpuUtilizationMean, metric::kGpuUtilizationMin, metric::kGpuIdleMean,
          metric::kGpuIdleMax, metric::kGpuIdleTimeMean, metric::kGpuIdleTimeMax}) {
      out.SetAbsent(id, out.Gap(Capability::kDeviceEvents));
    }
  }
  const auto set = [&](MetricId id, const Pool& pool) {
    if (pool.count > 0) {
      out.Set(id, pool.mean());
    } else {
      out.SetAbsent(
          id, out.Gap(utilization.count > 0 ? Capability::kOccupancy : Capability::kDeviceEvents));
    }
  };
  set(metric::kGpuSmEfficiency, efficiency);
  set(metric::kGpuOccupancy, occupancy);
  for (const MetricId id :
       {metric::kGpuMeasuredTensorActive, metric::kGpuMeasuredSmActive,
        metric::kGpuMeasuredDramRead, metric::kGpuMeasuredDramWrite, metric::kGpuMeasuredDram}) {
    out.SetAbsent(
        id, out.Told("needs the {{ device.device }}'s own counters") +
                (out.accelerator() == Accelerator::kNvidia
                     ? "; record with Nsight Systems and --gpu-metrics-devices=all, or a PyTorch "
                       "whose Kineto samples counters"
                     : ", which this profile does not have"));
  }
}

}  // namespace profgauge::analysis::iterations
