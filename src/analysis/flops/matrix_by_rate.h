// Decides unrecognized kernels by their operator's rate: vector units cannot be as fast.
#pragma once

#include <span>

#include "analysis/classify/kernel_class.h"
#include "analysis/flops/op_work.h"
#include "model/devices.h"

namespace profgauge::analysis::flops {

/// Sets the verdict "yes" for undecided kernels of `classes` whose operators do more FLOPs in the
/// kernels' time than the vector units can. True if any changed: sums of `classes` must then be
/// recomputed. O(rows); does nothing without undecided kernels.
///
///   aten::mm of float16, 137 GFLOP in one undecided kernel, 0.5 ms  275 TFLOP/s
///   vector units of an A100 at four times their FP32 rate           78 TFLOP/s: "yes"
///   matrix units                                                   312 TFLOP/s
///
/// A name is decided by all calls together in which it is the only undecided kernel and none is
/// known to use matrix units. Excluded: convolutions, since Winograd's algorithm needs up to four
/// times fewer operations than counted; rates above the matrix units' peak, which show that work or
/// time is wrong; and chips without known peaks.
bool DecideByRate(const Profile& profile, std::span<const Gpu> gpus,
                  std::span<const KnownDevice> known, const OpWorks& works,
                  classify::KernelClasses& classes);

}  // namespace profgauge::analysis::flops
