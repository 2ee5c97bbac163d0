// The files of `export tables`: rows in, one file for each table out, or one database of all.
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

/// How rows of all tables become bytes.
class TableFiles {
 public:
  virtual ~TableFiles() = default;
  /// Rows of tables may come in several parts, in order.
  virtual Status Add(std::size_t table, const query::Part& part) = 0;
  /// After the last row: the files are in place. `schema` describes all.
  virtual Status Finish(const std::string& schema) = 0;
  /// The file of a table, as `schema.json` names it.
  virtual std::string FileOf(std::size_t table) const = 0;
};

/// Opens all files of these tables. Errors: kOutput, kUsage.
Result<std::unique_ptr<TableFiles>> OpenTableFiles(const Options& options,
                                                   const query::Places& tables, Outputs& outputs);

}  // namespace profgauge::cli
