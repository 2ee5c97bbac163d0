// The message and advice of a finding, by parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/row_exposure.h"
#include "expr/eval.h"
#include "expr/message.h"
#include "knowledge/quantity.h"
#include "rules/bindings.h"
#include "rules/compile.h"
#include "rules/evaluator.h"

namespace profgauge::rules {

/// Sets the texts of `out`: of `rule`, over the rows of one group. Names of `let` have their
/// values in `data`.
void AddTexts(const CompiledRule& rule, const expr::Data& data, std::span<const expr::RowId> rows,
              Finding& out);

}  // namespace profgauge::rules
