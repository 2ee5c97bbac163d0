// `--json FILE` of commands that print lists: one JSON document with a row for each entry.
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "cli/options.h"
#include "profgauge/error.h"

namespace profgauge::cli {

class Console;

/// The document: {"schema": 1, "kind": "history-list", "tool": …, "rows": [{…}, …]}.
class JsonList {
 public:
  explicit JsonList(std::string_view kind);
  /// Begins a row; the caller writes its fields.
  JsonWriter& Row();
  std::string Take();

 private:
  JsonWriter out_;
  bool in_row_ = false;
};

/// Writes a number, or null for nullptr.
void RealOrNull(JsonWriter& out, std::string_view key, const double* value);

/// Prints `text` and writes the list to the file of --json. With `-`, prints only the list.
Result<int> PrintList(const Options& options, const std::string& text, JsonList list,
                      Console& console);

}  // namespace profgauge::cli
