#include "query/guard.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace profgauge::query {
namespace {

// The allowed functions: SQLite's own ones that depend only on their arguments and have no effects,
// sorted; then ours. Excluded on purpose: random(), date() and time(), load_extension(),
// fts3_tokenizer(), sqlite_…(), zeroblob().
constexpr std::string_view kAllowed[] = {"->",
                                         "->>",
                                         "abs",
                                         "avg",
                                         "ceil",
                                         "ceiling",
                                         "char",
                                         "coalesce",
                                         "count",
                                         "cume_dist",
                                         "dense_rank",
                                         "exp",
                                         "first_value",
                                         "floor",
                                         "format",
                                         "glob",
                                         "group_concat",
                                         "hex",
                                         "ifnull",
                                         "iif",
                                         "instr",
                                         "json",
                                         "json_array",
                                         "json_array_length",
                                         "json_each",
                                         "json_extract",
                                         "json_group_array",
                                         "json_group_object",
                                         "json_object",
                                         "json_tree",
                                         "json_type",
                                         "json_valid",
                                         "lag",
                                         "last_value",
                                         "lead",
                                         "length",
                                         "like",
                                         "likelihood",
                                         "likely",
                                         "ln",
                                         "log",
                                         "log10",
                                         "log2",
                                         "lower",
                                         "ltrim",
                                         "max",
                                         "median",
                                         "mib",
                                         "min",
                                         "mod",
                                         "ms",
                                         "nth_value",
                                         "ntile",
                                         "nullif",
                                         "pct",
                                         "percent_rank",
                                         "percentile",
                                         "pi",
                                         "pow",
                                         "power",
                                         "printf",
                                         "quote",
                                         "rank",
                                         "regexp",
                                         "replace",
                                         "round",
                                         "row_number",
                                         "rtrim",
                                         "s",
                                         "short",
                                         "show",
                                         "sign",
                                         "sqrt",
                                         "substr",
                                         "substring",
                                         "sum",
                                         "total",
                                         "trim",
                                         "trunc",
                                         "typeof",
                                         "unicode",
                                         "union_time",
                                         "unlikely",
                                         "upper",
                                         "us"};
static_assert(std::ranges::is_sorted(kAllowed));

constexpr std::string_view kJsonTables[] = {"json_each", "json_tree"};

// A description of an action that statements try.
std::string_view ActionName(int action) {
  switch (action) {
    case SQLITE_ATTACH:
      return "ATTACH opens another file";
    case SQLITE_DETACH:
      return "DETACH changes the connection";
    case SQLITE_PRAGMA:
      return "PRAGMA changes the connection";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return "transactions change the connection";
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return "the tables cannot be changed";
    default:
      return "it would create or change something";
  }
}

int Deny(Seen& seen, std::string why) {
  if (seen.denied.empty()) seen.denied = std::move(why);
  return SQLITE_DENY;
}

// True for SQLite's built-in tables: its schema, and modules that exist without being created.
bool IsOfSqlite(std::string_view name) {
  return name.starts_with("sqlite_") || name.starts_with("pragma_") || name == "dbstat" ||
         name.starts_with("fts") || name.starts_with("rtree") || name.starts_with("bytecode") ||
         name == "tables_used";
}

// SQLite calls it for each table, column and function while it prepares a statement. Unknown
// actions are denied, so that a newer SQLite gets no new rights.
int Authorize(void* aux, int action, const char* first, const char* second, const char*,
              const char*) noexcept try {
  Seen& seen = *static_cast<Seen*>(aux);
  const std::string_view name = first == nullptr ? "" : first;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ: {
      if (seen.only != nullptr && name == seen.only->name) return SQLITE_OK;
      if (const auto place = FindRelation(name); place && seen.only == nullptr) {
        seen.tables.insert(*place);
        return SQLITE_OK;
      }
      // The name is a common table expression of which no column is read, e.g. by count(*).
      const bool is_expression = second != nullptr && *second == '\0' && !IsOfSqlite(name);
      if (is_expression) return SQLITE_OK;
      const bool is_json =
          std::find(std::begin(kJsonTables), std::end(kJsonTables), name) != std::end(kJsonTables);
      return is_json ? SQLITE_OK : Deny(seen, "`" + std::string(name) + "` is SQLite's own table");
    }
    case SQLITE_FUNCTION: {
      const std::string_view function = second == nullptr ? "" : second;
      if (IsAllowedFunction(function)) return SQLITE_OK;
      return Deny(seen, "`" + std::string(function) + "()` is not available");
    }
    default:
      return Deny(seen, std::string(ActionName(action)));
  }
} catch (const std::exception&) {
  return SQLITE_DENY;
}

