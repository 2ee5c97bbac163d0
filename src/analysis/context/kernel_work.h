// Each kernel's part of the work of the operator that launched it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/context/context.h"

namespace profgauge {

/// The part of one kernel. All kernels of an operator add up to its work.
struct KernelWork {
  double flops = -1, bytes = -1;  ///< -1 unknown.
};

/// The work of an operator is divided among its kernels by their time: that of a product,
/// convolution or attention among the kernels whose name speaks of one, where there are such, so
/// that helpers have none. The parts add up to the operator's work.
class WorkDivision {
 public:
  /// Keeps references to all of them.
  WorkDivision(const Profile& profile, const KernelClasses& classes, const OpWorks& works);
  explicit WorkDivision(const RankContext& rank)
      : WorkDivision(*rank.profile, rank.classes, rank.works) {}
  KernelWork Of(std::size_t device_row) const;

 private:
  /// The counted operator that launched a kernel, or OpWorks::kNone.
  std::uint32_t Counted(std::size_t device_row) const;

  // Times of the kernels of one counted operator.
  struct Times {
    Ns all = 0, matrix = 0;
  };
  const Profile& profile_;
  const KernelClasses& classes_;
  const OpWorks& works_;
  std::vector<Times> times_;  // By row of HostTable.
};

}  // namespace profgauge
