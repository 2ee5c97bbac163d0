// Databases as text, so that a fuzzer's changes make tables and values instead of damaged pages:
//
//   # StringTable|_id_|value        a table and its columns
//   1|sgemm                         a row: whole numbers, reals, texts; nothing for null,
//   2|x'0700000001'                 x'…' for bytes, a leading ' for a text of digits
//
// The database lives in memory under a name that SQLite opens like a file's.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string_view>

namespace profgauge::fuzz {

inline constexpr const char* kDatabaseName = "/profgauge-fuzz";

/// Whether the text begins as a table does.
inline bool LooksLikeTables(std::string_view text) { return text.starts_with("# "); }

/// The database of the text's tables and rows; other lines are skipped. It is there, at
/// kDatabaseName, as long as the object lives. One at a time. `schema`: SQL that runs before.
class MemoryDatabase {
 public:
  explicit MemoryDatabase(std::string_view text, const char* schema = "");
  void Execute(const char* sql) { sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr); }
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::unique_ptr<sqlite3, Closer> handle_;
};

}  // namespace profgauge::fuzz
