// Copies of XLA's profiles without host names, folders and modules' sources.
#pragma once

#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "readers/text/json_copy.h"
#include "readers/text/rename.h"

namespace profgauge::readers::xla {

/// Of the reader whose files are copied.
inline constexpr std::string_view kReader = "xla";

/// Of the XPlane messages in `bytes` the fields and stats that reports need. Of the modules that
/// ran their instructions stay without sources. `file` names it in errors: kInput "xla/malformed",
/// also for a file that is cut inside a plane or has none.
Result<std::string> ScrubXSpace(const std::string& file, std::string_view bytes,
                                const Rename& rename);

/// What stays of a trace.json.
JsonKeep KeptKeys(const Rename& rename);

}  // namespace profgauge::readers::xla
