// What rows of a table can cost at most: the time of a device in which it does their work and
// nothing else, or nothing at all beside them. What overlaps other work costs nothing, however long
// it is.
//
// Time is kept by the rows that share it, so that the cost of any choice of rows is exact: the
// union of their times, not the sum.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"

namespace profgauge {

struct Exposure {
  /// Time that these rows share; `rows` is sorted, each once.
  struct Part {
    std::vector<std::uint32_t> rows;
    Ns time = 0;
  };
  struct Device {
    std::int64_t iterations = 1;  ///< Selected, of the device's rank.
    /// The device does the work of exactly these rows: counts when all of them are chosen.
    std::vector<Part> alone;
    /// Calls of these rows run and the device does nothing but what they wait for: counts when any
    /// is chosen.
    std::vector<Part> blocked;
    /// Whole gaps that these rows touch: their work ends or begins them, their calls run in them.
    /// Counts when any is chosen.
    std::vector<Part> gaps;
  };
  std::vector<Device> devices;
  bool has_work = true;  ///< False: only gaps are known, as of operators with time on the host.
};

/// Time per iteration that the chosen rows are exposed, on the device where it is longest. `chosen`
/// is by row; rows beyond it are not chosen. Nothing when the work is not known.
std::optional<double> ExposedPerIteration(const Exposure& exposure,
                                          const std::vector<bool>& chosen);
/// Likewise the idle time that they touch.
double IdlePerIteration(const Exposure& exposure, const std::vector<bool>& chosen);

}  // namespace profgauge
