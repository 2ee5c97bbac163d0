// Device readings logged by the makers' tools during a run: clocks, power, temperature, the reasons
// for lowered clocks, memory errors and the number of processes.
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

/// Returns one entry per device of the log, in its order. An idle device lowers its clocks, so
/// samples of idle devices count only if the device never was busy. Values are median, minimum and
/// maximum over the counted samples; the limit is the last one logged. Reasons are shares of these
/// samples, or of the time if the tool counts it. Errors: kInput "conditions/no-readings".
Result<std::vector<RunDevice>> ReadDeviceLog(std::string_view text);

/// Sets RunSide::logged of each profile to the readings of its devices in `files`. If the profile's
/// document and the log have UUIDs, these decide. Otherwise all ranks of the run must be in
/// `profiles` (`are_all`); then it is the only device of a run with one device, or the devices with
/// the profile's numbers if no two profiles share one. So reading ranks one by one gives the same
/// result as reading them together. If no device matches, the profile gets a problem. Errors:
/// kInput "conditions/unreadable", or those of ReadDeviceLog().
Status AttachDeviceLogs(std::vector<Profile>& profiles, const std::vector<std::string>& files,
                        bool are_all);

// Declarations shared by the readers of device logs: one reading of a device, and summaries.

/// Upper bound of device numbers in logs.
inline constexpr double kMostDeviceIndex = 1e6;

/// One reading. Value names are those of RunDevice::conditions.
struct DeviceSample {
  std::int64_t index = -1;  ///< As the tool counts; not in CUDA's order.
  std::string uuid, name;
  std::map<std::string, double, std::less<>> values, limits;
  std::optional<std::uint64_t> reasons;                 ///< Bits as in NVML and DCGM.
  std::map<std::string, double, std::less<>> shares;    ///< Reasons, as shares of the time.
  std::map<std::string, double, std::less<>> counters;  ///< Reasons, in µs since the start.
  std::optional<double> seconds;                        ///< Time of the reading.
  std::optional<double> use;                            ///< Utilization in percent.

  bool IsIdle() const;
  bool IsEmpty() const { return values.empty() && !reasons && shares.empty() && counters.empty(); }
};

/// The one name of a reason, whichever tool wrote it, like profgauge.run: "sw_power_cap" for
/// "clocks_event_reasons.sw_power_cap", "sw_thermal" for "sw_thermal_slowdown".
std::string ReasonName(std::string_view text);

/// The number at the start: 1980 of "1980 MHz", 2100 of "(2100Mhz)". Nothing for "[N/A]".
std::optional<double> LeadingNumber(std::string_view text);

/// Summarizes samples by device, in order of first appearance. A device is identified by its UUID
/// or, without one, by its number. Samples without any reading are ignored.
std::vector<RunDevice> DevicesOfSamples(const std::vector<DeviceSample>& samples);

}  // namespace profgauge::readers
