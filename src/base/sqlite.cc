#include "base/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <exception>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_version.h"
#include "base/files.h"
#include "base/read_block.h"
#include "base/replace_file.h"
#include "base/text.h"

namespace profgauge::sqlite {
namespace {

// The work that a file may cause, in instructions of SQLite's program. A row has at least 20 bytes
// and takes some dozens of instructions, so these limits let a file be read many times. Without a
// limit, pages that refer to each other in a cycle would make a small file endless.
constexpr std::int64_t kFreeSteps = 100'000'000;
constexpr std::int64_t kStepsOfByte = 500;
constexpr int kStepsBetween = 10'000;

int TakeSteps(void* left) {
  auto& steps = *static_cast<std::int64_t*>(left);
  steps -= kStepsBetween;
  return steps < 0 ? 1 : 0;
}

// Prevents a hostile schema from calling functions or opening files.
void Harden(sqlite3* handle) {
  for (const int off :
       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
        SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION}) {
    sqlite3_db_config(handle, off, 0, nullptr);
  }
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongest);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_exec(handle, "pragma cell_size_check = on", nullptr, nullptr, nullptr);
}

// SQLite's message and extended result code: "malformed database schema (x) (code 11)".
std::string WordsOf(sqlite3* handle, int status) {
  const int code = handle == nullptr ? status : sqlite3_extended_errcode(handle);
  // The message may quote the file's own schema.
  return PrintableShort(handle == nullptr ? sqlite3_errstr(status) : sqlite3_errmsg(handle), 200) +
         " (code " + std::to_string(code) + ")";
}

// Two common causes have advice: a file that is no database or was truncated while copying, and one
// that another program has locked.
Error Failure(sqlite3* handle, int status, const std::string& file, ErrorKind kind) {
  Error error;
  error.kind = kind;
  error.where.file = file;
  const int primary = status & 0xff;
  if (primary == SQLITE_NOMEM) throw std::bad_alloc();
  if (primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT) {
    error.code = "sqlite/damaged";
    error.message = primary == SQLITE_NOTADB ? "the file is not an SQLite database"
                                             : "the SQLite database is damaged or cut off";
    error.notes = {"note: SQLite reports: " + WordsOf(handle, status),
                   "help: copy or export the file again; `sqlite3 FILE 'pragma integrity_check'` "
                   "tells more"};
    return error;
  }
  if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) {
    error.code = "sqlite/locked";
    error.message = "the database is locked by another program";
    error.notes = {"help: try again when the other program is done"};
    return error;
  }
  if (primary == SQLITE_TOOBIG) {
    error.code = "sqlite/too-large";
    error.message = "a value of the database is longer than 16 MiB";
    return error;
  }
  if (primary == SQLITE_INTERRUPT) {
    error.code = "sqlite/too-slow";
    error.message = "the SQLite database takes far more work than its size explains";
    error.notes = {
        "help: copy or export the file again; `sqlite3 FILE 'pragma integrity_check'` tells more"};
    return error;
  }
  error.code = "sqlite/failed";
  error.message = "SQLite reports: " + WordsOf(handle, status);
  return error;
}

bool IsNoFile(const NotOpened& problem) {
  return problem.why != NotOpened::Why::kMissing && problem.why != NotOpened::Why::kSystem;
}

Error NotAFile(const std::string& path, const NotOpened& problem, ErrorKind kind) {
  Error error;
  error.kind = kind;
  error.code = problem.why == NotOpened::Why::kOutside ? "input/outside" : "input/not-a-file";
  error.message = "the database " + problem.Text();
  error.where.file = path;
  error.notes = {"help: give a file"};
  return error;
}

// A file name as a URI, in which SQLite interprets `?`, `#` and `%`.
std::string UriOf(const std::string& path, std::string_view parameters) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      uri += c;
    }
  }
  return uri.append(parameters);
}

Error CannotCopy(const std::string& path, int number, ErrorKind kind) {
  Error error;
  error.kind = kind;
  error.code = "sqlite/no-copy";
  error.message = "the database and its write-ahead log cannot be copied: " +
                  std::generic_category().message(number);
  error.where.file = path;
  error.notes = {"help: set TMPDIR to a folder that has room for both"};
  return error;
}

Status CopyFile(const std::string& from, const std::string& to, ErrorKind kind) {
  auto file = OpenInput(from, Named::kFound);
  if (!file || !file->size())
    return Fail(NotAFile(from, file ? NotOpened{NotOpened::Why::kPipe, 0} : file.error(), kind));
  const int copy = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (copy < 0) return Fail(CannotCopy(from, errno, kind));
  std::string block(kReadBlock, '\0');
  bool is_done = false;
  while (!is_done) {
    const auto got = file->Read(block.data(), block.size());
    is_done = got == 0U;
    if (!got || !WriteWhole(copy, std::string_view(block).substr(0, *got))) break;
  }
  const int number = errno;
  ::close(copy);
  if (is_done) return {};
  return Fail(CannotCopy(from, number, kind));
}

