// Summaries of ranks (`profgauge summarize`), taken wherever profiles are.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Errors: kInput "summary/newer", "summary/older", "summary/damaged",
/// "summary/truncated".
std::unique_ptr<Reader> MakeSummaryReader();

}  // namespace profgauge::readers
