#include "gate/breach.h"

#include <fmt/format.h>

#include <string_view>

#include "base/format.h"

namespace profgauge {
namespace {

/// With more digits when both would read the same.
std::string Breach(const Value& value, double limit, std::string_view side, Unit unit) {
  std::string measured = FormatValue(value, unit);
  if (measured == FormatValue(limit, unit)) measured = FormatLimit(AsNumber(value, 0), unit);
  return fmt::format("is {}, {} the limit of {}", measured, side, FormatLimit(limit, unit));
}

}  // namespace

bool IsBeyond(const Threshold& threshold, double value) {
  return (threshold.max && value > *threshold.max) || (threshold.min && value < *threshold.min);
}

std::string BreachOf(const Threshold& threshold, const Value& measured, Unit unit) {
  const double value = AsNumber(measured, 0);
  if (threshold.max && value > *threshold.max) {
    return Breach(measured, *threshold.max, "above", unit);
  }
  if (threshold.min && value < *threshold.min) {
    return Breach(measured, *threshold.min, "below", unit);
  }
  return {};
}

GateStatus StatusOf(Level level) {
  switch (level) {
    case Level::kInfo:
      return GateStatus::kInfo;
    case Level::kWarn:
      return GateStatus::kWarn;
    case Level::kError:
      return GateStatus::kError;
  }
  return GateStatus::kError;
}

OnMissing OnMissingOf(const Threshold& threshold, const Policy& policy) {
  return threshold.on_missing.value_or(policy.on_missing);
}

}  // namespace profgauge
