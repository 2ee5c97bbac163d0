// What the operating system was asked for, and how long it let threads run.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds the tables os_calls and threads, where the recording has the OS runtime and scheduling.
void AddOsRuntime(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
