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

/// Recognizes a layer of experts with any name by its tensors: tokens [T, H], weights [E, N, H] and
/// [E, H, I] with N equal to I or 2 I (either pair transposed), and [T, k] with the experts of each
/// token. Single matmuls (`_grouped_mm` and similar) have tokens [T, K], weights [E, K, N].
std::optional<ExpertSizes> ExpertsShape(const OpCall& call);

std::optional<OpWork> ExpertsWork(const OpCall& call);  ///< Like the functions of op_work.h.

}  // namespace profgauge::analysis::flops
