// What is typical of an iteration: the length of those that launch as much. A program that steps
// its profiler once per micro-batch launches its optimizer and its collectives in every k-th
// iteration alone; that these are longer is no variance, and neither is that larger inputs take
// longer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge {

/// For each iteration the median length of those with as many kernels; the median of all where the
/// counts make more than four kinds, or one with fewer than three iterations. Where iterations
/// work on inputs of changing size (`changing`: ChangingWork()), what that takes and the median of
/// the rest, if the lengths are nearer to that.
/// REQUIRES: as many counts, and as many times, as lengths.
std::vector<double> TypicalLengths(std::span<const double> lengths,
                                   std::span<const std::int64_t> kernels,
                                   std::span<const Ns> changing);

/// The lengths as if all iterations launched as much: each by what is typical of it, times the
/// median of all.
std::vector<double> WithoutKinds(std::span<const double> lengths, std::span<const double> typical);

}  // namespace profgauge