struct SqlLimit {
  int what, most;
};
// Limits on texts, statements, nesting and so on: a hundred times what ordinary statements need.
constexpr SqlLimit kSqlLimits[] = {
    {SQLITE_LIMIT_LENGTH, 16 << 20},     {SQLITE_LIMIT_SQL_LENGTH, int{kMostStatement}},
    {SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_EXPR_DEPTH, 200},
    {SQLITE_LIMIT_COMPOUND_SELECT, 50},  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1'000},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 100}, {SQLITE_LIMIT_WORKER_THREADS, 0},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 0},
};

std::string InLowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// Uses a table once before the guard is set: its first use creates it, which the guard denies.
int UseOnce(sqlite3* connection, const std::string& table) {
  sqlite3_stmt* statement = nullptr;
  const std::string sql = "SELECT 1 FROM " + table;
  const int code = sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr);
  sqlite3_finalize(statement);
  return code;
}

std::atomic<bool> is_interrupted = false;

// SQLite has one memory limit per process: the first concurrent statement sets it, the last one
// restores the previous value.
std::mutex limit_mutex;
int limit_users = 0;
std::int64_t limit_before = 0;

int OnProgress(void* end) noexcept {
  if (is_interrupted.load(std::memory_order_relaxed)) return 1;
  const auto now = std::chrono::steady_clock::now();
  return now >= *static_cast<std::chrono::steady_clock::time_point*>(end) ? 1 : 0;
}

}  // namespace

bool IsAllowedFunction(std::string_view name) {
  return std::binary_search(std::begin(kAllowed), std::end(kAllowed), InLowerCase(name));
}

std::span<const std::string_view> AllowedFunctions() { return kAllowed; }

int Shut(sqlite3* connection, const std::string& sql, Seen& seen) {
  // A statement can only use a table that it names: SQL has no other spelling than the case.
  const std::string named = InLowerCase(sql);
  // Otherwise a large sort would use a file.
  int code = sqlite3_exec(connection, "PRAGMA temp_store=MEMORY", nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return code;
  for (const RelationInfo& table : seen.only == nullptr ? Schema() : std::span(seen.only, 1)) {
    if (!Contains(named, InLowerCase(table.name))) continue;
    code = UseOnce(connection, "\"" + table.name + "\"");
    if (code != SQLITE_OK) return code;
  }
  for (const std::string_view table : kJsonTables) {
    if (!Contains(named, table)) continue;
    code = UseOnce(connection, std::string(table) + "('[]')");
    if (code != SQLITE_OK) return code;
  }
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  // "x" is always a column, never a text, so that a misspelled column is an error.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  for (const SqlLimit& limit : kSqlLimits) sqlite3_limit(connection, limit.what, limit.most);
  return sqlite3_set_authorizer(connection, Authorize, &seen);
}

MemoryLimit::MemoryLimit() {
  const std::lock_guard lock(limit_mutex);
  if (limit_users++ == 0) limit_before = sqlite3_hard_heap_limit64(kMostStatementMemory);
}

MemoryLimit::~MemoryLimit() {
  const std::lock_guard lock(limit_mutex);
  if (--limit_users == 0) sqlite3_hard_heap_limit64(std::max<std::int64_t>(limit_before, 0));
}

void InterruptStatements(bool now) { is_interrupted = now; }

Deadline::Deadline(sqlite3* connection, std::chrono::milliseconds most)
    : connection_(connection), end_(std::chrono::steady_clock::now() + most) {
  constexpr int kStepsBetweenLooks = 10'000;  // Some tenths of a millisecond.
  sqlite3_progress_handler(connection, kStepsBetweenLooks, OnProgress, &end_);
}

Deadline::~Deadline() { sqlite3_progress_handler(connection_, 0, nullptr, nullptr); }

}  // namespace profgauge::query
