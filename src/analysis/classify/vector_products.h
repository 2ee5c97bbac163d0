// Products with nothing to do for matrix units: matrices by vectors, depthwise convolutions.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <utility>

#include "model/profile.h"

namespace profgauge {

/// Which operators compute them (IsVectorProduct), asked once for each name with the same shapes.
/// They could use no Tensor Core to any effect, whatever others of their name could.
class VectorProducts {
 public:
  /// Keeps a reference.
  explicit VectorProducts(const Profile& profile) : profile_(profile) {}

  bool Has(HostId op);

 private:
  const Profile& profile_;
  boost::unordered_flat_map<std::pair<std::uint32_t, std::uint32_t>, bool> known_;
};

}  // namespace profgauge
