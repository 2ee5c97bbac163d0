// Nsight Systems, as exported with `nsys export --type sqlite`.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"
#include "readers/database/copy_tables.h"
#include "readers/database/sqlite_table.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// Also reads folders of Parquet tables; refuses .nsys-rep, Arrow and JSON lines with the command
/// that exports them. Errors: kInput "nsight/no-events", "nsight/one-table", those of databases and
/// of Parquet.
std::unique_ptr<Reader> MakeNsightReader();

}  // namespace profgauge::readers

namespace profgauge::readers::nsight {

// A report of Nsight Systems as a folder of Parquet files (`nsys export --type parquetdir`), a
// table each. Tables and columns are those of the SQLite export.

/// Whether a file of that name is a table of an export.
/// By the names that only nsys has: CUPTI_ACTIVITY_KIND_*, TARGET_INFO_* and five others.
bool IsTableName(std::string_view file_name);

/// The open files of a folder, with the hash of all of them.
/// `hash` depends on names and contents of the tables, not on the folder's name.
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

namespace profgauge::readers {

// A copy of an SQLite export without data about persons or machines.
//
// An export holds the whole environment of the profiled program (and with it perhaps tokens), its
// command line, its output, user and host names. The copy is made of an allow-list of tables and
// columns: the data that reports need, and nothing else. Directories are cut off the paths that are
// in the texts of ranges and kernels.

/// Whether a database with these tables is an export.
bool IsExport(const std::set<std::string>& tables);

/// Copies `in` to `out`; `in` is never written to. Errors: kInput when it is no export of Nsight
/// Systems; kOutput "output/exists" when `out` exists, or when it cannot be written. Nothing is
/// left then.
/// Texts of NVTX ranges and names of kernels are renamed by `rename`; system calls keep theirs.
Result<Scrubbed> ScrubExport(const std::string& in, const std::string& out,
                             const Rename& rename = {});

}  // namespace profgauge::readers
