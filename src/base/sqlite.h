// SQLite in two small classes: a database and a statement. Errors carry the file and SQLite's
// words.
//
// A statement is used by one thread at a time, and so is its database: another thread opens the
// file Again(). Views that Text() returns end with the next Step() or Reset().
//
// Files are opened read-only and immutable: nothing is ever written beside someone's data, and no
// journal or log is looked at, since a journal tells SQLite which files to change and to delete. A
// log that is data of a profile is read in a copy. A database that is changed is one in memory, or
// a new file of ours.
//
// A file's schema and pages are hostile: triggers, views and extensions are off, texts are bounded,
// and so is the work of all statements, by the size of the file.
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
  kImmutable,  ///< Read-only; the file is taken as never changing.
  kWithLog,    ///< A copy, with that of its write-ahead log. For profiles that have one.
  kReadWrite,  ///< Created when missing. Only for files that this program makes.
  kMemory,     ///< OpenBytes().
};

/// The longest text or row of a database, unless SetLongest() says less.
inline constexpr int kLongest = 16 << 20;

/// The values that a row function is called with, counted from 0. Valid during the call.
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

/// One prepared statement. Column numbers count from 0, parameters from 1.
class Statement {
 public:
  /// Texts are copied. REQUIRES: the parameter exists, else nothing is bound and null is read.
  Statement& Bind(int parameter, std::int64_t value);
  Statement& Bind(int parameter, std::string_view text);
  Statement& Bind(int parameter, std::optional<double> value);  ///< Nothing is null.
  Statement& BindBlob(int parameter, std::string_view bytes);

  /// Advances; true while there is a row.
  /// Errors: "sqlite/damaged", "sqlite/locked", "sqlite/too-large", "sqlite/too-slow",
  /// "sqlite/failed", of the database's kind. Throws std::bad_alloc where SQLite has no memory.
  Result<bool> Step();
  /// Runs to the end, for statements without rows.
  Status Run();
  /// Makes it run from its start again; bound values stay.
  void Reset() { sqlite3_reset(statement_.get()); }

  /// Values of the current row, converted by SQLite: the integer of a text is its leading number,
  /// that of null is 0, and the text of null is empty. REQUIRES: the last Step() returned true.
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
  /// `kind` is the kind of every error of this database. Waits up to 10 s for another's lock.
  /// A file that is no database opens: its first bytes are read by the first statement, which
  /// fails; of kWithLog that is here. Errors, too: "input/not-a-file", "input/outside",
  /// "sqlite/no-copy".
  static Result<Database> Open(const std::string& path, Mode mode, ErrorKind kind);
  /// A database in memory that begins as the bytes of a file, or empty. `path` is for messages.
  static Result<Database> OpenBytes(std::string_view bytes, const std::string& path,
                                    ErrorKind kind);
  /// Its bytes as a file. Valid until the next statement. REQUIRES: it is of OpenBytes().
  std::string_view Serialize();
  void SetLongest(int bytes) { sqlite3_limit(handle_.get(), SQLITE_LIMIT_LENGTH, bytes); }

  Result<Statement> Prepare(std::string_view sql);
  /// The same for a query on many tables: it is prepared once. Reset it after use, so that
  /// nothing stays locked. Valid as long as the database.
  Result<Statement*> Kept(std::string_view sql);
  /// Runs statements that return no rows.
  Status Execute(const std::string& sql);
  /// Whether the table exists. Views and virtual tables are none.
  Result<bool> HasTable(std::string_view table);
  /// Makes the tables of another file, which is taken as never changing, visible as `name`.TABLE.
  Status AttachImmutable(const std::string& path, std::string_view name);
  /// Registers a function of one text for our statements; null stays null. It must not throw; data
  /// it refers to must outlive the database.
  Status AddTextFunction(const char* name, std::function<std::string(std::string_view)> function);
  /// `name(…)` in statements of ours is an aggregate of any values that calls `take` at each row:
  /// less work than a Step() for each. `take` may throw only std::bad_alloc; that statement's
  /// Step() throws it on. The data it refers to must outlive the database.
  Status AddRowFunction(const char* name, std::function<void(const RowValues&)> take);
  /// The same file once more, for another thread. REQUIRES: it is one.
  Result<Database> Again() const { return Open(*path_, mode_, kind_); }
  const std::string& path() const { return *path_; }
  bool IsImmutable() const { return mode_ == Mode::kImmutable; }
  /// Size of all pages.
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

  std::unique_ptr<std::int64_t> steps_left_;  // Of SQLite's program; the handle has its address.
  std::unique_ptr<sqlite3, Closer> handle_;
  std::unique_ptr<std::string> path_;  // Statements keep a pointer to it.
  Mode mode_;
  ErrorKind kind_;
  std::map<std::string, Statement, std::less<>> kept_;
  std::optional<std::uint64_t> bytes_;  ///< Only for files that never change.
};

}  // namespace profgauge::sqlite
