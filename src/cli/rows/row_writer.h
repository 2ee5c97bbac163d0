// Rows of a result as text, one after another.
//
//   MakeRowWriter -> Add, Add, …, Take, Add, …, Finish, Take
//
// Take() may be called at any time: the bytes of all calls together are the text. Memory does not
// grow with the rows, except for the first 200 of an aligned table, which decide its widths.
//
//   kTable           kCsv                kJsonLines
//   name     time    name,time           {"name": "gemm", "time": 1200000}
//   gemm  1.20 ms    gemm,1200000
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/value.h"

namespace profgauge::cli {

enum class RowFormat : std::uint8_t {
  kTable,      ///< Aligned, for people: cells with their units.
  kMarkdown,   ///< The same as a Markdown table.
  kCsv,        ///< RFC 4180, base units; no cell is a formula for a spreadsheet.
  kTsv,        ///< Base units; tab, line end and backslash are escaped, nothing is quoted.
  kJson,       ///< One document.
  kJsonLines,  ///< One object a row.
};
/// "table", "md", "csv", "tsv", "json", "jsonl".
std::optional<RowFormat> FindRowFormat(std::string_view name);

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// One row. REQUIRES: as many cells as columns, Finish() was not called.
  virtual void Add(std::span<const Cell> cells) = 0;
  /// After the last row, once. `is_cut`: rows were left out. Formats for programs show that only in
  /// kJson: a CSV has no place for it.
  virtual void Finish(bool is_cut, std::span<const std::string> notes) = 0;
  /// The finished bytes, which it then forgets.
  std::string Take() { return std::exchange(out_, {}); }
  std::size_t ready() const { return out_.size(); }

 protected:
  std::string out_;
};

struct RowStyle {
  RowFormat format = RowFormat::kTable;
  std::string sql;  ///< For the JSON document.
};
/// A writer of `style.format`, with its heads written already where they do not depend on rows.
std::unique_ptr<RowWriter> MakeRowWriter(std::vector<RowColumn> columns, const RowStyle& style);

}  // namespace profgauge::cli
