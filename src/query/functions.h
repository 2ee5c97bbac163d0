// Functions that statements have besides SQLite's own.
//
// All depend on their arguments only. No exception passes through SQLite: it becomes an error of
// the statement.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "query/relation.h"

namespace profgauge::query {

struct FunctionDoc {
  std::string_view name;
  std::string_view use;  ///< "union_time(start, duration)"
  std::string_view doc;
};
std::span<const FunctionDoc> Functions();

/// Returns SQLite's code.
int AddFunctions(sqlite3* connection);

// SQLite's functions that would work for the product of the lengths of their arguments, or for a
// width that the statement names, again: a deadline cannot end a function. These work for the sum,
// or refuse.

/// Comparisons of a text with a pattern: about a second.
inline constexpr std::size_t kMostComparisons = std::size_t{1} << 29;

/// Puts them in place of SQLite's: instr, replace, trim, ltrim, rtrim, like, glob, printf, format.
/// Returns SQLite's code.
int AddBoundedFunctions(sqlite3* connection);

// The tables of a Dataset in SQLite, read in place: nothing is copied.

/// Makes each table known to the connection. `tables` are read while statements run; they may be
/// filled after these are prepared, and must outlive the connection. Returns SQLite's code.
int AddTables(sqlite3* connection, std::span<const Relation> tables);

}  // namespace profgauge::query
