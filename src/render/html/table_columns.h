// Chooses the columns of a table that a page shows, and their order.
#pragma once

#include <array>
#include <boost/json.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/table.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "report/runs.h"

namespace profgauge::render::html {

struct ColumnChoice {
  std::vector<const Column*> shown;  ///< A row's names first; fit into 1 400 px.
  std::vector<const Column*> extra;  ///< With scripts, one click shows them.
  std::vector<std::pair<std::string, std::string>> gaps;  ///< Absent columns: title and reason.
  std::string constants;                                  ///< "Rank 0, GPU 0": equal in all rows.
};
/// Chooses columns: those of the table's look in its order; without a look, names, the sort column,
/// numbers, wide texts. As many as fit into a window of 1 400 px, but at least one. `by`: the sort
/// column, or nullptr. The result points into `table`.
///
///   all columns -> without value: gaps     -> one place for all rows: constants
///               -> by look or Arrange()    -> until kWindow is full: shown, the rest: extra
ColumnChoice ChooseColumns(const Table& table, const Column* by);

/// True for texts and yes/no, which are aligned left.
bool IsLeft(Unit unit);

}  // namespace profgauge::render::html
