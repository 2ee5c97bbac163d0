// SQLite's functions that would work for the product of the lengths of their arguments, or for a
// width that the statement names, again: a deadline cannot end a function. These work for the sum,
// or refuse.
#pragma once

#include <sqlite3.h>

#include <cstddef>

namespace profgauge::query {

/// Comparisons of a text with a pattern: about a second.
inline constexpr std::size_t kMostComparisons = std::size_t{1} << 29;

/// Puts them in place of SQLite's: instr, replace, trim, ltrim, rtrim, like, glob, printf, format.
/// Returns SQLite's code.
int AddBoundedFunctions(sqlite3* connection);

}  // namespace profgauge::query