// A private folder in TMPDIR. The destructor removes it, and so does a signal.
class OwnFolder {
 public:
  OwnFolder() {
    std::error_code error;
    path_ = (std::filesystem::temp_directory_path(error) / "profgauge-XXXXXX").string();
    number_ = error ? error.value() : ::mkdtemp(path_.data()) == nullptr ? errno : 0;
    if (number_ == 0) RememberTemporary(path_);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    if (number_ != 0) return;
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    for (const std::string& file : files_) ForgetTemporary(file);
    ForgetTemporary(path_);
  }
  int number() const { return number_; }  ///< errno if it could not be created; else 0.
  const std::string& Add(std::string_view name) {
    RememberTemporary(files_.emplace_back(fmt::format("{}/{}", path_, name)));
    return files_.back();
  }

 private:
  std::string path_;
  std::deque<std::string> files_;
  int number_ = 0;
};

using TextFunction = std::function<std::string(std::string_view)>;

void CallTextFunction(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* function = static_cast<const TextFunction*>(sqlite3_user_data(context));
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (text == nullptr) return sqlite3_result_null(context);
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(values[0]));
  const std::string result = (*function)({text, size});
  sqlite3_result_text64(context, result.data(), result.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

using RowFunction = std::function<void(const RowValues&)>;

// Exceptions must not pass through SQLite.
void CallRowFunction(sqlite3_context* context, int, sqlite3_value** values) {
  try {
    (*static_cast<const RowFunction*>(sqlite3_user_data(context)))(RowValues(values));
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

void EndRowFunction(sqlite3_context* context) { sqlite3_result_null(context); }
void DestroyRowFunction(void* function) { delete static_cast<RowFunction*>(function); }
void DestroyTextFunction(void* function) { delete static_cast<TextFunction*>(function); }

}  // namespace

std::string_view RowValues::Text(int value) const {
  const auto* text = sqlite3_value_text(values_[value]);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_value_bytes(values_[value]))};
}

Statement& Statement::Bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
  return *this;
}

Statement& Statement::Bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
  return *this;
}

Statement& Statement::Bind(int parameter, std::optional<double> value) {
  if (value) {
    sqlite3_bind_double(statement_.get(), parameter, *value);
  } else {
    sqlite3_bind_null(statement_.get(), parameter);
  }
  return *this;
}

Statement& Statement::BindBlob(int parameter, std::string_view bytes) {
  sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  return *this;
}

Result<bool> Statement::Step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return Fail(Failure(sqlite3_db_handle(statement_.get()), status, *file_, kind_));
}

Status Statement::Run() {
  while (true) {
    PROFGAUGE_TRY(const bool more, Step());
    if (!more) return {};
  }
}

bool Statement::IsNull(int column) const { return Type(column) == SQLITE_NULL; }

std::int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::Real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Statement::Text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::string_view Statement::Blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

int Statement::Columns() const { return sqlite3_column_count(statement_.get()); }

std::string_view Statement::ColumnName(int column) const {
  const char* name = sqlite3_column_name(statement_.get(), column);
  return name == nullptr ? std::string_view{} : std::string_view(name);
}

int Statement::Type(int column) const { return sqlite3_column_type(statement_.get(), column); }

Result<Database> Database::Take(sqlite3* handle, int status, const std::string& path, Mode mode,
                                ErrorKind kind) {
  Database database(handle, path, mode, kind);
  if (status != SQLITE_OK) return Fail(Failure(handle, status, path, kind));
  Harden(handle);
  return database;
}

void Database::Bound(std::uint64_t bytes) {
  steps_left_ =
      std::make_unique<std::int64_t>(kFreeSteps + kStepsOfByte * static_cast<std::int64_t>(bytes));
  sqlite3_progress_handler(handle_.get(), kStepsBetween, TakeSteps, steps_left_.get());
}

// SQLite would create files beside the database, and wait forever if the log's name is that of a
// pipe. Both copies are open when the folder is removed; the log's index is in memory.
Result<Database> Database::OpenCopy(const std::string& path, ErrorKind kind) {
  OwnFolder folder;
  if (folder.number() != 0) return Fail(CannotCopy(path, folder.number(), kind));
  const std::string &copy = folder.Add("db"), &log = folder.Add("db-wal");
  const auto before = VersionOf(path);
  if (!before) return Fail(CannotCopy(path, errno, kind));
  PROFGAUGE_CHECK(CopyFile(path, copy, kind));
  PROFGAUGE_CHECK(CopyFile(path + "-wal", log, kind));
  // If a writer moved pages from the log to the database meanwhile, both copies may miss some.
  if (VersionOf(path) != before) return Fail(Failure(nullptr, SQLITE_BUSY, path, kind));
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  const int status = sqlite3_open_v2(copy.c_str(), &handle, flags, nullptr);
  PROFGAUGE_TRY(Database database, Take(handle, status, path, Mode::kWithLog, kind));
  database.Bound(before->size);
  PROFGAUGE_CHECK(database.Execute("pragma locking_mode = exclusive"));
  PROFGAUGE_CHECK(database.Execute("select count(*) from sqlite_master"));
  return database;
}

