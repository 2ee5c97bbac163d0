// Makes the message and advice of a finding.
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

/// Sets the texts of `out` from the rule and the rows of one group. REQUIRES: `data` has the values
/// of the rule's `let` names.
void AddTexts(const CompiledRule& rule, const expr::Data& data, std::span<const expr::RowId> rows,
              Finding& out);

}  // namespace profgauge::rules
