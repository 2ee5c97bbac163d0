#include "readers/run_side/device_samples.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/median.h"
#include "base/text.h"

namespace profgauge::readers {
namespace {

/// Bits of NVML and DCGM, which are the same; names as profgauge.run has them.
constexpr std::pair<std::uint64_t, std::string_view> kReasonBits[] = {
    {0x1, "gpu_idle"},    {0x2, "applications_clocks"}, {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"}, {0x10, "sync_boost"},         {0x20, "sw_thermal"},
    {0x40, "hw_thermal"}, {0x80, "hw_power_brake"},     {0x100, "display_clocks"},
};
constexpr std::uint64_t kIdleBit = 0x1;
constexpr double kMicroseconds = 1e6;

using DeviceSamples = std::vector<const DeviceSample*>;

void AddConditions(const DeviceSamples& samples, RunDevice& device) {
  std::map<std::string, std::vector<double>, std::less<>> values;
  for (const DeviceSample* sample : samples) {
    for (const auto& [name, value] : sample->values) values[name].push_back(value);
  }
  for (const auto& [name, list] : values) {
    const auto [least, most] = std::ranges::minmax(list);
    DeviceCondition condition{Median(list), least, most, std::nan("")};
    for (const DeviceSample* sample : samples) {
      const auto limit = sample->limits.find(name);
      if (limit != sample->limits.end()) condition.limit = limit->second;
    }
    device.conditions[name] = condition;
  }
}

/// How often each reason was there, of all samples.
void AddSampledReasons(const DeviceSamples& samples, RunDevice& device) {
  std::map<std::string, double, std::less<>> sums;
  double masks = 0, direct = 0;
  for (const DeviceSample* sample : samples) {
    if (sample->reasons) ++masks;
    if (!sample->shares.empty()) ++direct;
    for (const auto& [bit, name] : kReasonBits) {
      if ((sample->reasons.value_or(0) & bit) != 0) sums[std::string(name)] += 1;
    }
  }
  for (const auto& [name, count] : sums) device.reasons[name] = count / masks;
  sums.clear();
  for (const DeviceSample* sample : samples) {
    for (const auto& [name, share] : sample->shares) sums[name] += share;
  }
  for (const auto& [name, sum] : sums) device.reasons[name] = std::clamp(sum / direct, 0.0, 1.0);
}

/// Counters need no sampling: their growth over the log, by its length.
void AddCountedReasons(const DeviceSamples& samples, RunDevice& device) {
  const DeviceSample *first = nullptr, *last = nullptr;
  for (const DeviceSample* sample : samples) {
    if (!sample->seconds || sample->counters.empty()) continue;
    if (first == nullptr) first = sample;
    last = sample;
  }
  if (first == last || *last->seconds <= *first->seconds) return;
  const double length = (*last->seconds - *first->seconds) * kMicroseconds;
  for (const auto& [name, value] : last->counters) {
    const auto before = first->counters.find(name);
    if (before == first->counters.end() || value < before->second) continue;
    const double share = std::min(1.0, (value - before->second) / length);
    if (share > 0 || device.reasons.contains(name)) device.reasons[name] = share;
  }
}

}  // namespace

bool DeviceSample::IsIdle() const {
  return (reasons.value_or(0) & kIdleBit) != 0 || use.value_or(1) == 0;
}

std::string ReasonName(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot != text.npos) text.remove_prefix(dot + 1);
  if (text.ends_with("_setting")) text.remove_suffix(std::string_view("_setting").size());
  if (text != "hw_slowdown" && text.ends_with("_slowdown")) {
    text.remove_suffix(std::string_view("_slowdown").size());
  }
  return std::string(text);
}

std::optional<double> LeadingNumber(std::string_view text) {
  text = Trim(text);
  if (text.starts_with('(')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::vector<RunDevice> DevicesOfSamples(const std::vector<DeviceSample>& samples) {
  std::vector<std::pair<std::string, DeviceSamples>> by_device;
  for (const DeviceSample& sample : samples) {
    if (sample.IsEmpty()) continue;
    const std::string key = sample.uuid.empty() ? std::to_string(sample.index) : sample.uuid;
    auto found = std::ranges::find(by_device, key, &decltype(by_device)::value_type::first);
    if (found == by_device.end()) found = by_device.insert(found, {key, {}});
    found->second.push_back(&sample);
  }
  std::vector<RunDevice> devices;
  for (const auto& [key, all] : by_device) {
    RunDevice& device = devices.emplace_back();
    device.id = all.front()->index;
    device.uuid = all.front()->uuid;
    device.name = all.front()->name;
    DeviceSamples busy;
    std::ranges::copy_if(all, std::back_inserter(busy), [](auto* s) { return !s->IsIdle(); });
    const DeviceSamples& counted = busy.empty() ? all : busy;
    device.knows_reasons = std::ranges::any_of(all, [](auto* sample) {
      return sample->reasons || !sample->shares.empty() || !sample->counters.empty();
    });
    AddConditions(counted, device);
    AddSampledReasons(counted, device);
    AddCountedReasons(all, device);
  }
  return devices;
}

}  // namespace profgauge::readers
