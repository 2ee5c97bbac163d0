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

/// Returns SQLite's code.
int AddFunctions(sqlite3* connection);

// SQLite's functions that would work for the product of the lengths of their arguments, or for a
// width that the statement names, again: a deadline cannot end a function. These work for the sum,
// or refuse.

/// Comparisons of a text with a pattern: about a second.
inline constexpr std::size_t kMostComparisons = std::size_t{1} << 29;

}  // namespace profgauge::query
