// What a finding can gain at most: the time in which its rows, and nothing else, keep a device from
// being done.
#pragma once

#include <optional>
#include <span>

#include "rules/bindings.h"
#include "rules/compile.h"

namespace profgauge {

/// In ns per iteration. Where the rule's gain is idle time, the idle time that its rows touch; else
/// the time in which devices do their work alone. Nothing where the recording does not tell it.
std::optional<double> MostGain(const CompiledRule& rule, const RunData& run,
                               std::span<const expr::RowId> rows);

}  // namespace profgauge
