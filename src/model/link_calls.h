#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "model/profile_builder.h"

namespace profgauge::link {

/// Sets DeviceTable::launch by correlation. Removes device work with impossible times, also its
/// rows of the last two columns, and returns how many rows it removed.
std::size_t DeviceToCalls(Profile& profile, const NarrowColumn<std::int64_t>& api_correlations,
                          NarrowColumn<std::int64_t>& device_correlations,
                          OptionalColumn<std::int64_t, -1>& device_op_ids);

}  // namespace profgauge::link
