#include "gate/significance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "gate/constants.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

constexpr double kFalseDiscoveryRate = knowledge::kGateStarDiscoveries.value();
// Changes of less of the iteration, or of fewer nanoseconds, get no star.
constexpr double kLeastShare = 0.01;
constexpr double kLeastChange = 50'000;

}  // namespace

double PValueOf(std::span<const Ns> base, std::span<const Ns> current) {
  const std::vector<double> b(base.begin(), base.end());
  const std::vector<double> c(current.begin(), current.end());
  return stats::PValue(b, c);
}

// Selects significant changes. Removes untested changes first: a p-value of -1 would count as the
// most certain one, and any other value would change the threshold for the tested ones.
std::vector<bool> FindSignificant(std::span<const TestedChange> changes, Ns mean) {
  std::vector<std::size_t> tested;
  std::vector<double> p_values;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].p_value < 0) continue;
    tested.push_back(i);
    p_values.push_back(changes[i].p_value);
  }
  const std::vector<bool> significant = stats::BenjaminiHochberg(p_values, kFalseDiscoveryRate);
  const double least = std::max(kLeastChange, kLeastShare * static_cast<double>(mean));
  std::vector<bool> out(changes.size(), false);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    const Ns delta = changes[tested[i]].delta;
    out[tested[i]] = significant[i] && std::abs(static_cast<double>(delta)) >= least;
  }
  return out;
}

}  // namespace profgauge::gate

namespace profgauge::gate::stats {

void ForEachDraw(std::vector<Drawn> values, std::size_t current,
                 const std::function<void(const DrawnSums&)>& each) {
  const std::size_t all = values.size();
  const std::size_t fewer = std::min(current, all - current);
  std::sort(values.begin(), values.end());
  Drawn whole{};
  for (const Drawn& value : values) {
    whole[0] += value[0];
    whole[1] += value[1];
  }
  SplitMix64 random((std::uint64_t{all} << 32) + current);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    // A partial Fisher-Yates shuffle of the smaller side, which starts from the order of the last
    // draw. The other side is the total minus this one. The multiplication maps 32 random bits to 0
    // .. all - i - 1 (Lemire 2019); its bias is below all / 2^32.
    Drawn sum{};
    for (std::size_t i = 0; i < fewer; ++i) {
      const std::uint64_t offset = ((random.Next() >> 32) * (all - i)) >> 32;
      std::swap(values[i], values[i + static_cast<std::size_t>(offset)]);
      sum[0] += values[i][0];
      sum[1] += values[i][1];
    }
    const Drawn rest = {whole[0] - sum[0], whole[1] - sum[1]};
    each(fewer == current ? DrawnSums{rest, sum} : DrawnSums{sum, rest});
  }
}

double NormalShare(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

}  // namespace profgauge::gate::stats
