#include "gate/history.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "base/gzip.h"
#include "base/hashes.h"
#include "gate/comparable.h"

namespace profgauge::gate {
namespace {

constexpr std::int64_t kMostRuns = 1000;

// Size limits of a snapshot as JSON, and packed. Runs of 1000 iterations need less than 512 KiB.
constexpr std::size_t kLongestSnapshot = 16 << 20;
constexpr std::size_t kLongestPacked = 900 << 10;
// Snapshots of one program are mostly equal text. With one of them as the dictionary, they take 3
// kB instead of 18. A new dictionary is started when the old one helps little, and after some runs,
// because programs change.
constexpr std::size_t kLongestDictionary = 64 << 10;
constexpr double kUseful = 0.85;
constexpr std::int64_t kRunsOfDictionary = 2000;

// Columns of a run, in the order of ReadRow().
constexpr const char* kColumns =
    "id, time, branch, commit_id, model, verdict, parents, commit_time, policy, median, kind";

std::string HashOf(std::string_view text) {
  ContentHash hash;
  hash.Add(text);
  return hash.Hex();
}

/// A change of the database in memory, which is undone unless it is committed.
class Transaction {
 public:
  static Result<Transaction> Begin(sqlite::Database& database) {
    PROFGAUGE_CHECK(database.Execute("begin"));
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

// The text of a column; nothing if it is longer than any text that this program writes.
std::optional<std::string> TextOf(const sqlite::Statement& statement, int column,
                                  std::size_t most = kLongestHistoryText) {
  const std::string_view text = statement.Text(column);
  if (text.size() > most) return std::nullopt;
  return std::string(text);
}

Result<HistoryRow> ReadRow(const sqlite::Statement& statement, const std::string& path) {
  HistoryRow row;
  row.id = statement.Integer(0);
  row.time = statement.Integer(1);
  row.commit_time = statement.Integer(7);
  row.median = statement.Real(9);
  bool is_whole = row.id > 0 && row.id < std::numeric_limits<std::int64_t>::max();
  const auto read = [&](std::string& out, int column, std::size_t most) {
    auto text = TextOf(statement, column, most);
    is_whole = is_whole && text.has_value();
    out = std::move(text).value_or("");
  };
  read(row.branch, 2, kLongestHistoryText);
  read(row.commit, 3, kLongestHistoryText);
  read(row.model, 4, kLongestHistoryText);
  read(row.verdict, 5, kLongestHistoryText);
  read(row.parents, 6, kLongestHistoryList);
  read(row.policy, 8, kLongestHistoryText);
  read(row.kind, 10, kLongestHistoryList);
  if (is_whole) return row;
  return Fail(DamagedHistory(path, "a run has a number or a text that profgauge does not write"));
}

// Rejects texts that could not be read again.
Status CheckText(const std::string& path, std::string_view name, std::string_view text,
                 std::size_t most = kLongestHistoryText) {
  if (text.size() <= most) return {};
  return Fail(HistoryError(path, "history/too-long",
                           fmt::format("the {} of the run has {} bytes, a history keeps up to {}",
                                       name, text.size(), most),
                           "give a shorter one; nothing was written"));
}

Error Unknown(const std::string& path, std::string slug, std::string message) {
  Error error = HistoryError(path, std::move(slug), std::move(message),
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

Result<History> History::OpenToRead(const std::string& path) {
  PROFGAUGE_TRY(auto database, OpenHistoryFile(path));
  return History(std::move(database), path);
}

Result<History> History::OfBytes(std::string_view bytes, const std::string& path) {
  PROFGAUGE_TRY(auto database, OpenHistoryBytes(bytes, path));
  return History(std::move(database), path);
}

Result<History> History::OpenToAdd(const std::string& path) {
  PROFGAUGE_TRY(LockedHistory file, LockedHistory::Lock(path));
  auto bytes = file.Read();
  if (!bytes) return Fail(std::move(bytes).error());
  auto history = OfBytes(*bytes, path);
  if (history) history->file_.emplace(std::move(file));
  return history;
}

Status History::Save() { return file_->Replace(database_.Serialize()); }

Result<std::int64_t> History::InsertLevel(const HistoryLevel& level) {
  PROFGAUGE_CHECK(CheckText(path_, "reason", level.reason));
  PROFGAUGE_CHECK(CheckText(path_, "owner", level.owner));
  PROFGAUGE_TRY(auto statement,
                database_.Prepare("insert into level (run, reason, owner, until, time, by, change, "
                                  "up_to) values (?, ?, ?, ?, ?, ?, ?, ?)"));
  statement.Bind(1, level.run).Bind(2, level.reason).Bind(3, level.owner);
  statement.Bind(4, level.until).Bind(5, level.time).Bind(6, level.by);
  statement.Bind(7, level.change).Bind(8, level.up_to);
  PROFGAUGE_CHECK(statement.Run());
  return database_.LastRowId();
}

// The text of a dictionary; nullptr if there is none.
Result<const std::string*> History::Dictionary(std::int64_t id) {
  const auto found = dictionaries_.find(id);
  if (found != dictionaries_.end()) return &found->second;
  PROFGAUGE_TRY(auto statement, database_.Prepare("select text from dictionary where id = ?"));
  PROFGAUGE_TRY(const bool is_there, statement.Bind(1, id).Step());
  if (!is_there) return nullptr;
  return &dictionaries_.emplace(id, statement.Blob(0)).first->second;
}

// Packs the snapshot with the last similar run's dictionary or, if that helps little, a new one.
Status History::InsertSnapshot(std::int64_t run, const HistoryRow& row, const Snapshot& snapshot) {
  const std::string text = WriteBaseline({snapshot});
  std::int64_t id = 0;
  std::string packed;
  PROFGAUGE_TRY(auto last, database_.Prepare("select dictionary from snapshot where run = (select "
                                             "max(id) from run where model = ?1 and kind = ?2 and "
                                             "id < ?3)"));
  last.Bind(1, row.model).Bind(2, row.kind).Bind(3, run);
  PROFGAUGE_TRY(const bool has_last, last.Step());
  if (has_last && run - last.Integer(0) < kRunsOfDictionary) {
    id = last.Integer(0);
    PROFGAUGE_TRY(const std::string* dictionary, Dictionary(id));
    if (dictionary != nullptr) packed = Zstd(text, *dictionary);
  }
  const bool is_useful =
      !packed.empty() &&
      static_cast<double>(packed.size()) < kUseful * static_cast<double>(Zstd(text, {}).size());
  if (!is_useful) {
    id = run;
    const std::string dictionary = text.substr(0, kLongestDictionary);
    packed = Zstd(text, dictionary);
    PROFGAUGE_TRY(auto insertion,
                  database_.Prepare("insert into dictionary (id, text) values (?, ?)"));
    PROFGAUGE_CHECK(insertion.Bind(1, id).BindBlob(2, dictionary).Run());
  }
  if (text.size() > kLongestSnapshot || packed.size() > kLongestPacked) {
    return Fail(HistoryError(path_, "history/too-long",
                             fmt::format("the run has {} bytes of values", text.size()),
                             "record fewer iterations; nothing was written"));
  }
  PROFGAUGE_TRY(auto insertion, database_.Prepare("insert into snapshot (run, dictionary, hash, "
                                                  "text) values (?, ?, ?, ?)"));
  insertion.Bind(1, run).Bind(2, id).Bind(3, HashOf(text)).BindBlob(4, packed);
  return insertion.Run();
}

Result<std::int64_t> History::Add(const HistoryEntry& entry,
                                  const std::optional<HistoryLevel>& level) {
  const std::string kind = KindOf(entry.snapshot);
  PROFGAUGE_CHECK(CheckText(path_, "branch", entry.branch));
  PROFGAUGE_CHECK(CheckText(path_, "commit", entry.commit));
  PROFGAUGE_CHECK(CheckText(path_, "model", entry.model));
  PROFGAUGE_CHECK(CheckText(path_, "verdict", entry.verdict));
  PROFGAUGE_CHECK(CheckText(path_, "policy", entry.policy));
  PROFGAUGE_CHECK(CheckText(path_, "parents", entry.parents, kLongestHistoryList));
  PROFGAUGE_CHECK(CheckText(path_, "environment", kind, kLongestHistoryList));
  PROFGAUGE_TRY(Transaction change, Transaction::Begin(database_));
  // Ids must never repeat, because a dictionary keeps the id of its run even if that is removed.
  PROFGAUGE_TRY(auto ids, database_.Prepare("select max((select coalesce(max(id), 0) from run), "
                                            "(select coalesce(max(id), 0) from dictionary)) + 1"));
  PROFGAUGE_TRY(const bool has_id, ids.Step());
  const std::int64_t id = has_id ? ids.Integer(0) : 1;
  PROFGAUGE_TRY(auto statement,
                database_.Prepare("insert into run (time, branch, commit_id, model, verdict, "
                                  "parents, commit_time, policy, median, kind, source, id) "
                                  "values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  statement.Bind(1, entry.time).Bind(2, entry.branch).Bind(3, entry.commit);
  statement.Bind(4, entry.model).Bind(5, entry.verdict);
  statement.Bind(6, entry.parents).Bind(7, entry.commit_time).Bind(8, entry.policy);
  statement.Bind(9, std::optional(MedianIteration(entry.snapshot).value_or(0)));
  statement.Bind(10, kind).Bind(11, entry.snapshot.source).Bind(12, id);
  PROFGAUGE_CHECK(statement.Run());
  HistoryRow row = entry;
  row.kind = kind;
  PROFGAUGE_CHECK(InsertSnapshot(id, row, entry.snapshot));
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
  // Deletes the rows with this id and returns their number.
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
        path_, "history/unknown-level",
        "the history has no accepted level " + std::to_string(id) + "; nothing was removed"));
  }
  for (const std::int64_t id : runs) {
    PROFGAUGE_CHECK(remove("delete from level where run = ?", id));
    PROFGAUGE_CHECK(remove("delete from snapshot where run = ?", id));
    PROFGAUGE_TRY(const std::int64_t count, remove("delete from run where id = ?", id));
    if (count > 0) continue;
    return Fail(Unknown(path_, "history/unknown-run",
                        "the history has no run " + std::to_string(id) + "; nothing was removed"));
  }
  PROFGAUGE_CHECK(database_.Execute(
      "delete from dictionary where id not in (select dictionary from snapshot)"));
  return change.Commit();
}

// Requires ids to ascend, which also ends reading if the file's pages form a cycle.
Result<std::vector<HistoryRow>> History::Rows(std::string_view branch, std::int64_t count) {
  PROFGAUGE_TRY(auto statement, database_.Prepare("select * from (select " + std::string(kColumns) +
                                                  " from run where ?1 = '' or branch = ?1 "
                                                  " order by id desc limit ?2) order by id"));
  statement.Bind(1, branch).Bind(2, count);
  std::vector<HistoryRow> rows;
  while (true) {
    PROFGAUGE_TRY(const bool more, statement.Step());
    if (!more) return rows;
    PROFGAUGE_TRY(HistoryRow row, ReadRow(statement, path_));
    if (!rows.empty() && row.id <= rows.back().id)
      return Fail(DamagedHistory(path_, "the runs are not in order"));
    rows.push_back(std::move(row));
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
  PROFGAUGE_TRY(auto statement,
                database_.Prepare("select dictionary, hash, text from snapshot where run = ?"));
  statement.Bind(1, id);
  PROFGAUGE_TRY(const bool found, statement.Step());
  if (!found) {
    return Fail(
        Unknown(path_, "history/unknown-run", "the history has no run " + std::to_string(id)));
  }
  PROFGAUGE_TRY(const std::string* dictionary, Dictionary(statement.Integer(0)));
  std::optional<std::string> text;
  if (dictionary != nullptr) text = Unzstd(statement.Blob(2), *dictionary, kLongestSnapshot);
  if (!text || HashOf(*text) != statement.Text(1))
    return Fail(DamagedHistory(path_, "run " + std::to_string(id) + " is damaged"));
  PROFGAUGE_TRY(auto runs, ParseBaseline(*text, path_ + ", run " + std::to_string(id)));
  if (runs.size() != 1)
    return Fail(DamagedHistory(path_, "run " + std::to_string(id) + " is damaged"));
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

// Ids have priority over commits: "1234" is run 1234 if it exists. A whole commit has priority over
// the start of another: "abcd" is that commit even if "abcdef" exists.
Result<HistoryRow> History::Find(std::string_view text) {
  constexpr std::size_t kLeastOfCommit = 4;
  const auto first = [&](std::string_view where, auto bind) -> Result<std::optional<HistoryRow>> {
    PROFGAUGE_TRY(auto statement,
                  database_.Prepare(fmt::format("select {} from run where {}", kColumns, where)));
    bind(statement);
    PROFGAUGE_TRY(const bool found, statement.Step());
    if (!found) return std::nullopt;
    PROFGAUGE_TRY(HistoryRow row, ReadRow(statement, path_));
    return row;
  };
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error == std::errc{} && std::to_string(id) == text) {
    PROFGAUGE_TRY(auto row, first("id = ?", [id](auto& statement) { statement.Bind(1, id); }));
    if (row) return *std::move(row);
  }
  const auto by_text = [text](auto& statement) { statement.Bind(1, text); };
  PROFGAUGE_TRY(auto whole, first("commit_id = ? order by id desc limit 1", by_text));
  if (whole && !text.empty()) return *std::move(whole);
  if (text.size() >= kLeastOfCommit) {
    constexpr std::string_view kStarts =
        "commit_id >= ?1 and substr(commit_id, 1, length(?1)) = ?1 order by commit_id";
    PROFGAUGE_TRY(auto low, first(fmt::format("{}, id desc limit 1", kStarts), by_text));
    PROFGAUGE_TRY(auto high, first(fmt::format("{} desc, id desc limit 1", kStarts), by_text));
    if (low && high && low->commit != high->commit) {
      return Fail(Unknown(path_, "history/unknown-run",
                          "`" + std::string(text) + "` is the start of several commits: " +
                              low->commit + ", " + high->commit));
    }
    if (low) return *std::move(low);
  }
  return Fail(Unknown(path_, "history/unknown-run",
                      "the history has no run or commit `" + std::string(text) + "`"));
}

Result<std::optional<std::int64_t>> History::FindSource(std::string_view branch,
                                                        std::string_view source) {
  PROFGAUGE_TRY(auto statement, database_.Prepare("select min(id) from run where source = ?2 and "
                                                  "branch = ?1"));
  statement.Bind(1, branch).Bind(2, source);
  PROFGAUGE_TRY(const bool found, statement.Step());
  const bool is_none = !found || statement.IsNull(0);
  return is_none ? std::nullopt : std::optional(statement.Integer(0));
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
    level.time = statement.Integer(5);
    const auto reason = TextOf(statement, 2), owner = TextOf(statement, 3);
    const auto until = TextOf(statement, 4), by = TextOf(statement, 6);
    if (!reason || !owner || !until || !by)
      return Fail(DamagedHistory(path_, "a level has a text that profgauge does not write"));
    level.reason = *reason;
    level.owner = *owner;
    level.until = *until;
    level.by = *by;
    if (!statement.IsNull(7)) level.change = statement.Real(7);
    if (!statement.IsNull(8)) level.up_to = statement.Real(8);
  }
}

Result<std::int64_t> History::Mark(const HistoryLevel& level) { return InsertLevel(level); }

}  // namespace profgauge::gate
