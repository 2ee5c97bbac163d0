// The tables of one profile, a file for each: which files of a folder are tables, and of what.
#pragma once

#include <string>
#include <vector>

#include "readers/reader.h"

namespace profgauge::readers::neuron {

/// Puts the files that are tables behind the others, and says where they begin. Of a folder in
/// which one Parquet file has the name of a table, all are; one file only of CSV is read like any.
std::vector<std::string>::iterator TablesOf(std::vector<std::string>& files);

/// Files of tables of one folder, in the order in which they are read: what says how times are
/// meant comes first, parts of a table by their numbers.
struct TableFiles {
  std::vector<std::string> paths;
  std::vector<std::string> skipped;  ///< "path: reason": of a table that another file has whole.
  std::vector<std::string> missing;  ///< "Instruction: part 1": of tables in parts.
};
/// Errors: kInput "neuron/two-exports".
Result<TableFiles> OrderTables(std::vector<std::string> paths);

}  // namespace profgauge::readers::neuron
