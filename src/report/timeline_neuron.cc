#include "report/timeline_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "model/neuron.h"

namespace profgauge::report {
namespace {

constexpr Ns kMostBuckets = 500;

Timeline::Counter MakeCounter(const Profile& profile, std::int64_t rank, std::int32_t core,
                              std::string name, Unit unit) {
  Timeline::Counter counter;
  counter.name = std::move(name);
  counter.group = TimelineGpuName(profile, core);
  counter.unit = unit;
  counter.rank = rank;
  if (unit == Unit::kShare) counter.scale = 1 / kMillionths;
  counter.end = std::max(profile.last, profile.span_end);
  return counter;
}

struct CurveName {
  neuron::Curve curve;
  const char* name;
  Unit unit;
};
constexpr CurveName kCurves[] = {
    {neuron::Curve::kDmaThroughput, "DMA throughput", Unit::kBandwidth},
    {neuron::Curve::kHbmThroughput, "HBM throughput", Unit::kBandwidth},
    {neuron::Curve::kPendingDma, "pending DMA", Unit::kCount},
    {neuron::Curve::kSbuf, "SBUF use", Unit::kShare},
    {neuron::Curve::kPsum, "PSUM use", Unit::kShare},
};

// Points are sorted by curve, core and time; of `each` neighbors the highest represents all.
void AddCurves(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  const auto& points = profile.neuron->curves;
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin;
    while (end < points.size() && points[end].curve == points[begin].curve &&
           points[end].core == points[begin].core) {
      ++end;
    }
    const CurveName& curve = kCurves[static_cast<std::size_t>(points[begin].curve)];
    Timeline::Counter counter =
        MakeCounter(profile, rank, points[begin].core, curve.name, curve.unit);
    const std::size_t each = (end - begin) / kMostCounterPoints + 1;
    for (std::size_t i = begin; i < end; i += each) {
      double highest = 0;
      for (std::size_t j = i; j < std::min(i + each, end); ++j) {
        highest = std::max(highest, points[j].value);
      }
      counter.time.push_back(points[i].time);
      const double scaled = curve.unit == Unit::kShare ? highest * kMillionths : highest;
      counter.value.push_back(std::llround(std::clamp(scaled, 0.0, kLargestWhole)));
    }
    timeline.counters.push_back(std::move(counter));
    begin = end;
  }
}

// FLOPs of an instruction are spread evenly over its duration.
void AddFlops(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  const neuron::Data& data = *profile.neuron;
  const double peak = data.hardware.PeakFlops() * 1e-9;  // Per nanosecond.
  const Ns total = std::max(profile.last, profile.span_end);
  if (peak <= 0 || total <= 0) return;
  const Ns bucket = std::max<Ns>(1, (total + kMostBuckets - 1) / kMostBuckets);
  std::map<std::int32_t, std::vector<double>> cores;
  for (const neuron::Instruction& row : data.instructions) {
    if (row.flops <= 0 || row.start < 0 || row.end() > total) continue;
    auto& flops = cores[row.core];
    flops.resize(static_cast<std::size_t>(total / bucket) + 1);
    const double each =
        static_cast<double>(row.flops) / static_cast<double>(std::max<Ns>(1, row.duration));
    for (Ns at = row.start; at < std::max(row.end(), row.start + 1);) {
      const Ns next = std::min((at / bucket + 1) * bucket, std::max(row.end(), row.start + 1));
      flops[static_cast<std::size_t>(at / bucket)] += each * static_cast<double>(next - at);
      at = next;
    }
  }
  for (const auto& [core, flops] : cores) {
    Timeline::Counter counter = MakeCounter(profile, rank, core, "HFU", Unit::kShare);
    for (std::size_t i = 0; i < flops.size(); ++i) {
      counter.time.push_back(static_cast<Ns>(i) * bucket);
      const double share = flops[i] / (peak * static_cast<double>(bucket));
      counter.value.push_back(std::llround(kMillionths * std::min(share, 1.0)));
    }
    timeline.counters.push_back(std::move(counter));
  }
}

// `k` of `n` cycles were allowed from `start` on, until the next row of the core.
void AddThrottles(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  std::map<std::int32_t, Timeline::Counter> cores;
  for (const neuron::Throttle& row : profile.neuron->throttles) {
    auto [found, is_new] = cores.try_emplace(row.core);
    if (is_new) {
      found->second = MakeCounter(profile, rank, row.core, "cycles allowed", Unit::kShare);
      found->second.line = true;
    }
    Timeline::Counter& counter = found->second;
    counter.time.push_back(row.start);
    counter.value.push_back(
        std::llround(kMillionths * static_cast<double>(row.k) / static_cast<double>(row.n)));
  }
  for (auto& [core, counter] : cores) timeline.counters.push_back(std::move(counter));
}

// Values of the semaphores that change most; of `each` neighbors the last represents all.
void AddSemaphores(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  constexpr std::size_t kMostSemaphores = 64, kMostSteps = 1000;
  using Updates = std::vector<const neuron::SemaphoreUpdate*>;
  std::map<std::pair<std::int32_t, std::uint32_t>, Updates> semaphores;
  for (const neuron::SemaphoreUpdate& row : profile.neuron->semaphores) {
    semaphores[{row.core, row.semaphore.value}].push_back(&row);
  }
  std::vector<const decltype(semaphores)::value_type*> order;
  for (const auto& semaphore : semaphores) order.push_back(&semaphore);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->second.size() > b->second.size();
  });
  order.resize(std::min(order.size(), kMostSemaphores));
  for (const auto* semaphore : order) {
    const Updates& updates = semaphore->second;
    const std::string_view name = profile.Name(updates.front()->semaphore);
    const bool numbered = name.find_first_not_of("0123456789") == std::string_view::npos;
    Timeline::Counter counter =
        MakeCounter(profile, rank, semaphore->first.first,
                    (numbered ? "semaphore " : "") + std::string(name), Unit::kCount);
    counter.line = true;
    counter.section = semaphores.size() <= kMostSemaphores
                          ? std::string("Semaphores")
                          : fmt::format("Semaphores ({} of {}, most changes first)",
                                        kMostSemaphores, semaphores.size());
    const std::size_t each = updates.size() / kMostSteps + 1;
    for (std::size_t i = 0; i < updates.size(); i += each) {
      counter.time.push_back(updates[i]->time);
      counter.value.push_back(updates[std::min(i + each, updates.size()) - 1]->value);
    }
    timeline.counters.push_back(std::move(counter));
  }
}

}  // namespace

void AddNeuronCounters(const Profile& profile, std::int64_t rank, Timeline& timeline) {
  AddFlops(profile, rank, timeline);
  AddCurves(profile, rank, timeline);
  AddThrottles(profile, rank, timeline);
  AddSemaphores(profile, rank, timeline);
}

}  // namespace profgauge::report
