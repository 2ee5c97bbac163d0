// Runs one SQL statement over the tables of a Dataset with SQLite, guarded: it reads these tables
// and nothing else.
//
//     auto query = Query::Prepare(sql, "", parameters, data);     // before profiles are read
//     ...fill those of data that query->tables() names...
//     query->Start(10s);
//     while (*query->Step()) query->Read(cells);
//
// Preparing first reports mistakes early, and only tables that are needed are made.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "profgauge/error.h"
#include "query/guard.h"
#include "query/relation.h"

namespace profgauge::query {

/// The type of a parameter's value. kAny: a number if it is one, else a text.
enum class ParameterType : std::uint8_t { kAny, kInteger, kReal, kText };

/// The value of `:name` in the statement.
struct Parameter {
  std::string name, value;
  ParameterType type = ParameterType::kAny;
  bool operator==(const Parameter&) const = default;
};
using Parameters = std::vector<Parameter>;

/// One statement in one connection, which is in memory and has no data: rows stay in the Dataset.
/// Movable; for one thread at a time.
class Query {
 public:
  /// Checks the statement against the schema. `data` need not be filled yet; it must outlive the
  /// query. `file`: the file with the statement, for errors; empty: the command line. Errors:
  /// kUsage "query/sql", "query/read-only", "query/one-statement", "query/param".
  static Result<Query> Prepare(const std::string& sql, const std::string& file,
                               const Parameters& parameters, const Dataset& data);
  /// Like Prepare(), for a statement over one table, which is the only one that it can use. Its
  /// rows may be added later. `rows` and its info must outlive the query. No parameters.
  static Result<Query> PrepareOver(const std::string& sql, const Relation& rows);

  const Places& tables() const { return seen_->tables; }  ///< The tables that it reads.
  std::vector<RowColumn> Columns() const;

  /// Starts the statement. Call once: from here on time and memory are limited. The memory limit is
  /// that of SQLite in the whole process, for all queries together, until the last of them ends.
  void Start(std::chrono::milliseconds most);
  /// Moves to the next row; false: there is none. After an error or false, the query is over.
  /// Errors: kInput "query/out-of-time", "query/out-of-memory"; kUsage "query/sql", e.g. for a
  /// function's argument.
  Result<bool> Step();
  /// Copies the cells of this row; texts live until the next step.
  void Read(std::vector<Cell>& cells) const;

 private:
  struct Closer {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Query() = default;
  Status Open(std::span<const Relation> tables);
  Status Parse();
  Status Bind(const Parameters& parameters);
  Error SqlError(int code) const;
  std::string_view Nearest(std::string_view message) const;

  std::string sql_, file_;
  std::unique_ptr<Seen> seen_ = std::make_unique<Seen>();
  std::unique_ptr<sqlite3, Closer> connection_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  std::unique_ptr<Deadline> deadline_;
  std::unique_ptr<MemoryLimit> memory_;
  std::chrono::milliseconds most_{};
};

}  // namespace profgauge::query
