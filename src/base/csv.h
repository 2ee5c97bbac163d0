// Writes comma-separated values (RFC 4180) that are safe to open in a spreadsheet;
// readers/text/csv.h reads them.
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

/// The text as a cell that no spreadsheet reads as a formula: a text that begins with = + - @, a
/// tab or a carriage return gets a ' in front, unless it is a number or a lone dash. Names of
/// kernels and files come from outside, and a cell `=cmd|...` would run on a click (CSV injection,
/// OWASP). Numbers such as -3.5 and +1e6 stay numbers.
std::string NeutralCell(std::string_view text);

/// Appends one row with its line break. Cells become NeutralCell(); quotes inside are doubled.
void AppendCsvRow(std::string& out, std::span<const std::string> cells, CsvQuotes quotes);

}  // namespace profgauge
