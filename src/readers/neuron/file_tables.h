// Tables of Neuron's schema in a file each: as CSV, and as Parquet.
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

// Tables of schema 7.4.0 as CSV, one table a file.

/// The kind of table of a header line, by columns that only one table has. Without such columns
/// `name` decides (the file's, without folder and extension), if one that is common to Neuron's
/// tables is there. kUnknown: no kind. So a file of CSV may have any name.
TableKind TableOfHeader(std::span<const std::string> header, std::string_view name);
/// "Instruction" of "x/Instruction.csv" and of "Instruction_0.csv", as big tables are split.
std::string TableNameOf(const std::string& path);

/// Gives the lines of one file to `import`. The first line is the header. A cell is a number if all
/// of it is one, else a text; an empty cell is absent. A line with fewer cells has the first ones.
class CsvTable {
 public:
  /// `import` must outlive it. `path` gives the table its name, and is not opened.
  CsvTable(Import& import, const std::string& path);
  /// One line, cut into cells. Empty lines are skipped.
  void Take(std::span<const std::string> fields);
  /// How many a whole row has.
  std::size_t columns() const { return header_.size(); }
  /// kUnknown before the header.
  TableKind kind() const { return kind_; }
  std::uint64_t rows() const { return row_; }
  /// Whether the header came again within the file: two files were put together.
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

// Tables of Neuron's schema as Parquet, which neuron-explorer writes by default: one table a file,
// long ones in several.

/// The state of the files that a profile is read from.
struct FilesRead {
  std::uint64_t total = 0;  ///< Bytes of all; 0: unknown.
  std::uint64_t bytes = 0;  ///< Bytes of the files that are read.
  std::string table;        ///< The last of Parquet's. Its parts are one.
  ContentHash hash;
  std::string parquet_form;  ///< How the first of Parquet's is written.
};

/// Gives the rows of the file to `import`. One that ends early is counted and left out where
/// `options` allow that: a Parquet file has its index at its end. Errors: kInput. Adds the file's
/// bytes and contents to `read`.
Status ReadParquetTable(const std::string& path, const ReadOptions& options, Import& import,
                        FilesRead& read);

}  // namespace profgauge::readers::neuron
