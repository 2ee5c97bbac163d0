#include "analysis/context/once.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "knowledge/once.h"

namespace profgauge {
namespace {

/// The largest that is no exception.
Ns LargestUsual(std::vector<Ns> times) {
  std::sort(times.begin(), times.end(), std::greater<>());
  for (std::size_t few = std::max<std::size_t>(1, knowledge::kOnceShare.WholeOf(times.size()));
       few > 0; --few) {
    if (times[few - 1] > knowledge::kOnceStandsOut.Of(times[few])) return times[few];
  }
  return times.front();
}

}  // namespace

std::vector<Ns> WithoutOnce(std::vector<Ns> times, std::span<const std::int64_t> calls,
                            knowledge::Count least) {
  if (times.size() < least) return times;
  const Ns limit = LargestUsual(times);
  std::int64_t usual_calls = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (times[i] <= limit) usual_calls = std::max(usual_calls, calls[i]);
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool has_other_work =
        !calls.empty() && calls[i] > knowledge::kOnceOtherWork.Of(usual_calls);
    if (!has_other_work) times[i] = std::min(times[i], limit);
  }
  return times;
}

Ns OnlyOnce(const std::vector<Ns>& times, std::span<const std::int64_t> calls,
            knowledge::Count least) {
  const std::vector<Ns> usual = WithoutOnce(times, calls, least);
  Ns once = 0;
  for (std::size_t i = 0; i < times.size(); ++i) once += times[i] - usual[i];
  return once;
}

}  // namespace profgauge
