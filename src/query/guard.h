// Restricts a statement to reading the tables: its actions, memory, texts and time. A test with a
// hostile statement covers each limit.
//
//     bound      by                                        against
//     actions    SQLite's authorizer, an allow list        files, writes, other tables
//     functions  an allow list                             random(), the clock, extensions
//     texts      sqlite3_limit()                           a text of gigabytes
//     time       Deadline, checked every 10 000 steps      endless recursion
//     memory     MemoryLimit                               sorts of everything
//     one call   functions.h                               a function that itself never ends
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "query/relation.h"

namespace profgauge::query {

/// The tables and the denied action that the guard saw while a statement was prepared.
struct Seen {
  /// The only available table; nullptr: those of the schema.
  const RelationInfo* only = nullptr;
  Places tables;       ///< The tables of the schema that it reads.
  std::string denied;  ///< The denied action, in words; empty: none.
};

/// Restricts the connection: no files, no extensions, no change of the schema; small texts and
/// statements. Only the tables that `sql` names can be read. From here on `seen` gets tables and
/// denied actions; it must outlive the connection.
/// REQUIRES: tables and functions were added. Returns SQLite's code.
int Shut(sqlite3* connection, const std::string& sql, Seen& seen);

/// Ends the connection's statements at a certain time. Must outlive the connection's use. Does not
/// interrupt a single call of a function.
class Deadline {
 public:
  Deadline(sqlite3* connection, std::chrono::milliseconds most);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  sqlite3* connection_;
  std::chrono::steady_clock::time_point end_;
};

/// While set, soon ends all statements of the process, whatever their deadline. Called from another
/// thread than theirs.
void InterruptStatements(bool now);

/// Bytes that SQLite may allocate in the whole process while a statement runs, mostly for sorting
/// and grouping. 512 MiB are enough to sort some millions of rows.
inline constexpr std::int64_t kMostStatementMemory = std::int64_t{512} << 20;

/// Limits SQLite to kMostStatementMemory while an object of it exists. For any thread.
class MemoryLimit {
 public:
  MemoryLimit();
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

/// Maximum bytes of a statement. The longest saved query has about 2 KiB.
inline constexpr std::size_t kMostStatement = std::size_t{64} << 10;

/// True if a statement may call the function.
bool IsAllowedFunction(std::string_view name);
/// All allowed functions.
std::span<const std::string_view> AllowedFunctions();

}  // namespace profgauge::query
