// Kernels that change from iteration to iteration, with the size or the kind of inputs.
//
// Iterations with sentences or images of different sizes differ in length, which is not a fault: a
// limit on variance must compare iterations of one kind. This header finds how much time of each
// iteration depends on its inputs (ChangingWork), and from it the expected length (TypicalLengths).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/iterations/context.h"
#include "base/units.h"

namespace profgauge::analysis::breakdown {

/// Returns, for each selected iteration, the duration of kernels that change with its inputs, on
/// the GPU where it is longest. A kind of kernel is its name, launch configuration and, if
/// recorded, input shapes. A kind changes if over a quarter of the iterations launch it more or
/// less often than the others do. Collectives do not count. Without device work, operators with
/// known shapes are used. If three quarters of the iterations launch the same kernels, the rest are
/// exceptions, and input sizes show only in copies; then returns WorkOnCopiedInputs(). All 0 for
/// fewer than three iterations. O(n log n) in launches, of which it stores only row numbers.
std::vector<Ns> ChangingWork(const iterations::RankContext& rank);

// Inputs whose sizes show only in copies to the device.

/// Returns the kernel time of each selected iteration on its busiest GPU, if it correlates with the
/// bytes copied to devices in the iteration or (prefetched batches) the previous one, and over a
/// quarter of the iterations copy more or less than the others. Otherwise all 0.
std::vector<Ns> WorkOnCopiedInputs(const iterations::RankContext& rank);

// The typical length of an iteration is that of iterations with equally many launches. A program
// that steps its profiler once per micro-batch launches its optimizer and collectives only in every
// k-th iteration. Their larger length is not variance, and neither is that of larger inputs.

/// Returns, for each iteration, the median length of those with equally many kernels. It is the
/// median of all if there are more than four counts, or a count with fewer than three iterations.
/// If inputs change in size (`changing`: ChangingWork()), it is this changing time plus the median
/// of the rest, if that is closer to the lengths. In the unit of the lengths. REQUIRES: spans of
/// equal sizes.
///
///   length    10 10 30 10 10 30 10 10 30   a micro-batch launches 50 kernels,
///   kernels   50 50 90 50 50 90 50 50 90   every third one the optimizer's 40 as well
///   typical   10 10 30 10 10 30 10 10 30   no iteration is an outlier, though three take 30
std::vector<double> TypicalLengths(std::span<const double> lengths,
                                   std::span<const std::int64_t> kernels,
                                   std::span<const Ns> changing);

/// The lengths as if all iterations launched equally much: each is divided by its typical length,
/// and multiplied by the median of all. Unchanged if all typical lengths are equal, or the median
/// is 0.
std::vector<double> WithoutKinds(std::span<const double> lengths, std::span<const double> typical);

}  // namespace profgauge::analysis::breakdown
