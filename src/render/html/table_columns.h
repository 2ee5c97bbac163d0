// Chooses the columns of a table that the page shows, and their order.
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
  std::vector<const Column*> shown;  ///< Names of a row first; they fit into a window of 1 400 px.
  std::vector<const Column*> extra;  ///< One click away with scripts.
  std::vector<std::pair<std::string, std::string>> gaps;  ///< Absent ones: title, reason.
  std::string constants;  ///< "Rank 0, GPU 0": place columns with one value for all rows.
};
/// Chooses columns: those of the table's look in its order, else names, the sort column, numbers,
/// wide texts; as many as fit into a window of 1 400 px, at least one. `by`: the sort column, or
/// nullptr. Points into `table`.
///
///   all columns -> without value: gaps     -> one place for all rows: constants
///               -> by look or Arrange()    -> until kWindow is full: shown, the rest: extra
ColumnChoice ChooseColumns(const Table& table, const Column* by);

/// True for texts and yes/no, which are aligned left.
bool IsLeft(Unit unit);

}  // namespace profgauge::render::html
