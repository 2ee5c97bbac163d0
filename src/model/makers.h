// Whose a device is, by the signs of makers in names of devices: rules/knowledge/names.yaml.
#pragma once

#include <optional>
#include <string_view>

#include "model/device_words.h"

namespace profgauge {

/// Whose device has this name; kUnknown: of a maker whose words no one has listed; nothing: the
/// name has no maker's sign.
std::optional<Accelerator> MakerOf(std::string_view name);

}  // namespace profgauge
