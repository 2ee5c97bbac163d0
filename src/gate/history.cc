#include "gate/history.h"

#include <charconv>
#include <filesystem>
#include <utility>

#include "base/errors.h"
#include "gate/comparable.h"

namespace profgauge::gate {
namespace {

// "pgHi": says that an SQLite file is ours, whatever its name.
constexpr std::int64_t kApplicationId = 0x70674869;
constexpr std::int64_t kHistorySchema = 3;
constexpr std::int64_t kMostRuns = 1000;
constexpr std::int64_t kMostFound = 1'000'000;

constexpr const char* kCreate = R"(
  create table run (
    id integer primary key autoincrement,
    time integer not null,
    branch text not null,
    commit_id text not null,
    snapshot text not null,
    model text not null default '',
    verdict text not null default '',
    parents text not null default '',
    commit_time integer not null default 0,
    policy text not null default '',
    median real not null default 0,
    kind text not null default '');
  create index run_by_branch on run (branch, id);
  create table level (
    id integer primary key autoincrement,
    run integer not null,
    reason text not null,
    owner text not null,
    until text not null,
    time integer not null,
    by text not null,
    change real,
    up_to real);
)";
// Data of a run, in the order of ReadRow().
constexpr const char* kColumns =
    "id, time, branch, commit_id, model, verdict, parents, commit_time, policy, median, kind";

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
  PROFGAUGE_TRY(const std::int64_t runs,
                Pragma(database, "select count(*) from sqlite_master where name = 'run'"));
  if (version < 1 || (version == kHistorySchema && runs == 0)) {
    return Fail(Refuse(
        path, "damaged",
        version < 1 ? "the history has no schema version" : "the history has no table of runs",
        "restore it from a copy, or start another; nothing was changed"));
  }
  if (version == kHistorySchema) return {};
  const bool is_old = version < kHistorySchema;
  return Fail(Refuse(path, is_old ? "old" : "newer",
                     "the history has schema " + std::to_string(version) + ", expected schema " +
                         std::to_string(kHistorySchema),
                     is_old ? "it was made by an earlier profgauge; start another with `profgauge "
                              "history add PROFILE --db FILE`; nothing was changed"
                            : "update profgauge; nothing was changed"));
}

/// A change of the file, which is undone unless it is committed. It takes the write lock first, so
/// that "look, then write" is one step for writers in parallel.
class Transaction {
 public:
  static Result<Transaction> Begin(sqlite::Database& database) {
    PROFGAUGE_CHECK(database.Execute("begin immediate"));
    return Transaction(database);
  }
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() {
    if (database_ != nullptr) (void)database_->Execute("rollback");
  }

  Status Commit() {
    PROFGAUGE_CHECK(database_->Execute("commit"));
    database_ = nullptr;
    return {};
  }

 private:
  explicit Transaction(sqlite::Database& database) : database_(&database) {}
  sqlite::Database* database_;  ///< nullptr: nothing to undo.
};

HistoryRow ReadRow(const sqlite::Statement& statement) {
  HistoryRow row;
  row.id = statement.Integer(0);
  row.time = statement.Integer(1);
  row.branch = statement.Text(2);
  row.commit = statement.Text(3);
  row.model = statement.Text(4);
  row.verdict = statement.Text(5);
  row.parents = statement.Text(6);
  row.commit_time = statement.Integer(7);
  row.policy = statement.Text(8);
  row.median = statement.Real(9);
  row.kind = statement.Text(10);
  return row;
}

