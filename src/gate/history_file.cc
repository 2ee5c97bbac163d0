#include "gate/history_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <thread>

#include "base/files.h"
#include "base/format.h"
#include "base/replace_file.h"
#include "base/text.h"

namespace profgauge::gate {
namespace {

using Why = NotOpened::Why;

// "pgHi" marks an SQLite file as a history, whatever its name.
constexpr std::uint64_t kApplicationId = 0x70674869;
constexpr std::uint64_t kHistorySchema = 4;
constexpr std::size_t kHead = 100;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
// The size limit of a row, which contains a packed snapshot of some kilobytes.
constexpr int kLongestRow = 1 << 20;

// Does not use `autoincrement`: its counter is a second table, and one bad value there makes a
// history unusable. A snapshot is packed with the text of another run as the dictionary; the
// dictionary's id is the id of the run that started it.
constexpr const char* kCreate = R"(
  create table run (
    id integer primary key,
    time integer not null,
    branch text not null,
    commit_id text not null,
    model text not null,
    verdict text not null,
    parents text not null,
    commit_time integer not null,
    policy text not null,
    median real not null,
    kind text not null,
    source text not null);
  create index run_by_branch on run (branch, id);
  create index run_by_source on run (source);
  create index run_by_commit on run (commit_id);
  create table snapshot (
    run integer primary key,
    dictionary integer not null,
    hash text not null,
    text blob not null);
  create table dictionary (
    id integer primary key,
    text blob not null);
  create table level (
    id integer primary key,
    run integer not null,
    reason text not null,
    owner text not null,
    until text not null,
    time integer not null,
    by text not null,
    change real,
    up_to real);
  create index level_by_run on level (run);
)";

// A row of sqlite_schema: type, name, table and text.
using SchemaRow = std::array<std::string, 4>;

Result<std::vector<SchemaRow>> SchemaOf(sqlite::Database& database) {
  PROFGAUGE_TRY(auto statement,
                database.Prepare("select type, name, tbl_name, sql from sqlite_master"));
  std::vector<SchemaRow> rows;
  while (true) {
    PROFGAUGE_TRY(const bool more, statement.Step());
    if (!more) break;
    SchemaRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = statement.Text(static_cast<int>(i));
    // A valid schema has fewer rows. More rows mean that the file is foreign.
    constexpr std::size_t kMostRows = 100;
    if (rows.size() > kMostRows) break;
  }
  std::ranges::sort(rows);
  return rows;
}

Result<sqlite::Database> MakeHistory(const std::string& path) {
  PROFGAUGE_TRY(auto database, sqlite::Database::OpenBytes({}, path, ErrorKind::kConfig));
  PROFGAUGE_CHECK(
      database.Execute(fmt::format("begin; {} pragma application_id = {}; pragma user_version = {};"
                                   " commit",
                                   kCreate, kApplicationId, kHistorySchema)));
  return database;
}

Error Foreign(const std::string& path, std::string message) {
  return HistoryError(
      path, "history/foreign", std::move(message),
      "give another file; folders of `check --ci` can be added to it again. Nothing "
      "was written");
}

/// Rejects a schema that differs in any byte from the one that Create() makes.
Status CheckSchema(sqlite::Database& database, const std::string& path) {
  PROFGAUGE_TRY(auto made, MakeHistory(path));
  PROFGAUGE_TRY(const auto ours, SchemaOf(made));
  PROFGAUGE_TRY(const auto found, SchemaOf(database));
  for (const SchemaRow& row : found) {
    if (std::ranges::binary_search(ours, row)) continue;
    return Fail(Foreign(path, fmt::format("the history has something in it that profgauge did not "
                                          "make: {} `{}`",
                                          PrintableShort(row[0], 20), PrintableShort(row[1], 40))));
  }
  if (found == ours) return {};
  return Fail(DamagedHistory(path, "a table of the history is missing"));
}

std::uint64_t Number(std::string_view head, std::size_t at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (const char c : head.substr(at, bytes)) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

// Checks the header. Source: https://www.sqlite.org/fileformat.html, "The Database Header".
//
//   offset 16: bytes of a page, 18 and 19: 2 with a write-ahead log, 28: pages, 56: encoding,
//   60: user_version, 68: application_id
Status CheckHead(std::string_view head, std::uint64_t size, const std::string& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  if (!head.starts_with(kMagic) || head.size() < kHead) {
    return Fail(Foreign(path, "the file is not a history of profgauge"));
  }
  if (Number(head, 68, 4) != kApplicationId)
    return Fail(Foreign(path, "this SQLite file is not a profgauge history"));
  const std::uint64_t schema = Number(head, 60, 4);
  if (schema == 0) return Fail(DamagedHistory(path, "the history has no schema version"));
  if (schema != kHistorySchema) {
    const bool is_old = schema < kHistorySchema;
    return Fail(HistoryError(
        path, is_old ? "history/old" : "history/newer",
        fmt::format("the history has schema {}, expected schema {}", schema, kHistorySchema),
        is_old ? "it was made by an earlier profgauge; start another with `profgauge history add "
                 "PROFILE --db FILE`; nothing was changed"
               : "update profgauge; nothing was changed"));
  }
  if (Number(head, 18, 1) != 1 || Number(head, 19, 1) != 1 || Number(head, 56, 4) != 1)
    return Fail(Foreign(path,
                        "the history has a write-ahead log or texts of another encoding, "
                        "which profgauge does not make"));
  const std::uint64_t stated = Number(head, 16, 2) == 1 ? 65536 : Number(head, 16, 2);
  if (stated * Number(head, 28, 4) == size) return {};
  return Fail(DamagedHistory(
      path, fmt::format("the history has {} bytes, expected {}",
                        FormatCount(static_cast<std::int64_t>(size)),
                        FormatCount(static_cast<std::int64_t>(stated * Number(head, 28, 4))))));
}

Error NotAFile(const std::string& path, const NotOpened& problem) {
  if (problem.why == Why::kMissing) {
    return HistoryError(path, "history/missing", "there is no history at this place",
                        "start one with `profgauge history add PROFILE --db FILE`");
  }
  const bool is_file = problem.why == Why::kSystem;
  return HistoryError(path, is_file ? "history/cannot-open" : "history/not-a-file",
                      "the history " + problem.Text(),
                      !is_file                   ? "give a file"
                      : problem.number == ENOENT ? "create its folder first"
                                                 : "check its permissions");
}

bool IsAt(const std::string& path, const struct stat& info) {
  struct stat there {};
  return ::lstat(path.c_str(), &there) == 0 && there.st_ino == info.st_ino &&
         there.st_dev == info.st_dev;
}

// Locks an open file. Returns 0 or errno; EWOULDBLOCK: another process held the lock for 10 s.
int LockFile(int descriptor, std::chrono::steady_clock::time_point until) {
  constexpr std::chrono::milliseconds kPause(5);
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() > until) return errno;
    std::this_thread::sleep_for(kPause);
  }
  return 0;
}

}  // namespace

