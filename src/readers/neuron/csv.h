// Tables of schema 7.4.0 as CSV, one table a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {

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

}  // namespace profgauge::readers::neuron
