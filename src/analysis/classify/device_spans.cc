#include "analysis/classify/device_spans.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace profgauge {
namespace {

bool IsCompute(const DeviceTable& device, const KernelClasses& classes, std::size_t row) {
  return device.kind[row] == DeviceKind::kKernel && !classes[row].collective;
}

// What of `part` is left without `cover`, beginning to look at `from`, which only moves forward.
Ns Uncovered(std::span<const Span> cover, Span part, std::size_t& from) {
  while (from < cover.size() && cover[from].end <= part.start) ++from;
  Ns left = part.length();
  for (std::size_t i = from; i < cover.size() && cover[i].start < part.end; ++i) {
    left -= std::min(cover[i].end, part.end) - std::max(cover[i].start, part.start);
  }
  return left;
}

// Gives each instant in which one of `rows` runs, and `cover` does not, to the row that began
// first.
void Expose(const DeviceTable& device, std::vector<std::uint32_t> rows, std::span<const Span> cover,
            OptionalColumn<Ns>& exposed) {
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return device.start[a] < device.start[b];
  });
  std::size_t from = 0;
  Ns given = std::numeric_limits<Ns>::min();
  for (const std::uint32_t row : rows) {
    const Ns end = device.start[row] + device.duration[row];
    const Span own{std::max(device.start[row], given), end};
    if (own.end <= own.start) continue;
    exposed.Set(row, Uncovered(cover, own, from));
    given = end;
  }
}

// Of the rows [first, end) of one GPU.
void ExposeGpu(const DeviceTable& device, const KernelClasses& classes, std::uint32_t first,
               std::uint32_t end, std::span<const Span> uncounted, OptionalColumn<Ns>& exposed) {
  std::vector<std::uint32_t> collectives, copies, sets;
  for (std::uint32_t row = first; row < end; ++row) {
    if (device.kind[row] == DeviceKind::kMemcpy) copies.push_back(row);
    if (device.kind[row] == DeviceKind::kMemset) sets.push_back(row);
    if (device.kind[row] == DeviceKind::kKernel && classes[row].collective) {
      collectives.push_back(row);
    }
  }
  if (collectives.empty() && copies.empty() && sets.empty()) return;
  SpanCollector compute, copying;
  for (std::uint32_t row = first; row < end; ++row) {
    if (IsCompute(device, classes, row)) compute.Add(device.start[row], device.duration[row]);
  }
  for (const std::uint32_t row : copies) copying.Add(device.start[row], device.duration[row]);
  std::vector<Span> cover = compute.Take();
  if (!uncounted.empty()) {
    cover.insert(cover.end(), uncounted.begin(), uncounted.end());
    cover = Merge(std::move(cover));
  }
  Expose(device, std::move(collectives), cover, exposed);
  Expose(device, std::move(copies), cover, exposed);
  if (sets.empty()) return;
  const std::vector<Span> more = copying.Take();
  cover.insert(cover.end(), more.begin(), more.end());
  Expose(device, std::move(sets), Merge(std::move(cover)), exposed);
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

std::vector<DeviceSpans> CollectDeviceSpans(const Profile& profile, const KernelClasses& classes) {
  const DeviceTable& device = profile.device;
  std::vector<DeviceSpans> result;
  for (std::uint32_t i = 0; i < device.size();) {
    const DeviceRows rows = RowsOfGpu(device, device.gpu[i]);
    DeviceSpans& spans = result.emplace_back();
    spans.gpu = device.gpu[i];
    SpanCollector compute, communication;
    compute.Reserve(rows.end - rows.begin);
    for (; i < rows.end; ++i) {
      if (device.kind[i] != DeviceKind::kKernel) continue;
      (classes[i].collective ? communication : compute).Add(device.start[i], device.duration[i]);
    }
    spans.compute = compute.Take();
    spans.communication = communication.Take();
  }
  return result;
}

OptionalColumn<Ns> ExposedTimes(const Profile& profile, const KernelClasses& classes,
                                std::span<const Span> uncounted) {
  const DeviceTable& device = profile.device;
  OptionalColumn<Ns> exposed(device.size());
  for (std::uint32_t first = 0; first < device.size();) {
    const std::uint32_t end = RowsOfGpu(device, device.gpu[first]).end;
    ExposeGpu(device, classes, first, end, uncounted, exposed);
    first = end;
  }
  return exposed;
}

}  // namespace profgauge
