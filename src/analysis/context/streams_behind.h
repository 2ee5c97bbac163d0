// Streams beside the main one that iterations do not wait for.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <span>

#include "model/profile.h"

namespace profgauge {

/// The stream of a row, told apart from those of other GPUs.
inline std::uint64_t StreamOf(const DeviceTable& device, std::size_t row) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(device.gpu[row])) << 32) ^
         static_cast<std::uint64_t>(device.stream[row]);
}

inline constexpr std::uint32_t kNoIteration = 0xffff'ffff;

/// Streams (StreamOf) beside their GPU's main one, that with most kernels, whose work of an
/// iteration still runs when all of the next iteration's is done on the main one, as that of an
/// asynchronous checkpoint does. `of_device`: by row, the iteration that launched it, or
/// kNoIteration.
boost::unordered_flat_set<std::uint64_t> StreamsBehind(const DeviceTable& device,
                                                       std::span<const std::uint32_t> of_device);

}  // namespace profgauge
