// The message and advice of a finding, by parts.
#pragma once

#include <span>

#include "rules/evaluator.h"

namespace profgauge {

/// Sets the texts of `out`: of `rule`, over the rows of one group. Names of `let` have their
/// values in `data`.
void AddTexts(const CompiledRule& rule, const expr::Data& data, std::span<const expr::RowId> rows,
              Finding& out);

}  // namespace profgauge
