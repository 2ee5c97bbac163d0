// Readings of devices beside a run, as their makers' tools log them: clocks, power, temperature and
// the reasons for lowered clocks.
//
// nvidia-smi (`--query-gpu` and `dmon`), DCGM (`dcgmi dmon`, dcgm-exporter), amd-smi (`metric` as
// JSON or CSV, `monitor`), rocm-smi as JSON, Zeus.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "model/run_side.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// One entry for each device of the log, in its order. Samples in which a device idles count only
/// where it always does, as its clocks drop then. Errors: kInput "conditions/no-readings".
Result<std::vector<RunDevice>> ReadDeviceLog(std::string_view text);

/// Sets RunSide::logged of each profile to the readings of its devices in `files`: those with a
/// UUID of its document, else the only one, else those with the profile's numbers. If none matches,
/// that is a problem of the profile. Errors: kInput "conditions/unreadable", or of ReadDeviceLog().
Status AttachDeviceLogs(std::vector<Profile>& profiles, const std::vector<std::string>& files);

}  // namespace profgauge::readers
