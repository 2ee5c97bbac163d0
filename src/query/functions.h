// Functions for statements in addition to SQLite's.
//
// All are deterministic. No exception passes through SQLite: it becomes an error of the statement.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <span>
#include <string_view>

#include "query/relation.h"

namespace profgauge::query {

/// Registers the functions. Returns SQLite's code.
int AddFunctions(sqlite3* connection);

// Replacements for SQLite functions whose work is the product of their arguments' lengths, or a
// width that the statement names: a deadline cannot interrupt a function. A replacement's work is
// the sum of the lengths, or it fails.

/// Most comparisons of a text with a pattern; they take about a second.
inline constexpr std::size_t kMostComparisons = std::size_t{1} << 29;

}  // namespace profgauge::query
