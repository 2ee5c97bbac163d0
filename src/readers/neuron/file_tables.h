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

/// The kind of table of a header line; `name` (the file's, without folder and extension) decides if
/// the columns match several. kUnknown: no kind.
TableKind TableOfHeader(std::span<const std::string> header, std::string_view name);
/// "Instruction" of "x/Instruction.csv" and of "Instruction_0.csv", as big tables are split.
std::string TableNameOf(const std::string& path);

/// Gives the lines of one file to `import`. The first line is the header.
class CsvTable {
 public:
  CsvTable(Import& import, const std::string& path);
  void Take(std::span<const std::string> fields);
  /// How many a whole row has.
  std::size_t columns() const { return header_.size(); }
  TableKind kind() const { return kind_; }
  std::uint64_t rows() const { return row_; }
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
/// `options` allow that. Errors: kInput.
Status ReadParquetTable(const std::string& path, const ReadOptions& options, Import& import,
                        FilesRead& read);

}  // namespace profgauge::readers::neuron
