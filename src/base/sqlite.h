// SQLite in two small classes: a database and a statement. Errors contain the file and SQLite's
// message.
//
// Only one thread at a time may use a database and its statements; another thread opens the file
// with Again(). Views from Text() are valid until the next Step() or Reset().
//
// Files are opened read-only and immutable: nothing is ever written beside the user's data, and
// journals and logs are ignored, since a journal can make SQLite change and delete files. A log
// that belongs to a profile's data is read in a copy. Only databases in memory, or new files of
// ours, are changed.
//
// A file's schema and pages may be hostile. So triggers, views and extensions are disabled, the
// length of texts is limited, and the work of all statements is limited by the size of the file.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "profgauge/error.h"

namespace profgauge::sqlite {

enum class Mode : std::uint8_t {
  kImmutable,  ///< Read-only; assumes that the file never changes.
  kWithLog,    ///< A copy of the file and its write-ahead log, for profiles that have one.
  kReadWrite,  ///< Created if missing. Only for files that this program makes.
  kMemory,     ///< See OpenBytes().
};

/// The longest text or row of a database, unless SetLongest() sets a lower limit.
inline constexpr int kLongest = 16 << 20;

/// The arguments of a row function, counted from 0. Valid during the call.
class RowValues {
 public:
  explicit RowValues(sqlite3_value** values) : values_(values) {}
  int Type(int value) const { return sqlite3_value_type(values_[value]); }
  std::int64_t Integer(int value) const { return sqlite3_value_int64(values_[value]); }
  double Real(int value) const { return sqlite3_value_double(values_[value]); }
  std::string_view Text(int value) const;

 private:
  sqlite3_value** values_;
};

/// One prepared statement. Columns count from 0, parameters from 1.
class Statement {
 public:
  /// Texts are copied. If the parameter does not exist, nothing is bound and it reads as null.
  Statement& Bind(int parameter, std::int64_t value);
  Statement& Bind(int parameter, std::string_view text);
  Statement& Bind(int parameter, std::optional<double> value);  ///< nullopt binds null.
  Statement& BindBlob(int parameter, std::string_view bytes);

  /// Moves to the next row; false if there is none. Throws std::bad_alloc if SQLite is out of
  /// memory. Errors, of the database's kind: "sqlite/damaged", "sqlite/locked", "sqlite/too-large",
  /// "sqlite/too-slow", "sqlite/failed".
  Result<bool> Step();
  /// Runs a statement without rows to its end.
  Status Run();
  /// Restarts the statement; bound values stay.
  void Reset() { sqlite3_reset(statement_.get()); }

  /// Values of the current row, converted by SQLite: a text's integer is its leading number, null
  /// is 0 as a number and empty as text. REQUIRES: the last Step() returned true.
  bool IsNull(int column) const;
  std::int64_t Integer(int column) const;
  double Real(int column) const;
  /// Valid until the next Step().
  std::string_view Text(int column) const;
  std::string_view Blob(int column) const;
  int Columns() const;
  std::string_view ColumnName(int column) const;
  /// SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL.
  int Type(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement(sqlite3_stmt* statement, const std::string* file, ErrorKind kind)
      : statement_(statement), file_(file), kind_(kind) {}
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  const std::string* file_;
  ErrorKind kind_;
};

/// A connection. Must outlive its statements.
class Database {
 public:
  /// Opens a database, whose errors all have `kind`. Waits up to 10 s for locks. A file that is no
  /// database can be opened, but the first statement fails; with kWithLog opening fails. Other
  /// errors: "input/not-a-file", "input/outside", "sqlite/no-copy".
  static Result<Database> Open(const std::string& path, Mode mode, ErrorKind kind);
  /// A database in memory that starts with the bytes of a file, or empty. `path` is for messages.
  static Result<Database> OpenBytes(std::string_view bytes, const std::string& path,
                                    ErrorKind kind);
  /// The database as the bytes of a file. Valid until the next statement. REQUIRES: OpenBytes().
  std::string_view Serialize();
  void SetLongest(int bytes) { sqlite3_limit(handle_.get(), SQLITE_LIMIT_LENGTH, bytes); }

  Result<Statement> Prepare(std::string_view sql);
  /// Like Prepare(), but prepares a query that runs often only once. Reset the statement after use,
  /// so that nothing stays locked. It is valid as long as the database.
  Result<Statement*> Kept(std::string_view sql);
  /// Runs statements that return no rows.
  Status Execute(const std::string& sql);
  /// True if the table exists. Views and virtual tables do not count.
  Result<bool> HasTable(std::string_view table);
  /// Makes the tables of another file, which must never change, available as `name`.TABLE.
  Status AttachImmutable(const std::string& path, std::string_view name);
  /// Registers a function of one text for our statements; null stays null. It must not throw, and
  /// its data must outlive the database.
  Status AddTextFunction(const char* name, std::function<std::string(std::string_view)> function);
  /// Registers `name(…)` for our statements: an aggregate of any values that calls `take` for each
  /// row, which is faster than a Step() per row. `take` may throw only std::bad_alloc, which Step()
  /// rethrows. Its data must outlive the database.
  Status AddRowFunction(const char* name, std::function<void(const RowValues&)> take);
  /// Opens the same file again, for another thread. REQUIRES: it is a file.
  Result<Database> Again() const { return Open(*path_, mode_, kind_); }
  const std::string& path() const { return *path_; }
  bool IsImmutable() const { return mode_ == Mode::kImmutable; }
  /// Total size of all pages.
  Result<std::uint64_t> Bytes();
  std::int64_t LastRowId() const { return sqlite3_last_insert_rowid(handle_.get()); }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  Database(sqlite3* handle, std::string path, Mode mode, ErrorKind kind)
      : handle_(handle),
        path_(std::make_unique<std::string>(std::move(path))),
        mode_(mode),
        kind_(kind) {}
  static Result<Database> Take(sqlite3* handle, int status, const std::string& path, Mode mode,
                               ErrorKind kind);
  static Result<Database> OpenCopy(const std::string& path, ErrorKind kind);
  void Bound(std::uint64_t bytes);

  std::unique_ptr<std::int64_t> steps_left_;  // Remaining steps of SQLite's program; the handle has
                                              // its address.
  std::unique_ptr<sqlite3, Closer> handle_;
  std::unique_ptr<std::string> path_;  // Statements keep a pointer to it.
  Mode mode_;
  ErrorKind kind_;
  std::map<std::string, Statement, std::less<>> kept_;
  std::optional<std::uint64_t> bytes_;  ///< Only set for files that never change.
};

}  // namespace profgauge::sqlite
