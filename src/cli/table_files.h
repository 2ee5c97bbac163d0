// The files of `export tables`: rows are written to one file per table, or to one database.
//
//   --format csv, tsv, jsonl, parquet     -o tables/     tables/kernels.csv, … and schema.json
//   --format sqlite                       -o run.sqlite  one file, with tables and columns
//
// The first column of each table is `run`: the profile, named as in rows of `--write row`, so that
// tables of many runs can be concatenated. Rows come in parts of one table each. Text is written in
// pieces of 4 MiB and Parquet in groups of rows, so a table may be larger than memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/outputs.h"
#include "profgauge/error.h"
#include "query/relation.h"

namespace profgauge::cli {

/// Writes the rows of all tables.
class TableFiles {
 public:
  virtual ~TableFiles() = default;
  /// Sets the value of the column `run`. REQUIRES: called before the first row is added.
  void OfRun(std::string run) { run_ = std::move(run); }
  /// Adds rows. A table may come in several parts, in order; parts of different tables may
  /// alternate. `table` is the table's index in the schema; it must have been opened.
  virtual Status Add(std::size_t table, const query::Part& part) = 0;
  /// Completes the files. Call once, after the last row. Files remain only for tables with rows and
  /// for tables in `asked`, which the user named. `schema` describes all tables; a database has all
  /// tables and its own description.
  virtual Status Finish(const std::string& schema, const query::Places& asked) = 0;
  /// The file of a table, as `schema.json` names it.
  virtual std::string FileOf(std::size_t table) const = 0;

 protected:
  /// A row with its run in front. It is a copy, because writers take whole rows.
  std::vector<Cell> RowOf(const query::Rows& rows, std::size_t row, std::size_t columns) const;
  std::string run_;
};

/// The column that every exported table begins with.
const query::ColumnInfo& RunColumn();

/// Opens all files of these tables. Errors: kOutput, kUsage.
Result<std::unique_ptr<TableFiles>> OpenTableFiles(const Options& options,
                                                   const query::Places& tables, Outputs& outputs);

}  // namespace profgauge::cli
