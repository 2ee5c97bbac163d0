// Writes rows of a result as text, one after another.
//
//   MakeRowWriter -> Add, Add, …, Take, Add, …, Finish, Take
//
// Take() may be called at any time: the bytes of all calls together are the text. Memory does not
// grow with the rows, except for the first 200 of an aligned table, which determine its widths.
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
  kTable,      ///< Aligned, for display: cells with their units.
  kMarkdown,   ///< The same as a Markdown table.
  kCsv,        ///< RFC 4180, base units; no cell can become a formula in a spreadsheet.
  kTsv,        ///< Base units; tab, line end and backslash are escaped, without quotes.
  kJson,       ///< One document.
  kJsonLines,  ///< One object per row.
};
/// "table", "md", "csv", "tsv", "json", "jsonl".
std::optional<RowFormat> FindRowFormat(std::string_view name);

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// Adds one row. REQUIRES: as many cells as columns; Finish() was not called.
  virtual void Add(std::span<const Cell> cells) = 0;
  /// Ends the text, after the last row. `is_cut`: rows were left out. Among the formats for
  /// programs, only kJson shows that, because the others have no place for it.
  virtual void Finish(bool is_cut, std::span<const std::string> notes) = 0;
  /// Removes and returns the finished bytes.
  std::string Take() { return std::exchange(out_, {}); }
  std::size_t ready() const { return out_.size(); }

 protected:
  std::string out_;
};

struct RowStyle {
  RowFormat format = RowFormat::kTable;
  std::string sql;  ///< The statement, for kJson.
};
/// Makes a writer for `style.format`. Its heads are already written, unless they depend on rows.
std::unique_ptr<RowWriter> MakeRowWriter(std::vector<RowColumn> columns, const RowStyle& style);

}  // namespace profgauge::cli
