// Numbers of DLProf as metrics, if they are valid: a time below 0 or a share
// above 100 % comes from a damaged or edited file, and becomes absent with the reason.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/metric_id.h"
#include "model/profile_builder.h"

namespace profgauge::readers::dlprof {

/// Why shares of one whole, in percent, contradict each other; empty where they need not. Each is
/// rounded.
/// Their sum may exceed 100 % by the effect of rounding.
std::string WhyTooMuch(std::span<const std::optional<double>> percents);

/// The shares of the device, of which a file without its work says nothing.
inline constexpr MetricId kSharesOfDevice[] = {metric::kGpuUtilizationMean, metric::kGpuIdleMean,
                                               metric::kTensorCoreEfficiency};
/// The shares into which DLProf divides the time.
inline constexpr MetricId kSharesOfTime[] = {
    metric::kGpuUtilizationMean,     metric::kGpuIdleMean,     metric::kBreakdownTensorCoreKernel,
    metric::kBreakdownOtherKernel,   metric::kBreakdownMemcpy, metric::kBreakdownDataloader,
    metric::kDataloaderExposedShare, metric::kBreakdownCpu,    metric::kBreakdownIo,
    metric::kBreakdownOther};

/// States each number once. Out of range, the metric is absent with the reason.
/// Numbers that are missing (nullopt) state nothing: the metric may come from elsewhere.
class Stating {
 public:
  Stating(ProfileBuilder& builder, std::string note) : builder_(builder), note_(std::move(note)) {}

  /// States the metric `id`, or why it is absent when out of range. `more` follows the source of
  /// the number. A count, or ns, from 0 on; fractions are cut.
  void Whole(MetricId id, std::optional<double> value);
  /// ns from 0 on, rounded.
  void Time(MetricId id, std::optional<double> ns);
  /// 0 to 100, plus the effect of rounding to one decimal.
  void Percent(MetricId id, std::optional<double> value, const char* more = "");
  /// 0 to 1, also.
  void Share(MetricId id, double value, const char* more = "");
  /// The part of the profile that the numbers are about.
  void Fact(const char* key, std::optional<double> value);
  /// Which iterations the numbers are of.
  void Iterations(std::optional<double> total, std::optional<double> start,
                  std::optional<double> stop);
  /// The file's value is no such number.
  void None(MetricId id, std::string why);
  void None(std::span<const MetricId> ids, const std::string& why) {
    for (const MetricId id : ids) None(id, why);
  }

 private:
  void Add(MetricId id, Value value, const char* more);

  ProfileBuilder& builder_;
  std::string note_;
};

}  // namespace profgauge::readers::dlprof
