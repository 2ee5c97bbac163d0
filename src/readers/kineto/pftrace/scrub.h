// Copies a binary trace of PyTorch with only the fields and arguments that reports need.
#pragma once

#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "profgauge/error.h"
#include "readers/text/rename.h"

namespace profgauge::readers::pftrace {

/// The reader whose files are copied.
inline constexpr std::string_view kReader = "pftrace";

/// Returns the copy. It is uncompressed, and compressed packets become plain ones, because their
/// texts could not be replaced otherwise. Error: kInput "scrub/damaged" if the trace is incomplete.
Result<std::string> ScrubPackets(ByteSource& source, const Rename& rename);

}  // namespace profgauge::readers::pftrace
