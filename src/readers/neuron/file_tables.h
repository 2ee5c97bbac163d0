// Tables of Neuron's schema, one file each: as CSV and as Parquet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hashes.h"
#include "profgauge/error.h"
#include "readers/neuron/import.h"
#include "readers/reader.h"

namespace profgauge::readers::neuron {

// Tables of schema 7.4.0 as CSV, one table per file.

/// Finds the kind of a table by its header: by columns that only one table has. Otherwise by `name`
/// (the file's, without folder and extension), if the header has a column that Neuron's tables
/// share. So a CSV file may have any name. Returns kUnknown for other headers.
TableKind TableOfHeader(std::span<const std::string> header, std::string_view name);
/// The table's name in a path: "Instruction" in "x/Instruction.csv" and "Instruction_0.csv".
std::string TableNameOf(const std::string& path);

/// Passes the lines of one file to `import`. The first line is the header. A cell that is a number
/// as a whole is one, else a text; an empty cell has no value. A short line has the first cells.
class CsvTable {
 public:
  /// `path` gives the table its name and is not opened. `import` must outlive this object.
  CsvTable(Import& import, const std::string& path);
  /// Reads one line, cut into cells. An empty line is skipped.
  void Take(std::span<const std::string> fields);
  /// Number of cells of a complete row.
  std::size_t columns() const { return header_.size(); }
  /// kUnknown until the header was read.
  TableKind kind() const { return kind_; }
  std::uint64_t rows() const { return row_; }
  /// True if the header is repeated inside the file, because two files were concatenated.
  bool is_joined() const { return is_joined_; }

 private:
  Import& import_;
  std::string name_;
  std::vector<std::string> header_;
  TableKind kind_ = TableKind::kUnknown;
  Record record_;
  std::uint64_t row_ = 0;
  bool is_joined_ = false;
};

// Tables of Neuron's schema as Parquet, which neuron-explorer writes by default: one table per
// file; long tables have several files.

/// Progress through the files of one profile.
struct FilesRead {
  std::uint64_t total = 0;  ///< Bytes of all; 0: unknown.
  std::uint64_t bytes = 0;  ///< Bytes of the files that are read.
  std::string table;        ///< The last Parquet table; its parts count as one.
  ContentHash hash;
  std::string parquet_form;  ///< How the first Parquet file is encoded.
};

/// Passes the rows of the file to `import`, and adds the file's bytes and its hash to `read`. A
/// truncated file is an error or, with `options.allow_incomplete`, counted and skipped as a whole,
/// because a Parquet file has its index at the end. Errors: kInput.
Status ReadParquetTable(const std::string& path, const ReadOptions& options, Import& import,
                        FilesRead& read);

}  // namespace profgauge::readers::neuron
