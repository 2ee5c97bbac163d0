// The tables of one profile, a file for each: which files of a folder are tables, and which tables.
#pragma once

#include <string>
#include <vector>

#include "readers/reader.h"

namespace profgauge::readers::neuron {

/// Moves the files that are tables after the others, and returns where they begin. In a folder in
/// which one Parquet file has the name of a table, all are; one file only of CSV is read like any.
std::vector<std::string>::iterator TablesOf(std::vector<std::string>& files);

/// Files of tables of one folder, in the order in which they are read: tables that define
/// times come first, parts of a table by their numbers.
struct TableFiles {
  std::vector<std::string> paths;
  std::vector<std::string> skipped;  ///< "path: reason": of a table that another file has whole.
  std::vector<std::string> missing;  ///< "Instruction: part 1": of tables in parts.
};
/// Errors: kInput "neuron/two-exports".
Result<TableFiles> OrderTables(std::vector<std::string> paths);

}  // namespace profgauge::readers::neuron
