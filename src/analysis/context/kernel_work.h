// Each kernel's part of the work of the operator that launched it. Only time is known of a kernel;
// operations and bytes follow from the shapes of its operator (work/op_work.h).
//
// aten::addmm of 100 FLOPs launched three kernels: a transposition of 2 us, and a matmul in two
// kernels of 6 and 4 us by their names. The matmul's get 60 and 40, the transposition 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/context/context.h"

namespace profgauge::analysis::context {

/// The part of one kernel. All kernels of an operator add up to its work.
struct KernelWork {
  double flops = -1, bytes = -1;  ///< -1 unknown.
};

/// The work of an operator is divided among its kernels by their time: that of a product,
/// convolution or attention among the kernels whose name speaks of one, where there are such, so
/// that helpers have none. The parts add up to the operator's work. Operators inside of a counted
/// one share its work. Collectives have none. O(n) to make, O(1) to ask.
class WorkDivision {
 public:
  /// Keeps references to all of them.
  WorkDivision(const Profile& profile, const classify::KernelClasses& classes,
               const work::OpWorks& works);
  explicit WorkDivision(const RankContext& rank)
      : WorkDivision(*rank.profile, rank.classes, rank.works) {}
  /// -1 where no operator is known, its work is not, or the row is no kernel. REQUIRES: a row of
  /// the device table.
  KernelWork Of(std::size_t device_row) const;

 private:
  /// The counted operator that launched a kernel, or OpWorks::kNone.
  std::uint32_t Counted(std::size_t device_row) const;

  // Times of the kernels of one counted operator.
  struct Times {
    Ns all = 0, matrix = 0;
  };
  const Profile& profile_;
  const classify::KernelClasses& classes_;
  const work::OpWorks& works_;
  std::vector<Times> times_;  // By row of HostTable.
};

}  // namespace profgauge::analysis::context
