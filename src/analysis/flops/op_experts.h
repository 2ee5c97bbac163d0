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

/// For any operator with the tensors of such a layer, whatever its name: tokens [T, H], weights
/// [E, N, H] and [E, H, I] with N of I or 2 I (either pair transposed), and [T, k] for where each
/// token goes. For one matmul: `_grouped_mm` and similar ones, tokens [T, K] by [E, K, N].
std::optional<ExpertSizes> ExpertsShape(const OpCall& call);

std::optional<OpWork> ExpertsWork(const OpCall& call);  ///< As those of op_work.h.

}  // namespace profgauge::analysis::flops
