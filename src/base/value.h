// One cell or one metric: a typed value, or absent. Absent is never 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/units.h"

namespace profgauge {

/// std::monostate is "absent". Times, counts and bytes are std::int64_t, shares and rates double.
/// Owns its text. For single metrics and cells outside of tables; loops over columns use Column.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

inline bool IsAbsent(const Value& value) { return value.index() == 0; }

/// The number in `value` (bool as 0 or 1), or `otherwise` if it is absent or text.
double AsNumber(const Value& value, double otherwise);

// One cell of a table that is read in place: a number, a text stored elsewhere, or absent.

/// std::monostate is absent. A string_view lives as long as its source; a string was made for the
/// cell. Like Value, but its text may be a view, so that scans pass on rows without copies.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string_view, std::string>;

inline bool IsAbsent(const Cell& cell) { return cell.index() == 0; }

/// The text of a text cell; empty for others.
inline std::string_view TextOf(const Cell& cell) {
  if (const auto* view = std::get_if<std::string_view>(&cell)) return *view;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return {};
}

/// A column of a result.
struct RowColumn {
  std::string name;
  std::optional<Unit> unit;  ///< Unit of a plain column; unknown for an expression.
};

}  // namespace profgauge
