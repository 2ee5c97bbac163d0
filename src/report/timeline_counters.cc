#include "report/timeline_counters.h"

#include "report/timeline_neuron.h"
#include "report/timeline_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/classify/device_spans.h"
#include "analysis/iterations/kernel_work.h"
#include "base/interval.h"
#include "model/devices.h"

namespace profgauge::report {
namespace {

const DeviceWords& WordsOf(const Profile& profile) {
  return DeviceWordsOf(profgauge::AcceleratorOf(std::span(&profile, 1)));
}

// Adds the allocated memory of each GPU, with a point per pixel of a screen. The largest of
// neighboring values is kept, so that no peak vanishes.
void AddMemory(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  const MemoryTable& memory = profile.memory;
  std::map<std::int32_t, Timeline::Counter> counters;
  for (std::size_t row = 0; row < memory.size(); ++row) {
    if (memory.device_type[row] != 1 || memory.total_allocated[row] < 0) continue;
    Timeline::Counter& counter = counters[memory.device[row]];
    counter.time.push_back(memory.time[row]);
    counter.value.push_back(memory.total_allocated[row]);
  }
  // If there are many GPUs, only those whose streams are drawn get a counter.
  const std::vector<std::int32_t> drawn = DrawnGpus(profile.device);
  for (auto& [gpu, counter] : counters) {
    const bool is_drawn = std::binary_search(drawn.begin(), drawn.end(), gpu);
    if (counters.size() > kMostDrawnGpus && !is_drawn) continue;
    const std::size_t each = counter.time.size() / kMostCounterPoints + 1;
    Timeline::Counter thin;
    thin.name = "memory allocated";
    thin.group = TimelineGpuName(profile, gpu);
    thin.rank = rank;
    thin.end = profile.last;
    for (std::size_t i = 0; i < counter.time.size(); i += each) {
      const std::size_t end = std::min(i + each, counter.time.size());
      thin.time.push_back(counter.time[i]);
      thin.value.push_back(*std::max_element(counter.value.begin() + static_cast<long>(i),
                                             counter.value.begin() + static_cast<long>(end)));
    }
    timeline.counters.push_back(std::move(thin));
  }
}

// Returns the length of a bucket, at least 1 us. Buckets are for timelines with omitted events and
// for viewers that draw points: else the page itself computes the values (Timeline::Counter::of).
constexpr Ns kMostBusyBuckets = 16'384;
Ns BucketOf(Ns window) {
  return std::max<Ns>(1000, (window + kMostBusyBuckets - 1) / kMostBusyBuckets);
}

// Sums over each bucket: the time in which a kernel of the GPU runs, and the blocks per SM (at most
// 1) × time. AddBusy() divides them by the bucket's length.
struct Busy {
  std::vector<double> running, efficiency;
};

// Adds `value` × length to each bucket that [from, to) overlaps:
//
//     bucket         |    0    |    1    |    2    |
//     [from, to)          |-------------------|        0: a half, 1: all, 2: a half
//
// The last bucket contains the rest of the window, which may be longer.
void Spread(Ns first, Ns bucket, Ns from, Ns to, double value, std::vector<double>& out) {
  while (from < to) {
    const auto index = std::min(static_cast<std::size_t>((from - first) / bucket), out.size() - 1);
    const bool is_last = index + 1 == out.size();
    const Ns end = is_last ? to : std::min(to, first + static_cast<Ns>(index + 1) * bucket);
    out[index] += value * static_cast<double>(end - from);
    from = end;
  }
}

// Utilization counts overlapping kernels once. The estimated SM efficiency adds the blocks per SM
// of concurrent kernels, up to 1; it is empty without launch configurations.
Busy MeasureGpu(const Profile& profile, std::int32_t gpu, Ns bucket, std::size_t buckets) {
  const DeviceTable& device = profile.device;
  Busy busy{std::vector<double>(buckets), std::vector<double>(buckets)};
  SpanCollector spans;
  std::vector<std::uint32_t> known;
  const auto blocks_of = [&](std::uint32_t row) {
    const LaunchConfigId config = device.config[row];
    return config.valid() ? profile.launch_configs[config.value].blocks_per_sm : -1;
  };
  const auto [begin, end] = analysis::classify::RowsOfGpu(device, gpu);
  for (std::uint32_t row = begin; row < end; ++row) {
    if (device.kind[row] != DeviceKind::kKernel) continue;
    spans.Add(device.start[row], device.duration[row]);
    if (blocks_of(row) > 0) known.push_back(row);
  }
  for (const Span& span : spans.Take()) {
    Spread(profile.first, bucket, span.start, span.end, 1, busy.running);
  }
  if (known.empty()) busy.efficiency.clear();
  analysis::iterations::SweepKernels(
      known,
      [&](std::uint32_t row) {
        return Span{device.start[row], device.start[row] + device.duration[row]};
      },
      blocks_of,
      [&](Ns from, Ns to, double level) {
        if (level > 1e-9) {
          Spread(profile.first, bucket, from, to, std::min(level, 1.0), busy.efficiency);
        }
      });
  return busy;
}

void AddBusy(const Profile& profile, std::int64_t rank, bool has_all, Timeline& timeline) {
  const Ns window = profile.last - profile.first;
  if (window <= 0) return;
  const Ns bucket = BucketOf(window);
  const auto buckets = static_cast<std::size_t>(std::max<Ns>(1, window / bucket));
  for (const std::int32_t gpu : DrawnGpus(profile.device)) {
    const Busy busy = MeasureGpu(profile, gpu, bucket, buckets);
    const auto add = [&](std::string name, Timeline::Counter::Of of,
                         const std::vector<double>& sums) {
      if (sums.empty()) return;
      Timeline::Counter counter;
      if (has_all) counter.of = of;
      counter.device = gpu;
      counter.name = std::move(name);
      counter.group = TimelineGpuName(profile, gpu);
      counter.unit = Unit::kShare;
      counter.rank = rank;
      counter.scale = 1 / kMillionths;
      for (std::size_t i = 0; i < buckets; ++i) {
        const Ns start = profile.first + static_cast<Ns>(i) * bucket;
        const Ns length = i + 1 == buckets ? profile.last - start : bucket;
        const auto value = std::llround(kMillionths * sums[i] / static_cast<double>(length));
        if (!counter.value.empty() && counter.value.back() == value) continue;
        counter.time.push_back(start);
        counter.value.push_back(value);
      }
      // Viewers without support for ends continue the last value, so it is set to 0.
      counter.time.push_back(profile.last);
      counter.value.push_back(0);
      counter.end = profile.last;
      timeline.counters.push_back(std::move(counter));
    };
    using Of = Timeline::Counter::Of;
    add(fmt::format("{} utilization", WordsOf(profile).device), Of::kBusy, busy.running);
    add(fmt::format("est. {} efficiency", WordsOf(profile).core), Of::kBlocks, busy.efficiency);
  }
}

}  // namespace

std::string TimelineGpuName(const Profile& profile, std::int32_t id) {
  if (profile.neuron != nullptr) return fmt::format("NeuronCore {}", std::max(0, id));
  const std::string_view device = WordsOf(profile).device;
  for (const Gpu& gpu : profile.gpus) {
    if (gpu.id == id && !gpu.name.empty()) return fmt::format("{} {} · {}", device, id, gpu.name);
  }
  return id < 0 ? std::string(device) : fmt::format("{} {}", device, id);
}

std::vector<std::int32_t> DrawnGpus(const DeviceTable& device) {
  std::vector<std::int32_t> gpus;  // The table is sorted by GPU.
  std::vector<Ns> events;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (gpus.empty() || gpus.back() != device.gpu[row]) {
      gpus.push_back(device.gpu[row]);
      events.push_back(0);
    }
    ++events.back();
  }
  const std::vector<bool> drawn = Busiest(events, kMostDrawnGpus);
  std::size_t index = 0;
  std::erase_if(gpus, [&](std::int32_t) { return !drawn[index++]; });
  return gpus;
}

void AddCounters(const Profile& profile, std::int64_t rank, bool has_all, Timeline& timeline) {
  if (profile.neuron != nullptr) return AddNeuronCounters(profile, rank, timeline);
  AddBusy(profile, rank, has_all, timeline);
  AddMemory(profile, rank, timeline);
}

}  // namespace profgauge::report
