// What is typical of an iteration: the length of those that launch as much. A program that steps its
// profiler once per micro-batch launches its optimizer and its collectives in every k-th iteration
// alone; that these are longer is no variance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace profgauge {

/// For each iteration the median length of those with as many kernels; the median of all where the
/// counts make more than four kinds, or one with fewer than three iterations.
/// REQUIRES: as many counts as lengths.
std::vector<double> TypicalLengths(std::span<const double> lengths,
                                   std::span<const std::int64_t> kernels);

/// The lengths as if all iterations launched as much: each by what is typical of it, times the
/// median of all.
std::vector<double> WithoutKinds(std::span<const double> lengths, std::span<const double> typical);

}  // namespace profgauge
