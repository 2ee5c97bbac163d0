// Reports DLProf's numbers as metrics. A time below 0 or a share above 100 % shows a damaged or
// edited file, so its metric is absent, with the reason.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/metric_id.h"
#include "model/profile_builder.h"

namespace profgauge::readers::dlprof {

/// Why these parts of one whole, in percent, contradict each other; empty if they do not. Each is
/// rounded, so their sum may exceed 100 % by the rounding errors.
std::string WhyTooMuch(std::span<const std::optional<double>> percents);

/// Shares of the device time, which are unknown if the file has no device work.
inline constexpr MetricId kSharesOfDevice[] = {metric::kGpuUtilizationMean, metric::kGpuIdleMean,
                                               metric::kTensorCoreEfficiency};
/// The shares into which DLProf divides the time.
inline constexpr MetricId kSharesOfTime[] = {
    metric::kGpuUtilizationMean,     metric::kGpuIdleMean,     metric::kBreakdownTensorCoreKernel,
    metric::kBreakdownOtherKernel,   metric::kBreakdownMemcpy, metric::kBreakdownDataloader,
    metric::kDataloaderExposedShare, metric::kBreakdownCpu,    metric::kBreakdownIo,
    metric::kBreakdownOther};

/// Reports each metric once. A number out of range makes its metric absent, with the reason. A
/// missing number (nullopt) reports nothing, because another source may have the metric.
class Stating {
 public:
  Stating(ProfileBuilder& builder, std::string note) : builder_(builder), note_(std::move(note)) {}

  /// Reports metric `id`, an integer (count or ns) of at least 0; fractions are cut off. `more` is
  /// appended to the name of the number's source.
  void Whole(MetricId id, std::optional<double> value);
  /// Reports a time in ns of at least 0, rounded.
  void Time(MetricId id, std::optional<double> ns);
  /// Reports a percentage from 0 to 100, plus the rounding error of one decimal.
  void Percent(MetricId id, std::optional<double> value, const char* more = "");
  /// Reports a share from 0 to 1, plus a rounding error.
  void Share(MetricId id, double value, const char* more = "");
  /// Adds a fact about the part of the profile that the numbers cover.
  void Fact(const char* key, std::optional<double> value);
  /// Adds facts about the iterations that the numbers cover.
  void Iterations(std::optional<double> total, std::optional<double> start,
                  std::optional<double> stop);
  /// Reports the metric as absent, because the file's value is no valid number.
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
