// Copies that iterations do not wait for.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <span>

#include "model/profile.h"

namespace profgauge {

inline constexpr std::uint32_t kNoIteration = 0xffff'ffff;

/// Rows of copies and sets that still run when all kernels of the next iteration on their GPU are
/// done, as those of an asynchronous checkpoint do, and on the streams of these what outlives the
/// kernels of the last iteration. Kernels are never among them: what computes is waited for.
/// `of_device`: by row, the iteration that launched it, or kNoIteration.
boost::unordered_flat_set<std::uint32_t> CopiesBehind(const DeviceTable& device,
                                                      std::span<const std::uint32_t> of_device);

}  // namespace profgauge
