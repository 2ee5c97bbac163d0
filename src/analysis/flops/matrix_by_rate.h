// Kernels that names leave open, decided by the rate of their operator: no vector unit is as fast.
#pragma once

#include <span>

#include "analysis/classify/kernel_class.h"
#include "analysis/flops/op_work.h"
#include "model/devices.h"

namespace profgauge::analysis::flops {

/// Sets the verdict "yes" for kernels of `classes` that are unknown so far, whose operators' FLOPs
/// in their kernels' time are above what the vector units reach. True if any changed: sums of
/// `classes` are to be made again. O(rows), and nothing where no kernel is open.
///
///   aten::mm of float16, 137 GFLOP in one open kernel of 0.5 ms    275 TFLOP/s
///   vector units of an A100 at four times their FP32 rate           78 TFLOP/s: "yes"
///   matrix units                                                   312 TFLOP/s
///
/// A name is decided by all calls together in which it is the only open kernel and none is known
/// to use matrix units. Convolutions decide nothing, since Winograd's algorithm needs up to four
/// times fewer operations than are counted. A rate above the matrix units' own says that work or
/// time is wrong, and decides nothing either; so do chips without known peaks.
bool DecideByRate(const Profile& profile, std::span<const Gpu> gpus,
                  std::span<const KnownDevice> known, const OpWorks& works,
                  classify::KernelClasses& classes);

}  // namespace profgauge::analysis::flops
