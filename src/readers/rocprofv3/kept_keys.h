// The contents of a shared copy of rocprofv3's JSON.
#pragma once

#include <string_view>

#include "readers/text/json_copy.h"
#include "readers/text/rename.h"

namespace profgauge::readers::rocprofv3 {

/// Of the reader whose files are copied.
inline constexpr std::string_view kReader = "rocprofv3";

JsonKeep KeptKeys(const Rename& rename);

}  // namespace profgauge::readers::rocprofv3
