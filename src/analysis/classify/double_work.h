// Matmuls in double precision, which few chips have Tensor Cores for.
#pragma once

#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// Which operators and kernels compute in FP64 although no GPU of the profile has Tensor Cores
/// for that (V100, T4, all consumer chips): they could not use any. For GPUs that are not recorded,
/// or whose compute capability is not, nothing is.
class DoubleWork {
 public:
  explicit DoubleWork(const Profile& profile);

  /// By the type of the operator's first tensor, where types were recorded.
  bool HasNoCores(HostId op);
  /// By its operator, or by its name (dgemm, zgemm).
  bool HasNoCores(DeviceId work);

 private:
  const Profile& profile_;
  bool applies_ = false;
  std::vector<std::int8_t> known_;    // By the text of types: -1 not asked yet.
  std::vector<std::int8_t> by_name_;  // By that of a kernel's name.
};

}  // namespace profgauge
