// Events that are in a file twice, as after it was put together with itself or a profiler was
// attached twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// Columns of a builder's rows that the tables do not have, in the order of the rows.
struct RowNumbers {
  std::vector<std::int64_t>& host;
  std::vector<bool>& host_backward;
  NarrowColumn<std::int64_t>& api_correlation;
  OptionalColumn<std::int64_t, -1>& api_op;
  NarrowColumn<std::int64_t>& device_correlation;
  OptionalColumn<std::int64_t, -1>& device_op;
};

/// Keeps each event once and returns how many of the device's were copies. A stream does one thing
/// at a time, so work of it with the times, name and launch of another is that other. Where a
/// hundredth of the work is doubled, so are other events that are equal down to their recorded
/// number; below that no event is taken for a copy.
/// REQUIRES: the tables are sorted as model/tables.h says.
std::size_t DropDoubled(Profile& profile, RowNumbers numbers);

}  // namespace profgauge
