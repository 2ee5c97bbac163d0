// One iteration's requests to the GPU: launching calls, Tensor Core kernels, bytes copied. For the
// same program these are the same in every run, so that any change is news.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// For one rank: sums over the launches of its selected iterations.
struct CountFacts {
  std::int64_t iterations = 0;
  std::int64_t launches = 0, tensor_core_kernels = 0;
  std::array<std::int64_t, 3> bytes{};                   ///< To, from and on devices.
  std::array<bool, 3> is_complete = {true, true, true};  ///< Every copy's size is known.
  bool has_device = false, has_launches = false, has_kernels = false;
};
/// The counts of one rank; its flags state which of them are known.
CountFacts CountFactsOf(const RankContext& rank);

/// Sets launch.count_per_iteration, tensor_core.kernels_per_iteration and
/// memcpy.{h2d,d2h,d2d}.bytes_per_iteration: sums over the launches of the selected iterations, per
/// iteration, mean over ranks.
void AddCounts(std::span<const CountFacts> ranks, Output& out);

}  // namespace profgauge
