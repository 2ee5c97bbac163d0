// A profile's own statements replace values that its events cannot give.
#pragma once

#include <span>
#include <string_view>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Fills metrics that are still absent and tables that still have no rows from Profile::reported,
/// and notes whose numbers they are. Numbers computed from events stay, except of tables that
/// IsOfRecorder() names, unless only a range is judged. With several ranks nothing is taken: their
/// statements cannot be added up. Call it after every other analysis.
void AddReported(std::span<const RankContext> ranks, bool range_chosen, Output& out);

/// Whether the recorder's own table has priority over the computed one: the types of operators, and
/// the number of operators of each, depend on the recorder's definition of an operator.
bool IsOfRecorder(std::string_view table);

}  // namespace profgauge