Result<Database> Database::Open(const std::string& path, Mode mode, ErrorKind kind) {
  if (mode == Mode::kWithLog) return OpenCopy(path, kind);
  const bool is_ours = mode == Mode::kReadWrite;
  std::uint64_t size = 0;
  if (!is_ours) {
    const auto file = OpenInput(path, Named::kFound);
    if (file) size = file->size().value_or(0);
    // SQLite would wait forever for the writer of a pipe. It reports other problems itself.
    if (!file && IsNoFile(file.error())) return Fail(NotAFile(path, file.error(), kind));
  }
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                    (is_ours ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  const std::string uri = UriOf(path, mode == Mode::kImmutable ? "?immutable=1" : "");
  const int status = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
  PROFGAUGE_TRY(Database database, Take(handle, status, path, mode, kind));
  if (!is_ours) database.Bound(size);
  return database;
}

Result<Database> Database::OpenBytes(std::string_view bytes, const std::string& path,
                                     ErrorKind kind) {
  sqlite3* handle = nullptr;
  const int status =
      sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  PROFGAUGE_TRY(Database database, Take(handle, status, path, Mode::kMemory, kind));
  database.Bound(bytes.size());
  constexpr std::size_t kPage = 4096;
  const std::size_t room = std::max(bytes.size(), kPage);
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(room));
  if (copy == nullptr) throw std::bad_alloc();
  std::copy(bytes.begin(), bytes.end(), copy);
  const int taken =
      sqlite3_deserialize(handle, "main", copy, static_cast<sqlite3_int64>(bytes.size()),
                          static_cast<sqlite3_int64>(room),
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  if (taken != SQLITE_OK) return Fail(Failure(handle, taken, path, kind));
  return database;
}

std::string_view Database::Serialize() {
  sqlite3_int64 size = 0;
  const unsigned char* bytes =
      sqlite3_serialize(handle_.get(), "main", &size, SQLITE_SERIALIZE_NOCOPY);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        &statement, nullptr);
  if (status != SQLITE_OK) return Fail(Failure(handle_.get(), status, *path_, kind_));
  return Statement(statement, path_.get(), kind_);
}

Result<Statement*> Database::Kept(std::string_view sql) {
  const auto found = kept_.find(sql);
  if (found != kept_.end()) return &found->second;
  PROFGAUGE_TRY(Statement statement, Prepare(sql));
  return &kept_.emplace(sql, std::move(statement)).first->second;
}

Status Database::Execute(const std::string& sql) {
  const int status = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return Fail(Failure(handle_.get(), status, *path_, kind_));
  return {};
}

Status Database::AttachImmutable(const std::string& path, std::string_view name) {
  sqlite3_limit(handle_.get(), SQLITE_LIMIT_ATTACHED, 1);
  PROFGAUGE_TRY(Statement statement, Prepare("attach ? as " + std::string(name)));
  const std::string uri = UriOf(path, "?mode=ro&immutable=1");
  return statement.Bind(1, uri).Run();
}

Status Database::AddTextFunction(const char* name, TextFunction function) {
  const int status =
      sqlite3_create_function_v2(handle_.get(), name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                 new TextFunction(std::move(function)), CallTextFunction, nullptr,
                                 nullptr, DestroyTextFunction);
  if (status != SQLITE_OK) return Fail(Failure(handle_.get(), status, *path_, kind_));
  return {};
}

Status Database::AddRowFunction(const char* name, RowFunction take) {
  const int status = sqlite3_create_function_v2(
      handle_.get(), name, -1, SQLITE_UTF8, new RowFunction(std::move(take)), nullptr,
      CallRowFunction, EndRowFunction, DestroyRowFunction);
  if (status != SQLITE_OK) return Fail(Failure(handle_.get(), status, *path_, kind_));
  return {};
}

Result<std::uint64_t> Database::Bytes() {
  if (bytes_) return *bytes_;
  PROFGAUGE_TRY(auto statement,
                Prepare("select page_count * page_size from pragma_page_count, pragma_page_size"));
  PROFGAUGE_TRY(const bool found, statement.Step());
  const std::uint64_t bytes = found ? static_cast<std::uint64_t>(statement.Integer(0)) : 0;
  if (IsImmutable()) bytes_ = bytes;
  return bytes;
}

Result<bool> Database::HasTable(std::string_view table) {
  PROFGAUGE_TRY(Statement statement,
                Prepare("select 1 from sqlite_master where type = 'table' and name = ? "
                        "and sql not like 'create virtual table%'"));
  return statement.Bind(1, table).Step();
}

}  // namespace profgauge::sqlite
