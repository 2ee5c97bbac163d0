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

/// Replaces SQLite's instr, replace, trim, ltrim, rtrim, like, glob, printf and format by versions
/// with bounded work. Returns SQLite's code.
int AddBoundedFunctions(sqlite3* connection);

}  // namespace profgauge::query
