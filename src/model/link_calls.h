#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "model/profile_builder.h"

namespace profgauge::link {

/// DeviceTable::launch by correlation. Sets aside device work with impossible times, with its rows
/// of the two last columns, and gives their number.
std::size_t DeviceToCalls(Profile& profile, const NarrowColumn<std::int64_t>& api_correlations,
                          NarrowColumn<std::int64_t>& device_correlations,
                          OptionalColumn<std::int64_t, -1>& device_op_ids);

}  // namespace profgauge::link
