#include "analysis/device/device_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/classify/device_spans.h"
#include "analysis/context/utilization.h"
#include "analysis/device/queue.h"
#include "analysis/tables/device_columns.h"
#include "analysis/tables/row_writer.h"
#include "base/interval.h"
#include "knowledge/launches.h"

namespace profgauge::analysis::device {
namespace {

struct GpuKernels {
  std::int64_t kernels = 0;
  Ns time = 0, tensor_core = 0;
};

// Kernels of the selected iterations on one GPU.
GpuKernels KernelsOf(const context::RankContext& rank, std::int32_t gpu) {
  const DeviceTable& device = rank.profile->device;
  GpuKernels sums;
  const auto [begin, end] = classify::RowsOfGpu(device, gpu);
  for (std::uint32_t i = begin; i < end; ++i) {
    if (device.kind[i] != DeviceKind::kKernel || !rank.InIterations(DeviceId{i})) continue;
    ++sums.kernels;
    sums.time += device.duration[i];
    if (rank.classes[i].tensor_core == classify::Tri::kYes) sums.tensor_core += device.duration[i];
  }
  return sums;
}

// "8.0"; empty where it is unknown.
std::string CapabilityText(const Gpu& gpu) {
  if (gpu.compute_major < 0) return {};
  return fmt::format("{}.{}", gpu.compute_major, std::max(0, gpu.compute_minor));
}

// A number that the file does not state (SMs, memory) is absent; so is each number that needs to
// know when the GPU worked, in a file of durations only.
void AppendGpu(const context::RankContext& rank, const context::GpuUse& use,
               tables::RowWriter<tables::columns::kGpus>& write) {
  const Gpu* const found = classify::FindGpu(rank.devices, use.gpu);
  const Gpu gpu = found == nullptr ? Gpu{} : *found;
  const GpuKernels sums = KernelsOf(rank, use.gpu);
  // A file only of durations says nothing of when the GPU was busy.
  const bool timed = rank.profile->has_timeline;
  const auto if_timed = [&](double value) { return timed ? std::optional(value) : std::nullopt; };
  write.Integer("rank"_col, rank.rank)
      .Known("id"_col, use.gpu)
      .Text("name"_col, gpu.name)
      .Text("compute_capability"_col, CapabilityText(gpu))
      .Known("sms"_col, gpu.sms)
      .Known("memory"_col, gpu.memory)
      .Real("utilization"_col, if_timed(use.utilization()))
      .Real("idle"_col, if_timed(use.idle_share()))
      .Real("usual_idle"_col, use.idle_once > 0 ? if_timed(use.usual_idle_share()) : std::nullopt)
      .Real("sm_efficiency"_col, timed ? use.sm_efficiency : std::nullopt)
      .Real("occupancy"_col, use.occupancy)
      .Share("tensor_core_share"_col, sums.tensor_core, sums.time)
      .Integer("kernels"_col, sums.kernels)
      .Integer("kernel_time"_col, sums.time)
      .IntegerIf("wall_time"_col, timed, use.window);
}

struct StreamSums {
  std::int64_t kernels = 0, copies = 0;
  Ns kernel_time = 0, collective_time = 0, copy_time = 0;
  Ns busy = 0;          // In the window.
  ChosenRows launches;  // The first row of each.
};

// REQUIRES: rows [begin, end) are one stream's. A graph's kernels of one stream follow each other,
// so that one look at the last launch is enough.
StreamSums SumStream(const context::RankContext& rank, std::size_t begin, std::size_t end) {
  const DeviceTable& device = rank.profile->device;
  StreamSums sums;
  const classify::DeviceRows rows = {static_cast<std::uint32_t>(begin),
                                     static_cast<std::uint32_t>(end)};
  sums.busy = classify::TimeWithin(device, rows, rank.window(), [](std::uint32_t) { return true; });
  ApiId last;
  for (std::size_t i = begin; i < end; ++i) {
    if (!rank.InIterations(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    const bool kernel = device.kind[i] == DeviceKind::kKernel;
    (kernel ? sums.kernels : sums.copies) += 1;
    (kernel ? sums.kernel_time : sums.copy_time) += device.duration[i];
    if (rank.classes[i].collective) sums.collective_time += device.duration[i];
    const ApiId launch = device.launch[i];
    // A graph is one launch, whose kernels follow each other.
    if (!launch.valid() || launch == last) continue;
    last = launch;
    sums.launches.Add(static_cast<std::uint32_t>(i));
  }
  return sums;
}

// From `launches` on.
void AppendQueue(const Profile& profile, const ChosenRows& rows,
                 tables::RowWriter<tables::columns::kStreams>& write) {
  const StreamItems items(profile, rows);
  const auto launches = static_cast<std::int64_t>(items.size());
  write.Integer("launches"_col, launches);
  if (launches == 0) {
    write.Absent("queue_empty_share"_col, "queue_mean"_col, "queue_max"_col,
                 "queue_full_share"_col);
    return;
  }
  std::int64_t into_empty = 0;
  ForEachLength(items, [&](std::int64_t length) { into_empty += length == 0 ? 1 : 0; });
  const QueueSums queue = SumQueue(items, knowledge::kLaunchesQueuePlaces.value());
  write.Share("queue_empty_share"_col, into_empty, launches)
      .Share("queue_mean"_col, queue.length, queue.events)
      .Integer("queue_max"_col, queue.longest)
      .Share("queue_full_share"_col, queue.full_time, queue.last - queue.first);
}

void AppendStreams(const context::RankContext& rank,
                   tables::RowWriter<tables::columns::kStreams>& write) {
  const DeviceTable& device = rank.profile->device;
  for (std::size_t i = 0; i < device.size();) {  // Rows are sorted by GPU and stream.
    const std::size_t begin = i;
    while (i < device.size() && device.gpu[i] == device.gpu[begin] &&
           device.stream[i] == device.stream[begin]) {
      ++i;
    }
    const StreamSums sums = SumStream(rank, begin, i);
    if (sums.kernels + sums.copies == 0) continue;
    const Ns window = rank.profile->has_timeline ? rank.window().length() : 0;
    write.Integer("rank"_col, rank.rank)
        .Known("gpu"_col, device.gpu[begin])
        .Known("stream"_col, device.stream[begin])
        .Integer("kernels"_col, sums.kernels)
        .Integer("copies"_col, sums.copies)
        .Integer("kernel_time"_col, sums.kernel_time)
        .Integer("collective_time"_col, sums.collective_time)
        .Integer("copy_time"_col, sums.copy_time)
        .Share("busy"_col, sums.busy, window);
    AppendQueue(*rank.profile, sums.launches, write);
  }
}

}  // namespace

void AddDeviceTables(std::span<const context::RankContext> ranks, tables::Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(),
                               [](const context::RankContext& rank) { return rank.has_device(); });
  if (!any) {
    out.SetTableAbsent("gpus", out.Gap(Capability::kDeviceEvents));
    out.SetTableAbsent("streams", out.Gap(Capability::kDeviceEvents));
    return;
  }
  tables::RowWriter<tables::columns::kGpus> gpus(out.AddTable("gpus"));
  for (const context::RankContext& rank : ranks) {
    for (const context::GpuUse& use : context::MeasureGpus(rank)) AppendGpu(rank, use, gpus);
  }
  tables::RowWriter<tables::columns::kStreams> streams(out.AddTable("streams"));
  for (const context::RankContext& rank : ranks) AppendStreams(rank, streams);
}

}  // namespace profgauge::analysis::device