Error Unknown(const std::string& path, std::string slug, std::string message) {
  Error error = Refuse(path, std::move(slug), std::move(message),
                       "`profgauge history list` shows the runs and their numbers");
  error.kind = ErrorKind::kUsage;
  return error;
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
  if (mode != sqlite::Mode::kReadWrite) {
    PROFGAUGE_CHECK(CheckSchema(history.database_, path, false));
    return history;
  }
  PROFGAUGE_TRY(Transaction change, Transaction::Begin(history.database_));
  PROFGAUGE_CHECK(CheckSchema(history.database_, path, true));
  PROFGAUGE_CHECK(change.Commit());
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

Result<std::int64_t> History::InsertLevel(const HistoryLevel& level) {
  PROFGAUGE_TRY(auto statement,
                database_.Prepare("insert into level (run, reason, owner, until, time, by, change, "
                                  "up_to) values (?, ?, ?, ?, ?, ?, ?, ?)"));
  statement.Bind(1, level.run).Bind(2, level.reason).Bind(3, level.owner);
  statement.Bind(4, level.until).Bind(5, level.time).Bind(6, level.by);
  statement.Bind(7, level.change).Bind(8, level.up_to);
  PROFGAUGE_CHECK(statement.Run());
  return database_.LastRowId();
}

Result<std::int64_t> History::Add(const HistoryEntry& entry,
                                  const std::optional<HistoryLevel>& level) {
  const std::string snapshot = WriteBaseline({entry.snapshot});
  PROFGAUGE_TRY(Transaction change, Transaction::Begin(database_));
  PROFGAUGE_TRY(auto statement,
                database_.Prepare("insert into run (time, branch, commit_id, snapshot, model, "
                                  "verdict, parents, commit_time, policy, "
                                  "median, kind) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  statement.Bind(1, entry.time).Bind(2, entry.branch).Bind(3, entry.commit).Bind(4, snapshot);
  statement.Bind(5, entry.model).Bind(6, entry.verdict);
  statement.Bind(7, entry.parents).Bind(8, entry.commit_time).Bind(9, entry.policy);
  statement.Bind(10, std::optional(MedianIteration(entry.snapshot).value_or(0)));
  statement.Bind(11, KindOf(entry.snapshot));
  PROFGAUGE_CHECK(statement.Run());
  const std::int64_t id = database_.LastRowId();
  if (level) {
    HistoryLevel of_run = *level;
    of_run.run = id;
    PROFGAUGE_CHECK(InsertLevel(of_run));
  }
  PROFGAUGE_CHECK(change.Commit());
  return id;
}

Status History::Remove(const std::vector<std::int64_t>& runs,
                       const std::vector<std::int64_t>& levels) {
  PROFGAUGE_TRY(Transaction change, Transaction::Begin(database_));
  // Deletes the rows with this id; how many there were.
  const auto remove = [this](const char* sql, std::int64_t id) -> Result<std::int64_t> {
    PROFGAUGE_TRY(auto removal, database_.Prepare(sql));
    removal.Bind(1, id);
    PROFGAUGE_CHECK(removal.Run());
    PROFGAUGE_TRY(auto changes, database_.Prepare("select changes()"));
    PROFGAUGE_TRY(const bool has_row, changes.Step());
    return has_row ? changes.Integer(0) : 0;
  };
  for (const std::int64_t id : levels) {
    PROFGAUGE_TRY(const std::int64_t count, remove("delete from level where id = ?", id));
    if (count > 0) continue;
    return Fail(Unknown(
        path_, "unknown-level",
        "the history has no accepted level " + std::to_string(id) + "; nothing was removed"));
  }
  for (const std::int64_t id : runs) {
    PROFGAUGE_CHECK(remove("delete from level where run = ?", id));
    PROFGAUGE_TRY(const std::int64_t count, remove("delete from run where id = ?", id));
    if (count > 0) continue;
    return Fail(Unknown(path_, "unknown-run",
                        "the history has no run " + std::to_string(id) + "; nothing was removed"));
  }
  return change.Commit();
}

Result<std::vector<HistoryRow>> History::Rows(std::string_view branch, std::int64_t count) {
  PROFGAUGE_TRY(auto statement, database_.Prepare("select * from (select " + std::string(kColumns) +
                                                  " from run where ?1 = '' or branch = ?1 "
                                                  " order by id desc limit ?2) order by id"));
  statement.Bind(1, branch).Bind(2, count);
  std::vector<HistoryRow> rows;
  while (true) {
    PROFGAUGE_TRY(const bool more, statement.Step());
    if (!more) return rows;
    rows.push_back(ReadRow(statement));
  }
}

Result<std::vector<std::pair<std::string, std::int64_t>>> History::Branches() {
  PROFGAUGE_TRY(auto statement, database_.Prepare("select branch, count(*) from run "
                                                  "group by branch order by branch"));
  std::vector<std::pair<std::string, std::int64_t>> branches;
  while (true) {
    PROFGAUGE_TRY(const bool more, statement.Step());
    if (!more) return branches;
    branches.emplace_back(statement.Text(0), statement.Integer(1));
  }
}

Result<Snapshot> History::Load(std::int64_t id) {
  PROFGAUGE_TRY(auto statement, database_.Prepare("select snapshot from run where id = ?"));
  statement.Bind(1, id);
  PROFGAUGE_TRY(const bool found, statement.Step());
  if (!found) {
    return Fail(Unknown(path_, "unknown-run", "the history has no run " + std::to_string(id)));
  }
  PROFGAUGE_TRY(auto runs, ParseBaseline(statement.Text(0), path_ + ", run " + std::to_string(id)));
  return std::move(runs.front());
}

Result<std::vector<HistoryEntry>> History::Last(std::string_view branch, std::int64_t count) {
  PROFGAUGE_TRY(const std::vector<HistoryRow> rows, Rows(branch, count));
  std::vector<HistoryEntry> entries;
  for (const HistoryRow& row : rows) {
    HistoryEntry& entry = entries.emplace_back();
    static_cast<HistoryRow&>(entry) = row;
    PROFGAUGE_TRY(entry.snapshot, Load(row.id));
  }
  return entries;
}

// An id before a commit: "1234" is run 1234 where there is one. A whole commit before the start of
// others: "abcd" is that commit although there is "abcdef". O(runs of the file).
Result<HistoryRow> History::Find(std::string_view text) {
  constexpr std::size_t kLeastOfCommit = 4;
  PROFGAUGE_TRY(const std::vector<HistoryRow> rows, Rows("", kMostFound));
  const HistoryRow *whole = nullptr, *started = nullptr, *other = nullptr;
  for (const HistoryRow& row : rows) {
    if (std::to_string(row.id) == text) return row;
    if (row.commit == text) whole = &row;
    if (text.size() < kLeastOfCommit || !row.commit.starts_with(text)) continue;
    if (started == nullptr || started->commit == row.commit) {
      started = &row;
    } else if (other == nullptr) {
      other = &row;
    }
  }
  if (whole != nullptr) return *whole;
  if (other != nullptr) {
    return Fail(Unknown(path_, "unknown-run",
                        "`" + std::string(text) + "` is the start of several commits: " +
                            started->commit + ", " + other->commit));
  }
  if (started != nullptr) return *started;
  return Fail(Unknown(path_, "unknown-run",
                      "the history has no run or commit `" + std::string(text) + "`"));
}

// Snapshots are texts, so the hash is looked for as the field that WriteBaseline() writes.
Result<std::optional<std::int64_t>> History::FindSource(std::string_view branch,
                                                        std::string_view source) {
  PROFGAUGE_TRY(auto statement, database_.Prepare("select id from run where branch = ?1 and "
                                                  "instr(snapshot, ?2) > 0 order by id limit 1"));
  const std::string field = "\"source\":\"" + std::string(source) + "\"";
  statement.Bind(1, branch).Bind(2, field);
  PROFGAUGE_TRY(const bool found, statement.Step());
  return found ? std::optional(statement.Integer(0)) : std::nullopt;
}

Result<std::vector<HistoryLevel>> History::Levels() {
  std::vector<HistoryLevel> levels;
  PROFGAUGE_TRY(auto statement, database_.Prepare("select id, run, reason, owner, until, time, by, "
                                                  "change, up_to from level order by run, id"));
  while (true) {
    PROFGAUGE_TRY(const bool more, statement.Step());
    if (!more) return levels;
    HistoryLevel& level = levels.emplace_back();
    level.id = statement.Integer(0);
    level.run = statement.Integer(1);
    level.reason = statement.Text(2);
    level.owner = statement.Text(3);
    level.until = statement.Text(4);
    level.time = statement.Integer(5);
    level.by = statement.Text(6);
    if (!statement.IsNull(7)) level.change = statement.Real(7);
    if (!statement.IsNull(8)) level.up_to = statement.Real(8);
  }
}

Result<std::int64_t> History::Mark(const HistoryLevel& level) { return InsertLevel(level); }

}  // namespace profgauge::gate
