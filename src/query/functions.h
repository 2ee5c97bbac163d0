// Functions that statements have besides SQLite's own.
#pragma once

#include <sqlite3.h>

#include <span>
#include <string_view>

namespace profgauge::query {

struct FunctionDoc {
  std::string_view name;
  std::string_view use;  ///< "union_time(start, duration)"
  std::string_view doc;
};
std::span<const FunctionDoc> Functions();

/// Returns SQLite's code.
int AddFunctions(sqlite3* connection);

}  // namespace profgauge::query
