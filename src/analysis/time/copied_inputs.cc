#include "analysis/time/copied_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>

#include "knowledge/iterations.h"

namespace profgauge {
namespace {

/// The place of each value in their order, the mean one of equal values.
std::vector<double> PlacesOf(std::span<const std::int64_t> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> places(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    const double place = static_cast<double>(from + to - 1) / 2;
    for (std::size_t i = from; i < to; ++i) places[order[i]] = place;
    from = to;
  }
  return places;
}

double CorrelationOfPlaces(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  const std::vector<double> x = PlacesOf(a), y = PlacesOf(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

bool Change(std::span<const std::int64_t> bytes) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::int64_t one : bytes) ++counts[one];
  return std::ranges::none_of(counts, [&](const auto& entry) {
    return bytes.size() - entry.second <= knowledge::kIterationsChangingShare.Of(bytes.size());
  });
}

struct Sums {
  std::vector<std::int64_t> bytes;                  ///< Copied to devices, by iteration.
  std::map<std::int32_t, std::vector<Ns>> kernels;  ///< By GPU and iteration.
};

Sums SumIterations(const RankContext& rank, std::size_t count) {
  const DeviceTable& device = rank.profile->device;
  const Iterations& iterations = rank.iterations;
  Sums sums;
  sums.bytes.resize(count);
  for (std::uint32_t row = 0; row < device.size(); ++row) {
    const std::uint32_t index = iterations.of_device[row];
    if (index == Iterations::kNone || !iterations.SelectsIteration(index)) continue;
    const std::size_t i = index - iterations.first;
    if (device.copy[row] == CopyKind::kHostToDevice) {
      sums.bytes[i] += std::max<std::int64_t>(device.bytes[row], 0);
    } else if (device.kind[row] == DeviceKind::kKernel && !rank.classes[row].collective) {
      std::vector<Ns>& times = sums.kernels[device.gpu[row]];
      times.resize(count);
      times[i] += std::max<Ns>(device.duration[row], 0);
    }
  }
  return sums;
}

}  // namespace

std::vector<Ns> WorkOnCopiedInputs(const RankContext& rank) {
  const std::size_t count = rank.iterations.last - rank.iterations.first;
  std::vector<Ns> longest(count, 0);
  if (count < knowledge::kIterationsOutlierLeast) return longest;
  const Sums sums = SumIterations(rank, count);
  if (!Change(sums.bytes)) return longest;
  std::vector<std::int64_t> times(count, 0);
  for (const auto& [gpu, of_gpu] : sums.kernels) {
    for (std::size_t i = 0; i < count; ++i) times[i] = std::max(times[i], of_gpu[i]);
  }
  const std::span<const std::int64_t> bytes = sums.bytes, all = times;
  const double same = CorrelationOfPlaces(bytes, all);
  const double ahead = CorrelationOfPlaces(bytes.first(count - 1), all.subspan(1));
  return std::max(same, ahead) >= knowledge::kIterationsFollowsInputs ? times : longest;
}

}  // namespace profgauge
