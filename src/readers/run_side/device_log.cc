#include "readers/run_side/device_log.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/read_file.h"
#include "base/text.h"
#include "readers/run_side/device_samples.h"
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

/// Those that are surely the profile's: by UUID, or there is only one.
std::vector<RunDevice> SurelyOf(const RunSide* side, const std::vector<RunDevice>& logged) {
  if (logged.size() == 1) return logged;
  std::vector<RunDevice> devices;
  if (side == nullptr || !side->document) return devices;
  for (const RunDevice& own : side->document->devices) {
    if (own.uuid.empty()) continue;
    std::ranges::copy_if(logged, std::back_inserter(devices), [&](const RunDevice& device) {
      return WithoutVendor(device.uuid) == WithoutVendor(own.uuid);
    });
  }
  return devices;
}

std::vector<RunDevice> ByNumber(const Profile& profile, const std::vector<RunDevice>& logged) {
  const std::set<std::int64_t> numbers = DeviceNumbersOf(profile);
  std::vector<RunDevice> devices;
  std::ranges::copy_if(logged, std::back_inserter(devices),
                       [&](const RunDevice& device) { return numbers.contains(device.id); });
  return devices;
}

/// Ranks that each call their device 0 have other ones.
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

Status AttachDeviceLogs(std::vector<Profile>& profiles, const std::vector<std::string>& files) {
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
    std::ranges::move(*devices, std::back_inserter(logged));
  }
  if (logged.empty()) return {};
  const bool are_numbers_sure = AreNumbersSure(profiles);
  for (Profile& profile : profiles) {
    auto side = std::make_shared<RunSide>(profile.run_side ? *profile.run_side : RunSide{});
    side->logged = SurelyOf(profile.run_side.get(), logged);
    if (side->logged.empty() && are_numbers_sure) side->logged = ByNumber(profile, logged);
    if (side->logged.empty()) {
      side->problems.push_back({"conditions/other-device",
                                "the device log has several devices, and which are the profile's "
                                "is unknown: state their "
                                "`uuid` under `devices` of `profgauge.run`, or log one device"});
    }
    profile.run_side = std::move(side);
  }
  return {};
}

}  // namespace profgauge::readers
