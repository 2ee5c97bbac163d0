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
#include "rules/rule_run.h"

namespace profgauge::rules {

/// Groups the rows of a rule by the values of its group keys:
///
///     kernel   rank  name     group_by: [rank.id, kernel.name]
///     0        0     gemm     rank=0,name=gemm: rows 0, 2
///     1        0     relu     rank=0,name=relu: row 1
///     2        0     gemm     rank=1,name=gemm: row 3
///     3        1     gemm
///     4        -     gemm     unknown: 1, since its rank was not recorded
struct Grouping {
  std::vector<RowGroup> groups;  ///< Ordered by key; see KeyAt() in groups.cc.
  std::uint64_t unknown = 0;     ///< Number of rows without a key; they are in no group.
};

/// Groups `rows`. Without group_by they are one group, even if empty. Expected O(rows * keys).
Grouping GroupRows(const CompiledRule& rule, RunData& run, std::vector<expr::RowId> rows);

}  // namespace profgauge::rules
