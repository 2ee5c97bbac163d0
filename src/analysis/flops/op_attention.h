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

std::optional<AttentionSizes> AttentionShape(const OpCall& call);

}  // namespace profgauge::analysis::flops
