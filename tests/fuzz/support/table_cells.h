// The text of tables (table_text.h), taken apart.
#pragma once

#include <sqlite3.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::fuzz {

/// The text before the separator; both are removed.
inline std::string_view CutAt(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

inline std::vector<std::string_view> CellsOf(std::string_view line) {
  constexpr std::size_t kMostColumns = 64;
  std::vector<std::string_view> cells;
  while (cells.size() < kMostColumns) {
    const bool is_last = line.find('|') == std::string_view::npos;
    cells.push_back(CutAt(line, '|'));
    if (is_last) break;
  }
  return cells;
}

/// A value as SQLite has it.
struct CellValue {
  int type = SQLITE_NULL;
  std::int64_t whole = 0;
  double real = 0;
  std::string_view text;  ///< A text, without the leading '.
  std::string bytes;
};

inline CellValue ValueOfCell(std::string_view cell) {
  CellValue value;
  const char* end = cell.data() + cell.size();
  if (cell.empty()) return value;
  if (std::from_chars(cell.data(), end, value.whole).ptr == end) {
    value.type = SQLITE_INTEGER;
  } else if (std::from_chars(cell.data(), end, value.real).ptr == end) {
    value.type = std::isnan(value.real) ? SQLITE_NULL : SQLITE_FLOAT;
  } else if (cell.starts_with("x'")) {
    value.type = SQLITE_BLOB;
    for (std::size_t i = 2; i + 1 < cell.size(); i += 2) {
      unsigned byte = 0;
      std::from_chars(&cell[i], &cell[i] + 2, byte, 16);
      value.bytes += static_cast<char>(byte);
    }
  } else {
    value.type = SQLITE_TEXT;
    value.text = cell.front() == '\'' ? cell.substr(1) : cell;
  }
  return value;
}

}  // namespace profgauge::fuzz
