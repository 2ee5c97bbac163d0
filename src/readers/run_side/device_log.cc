#include "readers/run_side/device_log.h"
#include "readers/run_side/device_json.h"
#include "readers/run_side/device_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/text.h"
#include "readers/run_side/step_log.h"

namespace profgauge::readers {
namespace {

std::string_view WithoutVendor(std::string_view uuid) {
  return uuid.starts_with("GPU-") ? uuid.substr(4) : uuid;
}

std::set<std::int64_t> DeviceNumbersOf(const Profile& profile) {
  std::set<std::int64_t> numbers;
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    numbers.insert(profile.device.gpu[row]);
  }
  return numbers;
}

/// The logged devices whose UUID is in the document; nothing if document or log has no UUIDs.
std::optional<std::vector<RunDevice>> ByUuid(const RunSide* side,
                                             const std::vector<RunDevice>& logged) {
  const auto has_uuid = [](const RunDevice& device) { return !device.uuid.empty(); };
  if (side == nullptr || !side->document) return std::nullopt;
  const std::vector<RunDevice>& own = side->document->devices;
  if (std::ranges::none_of(own, has_uuid) || std::ranges::none_of(logged, has_uuid)) {
    return std::nullopt;
  }
  std::vector<RunDevice> devices;
  std::ranges::copy_if(logged, std::back_inserter(devices), [&](const RunDevice& device) {
    return has_uuid(device) && std::ranges::any_of(own, [&](const RunDevice& of) {
             return WithoutVendor(device.uuid) == WithoutVendor(of.uuid);
           });
  });
  return devices;
}

/// True if run and log have only one device. Its number may differ between them.
bool IsOnlyDevice(const std::vector<Profile>& profiles, const std::vector<RunDevice>& logged) {
  return logged.size() == 1 && profiles.size() == 1 &&
         DeviceNumbersOf(profiles.front()).size() <= 1;
}

/// REQUIRES: AreNumbersSure(). A log does not show how CUDA_VISIBLE_DEVICES renumbers devices.
std::vector<RunDevice> ByNumber(const Profile& profile, const std::vector<RunDevice>& logged) {
  const std::set<std::int64_t> numbers = DeviceNumbersOf(profile);
  std::vector<RunDevice> devices;
  std::ranges::copy_if(logged, std::back_inserter(devices),
                       [&](const RunDevice& device) { return numbers.contains(device.id); });
  return devices;
}

/// Adds a device. The readings of several logs (clocks, processes) with one UUID are merged.
void AddReadings(RunDevice device, std::vector<RunDevice>& logged) {
  const auto known = std::ranges::find(logged, device.uuid, &RunDevice::uuid);
  if (device.uuid.empty() || known == logged.end()) {
    logged.push_back(std::move(device));
    return;
  }
  if (known->id < 0) known->id = device.id;
  known->conditions.merge(device.conditions);
  known->reasons.merge(device.reasons);
  known->knows_reasons |= device.knows_reasons;
}

bool AreAllRanks(const std::vector<Profile>& profiles) {
  const auto count = static_cast<std::int64_t>(profiles.size());
  return std::ranges::all_of(
      profiles, [&](const Profile& rank) { return rank.distributed.world_size <= count; });
}

/// False if several ranks use one number: they have different devices that all are called 0.
bool AreNumbersSure(const std::vector<Profile>& profiles) {
  std::set<std::int64_t> seen;
  for (const Profile& profile : profiles) {
    for (const std::int64_t number : DeviceNumbersOf(profile)) {
      if (!seen.insert(number).second) return false;
    }
  }
  return true;
}

}  // namespace

Result<std::vector<RunDevice>> ReadDeviceLog(std::string_view text) {
  text = WithoutByteOrderMark(text);
  std::optional<std::vector<DeviceSample>> samples = ReadDeviceJson(text);
  if (!samples) samples = ReadDcgmExporter(text);
  if (!samples) samples = ReadDeviceTable(text);
  std::vector<RunDevice> devices;
  if (samples) devices = DevicesOfSamples(*samples);
  if (!devices.empty()) return devices;
  return Fail(InputError(
      "", "conditions/no-readings", "the file has no readings of devices in a known form",
      "log with `nvidia-smi --query-gpu=timestamp,index,uuid,clocks.current.sm,clocks.max.sm,"
      "power.draw.instant,power.limit,temperature.gpu,clocks_event_reasons.active --format=csv "
      "-lms 200`, `dcgmi dmon -e 100,101,155,150,112`, or `amd-smi metric --json`"));
}

Status AttachDeviceLogs(std::vector<Profile>& profiles, const std::vector<std::string>& files,
                        bool are_all) {
  std::vector<RunDevice> logged;
  for (const std::string& file : files) {
    const auto text = ReadSmallFile(file, kMostLogBytes);
    if (!text) {
      return Fail(InputError(file, "conditions/unreadable", "the file cannot be read",
                             "check its name and permissions"));
    }
    auto devices = ReadDeviceLog(*text);
    if (!devices) {
      Error error = std::move(devices).error();
      error.where.file = file;
      return Fail(std::move(error));
    }
    for (RunDevice& device : *devices) AddReadings(std::move(device), logged);
  }
  if (logged.empty()) return {};
  are_all = are_all && AreAllRanks(profiles);
  const bool is_only_device = are_all && IsOnlyDevice(profiles, logged);
  const bool are_numbers_sure = are_all && AreNumbersSure(profiles);
  for (Profile& profile : profiles) {
    auto side = std::make_shared<RunSide>(profile.run_side ? *profile.run_side : RunSide{});
    if (auto devices = ByUuid(profile.run_side.get(), logged)) {
      side->logged = *std::move(devices);
    } else if (is_only_device) {
      side->logged = logged;
    } else if (are_numbers_sure) {
      side->logged = ByNumber(profile, logged);
    }
    if (side->logged.empty()) {
      side->problems.push_back({"conditions/other-device",
                                "which devices of the device log are the profile's is unknown: "
                                "state their `uuid` under `devices` of `profgauge.run`"});
    }
    profile.run_side = std::move(side);
  }
  return {};
}

namespace {

/// Bits of reasons, equal in NVML and DCGM, and their names in profgauge.run.
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

/// Adds each reason's share of the samples.
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

/// Adds shares of time from counters of time: the counter's increase divided by the log's length.
///
///   sw_power_cap   at 10 s 4 000 000 µs, at 20 s 9 000 000 µs      5 s of 10: 0.5
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

// Groups the samples of a log by device, in the order of first samples. Conditions count only
// samples in which the device was busy, if there are any, because an idle device has low clocks.
// Counters use all samples, as they continue while the device is idle.
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
