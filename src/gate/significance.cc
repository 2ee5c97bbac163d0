#include "gate/significance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge {
namespace {

constexpr double kFalseDiscoveryRate = knowledge::kGateStarDiscoveries.value();
constexpr double kLeastShare = knowledge::kGateStarShare.value();
constexpr double kLeastChange = static_cast<double>(knowledge::kGateStarChange.ns());

}  // namespace

double PValueOf(std::span<const Ns> base, std::span<const Ns> current) {
  const std::vector<double> b(base.begin(), base.end());
  const std::vector<double> c(current.begin(), current.end());
  return stats::PValue(b, c);
}

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

}  // namespace profgauge
