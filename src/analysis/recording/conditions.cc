#include "analysis/recording/unrecorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/row_writer.h"
#include "analysis/tables/work_columns.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "model/run_side.h"

namespace profgauge::analysis::recording {
namespace {

constexpr std::string_view kNoReadings =
    "needs readings of the devices (`devices` of `profgauge.run`, or `--device-log FILE`)";
constexpr std::string_view kNoSuchReading = "the readings of the devices do not include it";

constexpr MetricId kOfConditions[] = {
    metric::kConditionsClock,          metric::kConditionsClockLimit,
    metric::kConditionsMemoryClock,    metric::kConditionsPower,
    metric::kConditionsPowerLimit,     metric::kConditionsTemperature,
    metric::kConditionsPowerCapped,    metric::kConditionsThrottled,
    metric::kConditionsComputeBound,   metric::kConditionsMemoryBound,
    metric::kConditionsEccUncorrected, metric::kConditionsOtherProcesses};

using RunDevices = std::vector<const RunDevice*>;

// Devices with any reading. They live in the profiles' `run_side`.
RunDevices KnownDevices(std::span<const context::RankContext> ranks) {
  RunDevices devices;
  for (const context::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    for (const RunDevice& device : DevicesOf(*side)) {
      if (!device.conditions.empty() || !device.reasons.empty()) devices.push_back(&device);
    }
  }
  return devices;
}

const DeviceCondition* ConditionOf(const RunDevice& device, std::string_view name) {
  const auto found = device.conditions.find(name);
  return found == device.conditions.end() ? nullptr : &found->second;
}

/// The device with the lowest median, or the highest; nullptr where none has one.
/// For a run of many devices the worst one counts: the lowest clock, the highest power.
const DeviceCondition* Outermost(const RunDevices& devices, std::string_view name, bool is_least) {
  const DeviceCondition* outermost = nullptr;
  for (const RunDevice* device : devices) {
    const DeviceCondition* one = ConditionOf(*device, name);
    if (one == nullptr || !std::isfinite(one->median)) continue;
    const bool is_farther = outermost == nullptr || (is_least ? one->median < outermost->median
                                                              : one->median > outermost->median);
    if (is_farther) outermost = one;
  }
  return outermost;
}

/// "1 200 to 1 980" beside the median; empty where it did not vary.
std::string RangeText(const DeviceCondition& condition) {
  const bool varies = std::isfinite(condition.least) && std::isfinite(condition.most) &&
                      condition.least < condition.most;
  return varies ? fmt::format("{:.0f} to {:.0f}", condition.least, condition.most) : "";
}

// With the range in a note, if the readings vary.
void SetMedian(MetricId id, const DeviceCondition* condition, tables::Output& out) {
  if (condition == nullptr) return out.SetAbsent(id, std::string(kNoSuchReading));
  out.Set(id, condition->median);
  if (std::string range = RangeText(*condition); !range.empty()) out.SetNote(id, std::move(range));
}

void SetLimit(MetricId id, const DeviceCondition* condition, tables::Output& out) {
  if (condition == nullptr || !std::isfinite(condition->limit)) {
    return out.SetAbsent(id, std::string(kNoSuchReading));
  }
  out.Set(id, condition->limit);
}

/// The most that any device ever had.
void SetMost(MetricId id, const RunDevices& devices, std::string_view name, tables::Output& out) {
  std::optional<double> highest;
  for (const RunDevice* device : devices) {
    const DeviceCondition* one = ConditionOf(*device, name);
    if (one == nullptr) continue;
    const double most = std::isfinite(one->most) ? one->most : one->median;
    if (std::isfinite(most)) highest = std::max(highest.value_or(most), most);
  }
  if (!highest) return out.SetAbsent(id, std::string(kNoSuchReading));
  out.Set(id, *highest);
}

/// The largest share of one reason of that kind; of devices that know theirs.
void SetReason(MetricId id, const RunDevices& devices, bool (*is_of_kind)(std::string_view),
               tables::Output& out) {
  double largest = 0;
  std::string_view named;
  bool are_known = false;
  for (const RunDevice* device : devices) {
    are_known = are_known || device->knows_reasons;
    for (const auto& [reason, share] : device->reasons) {
      if (!is_of_kind(reason) || share <= largest) continue;
      largest = share;
      named = reason;
    }
  }
  if (!are_known) return out.SetAbsent(id, std::string(kNoSuchReading));
  out.Set(id, largest);
  if (!named.empty()) out.SetNote(id, fmt::format("`{}`", named));
}

/// The share of the kernel time in operators with this roof. Operators without a known roof count
/// in the whole only.
void SetBound(MetricId id, std::string_view bound, tables::Output& out) {
  const double kernels = AsNumber(out.ValueOf(metric::kProfileKernelTime), 0);
  const Table* roofline = out.Added("roofline");
  const Column* of = tables::ColumnOf<tables::columns::kRoofline>(roofline, "bound"_col);
  const Column* times = tables::ColumnOf<tables::columns::kRoofline>(roofline, "time"_col);
  if (kernels <= 0 || of == nullptr || times == nullptr) {
    return out.SetAbsent(id, "needs the work of operators and the peaks of the device");
  }
  double sum = 0;
  bool is_known = false;
  for (std::size_t row = 0; row < roofline->rows(); ++row) {
    const Value cell = roofline->At(row, *of);
    const auto* text = std::get_if<std::string>(&cell);
    is_known = is_known || (text != nullptr && !text->empty());
    if (text != nullptr && *text == bound) sum += AsNumber(roofline->At(row, *times), 0);
  }
  if (!is_known) return out.SetAbsent(id, "no operator has a known roof");
  out.Set(id, std::clamp(sum / kernels, 0.0, 1.0));
}

}  // namespace

void AddConditions(std::span<const context::RankContext> ranks, tables::Output& out) {
  const RunDevices devices = KnownDevices(ranks);
  if (devices.empty()) {
    for (const MetricId id : kOfConditions) out.SetAbsent(id, std::string(kNoReadings));
    return;
  }
  const DeviceCondition* clock = Outermost(devices, "sm_mhz", true);
  const DeviceCondition* power = Outermost(devices, "watts", false);
  SetMedian(metric::kConditionsClock, clock, out);
  SetLimit(metric::kConditionsClockLimit, clock, out);
  SetMedian(metric::kConditionsMemoryClock, Outermost(devices, "memory_mhz", true), out);
  SetMedian(metric::kConditionsPower, power, out);
  SetLimit(metric::kConditionsPowerLimit, power, out);
  SetMost(metric::kConditionsTemperature, devices, "celsius", out);
  SetMost(metric::kConditionsEccUncorrected, devices, "ecc_uncorrected", out);
  SetMost(metric::kConditionsOtherProcesses, devices, "other_processes", out);
  SetReason(metric::kConditionsPowerCapped, devices, IsPowerCap, out);
  SetReason(metric::kConditionsThrottled, devices, IsThrottle, out);
  SetBound(metric::kConditionsComputeBound, "compute", out);
  SetBound(metric::kConditionsMemoryBound, "memory", out);
}

}  // namespace profgauge::analysis::recording
