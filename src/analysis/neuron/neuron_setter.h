// Sets Neuron's metrics over all ranks: sums, shares, and the files' own values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/neuron/neuron.h"
#include "base/metric_id.h"

namespace profgauge::analysis::neuron {

/// A metric and its name in the files.
struct NeuronName {
  MetricId metric;
  std::string_view stated;
};

/// The metrics of one engine.
struct EngineMetrics {
  MetricId active_time, active_share, instruction_time, instructions, wait_time, median_time,
      nki_share;
};
/// REQUIRES: not kOther.
const EngineMetrics& MetricsOf(profgauge::neuron::Engine engine);

/// Combines the numbers of all ranks into metrics. Count() adds; Share() divides sums of parts by
/// sums of wholes, so that long ranks have more weight. Fill() and Stated() keep existing values,
/// so that values from rows have priority over the file's summary.
class NeuronSetter {
 public:
  /// Metrics that need the hardware's peak rates.
  static constexpr NeuronName kPeakShares[] = {
      {metric::kNeuronHfu, "hfu_estimated_percent"},
      {metric::kNeuronMfu, "mfu_estimated_percent"},
      {metric::kNeuronMfuHlo, "mfu_hlo_estimated_percent"},
      {metric::kNeuronMfuInst, "mfu_inst_estimated_percent"},
      {metric::kNeuronMbu, "mbu_estimated_percent"},
      {metric::kNeuronMbuMinRead, "mbu_min_read_util_percent"},
      {metric::kNeuronPeakFlopsBandwidthRatio, "peak_flops_bandwidth_ratio"},
      {metric::kNeuronMfuMaxAchievable, "mfu_max_achievable_estimated_percent"},
      {metric::kNeuronMfuHloMaxAchievable, "mfu_hlo_max_achievable_estimated_percent"},
      {metric::kNeuronMfuInstMaxAchievable, "mfu_inst_max_achievable_estimated_percent"},
  };

  NeuronSetter(std::span<const NeuronRank> ranks, catalog::Output& out);

  /// Sum of a number over ranks.
  template <class Number>
  double Sum(const Number& number) const {
    double sum = 0;
    for (const NeuronRank& rank : ranks_) sum += static_cast<double>(number(rank));
    return sum;
  }
  /// Sum over ranks in integers, which a double cannot represent exactly above 2^53.
  template <class Number>
  std::int64_t Total(const Number& number) const {
    std::int64_t sum = 0;
    for (const NeuronRank& rank : ranks_) sum += static_cast<std::int64_t>(number(rank));
    return sum;
  }
  /// Whether `claim` is true for every rank.
  bool All(const std::function<bool(const NeuronRank&)>& claim) const {
    return std::all_of(ranks_.begin(), ranks_.end(), claim);
  }
  /// Sets the sum over ranks, replacing any value.
  template <class Number>
  void Count(MetricId id, const Number& number) {
    const std::int64_t total = Total(number);
    const bool real = CellTypeOf(SpecOf(id).unit) == CellType::kReal;
    out_.Set(id, real ? Value(static_cast<double>(total)) : Value(total));
  }
  /// Sets the value unless the metric has one.
  void Fill(MetricId id, double value) {
    if (!out_.IsSet(id)) out_.Set(id, value);
  }
  /// Sets part / whole; does nothing if the whole is 0.
  void Share(MetricId id, double part, double whole) {
    if (whole > 0) out_.Set(id, part / whole);
  }
  /// Sets a number that the files contain: sums are added over ranks, shares are weighted by time.
  /// Keeps an existing value. Does nothing if a rank has no such number, or only a range is
  /// selected. If a file has an impossible share, its shares may be in another unit: none is used.
  void Stated(MetricId id, std::string_view name);
  /// Sets all numbers that the files' summaries contain.
  void AllStated();
  std::span<const NeuronRank> ranks() const { return ranks_; }
  catalog::Output& out() { return out_; }

 private:
  std::span<const NeuronRank> ranks_;
  catalog::Output& out_;
  std::string no_shares_because_;  ///< Empty: the files' shares are used.
};

}  // namespace profgauge::analysis::neuron
