// Ranges that the program marked itself, at their place in the hierarchy.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Table `ranges`: record_function, NVTX, and what trainers mark (Lightning, Keras hooks), summed
/// by path; ranges that differ in a number at their end alone, as "step 3", are one.
void AddRanges(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
