// The tables of a Dataset in SQLite, read in place: nothing is copied.
#pragma once

#include <sqlite3.h>
#include <cstddef>
#include <span>
#include <string_view>

#include "query/relation.h"

namespace profgauge::query {

/// Registers each table in the connection. `tables` are read while statements run: they may be
/// filled after preparing them, and must outlive the connection. Returns SQLite's code.
int AddTables(sqlite3* connection, std::span<const Relation> tables);

}  // namespace profgauge::query
