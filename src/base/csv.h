// Rows of comma-separated values (RFC 4180), safe to open in a spreadsheet.
// The writing half; readers/text/csv.h reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace profgauge {

enum class CsvQuotes : std::uint8_t {
  kAll,     ///< Around every cell.
  kNeeded,  ///< Only around cells with a quote, a comma or a line break.
};

/// The text as a cell that no spreadsheet reads as a formula: one that begins with = + - @, a tab
/// or a carriage return gets a ' in front, unless it is a number or a lone dash.
/// A kernel's or file's name comes from outside, and `=cmd|...` as a cell would run on a click
/// (CSV injection, OWASP). Numbers such as -3.5 and +1e6 stay as they are, to stay numbers.
std::string NeutralCell(std::string_view text);

/// Appends one row with its line break. Every cell is neutralised; quotes inside are doubled.
void AppendCsvRow(std::string& out, std::span<const std::string> cells, CsvQuotes quotes);

}  // namespace profgauge
