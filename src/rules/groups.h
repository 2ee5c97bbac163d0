// Rows of a rule, by group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/eval.h"
#include "rules/bindings.h"
#include "rules/compile.h"

namespace profgauge {

struct RowGroup {
  std::string key;    ///< "rank=3", "rank=1,gpu=0", "name=aten::mm"; empty without group_by.
  std::string label;  ///< "rank 3", "rank 1, GPU 0", "aten::mm"; empty without group_by.
  std::vector<expr::RowId> rows;
};

struct Grouping {
  std::vector<RowGroup> groups;  ///< By key: numbers ascending, texts by first appearance.
  std::uint64_t unknown = 0;     ///< Rows whose key is absent; they are in no group.
};

/// Without group_by one group of all `rows`.
Grouping GroupRows(const CompiledRule& rule, RunData& run, std::vector<expr::RowId> rows);

}  // namespace profgauge
