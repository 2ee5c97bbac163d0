// Sums of device work, by the tables of the report: durations, so that
// overlapping work counts each time.
#pragma once

#include <optional>

#include "report/report.h"

namespace profgauge::report {

/// Times of all kernels, by whether they use matrix units; ns.
struct KernelTimes {
  double on_matrix_units = 0, off = 0, undecided = 0;
};
/// By the table `kernels`; nothing without it.
std::optional<KernelTimes> KernelTimesOf(const Report& report);

/// Time of copies and memsets, by the table `memcpys`; nothing without it.
std::optional<double> CopyTimeOf(const Report& report);

}  // namespace profgauge::report
