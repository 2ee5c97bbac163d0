// The contents of a shared copy of rocprofv3's JSON.
#pragma once

#include "readers/text/json_copy.h"

namespace profgauge::readers::rocprofv3 {

JsonKeep KeptKeys();

}  // namespace profgauge::readers::rocprofv3
