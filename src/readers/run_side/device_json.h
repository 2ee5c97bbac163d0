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

std::optional<std::vector<DeviceSample>> ReadDeviceJson(std::string_view text);

}  // namespace profgauge::readers
