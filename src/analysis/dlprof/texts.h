#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "analysis/dlprof/report.h"
#include "base/numbers.h"

namespace profgauge::analysis::dlprof::dlprof {

/// Returns "<N:32, C:3, H:32, W:32>; <6>" for "[[32, 3, 32, 32], [6]]"; only dimensions of
/// convolutions and linear layers are named.
std::string InputShapesText(std::string_view type, std::string_view shapes);
/// The output's shape, if it follows from type and inputs (with stride 1, no padding); else empty.
std::string OutputShapesText(std::string_view type, std::string_view shapes);

}  // namespace profgauge::analysis::dlprof::dlprof
