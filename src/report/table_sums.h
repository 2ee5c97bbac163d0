// Sums over the tables of a report: bandwidths, and times of work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace profgauge::report {

// How fast collectives are for the size of their messages, and which are slower than usual.

/// A row of the table `message_sizes` whose calls were matched.
struct SizeBandwidth {
  std::string kind, group;
  std::int64_t ranks = 0;
  double bytes = 0;      ///< Mean of a call.
  double bandwidth = 0;  ///< On the bus.
  /// Median of the groups with as many ranks, for the same kind and class of sizes; 0 where they
  /// are too few for a usual value.
  double usual = 0;
  bool is_slow = false;  ///< Below 0.8 of the usual.
};

/// In the order of the table; empty without it.
std::vector<SizeBandwidth> SizeBandwidths(const Report& report);

/// The slow ones, in the order of their relative slowness. Empty says that none is known to be
/// slow: with few groups there is no usual value.
std::vector<SizeBandwidth> SlowBandwidths(const std::vector<SizeBandwidth>& all);

// Sums of device work, by the tables of the report: durations, so that
// overlapping work counts each time.

/// Times of all kernels, by whether they use matrix units; ns.
struct KernelTimes {
  double on_matrix_units = 0, off = 0, undecided = 0;
};
/// By the table `kernels`; nothing without it.
std::optional<KernelTimes> KernelTimesOf(const Report& report);

/// Time of copies and memsets, by the table `memcpys`; nothing without it.
std::optional<double> CopyTimeOf(const Report& report);

}  // namespace profgauge::report
