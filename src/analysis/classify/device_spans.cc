#include "analysis/classify/device_spans.h"

#include <algorithm>
#include <cstddef>

namespace profgauge {
namespace {

bool IsCompute(const DeviceTable& device, std::span<const KernelClass> classes, std::size_t row) {
  return device.kind[row] == DeviceKind::kKernel && !classes[row].collective;
}

// Length of [start, end) that `cover` covers, beginning to look at `from`; rows of a stream come in
// order, so `from` only moves forward between streams' starts.
Ns Covered(std::span<const Span> cover, Span part, std::size_t& from) {
  while (from < cover.size() && cover[from].end <= part.start) ++from;
  Ns covered = 0;
  for (std::size_t i = from; i < cover.size() && cover[i].start < part.end; ++i) {
    covered += std::min(cover[i].end, part.end) - std::max(cover[i].start, part.start);
  }
  return covered;
}

// When the GPU of row `first`, its first, computes; nothing when computing is all that it does.
std::vector<Span> ComputeFrom(const DeviceTable& device, std::span<const KernelClass> classes,
                              std::size_t first) {
  SpanCollector compute;
  bool is_all = true;
  std::size_t end = first;
  for (; end < device.size() && device.gpu[end] == device.gpu[first]; ++end) {
    is_all = is_all && IsCompute(device, classes, end);
  }
  for (std::size_t i = first; i < end && !is_all; ++i) {
    if (IsCompute(device, classes, i)) compute.Add(device.start[i], device.duration[i]);
  }
  return compute.Take();
}

}  // namespace

DeviceRows RowsOfGpu(const DeviceTable& device, std::int32_t gpu) {
  const auto [first, last] = std::equal_range(device.gpu.begin(), device.gpu.end(), gpu);
  return {static_cast<std::uint32_t>(first - device.gpu.begin()),
          static_cast<std::uint32_t>(last - device.gpu.begin())};
}

const Gpu* FindGpu(std::span<const Gpu> gpus, std::int32_t id) {
  const auto at =
      std::partition_point(gpus.begin(), gpus.end(), [id](const Gpu& gpu) { return gpu.id < id; });
  return at != gpus.end() && at->id == id ? &*at : nullptr;
}

std::vector<DeviceSpans> CollectDeviceSpans(const Profile& profile,
                                            std::span<const KernelClass> classes) {
  const DeviceTable& device = profile.device;
  std::vector<DeviceSpans> result;
  for (std::size_t i = 0; i < device.size();) {  // Rows are sorted by GPU.
    DeviceSpans& spans = result.emplace_back();
    spans.gpu = device.gpu[i];
    SpanCollector compute, communication, busy;
    for (; i < device.size() && device.gpu[i] == spans.gpu; ++i) {
      busy.Add(device.start[i], device.duration[i]);
      if (device.kind[i] != DeviceKind::kKernel) continue;
      (classes[i].collective ? communication : compute).Add(device.start[i], device.duration[i]);
    }
    spans.compute = compute.Take();
    spans.communication = communication.Take();
    spans.busy = busy.Take();
  }
  return result;
}

std::vector<Ns> ExposedTimes(const Profile& profile, std::span<const KernelClass> classes) {
  const DeviceTable& device = profile.device;
  std::vector<Ns> exposed(device.size(), 0);
  std::vector<Span> compute;
  std::size_t from = 0;
  for (std::size_t i = 0; i < device.size(); ++i) {
    const bool new_gpu = i == 0 || device.gpu[i] != device.gpu[i - 1];
    if (new_gpu) compute = ComputeFrom(device, classes, i);
    if (new_gpu || device.stream[i] != device.stream[i - 1]) from = 0;
    if (IsCompute(device, classes, i)) continue;
    const Span part{device.start[i], device.start[i] + device.duration[i]};
    if (from == 0) {  // First of a stream: leap, do not walk.
      from = static_cast<std::size_t>(
          std::lower_bound(compute.begin(), compute.end(), part.start,
                           [](const Span& span, Ns at) { return span.end <= at; }) -
          compute.begin());
    }
    exposed[i] = part.length() - Covered(compute, part, from);
  }
  return exposed;
}

}  // namespace profgauge
