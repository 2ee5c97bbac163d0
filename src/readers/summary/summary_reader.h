// Reads summaries of ranks (`profgauge summarize`), which are accepted wherever profiles are.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Makes the reader. It returns one profile without rows (Profile::summary) for each rank in a
/// file, which is read into memory as a whole. Errors: kInput "summary/newer", "summary/older",
/// "summary/damaged", "summary/truncated".
std::unique_ptr<Reader> MakeSummaryReader();

}  // namespace profgauge::readers
