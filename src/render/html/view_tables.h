#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rich_text.h"
#include "render/html/view.h"
#include "render/shared/change.h"
#include "render/shared/columns.h"
#include "render/shared/looks.h"
#include "report/report.h"

namespace profgauge::render::html {

/// The tables but `iterations` and those that another section has, the important ones first. Their
/// rows that do not fit into the page are added to `payload`.
boost::json::array TablesView(const report::Report& report, TablePacker& payload);

/// How much of a table is in the page. Rows are cut by number first, then by bytes; rows that are
/// cut travel in the payload where there is one.
struct TableLimits {
  std::size_t rows = 0;               ///< Rows in the page; fewer where their names are long.
  std::size_t payload_rows = 0;       ///< Rows that travel along when the page does not have all.
  bool always_packs = false;          ///< Its rows open to others where scripts run.
  std::size_t bytes = 0;              ///< Bytes of the rows in the page; 0: as their number says.
  std::string_view docs_of = {};      ///< Table that its columns are of; empty: itself.
  std::string_view accelerator = {};  ///< For the words of definitions.
  std::size_t fold = kFold;           ///< Texts of more characters fold up.
  /// Names of iterations that are not their position; may be nullptr.
  const std::map<std::int64_t, std::string>* iterations = nullptr;
};
/// One table. A rank or GPU that is the same in every row goes to its note. Rows that are to travel
/// along are added to `payload`, if there is one; without one, every column is in the page.
///
///   rows of the table     0 ......... limits.rows ......... limits.payload_rows ......... all
///   in the page           |-- markup --|
///   in the payload        |----------- packed columns -----------|
///   elsewhere                                                    |-- report.json, workbook --|
///
/// The heaviest rows come first (report::HeaviestColumn); a tree keeps its order, and shows the
/// ancestors of each row that it shows.
boost::json::object TableView(const Table& table, const TableLimits& limits,
                              TablePacker* payload = nullptr);

}  // namespace profgauge::render::html
