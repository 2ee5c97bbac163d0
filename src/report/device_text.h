// Texts of ours in the words of a report's devices: model/device_words.h.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace profgauge::report {

/// `text` with each `{{ device.* }}` as these devices are called (ProfileInfo::accelerator). Names
/// of the profile are to join it after this.
std::string TextFor(std::string_view accelerator, std::string_view text);
std::string TextFor(const ProfileInfo& profile, std::string_view text);

}  // namespace profgauge::report
