// Copies of XLA's profiles without host names, folders and modules' sources.
#pragma once

#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "readers/text/json_copy.h"
#include "readers/text/rename.h"

namespace profgauge::readers::xla {

/// The reader whose files are copied.
inline constexpr std::string_view kReader = "xla";

/// Copies only fields and stats that reports need from the XPlane messages in `bytes`. Modules that
/// ran keep their instructions, without sources. `file` names the input in errors: kInput
/// "xla/malformed", also if the file is cut inside a plane or has no plane.
Result<std::string> ScrubXSpace(const std::string& file, std::string_view bytes,
                                const Rename& rename);

/// The keys of a trace.json to copy.
JsonKeep KeptKeys(const Rename& rename);

}  // namespace profgauge::readers::xla
