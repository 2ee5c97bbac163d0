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

/// The files' name of a metric.
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

/// Numbers of all ranks become one metric. Count() adds up; Share() divides summed parts by summed
/// wholes, so that long ranks count more; Fill() and Stated() leave a metric that has a value, so
/// that rows go before the file's summary.
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
  /// The same in whole numbers, which a double cannot represent exactly above 2^53.
  template <class Number>
  std::int64_t Total(const Number& number) const {
    std::int64_t sum = 0;
    for (const NeuronRank& rank : ranks_) sum += static_cast<std::int64_t>(number(rank));
    return sum;
  }
  /// Whether it is true of every rank.
  bool All(const std::function<bool(const NeuronRank&)>& claim) const {
    return std::all_of(ranks_.begin(), ranks_.end(), claim);
  }
  /// Sets the sum over ranks, also where the metric had a value.
  template <class Number>
  void Count(MetricId id, const Number& number) {
    const std::int64_t total = Total(number);
    const bool real = CellTypeOf(SpecOf(id).unit) == CellType::kReal;
    out_.Set(id, real ? Value(static_cast<double>(total)) : Value(total));
  }
  /// Unless the metric has a value.
  void Fill(MetricId id, double value) {
    if (!out_.IsSet(id)) out_.Set(id, value);
  }
  /// Sets part by whole; leaves the metric where the whole is 0.
  void Share(MetricId id, double part, double whole) {
    if (whole > 0) out_.Set(id, part / whole);
  }
  /// For a number in the files: sums add up over ranks, shares count by their time. Leaves a
  /// metric that has a value, and one that some rank does not have or has only for the whole. If a
  /// file has an impossible share, its shares may all be in another unit: they are absent.
  void Stated(MetricId id, std::string_view name);
  /// All that files state, by the names in their summaries.
  void AllStated();
  std::span<const NeuronRank> ranks() const { return ranks_; }
  catalog::Output& out() { return out_; }

 private:
  std::span<const NeuronRank> ranks_;
  catalog::Output& out_;
  std::string no_shares_because_;  ///< Empty: the files' shares are used.
};

}  // namespace profgauge::analysis::neuron
