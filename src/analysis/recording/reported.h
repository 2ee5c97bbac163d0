// What a profile states itself is in for what its events cannot give.
#pragma once

#include <span>
#include <string_view>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Fills metrics that are still absent and tables that still have no rows from Profile::reported,
/// and notes whose numbers they are. Numbers computed from events stay, except of tables that
/// IsOfRecorder() names, unless only a range is judged. Of several ranks nothing is taken: their
/// statements cannot be added up. Call it after every other analysis.
void AddReported(std::span<const RankContext> ranks, bool range_chosen, Output& out);

/// Whether the recorder's own table goes before the computed one: what is a type of operators, and
/// how many operators are of it, depends on what the recorder calls an operator.
bool IsOfRecorder(std::string_view table);

}  // namespace profgauge
