// Summaries of ranks (`profgauge summarize`), taken wherever profiles are.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Errors: kInput "summary/newer", "summary/older", "summary/damaged",
/// "summary/truncated".
/// A file gives one profile for each rank in it, each a stand-in without rows (Profile::summary).
/// The file is held in memory as a whole.
std::unique_ptr<Reader> MakeSummaryReader();

}  // namespace profgauge::readers
