#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/flops/op_call.h"
#include "analysis/flops/op_shape.h"
#include "analysis/flops/op_work.h"

namespace profgauge::analysis::flops {

/// None if the call is of another kind, or its sizes are unknown.
std::optional<ConvolutionSizes> ConvolutionShape(const OpCall& call);

}  // namespace profgauge::analysis::flops
