// Kernels that change from iteration to iteration, with the size or the kind of inputs.
//
// Iterations of sentences or images of different sizes differ in length, and that is no fault: a
// limit on variance must compare each with iterations of its kind. This header finds how much of
// each iteration follows its inputs (ChangingWork), and from that how long it should take
// (TypicalLengths).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/iterations/context.h"
#include "base/units.h"

namespace profgauge::analysis::breakdown {

/// For each selected iteration, in their order: how long its kernels run, on the GPU where that is
/// longest, that iterations do not launch alike: of kinds (name, launch configuration, shapes of
/// inputs where recorded) that over a quarter of the iterations launch more or less often than the
/// others do. Collectives do not count. Where no device works: operators whose shapes are known.
/// Where at least three quarters of the iterations launch the same, the others are exceptions, and
/// changes with the inputs show only in copies: WorkOnCopiedInputs(). All 0 for fewer than three
/// iterations. O(n log n) in launches, of which it keeps row numbers only.
std::vector<Ns> ChangingWork(const iterations::RankContext& rank);

// Inputs whose size shows only in copies to the device.

/// For each selected iteration, in their order: how long its computing kernels run, on the GPU
/// where that is longest. 0 everywhere unless that time follows how many bytes are copied to the
/// devices in the iteration, or (batches that are copied ahead) in the one before it, and over a
/// quarter of the iterations copy more or less than the others do.
std::vector<Ns> WorkOnCopiedInputs(const iterations::RankContext& rank);

// The typical length of an iteration: that of those with as many launches. A program that steps
// its profiler once per micro-batch launches its optimizer and its collectives only in every k-th
// iteration; their larger length is no variance, and neither is that larger inputs take
// longer.

/// For each iteration the median length of those with as many kernels; the median of all where the
/// counts make more than four kinds, or one with fewer than three iterations. Where iterations
/// have inputs of changing size (`changing`: ChangingWork()), their time and the median of
/// the rest, if the lengths are nearer to that.
/// REQUIRES: as many counts, and as many times, as lengths. In the unit of the lengths.
///
///   length    10 10 30 10 10 30 10 10 30   a micro-batch launches 50 kernels,
///   kernels   50 50 90 50 50 90 50 50 90   every third one the optimizer's 40 as well
///   typical   10 10 30 10 10 30 10 10 30   no iteration is an outlier, though three take 30
std::vector<double> TypicalLengths(std::span<const double> lengths,
                                   std::span<const std::int64_t> kernels,
                                   std::span<const Ns> changing);

/// The lengths as if all iterations launched as much: each divided by its typical one, times the
/// median of all. Unchanged where all have one typical length, and where that is 0.
std::vector<double> WithoutKinds(std::span<const double> lengths, std::span<const double> typical);

}  // namespace profgauge::analysis::breakdown
