#include "analysis/device/device_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "analysis/classify/device_spans.h"
#include "analysis/context/utilization.h"
#include "analysis/device/launches.h"
#include "base/interval.h"

namespace profgauge {
namespace {

constexpr std::int64_t kFullQueue = 1024;  // CUDA's limit of pending launches (HTA).

struct KernelSums {
  std::int64_t kernels = 0;
  Ns time = 0, tensor_core = 0;
};

KernelSums SumKernels(const RankContext& rank, std::int32_t gpu) {
  const DeviceTable& device = rank.profile->device;
  KernelSums sums;
  const auto [begin, end] = RowsOfGpu(device, gpu);
  for (std::uint32_t i = begin; i < end; ++i) {
    if (device.kind[i] != DeviceKind::kKernel || !rank.InIterations(DeviceId{i})) continue;
    ++sums.kernels;
    sums.time += device.duration[i];
    if (rank.classes[i].tensor_core == Tri::kYes) sums.tensor_core += device.duration[i];
  }
  return sums;
}

void AddCount(Column& column, std::int64_t value) {
  if (value >= 0)
    column.AddInteger(value);
  else
    column.AddAbsent();
}

void AddOptional(Column& column, const std::optional<double>& value) {
  if (value)
    column.AddReal(*value);
  else
    column.AddAbsent();
}

void AppendGpu(const RankContext& rank, const GpuUse& use, Table& table, StringPool& pool) {
  const Gpu* const found = FindGpu(rank.devices, use.gpu);
  const Gpu gpu = found == nullptr ? Gpu{} : *found;
  const KernelSums sums = SumKernels(rank, use.gpu);
  table.Find("rank")->AddInteger(rank.rank);
  AddCount(*table.Find("id"), use.gpu);
  Column& name = *table.Find("name");
  if (gpu.name.empty())
    name.AddAbsent();
  else
    name.AddText(pool.Intern(gpu.name));
  Column& capability = *table.Find("compute_capability");
  if (gpu.compute_major < 0) {
    capability.AddAbsent();
  } else {
    capability.AddText(
        pool.Intern(fmt::format("{}.{}", gpu.compute_major, std::max(0, gpu.compute_minor))));
  }
  AddCount(*table.Find("sms"), gpu.sms);
  AddCount(*table.Find("memory"), gpu.memory);
  // A file of durations alone says nothing of when the GPU was busy.
  const bool timed = rank.profile->has_timeline;
  const auto if_timed = [&](double value) { return timed ? std::optional(value) : std::nullopt; };
  AddOptional(*table.Find("utilization"), if_timed(use.utilization()));
  AddOptional(*table.Find("idle"), if_timed(use.idle_share()));
  AddOptional(*table.Find("sm_efficiency"), timed ? use.sm_efficiency : std::nullopt);
  AddOptional(*table.Find("occupancy"), use.occupancy);
  Column& share = *table.Find("tensor_core_share");
  if (sums.time > 0) {
    share.AddReal(static_cast<double>(sums.tensor_core) / static_cast<double>(sums.time));
  } else {
    share.AddAbsent();
  }
  table.Find("kernels")->AddInteger(sums.kernels);
  table.Find("kernel_time")->AddInteger(sums.time);
  if (timed) {
    table.Find("wall_time")->AddInteger(use.window);
  } else {
    table.Find("wall_time")->AddAbsent();
  }
}

struct StreamSums {
  std::int64_t kernels = 0, copies = 0;
  Ns kernel_time = 0, collective_time = 0, copy_time = 0;
  Ns busy = 0;  // In the window.
  std::vector<QueueItem> launches;
};

StreamSums SumStream(const RankContext& rank, std::size_t begin, std::size_t end) {
  const Profile& profile = *rank.profile;
  const DeviceTable& device = profile.device;
  StreamSums sums;
  SpanCollector active;
  for (std::size_t i = begin; i < end; ++i) active.Add(device.start[i], device.duration[i]);
  const Span window[] = {rank.window()};
  sums.busy = OverlapLength(active.Take(), window);
  sums.launches.reserve(end - begin);
  ApiId last;
  for (std::size_t i = begin; i < end; ++i) {
    if (!rank.InTables(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    const bool kernel = device.kind[i] == DeviceKind::kKernel;
    (kernel ? sums.kernels : sums.copies) += 1;
    (kernel ? sums.kernel_time : sums.copy_time) += device.duration[i];
    if (rank.classes[i].collective) sums.collective_time += device.duration[i];
    const ApiId launch = device.launch[i];
    // A graph is one launch, whose kernels follow each other.
    if (!launch.valid() || launch == last) continue;
    last = launch;
    sums.launches.push_back({profile.api.start[launch.value], device.start[i]});
  }
  return sums;
}

void AppendQueue(const StreamSums& sums, Table& table) {
  table.Find("launches")->AddInteger(static_cast<std::int64_t>(sums.launches.size()));
  Column& empty = *table.Find("queue_empty_share");
  Column& mean = *table.Find("queue_mean");
  Column& longest = *table.Find("queue_max");
  Column& full = *table.Find("queue_full_share");
  if (sums.launches.empty()) {
    for (Column* column : {&empty, &mean, &longest, &full}) column->AddAbsent();
    return;
  }
  const auto into_empty = [&] {
    const std::vector<std::int64_t> at_launch = QueueLengths(sums.launches);
    return std::count(at_launch.begin(), at_launch.end(), 0);
  }();
  empty.AddReal(static_cast<double>(into_empty) / static_cast<double>(sums.launches.size()));
  const QueueSums queue = SumQueue(sums.launches, kFullQueue);
  mean.AddReal(static_cast<double>(queue.length) / static_cast<double>(queue.events));
  longest.AddInteger(queue.longest);
  const Ns length = queue.last - queue.first;
  if (length > 0)
    full.AddReal(static_cast<double>(queue.full_time) / static_cast<double>(length));
  else
    full.AddAbsent();
}

void AppendStreams(const RankContext& rank, Table& table) {
  const DeviceTable& device = rank.profile->device;
  for (std::size_t i = 0; i < device.size();) {  // Rows are sorted by GPU and stream.
    const std::size_t begin = i;
    while (i < device.size() && device.gpu[i] == device.gpu[begin] &&
           device.stream[i] == device.stream[begin]) {
      ++i;
    }
    const StreamSums sums = SumStream(rank, begin, i);
    if (sums.kernels + sums.copies == 0) continue;
    table.Find("rank")->AddInteger(rank.rank);
    AddCount(*table.Find("gpu"), device.gpu[begin]);
    AddCount(*table.Find("stream"), device.stream[begin]);
    table.Find("kernels")->AddInteger(sums.kernels);
    table.Find("copies")->AddInteger(sums.copies);
    table.Find("kernel_time")->AddInteger(sums.kernel_time);
    table.Find("collective_time")->AddInteger(sums.collective_time);
    table.Find("copy_time")->AddInteger(sums.copy_time);
    Column& busy = *table.Find("busy");
    const Ns window = rank.window().length();
    if (window > 0 && rank.profile->has_timeline)
      busy.AddReal(static_cast<double>(sums.busy) / static_cast<double>(window));
    else
      busy.AddAbsent();
    AppendQueue(sums, table);
  }
}

}  // namespace

void AddDeviceTables(std::span<const RankContext> ranks, Output& out) {
  const bool any = std::any_of(ranks.begin(), ranks.end(),
                               [](const RankContext& rank) { return rank.has_device(); });
  if (!any) {
    out.SetTableAbsent("gpus", out.Gap(Capability::kDeviceEvents));
    out.SetTableAbsent("streams", out.Gap(Capability::kDeviceEvents));
    return;
  }
  Table& gpus = out.AddTable("gpus");
  for (const RankContext& rank : ranks) {
    for (const GpuUse& use : MeasureGpus(rank)) AppendGpu(rank, use, gpus, out.strings());
  }
  Table& streams = out.AddTable("streams");
  for (const RankContext& rank : ranks) AppendStreams(rank, streams);
}

}  // namespace profgauge
