// Evidence by names in a profile: its framework and the libraries that it uses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/profile.h"

namespace profgauge {

enum class Sign : std::uint8_t {
  kPyTorch,
  kXla,
  kTensorRt,
  kTensorFlow,
  kDdp,           ///< DistributedDataParallel.
  kFsdp,          ///< FullyShardedDataParallel.
  kGraphCapture,  ///< Calls that begin or end the capture of a graph.
  kNccl,
  kGloo,
  kCount_
};

/// Whether a name in the profile, or in that which a summary was made of, has the sign.
bool Shows(const Profile& profile, Sign sign);

/// A name that has the sign.
std::string_view NameWith(Sign sign);

}  // namespace profgauge
