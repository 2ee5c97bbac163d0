// Reads Nsight Systems' profiles, exported with `nsys export --type sqlite`.
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

/// Makes the reader of exports, also as folders of Parquet tables. It rejects .nsys-rep, Arrow and
/// JSON lines, with the command that exports them. Errors: kInput "nsight/no-events",
/// "nsight/one-table", those of databases and of Parquet.
std::unique_ptr<Reader> MakeNsightReader();

}  // namespace profgauge::readers

namespace profgauge::readers::nsight {

// An export of Nsight Systems as a folder of Parquet files (`nsys export --type parquetdir`), one
// per table. Tables and columns are those of the SQLite export.

/// True if a file of that name is a table of an export, by names that only nsys uses
/// (CUPTI_ACTIVITY_KIND_*, TARGET_INFO_* and five others).
bool IsTableName(std::string_view file_name);

/// The open files of a folder and their common hash, which depends on the names and contents of the
/// tables, but not on the folder's name.
struct ParquetFolder {
  ParquetTables tables;
  std::uint64_t bytes = 0;
  std::string hash;
  std::string form;                ///< How the first file is encoded.
  std::vector<std::string> ended;  ///< Truncated tables, which are left out.
};

/// Opens the files of one folder. Truncated files are left out if `options` allow that. Errors:
/// kInput, like those of one file.
Result<ParquetFolder> OpenParquetFolder(std::vector<std::string> files, const ReadOptions& options);

}  // namespace profgauge::readers::nsight

namespace profgauge::readers {

// A copy of an SQLite export without personal and machine data.
//
// An export contains the whole environment of the profiled program (with it perhaps tokens), its
// command line, its output, user and host names. The copy has only allow-listed tables and columns:
// those that reports need. Folders are cut off the paths in texts of ranges and kernels.

/// True if a database with these tables is an export.
bool IsExport(const std::set<std::string>& tables);

/// Copies `in` to `out`; `in` is never written to. `rename` replaces texts of NVTX ranges and names
/// of kernels, but not of system calls. Errors: kInput if `in` is no export of Nsight Systems;
/// kOutput, "output/exists" if `out` exists. If it cannot be written, no `out` remains.
Result<Scrubbed> ScrubExport(const std::string& in, const std::string& out,
                             const Rename& rename = {});

}  // namespace profgauge::readers
