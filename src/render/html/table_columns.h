// Which columns of a table the page shows, and in which order.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/table.h"

namespace profgauge::render::html {

struct ColumnChoice {
  std::vector<const Column*> shown;  ///< Names of a row first; fits a window of 1 400 px.
  std::vector<const Column*> extra;  ///< One click away where scripts run.
  std::vector<std::pair<std::string, std::string>> gaps;  ///< Absent ones: title, reason.
  std::string constants;  ///< "Rank 0, GPU 0": columns of places that say the same in every row.
};
/// `by`: the column that rows are sorted by, or nullptr.
ColumnChoice ChooseColumns(const Table& table, const Column* by);

/// Rows within rows: analysis/tables/tree_rows.h.
bool IsTree(const Table& table);

/// Texts and yes/no are on the left.
bool IsLeft(Unit unit);

}  // namespace profgauge::render::html
