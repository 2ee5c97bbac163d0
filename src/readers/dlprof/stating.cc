#include "readers/dlprof/stating.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/format.h"
#include "base/numbers.h"
#include "knowledge/dlprof.h"

namespace profgauge::readers::dlprof {
namespace {

/// True if the value is not negative and fits a whole number.
bool IsCount(double value) { return value >= 0 && value < kLargestWhole; }

}  // namespace

std::string WhyTooMuch(std::span<const std::optional<double>> percents) {
  double sum = 0;
  for (const auto& percent : percents) sum += percent.value_or(0);
  if (sum <= 100 * (1 + knowledge::kDlprofSharesRounding.value())) return {};
  return fmt::format("the shares of the time that DLProf states add up to {:.1f} %", sum);
}

void Stating::Iterations(std::optional<double> total, std::optional<double> start,
                         std::optional<double> stop) {
  const auto take = [](std::optional<double> value, std::int64_t& number) {
    if (value && IsCount(*value)) number = static_cast<std::int64_t>(*value);
  };
  StatedIterations& iterations = builder_.reported().iterations;
  take(total, iterations.total);
  take(start, iterations.start);
  take(stop, iterations.stop);
}

void Stating::Whole(MetricId id, std::optional<double> value) {
  if (!value) return;
  if (!IsCount(*value)) {
    return None(id, fmt::format("DLProf states {:.0f}, expected 0 or more", *value));
  }
  Add(id, static_cast<std::int64_t>(*value), "");
}

// Rounds half up. A negative time stays unchanged, so that the error shows its value.
void Stating::Time(MetricId id, std::optional<double> ns) {
  if (ns) Whole(id, *ns < 0 ? *ns : *ns + 0.5);
}

void Stating::Percent(MetricId id, std::optional<double> value, const char* more) {
  if (value) Share(id, *value / 100, more);
}

void Stating::Share(MetricId id, double value, const char* more) {
  constexpr double kRounding = knowledge::kDlprofShareRounding.value();
  if (!(value >= -kRounding && value <= 1 + kRounding)) {
    return None(id, fmt::format("DLProf states {:.1f} %, expected 0 to 100 %", value * 100));
  }
  Add(id, std::clamp(value, 0.0, 1.0), more);
}

void Stating::Fact(const char* key, std::optional<double> value) {
  if (value) builder_.AddFact(key, FormatCount(static_cast<std::int64_t>(*value)));
}

void Stating::None(MetricId id, std::string why) {
  builder_.reported().metrics.push_back({id, {}, std::move(why)});
}

void Stating::Add(MetricId id, Value value, const char* more) {
  builder_.reported().metrics.push_back({id, std::move(value), note_ + more});
}

}  // namespace profgauge::readers::dlprof
