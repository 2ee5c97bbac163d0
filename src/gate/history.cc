#include "gate/history.h"

#include <charconv>
#include <filesystem>

#include "base/errors.h"

namespace profgauge {
namespace {

// "pgHi": says that an SQLite file is ours, whatever its name.
constexpr std::int64_t kApplicationId = 0x70674869;
constexpr std::int64_t kHistorySchema = 1;
constexpr std::int64_t kMostRuns = 1000;

constexpr const char* kCreate = R"(
  create table run (
    id integer primary key autoincrement,
    time integer not null,
    branch text not null,
    commit_id text not null,
    snapshot text not null);
  create index run_by_branch on run (branch, id);
)";

Error Refuse(const std::string& path, std::string slug, std::string message, std::string help) {
  Error error;
  error.kind = ErrorKind::kConfig;
  error.code = "history/" + std::move(slug);
  error.message = std::move(message);
  error.where.file = path;
  error.notes = {"help: " + std::move(help)};
  return error;
}

Result<std::int64_t> Pragma(sqlite::Database& database, const char* sql) {
  PROFGAUGE_TRY(auto statement, database.Prepare(sql));
  PROFGAUGE_TRY(const bool found, statement.Step());
  return found ? statement.Integer(0) : 0;
}

// Creates the schema in an empty file, or checks that the file is a history of ours.
Status CheckSchema(sqlite::Database& database, const std::string& path, bool may_create) {
  PROFGAUGE_TRY(const std::int64_t id, Pragma(database, "pragma application_id"));
  PROFGAUGE_TRY(const std::int64_t version, Pragma(database, "pragma user_version"));
  PROFGAUGE_TRY(const std::int64_t tables, Pragma(database, "select count(*) from sqlite_master"));
  if (id == 0 && tables == 0 && may_create) {
    return database.Execute(std::string(kCreate) +
                            "pragma application_id = " + std::to_string(kApplicationId) +
                            "; pragma user_version = " + std::to_string(kHistorySchema));
  }
  if (id != kApplicationId) {
    return Fail(Refuse(path, "foreign", "this SQLite file is not a profgauge history",
                       "give another file; nothing was written to this one"));
  }
  if (version > kHistorySchema) {
    return Fail(Refuse(path, "newer",
                       "the history has schema " + std::to_string(version) +
                           ", this program knows up to " + std::to_string(kHistorySchema),
                       "update profgauge; nothing was changed"));
  }
  return {};
}

}  // namespace

Result<HistoryReference> ParseHistoryReference(std::string_view text) {
  constexpr std::string_view kPrefix = "history:";
  const auto bad = [&] {
    return Fail(UsageError(
        "history/reference",
        "expected `history:BRANCH~N` with N from 1 to 1000, found `" + std::string(text) + "`",
        "`history:main~10` takes the last ten runs of branch main"));
  };
  if (!text.starts_with(kPrefix)) return bad();
  HistoryReference reference;
  const std::string_view rest = text.substr(kPrefix.size());
  const auto tilde = rest.rfind('~');
  reference.branch = rest.substr(0, tilde);
  if (tilde != std::string_view::npos) {
    const std::string_view count = rest.substr(tilde + 1);
    const auto [end, error] =
        std::from_chars(count.data(), count.data() + count.size(), reference.count);
    if (error != std::errc{} || end != count.data() + count.size()) return bad();
  }
  if (reference.branch.empty() || reference.count < 1 || reference.count > kMostRuns) return bad();
  return reference;
}

Result<History> History::Open(const std::string& path, sqlite::Mode mode) {
  PROFGAUGE_TRY(auto database, sqlite::Database::Open(path, mode, ErrorKind::kConfig));
  History history(std::move(database), path);
  const bool may_create = mode == sqlite::Mode::kReadWrite;
  // Taking the write lock first makes "look, then create" one step for writers in parallel.
  if (may_create) PROFGAUGE_CHECK(history.database_.Execute("begin immediate"));
  PROFGAUGE_CHECK(CheckSchema(history.database_, path, may_create));
  if (may_create) PROFGAUGE_CHECK(history.database_.Execute("commit"));
  return history;
}

Result<History> History::OpenToRead(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return Fail(Refuse(path, "missing", "there is no history at this place",
                       "start one with `profgauge history add PROFILE --db FILE`"));
  }
  return Open(path, sqlite::Mode::kReadOnly);
}

Result<History> History::OpenToAdd(const std::string& path) {
  return Open(path, sqlite::Mode::kReadWrite);
}

Result<std::int64_t> History::Add(const HistoryEntry& entry) {
  PROFGAUGE_TRY(
      auto statement,
      database_.Prepare("insert into run (time, branch, commit_id, snapshot) values (?, ?, ?, ?)"));
  const std::string snapshot = WriteBaseline({entry.snapshot});
  statement.Bind(1, entry.time).Bind(2, entry.branch).Bind(3, entry.commit).Bind(4, snapshot);
  PROFGAUGE_CHECK(statement.Run());
  return database_.LastRowId();
}

Status History::Remove(const std::vector<std::int64_t>& ids) {
  // Without a commit, closing the file undoes what was removed before an unknown id.
  PROFGAUGE_CHECK(database_.Execute("begin immediate"));
  for (const std::int64_t id : ids) {
    PROFGAUGE_TRY(auto found, database_.Prepare("select count(*) from run where id = ?"));
    found.Bind(1, id);
    PROFGAUGE_TRY(const bool has_row, found.Step());
    if (!has_row || found.Integer(0) == 0) {
      Error error = Refuse(path_, "unknown-run",
                           "the history has no run " + std::to_string(id) + "; nothing was removed",
                           "`profgauge history list` shows the runs and their numbers");
      error.kind = ErrorKind::kUsage;
      return Fail(std::move(error));
    }
    PROFGAUGE_TRY(auto removal, database_.Prepare("delete from run where id = ?"));
    removal.Bind(1, id);
    PROFGAUGE_CHECK(removal.Run());
  }
  return database_.Execute("commit");
}

Result<std::vector<HistoryEntry>> History::Last(std::string_view branch, std::int64_t count) {
  PROFGAUGE_TRY(auto statement,
                database_.Prepare("select id, time, branch, commit_id, snapshot from "
                                  "(select * from run where ?1 = '' or branch = ?1 "
                                  " order by id desc limit ?2) order by id"));
  statement.Bind(1, branch).Bind(2, count);
  std::vector<HistoryEntry> entries;
  while (true) {
    PROFGAUGE_TRY(const bool more, statement.Step());
    if (!more) return entries;
    HistoryEntry entry;
    entry.id = statement.Integer(0);
    entry.time = statement.Integer(1);
    entry.branch = statement.Text(2);
    entry.commit = statement.Text(3);
    PROFGAUGE_TRY(auto runs,
                  ParseBaseline(statement.Text(4), path_ + ", run " + std::to_string(entry.id)));
    entry.snapshot = std::move(runs.front());
    entries.push_back(std::move(entry));
  }
}

}  // namespace profgauge
