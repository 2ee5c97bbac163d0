// Readings of devices beside a run, as their makers' tools log them: clocks, power, temperature,
// the reasons for lowered clocks, memory errors and the number of processes.
//
// nvidia-smi (`--query-gpu`, `--query-compute-apps` and `dmon`), DCGM (`dcgmi dmon`,
// dcgm-exporter), amd-smi (`metric` as JSON or CSV, `monitor`), rocm-smi as JSON, Zeus.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "model/run_side.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// One entry for each device of the log, in its order. Samples in which a device idles count only
/// where it always does, as its clocks drop then. Errors: kInput "conditions/no-readings".
/// Values over the samples that count: median, least, most; the limit is the last one that was
/// logged. Reasons are shares of the samples, or of the time where the tool counts it.
Result<std::vector<RunDevice>> ReadDeviceLog(std::string_view text);

/// Sets RunSide::logged of each profile to the readings of its devices in `files`: those with a
/// UUID of its document where both have some. Else, of a run whose ranks are all in `profiles`
/// (`are_all`), the only device of a run of one, or those with the profile's numbers where no two
/// profiles share one. So ranks read one by one get no other answer than together. If none
/// matches, that is a problem of the profile. Errors: kInput "conditions/unreadable", or of
/// ReadDeviceLog().
Status AttachDeviceLogs(std::vector<Profile>& profiles, const std::vector<std::string>& files,
                        bool are_all);

// Shared by the readers of device logs: one reading of one device, and conditions of readings.

/// Devices of logs have numbers below it.
inline constexpr double kMostDeviceIndex = 1e6;

/// One reading. Names of values are those of RunDevice::conditions.
struct DeviceSample {
  std::int64_t index = -1;  ///< As the tool counts; not CUDA's order.
  std::string uuid, name;
  std::map<std::string, double, std::less<>> values, limits;
  std::optional<std::uint64_t> reasons;                 ///< The bits of NVML and DCGM.
  std::map<std::string, double, std::less<>> shares;    ///< Reasons, as shares of the time.
  std::map<std::string, double, std::less<>> counters;  ///< Reasons, in µs since the start.
  std::optional<double> seconds;                        ///< When.
  std::optional<double> use;                            ///< Utilization in per cent.

  bool IsIdle() const;
  bool IsEmpty() const { return values.empty() && !reasons && shares.empty() && counters.empty(); }
};

/// "sw_power_cap" of "clocks_event_reasons.sw_power_cap", "sw_thermal" of "sw_thermal_slowdown".
/// One name for each reason, whichever tool wrote it: those of profgauge.run.
std::string ReasonName(std::string_view text);

/// The number at the start of a text: 1980 of "1980 MHz", 2100 of "(2100Mhz)". Nothing of "[N/A]".
std::optional<double> LeadingNumber(std::string_view text);

/// In order of first appearance.
/// A device is its UUID or, without one, its number. Samples without any reading are left out.
std::vector<RunDevice> DevicesOfSamples(const std::vector<DeviceSample>& samples);

}  // namespace profgauge::readers