Error HistoryError(const std::string& path, std::string code, std::string message,
                   std::string help) {
  Error error;
  error.kind = ErrorKind::kConfig;
  error.code = std::move(code);
  error.message = std::move(message);
  error.where.file = path;
  error.notes = {"help: " + std::move(help)};
  return error;
}

Error DamagedHistory(const std::string& path, std::string message) {
  return HistoryError(path, "history/damaged", std::move(message),
                      "restore it from a copy, or start another; nothing was changed");
}

Result<sqlite::Database> OpenHistoryFile(const std::string& path) {
  auto file = OpenInput(path, Named::kFound);
  if (!file) return Fail(NotAFile(path, file.error()));
  if (!file->size()) return Fail(NotAFile(path, {Why::kPipe, 0}));
  if (*file->size() == 0) return MakeHistory(path);
  std::string head(kHead, '\0');
  const auto got = file->Read(head.data(), head.size());
  head.resize(got.value_or(0));
  PROFGAUGE_CHECK(CheckHead(head, *file->size(), path));
  PROFGAUGE_TRY(auto database,
                sqlite::Database::Open(path, sqlite::Mode::kImmutable, ErrorKind::kConfig));
  database.SetLongest(kLongestRow);
  PROFGAUGE_CHECK(CheckSchema(database, path));
  return database;
}

