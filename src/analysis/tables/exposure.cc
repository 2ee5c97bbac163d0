#include "analysis/tables/exposure.h"

#include <algorithm>

namespace profgauge {
namespace {

enum class Counts { kAny, kAll };

Ns SumOf(const std::vector<Exposure::Part>& parts, const std::vector<bool>& chosen, Counts counts) {
  const auto is_chosen = [&](std::uint32_t row) { return row < chosen.size() && chosen[row]; };
  Ns sum = 0;
  for (const Exposure::Part& part : parts) {
    const bool in = counts == Counts::kAll
                        ? std::all_of(part.rows.begin(), part.rows.end(), is_chosen)
                        : std::any_of(part.rows.begin(), part.rows.end(), is_chosen);
    if (in) sum += part.time;
  }
  return sum;
}

template <class TimeOf>
double LargestPerIteration(const Exposure& exposure, TimeOf time_of) {
  double largest = 0;
  for (const Exposure::Device& device : exposure.devices) {
    const auto iterations = static_cast<double>(std::max<std::int64_t>(device.iterations, 1));
    largest = std::max(largest, static_cast<double>(time_of(device)) / iterations);
  }
  return largest;
}

}  // namespace

std::optional<double> ExposedPerIteration(const Exposure& exposure,
                                          const std::vector<bool>& chosen) {
  if (!exposure.has_work) return std::nullopt;
  return LargestPerIteration(exposure, [&](const Exposure::Device& device) {
    return SumOf(device.alone, chosen, Counts::kAll) + SumOf(device.blocked, chosen, Counts::kAny);
  });
}

double IdlePerIteration(const Exposure& exposure, const std::vector<bool>& chosen) {
  return LargestPerIteration(exposure, [&](const Exposure::Device& device) {
    return SumOf(device.gaps, chosen, Counts::kAny);
  });
}

}  // namespace profgauge
