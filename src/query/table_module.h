// The tables of a Dataset in SQLite, read in place: nothing is copied.
#pragma once

#include <sqlite3.h>

#include "query/relation.h"

namespace profgauge::query {

/// Makes each table of the schema known to the connection. `data` is read while statements run; it
/// may be filled after they are prepared, and must outlive the connection. Returns SQLite's code.
int AddTables(sqlite3* connection, const Dataset& data);

}  // namespace profgauge::query