Result<sqlite::Database> OpenHistoryBytes(std::string_view bytes, const std::string& path) {
  if (bytes.empty()) return MakeHistory(path);
  PROFGAUGE_CHECK(CheckHead(bytes.substr(0, kHead), bytes.size(), path));
  PROFGAUGE_TRY(auto database, sqlite::Database::OpenBytes(bytes, path, ErrorKind::kConfig));
  database.SetLongest(kLongestRow);
  PROFGAUGE_CHECK(CheckSchema(database, path));
  PROFGAUGE_TRY(auto check, database.Prepare("pragma quick_check(1)"));
  PROFGAUGE_TRY(const bool has_row, check.Step());
  if (has_row && check.Text(0) == "ok") return database;
  return Fail(DamagedHistory(path, "a page of the history is damaged"));
}

std::string_view HistorySchema() { return kCreate; }

std::vector<std::string> UnusedBesideHistory(const std::string& path) {
  std::vector<std::string> found;
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    struct stat info {};
    if (::lstat((path + suffix).c_str(), &info) == 0) found.push_back(path + suffix);
  }
  return found;
}

// If another writer replaced the file meanwhile, the lock is on the old file: locks the new one.
Result<LockedHistory> LockedHistory::Lock(const std::string& path) {
  constexpr std::chrono::seconds kWait(10);
  const auto until = std::chrono::steady_clock::now() + kWait;
  const std::string target = TargetOfLinks(path);
  while (true) {
    constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int descriptor = ::open(target.c_str(), kFlags);
    const bool is_new = descriptor < 0 && errno == ENOENT;
    if (is_new) descriptor = ::open(target.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) {
      const int number = errno;
      const Why why = number == EISDIR  ? Why::kFolder
                      : number == ENXIO ? Why::kNoFile
                                        : Why::kSystem;
      return Fail(NotAFile(path, {why, number}));
    }
    LockedHistory locked(path, target, descriptor, is_new);
    struct stat info {};
    if (::fstat(descriptor, &info) != 0) return Fail(NotAFile(path, {Why::kSystem, errno}));
    if (!S_ISREG(info.st_mode)) {
      const bool is_pipe = S_ISFIFO(info.st_mode);
      return Fail(NotAFile(path, {is_pipe ? Why::kPipe : Why::kNoFile, 0}));
    }
    const int number = LockFile(descriptor, until);
    if (number == EWOULDBLOCK) {
      return Fail(HistoryError(path, "history/locked",
                               "another program has locked the history for 10 s",
                               "try again when it is done; nothing was written"));
    }
    if (number != 0) {
      return Fail(
          HistoryError(path, "history/no-lock",
                       "the history cannot be locked: " + std::generic_category().message(number),
                       "keep it on a file system that has locks; nothing was written"));
    }
    if (IsAt(target, info)) return locked;
    locked.is_new_ = false;
  }
}

LockedHistory::~LockedHistory() {
  if (descriptor_ < 0) return;
  struct stat info {};
  const bool is_empty = ::fstat(descriptor_, &info) == 0 && info.st_size == 0;
  if (is_new_ && is_empty && IsAt(target_, info)) ::unlink(target_.c_str());
  ::close(descriptor_);
}

Result<std::string> LockedHistory::Read() const {
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) return Fail(NotAFile(path_, {Why::kSystem, errno}));
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > kMostBytes) {
    return Fail(HistoryError(path_, "history/too-large", "the history is larger than 1 GiB",
                             "start another"));
  }
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fail(NotAFile(path_, {Why::kSystem, errno}));
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  bytes.resize(have);
  return bytes;
}

Status LockedHistory::Replace(std::string_view bytes) {
  if (bytes.size() > kMostBytes) {
    return Fail(HistoryError(path_, "history/too-large", "the history would be larger than 1 GiB",
                             "remove old runs: `profgauge history remove`; nothing was written"));
  }
  PROFGAUGE_CHECK(ReplaceFile(target_, bytes));
  return {};
}

}  // namespace profgauge::gate
