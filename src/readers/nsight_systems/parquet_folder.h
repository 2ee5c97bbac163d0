// A report of Nsight Systems as a folder of Parquet files (`nsys export --type parquetdir`), a
// table each. Tables and columns are those of the SQLite export.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"
#include "readers/database/tables.h"
#include "readers/reader.h"

namespace profgauge::readers::nsight {

/// Whether a file of that name is a table of an export.
bool IsTableName(std::string_view file_name);

/// The open files of a folder, with the hash of all of them.
struct ParquetFolder {
  ParquetTables tables;
  std::uint64_t bytes = 0;
  std::string hash;
  std::string form;                ///< How the first file is written.
  std::vector<std::string> ended;  ///< Tables that end early and are left out.
};

/// Opens the files of one folder. Those that end early are left out where `options` allow that.
/// Errors: kInput, as of one file.
Result<ParquetFolder> OpenParquetFolder(std::vector<std::string> files, const ReadOptions& options);

}  // namespace profgauge::readers::nsight
