// A copy of a binary trace of PyTorch that has the fields and arguments that reports need.
#pragma once

#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "profgauge/error.h"
#include "readers/text/rename.h"

namespace profgauge::readers::pftrace {

/// Of the reader whose files are copied.
inline constexpr std::string_view kReader = "pftrace";

/// The copy is not compressed, and compressed packets are written as plain ones: their texts must
/// be seen to be replaced. Errors: kInput "scrub/damaged" where the trace is not whole.
Result<std::string> ScrubPackets(ByteSource& source, const Rename& rename);

}  // namespace profgauge::readers::pftrace
