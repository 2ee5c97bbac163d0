// Tables of schema 7.4.0 as CSV (RFC 4180: quoted fields, doubled quotes), one table a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/neuron/import.h"

namespace profgauge::readers::neuron {

/// Lines out of pieces of text. A field longer than 1 MiB is cut.
class CsvStream {
 public:
  using TakeLine = std::function<void(const std::vector<std::string>& fields)>;
  explicit CsvStream(TakeLine take) : take_(std::move(take)) {}
  void Feed(std::string_view bytes);
  /// The last line, when no line end follows it. False when it ends inside of quotes, or has fewer
  /// fields than the first: it is not given then.
  bool End();

 private:
  void EndField();
  void EndLine();

  TakeLine take_;
  std::vector<std::string> fields_;
  std::size_t used_ = 0;   // Fields of the open line; their strings are reused.
  std::size_t width_ = 0;  // Fields of the first line.
  bool in_quotes_ = false, after_quote_ = false, any_ = false;
};

/// Which table a header line is of; `name` (the file's, without folder and extension) decides where
/// the columns fit several. kUnknown: none of them.
TableKind TableOfHeader(const std::vector<std::string>& header, std::string_view name);
/// "Instruction" of "x/Instruction.csv" and of "Instruction_0.csv", as big tables are split.
std::string TableNameOf(const std::string& path);

/// Gives the lines of one file to `import`. The first line is the header.
class CsvTable {
 public:
  CsvTable(Import& import, const std::string& path);
  void Take(const std::vector<std::string>& fields);
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
