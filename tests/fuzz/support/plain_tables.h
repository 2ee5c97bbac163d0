// Tables of text (table_text.h) for targets whose readers only ask for whole tables. A campaign
// reads them without SQLite: plain_tables.cc answers its functions for the few statements of
// src/readers/database, so that most of the time is the reader's. A replay has SQLite itself.
#pragma once

#include <string_view>

#include "support/table_text.h"

namespace profgauge::fuzz {

/// As MemoryDatabase. One at a time.
class PlainTables {
 public:
  explicit PlainTables(std::string_view text);
};

#ifdef PROFGAUGE_PLAIN_TABLES
using ReadTables = PlainTables;
#else
using ReadTables = MemoryDatabase;
#endif

}  // namespace profgauge::fuzz
