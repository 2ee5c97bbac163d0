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

/// All tables except `iterations` and those of other sections, important ones first. Rows that do
/// not fit into the page are added to `payload`.
boost::json::array TablesView(const report::Report& report, TablePacker& payload);

/// How much of a table is in the page. Rows are limited by number, then by bytes. If there is a
/// payload, it has the others.
struct TableLimits {
  std::size_t rows = 0;               ///< Rows in the page; fewer if names are long.
  std::size_t payload_rows = 0;       ///< Most, if the page does not have all.
  bool always_packs = false;          ///< Scripts open more rows in its rows.
  std::size_t bytes = 0;              ///< Most in the page; 0: no limit.
  std::string_view docs_of = {};      ///< Whose columns it has; empty: its own.
  std::string_view accelerator = {};  ///< Whose words definitions use.
  std::size_t fold = kFold;           ///< Texts with more characters are folded.
  /// The names of iterations by position, if they differ from it. May be nullptr.
  const std::map<std::int64_t, std::string>* iterations = nullptr;
};
/// The view of one table. If a rank or GPU is equal in all rows, the table's note has it. Rows that
/// are not in the page go to `payload`; without a payload, the page has every column.
///
///   rows of the table     0 ......... limits.rows ......... limits.payload_rows ......... all
///   in the page           |-- markup --|
///   in the payload        |----------- packed columns -----------|
///   elsewhere                                                    |-- report.json, workbook --|
///
/// The heaviest rows come first (report::HeaviestColumn()). A tree keeps its order, and has the
/// ancestors of each shown row.
boost::json::object TableView(const Table& table, const TableLimits& limits,
                              TablePacker* payload = nullptr);

}  // namespace profgauge::render::html
