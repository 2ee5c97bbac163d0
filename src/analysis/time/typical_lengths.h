// The typical length of an iteration: that of those with as many launches. A program that steps
// its profiler once per micro-batch launches its optimizer and its collectives only in every k-th
// iteration; their larger length is no variance, and neither is that larger inputs take
// longer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge {

/// For each iteration the median length of those with as many kernels; the median of all where the
/// counts make more than four kinds, or one with fewer than three iterations. Where iterations
/// have inputs of changing size (`changing`: ChangingWork()), their time and the median of
/// the rest, if the lengths are nearer to that.
/// REQUIRES: as many counts, and as many times, as lengths.
std::vector<double> TypicalLengths(std::span<const double> lengths,
                                   std::span<const std::int64_t> kernels,
                                   std::span<const Ns> changing);

/// The lengths as if all iterations launched as much: each divided by its typical one, times the
/// median of all.
std::vector<double> WithoutKinds(std::span<const double> lengths, std::span<const double> typical);

}  // namespace profgauge
