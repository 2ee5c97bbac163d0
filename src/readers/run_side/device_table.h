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
#include "readers/run_side/device_log.h"

namespace profgauge::readers {

// Readers of one kind of log each. A reader returns nullopt if the text is of another kind.
std::optional<std::vector<DeviceSample>> ReadDeviceTable(std::string_view text);

std::optional<std::vector<DeviceSample>> ReadDcgmExporter(std::string_view text);

}  // namespace profgauge::readers
