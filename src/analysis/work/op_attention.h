#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/work/op_call.h"
#include "analysis/work/op_shape.h"
#include "analysis/work/op_work.h"

namespace profgauge::analysis::work {

std::optional<AttentionSizes> AttentionShape(const OpCall& call);

}  // namespace profgauge::analysis::work
