// Sums over the tables of a report: bandwidths, and times of work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace profgauge::report {

// Bandwidth of collectives by message size, and which are slower than usual.

/// A row of the table `message_sizes` whose calls were matched between ranks.
struct SizeBandwidth {
  std::string kind, group;
  std::int64_t ranks = 0;
  double bytes = 0;      ///< Mean per call.
  double bandwidth = 0;  ///< Bus bandwidth.
  /// The usual value: the median bandwidth of groups with equally many ranks, for the same kind and
  /// size class; 0 if there are too few such groups.
  double usual = 0;
  bool is_slow = false;  ///< Below 0.8 of `usual`.
};

/// The rows of `message_sizes` in their order; empty if the table is missing.
std::vector<SizeBandwidth> SizeBandwidths(const Report& report);

/// Returns the slow rows of `all`, slowest first, relative to `usual`. An empty result does not
/// mean that all are fast: with few groups there is no usual value.
std::vector<SizeBandwidth> SlowBandwidths(const std::vector<SizeBandwidth>& all);

// Sums of device work from the report's tables. Durations are added, so overlapping work counts
// each time.

/// Times of all kernels, by use of matrix units; ns.
struct KernelTimes {
  double on_matrix_units = 0, off = 0, undecided = 0;
};
/// Sums the table `kernels`; nothing if it is missing.
std::optional<KernelTimes> KernelTimesOf(const Report& report);

/// Time of copies and memsets, from the table `memcpys`; nothing if it is missing.
std::optional<double> CopyTimeOf(const Report& report);

}  // namespace profgauge::report
