// Copies an SQLite database, but only the tables and columns of a list.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profgauge/error.h"
#include "readers/text/rename.h"

namespace profgauge::readers {

/// A table whose rows are kept, with these columns where they exist.
struct KeptTable {
  std::string table;
  std::vector<std::string_view> columns;
  /// Columns with ids of texts that are names of code.
  std::vector<std::string_view> names = {};
  /// Columns with ids of texts that are words of the system, the format or a maker; never renamed.
  std::vector<std::string_view> words = {};
  /// Columns of texts, each with the function that makes the copy's text.
  std::vector<std::pair<std::string_view, std::string_view>> texts = {};
  std::string rows = {};  ///< Condition on rows; empty: all.
};

/// A table of texts with ids. Only texts that a kept row refers to are copied.
struct KeptTexts {
  std::string table;
  std::string id = "id", text = "value";
};

struct KeptDatabase {
  std::vector<KeptTable> tables;
  std::vector<KeptTexts> texts;
  /// Functions for KeptTable::texts besides "name", which renames, and "word", which cuts folders.
  std::vector<std::pair<std::string, std::function<std::string(std::string_view)>>> functions = {};
};

struct Scrubbed {
  std::int64_t tables_kept = 0, tables_left_out = 0;
  std::int64_t texts_changed = 0;  ///< Texts in which a path was cut, or a name replaced.
};

/// Checks that `path` does not exist. Errors: kOutput "output/exists".
Status CheckIsNew(const std::string& path);

/// Copies `in` to `out`; `in` is never written to. Copies only the listed tables and columns, so
/// that data which a newer version adds cannot leak. `out` appears complete or not at all. Errors:
/// kOutput "output/exists" if `out` exists, or another code if it cannot be written.
Result<Scrubbed> CopyTables(const std::string& in, const std::string& out, const KeptDatabase& keep,
                            const Rename& rename);

}  // namespace profgauge::readers
