// Rows of comma-separated values (RFC 4180), safe to open in a spreadsheet.
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
std::string NeutralCell(std::string_view text);

/// Appends one row with its line break. Every cell is neutralised; quotes inside are doubled.
void AppendCsvRow(std::string& out, std::span<const std::string> cells, CsvQuotes quotes);

}  // namespace profgauge
