// Work of the device that was launched before the profile began.
#pragma once

#include "model/tables.h"

namespace profgauge {

/// Whether the device works on what was launched before the profile: on each stream, work without a
/// launch comes before all other. In between, the link to its launch is missing for another reason.
bool BeginsWithOlderWork(const DeviceTable& device);

}  // namespace profgauge
