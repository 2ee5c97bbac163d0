// Keeps a statement from everything except reading the tables: the actions that it may take, its
// memory, text and time. Each bound has a test with a hostile statement.
//
//     bound      by                                        against
//     actions    SQLite's authorizer, an allow list        files, writes, other tables
//     functions  an allow list                             random(), the clock, extensions
//     texts      sqlite3_limit()                           a text of gigabytes
//     time       Deadline, asked every 10 000 steps        endless recursion
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

/// The actions that the guard saw while a statement was prepared.
struct Seen {
  /// The only table that there is; nullptr: those of the schema.
  const RelationInfo* only = nullptr;
  Places tables;       ///< Those of the schema that it reads.
  std::string denied;  ///< The denied action, in words; empty: none.
};

/// Shuts the connection: no files, no extensions, no change of the schema; small texts and
/// statements. From here on `seen` notes tables and denied actions; it must outlive the connection.
/// REQUIRES: tables and functions were added. Returns SQLite's code.
int Shut(sqlite3* connection, Seen& seen);

/// Ends statements of the connection at a moment. It must outlive the connection's use. A single
/// call of a function is not interrupted.
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

/// Ends the statements of the process soon, whatever their deadline, until it is called with false.
/// For another thread than theirs.
void InterruptStatements(bool now);

/// Bytes that SQLite may take in the whole process while a statement runs: sorts and groups need
/// them. 512 MiB hold a sort of some millions of rows.
inline constexpr std::int64_t kMostStatementMemory = std::int64_t{512} << 20;

/// Holds SQLite to kMostStatementMemory while one of them lives. For any thread.
class MemoryLimit {
 public:
  MemoryLimit();
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

/// Bytes of a statement. The longest of the saved queries has some 2 KiB.
inline constexpr std::size_t kMostStatement = std::size_t{64} << 10;

/// Whether a statement may call it.
bool IsAllowedFunction(std::string_view name);
/// All of them.
std::span<const std::string_view> AllowedFunctions();

}  // namespace profgauge::query
