#include "query/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <new>

#include "base/errors.h"
#include "base/format.h"
#include "base/text.h"
#include "query/functions.h"
#include "query/table_module.h"

namespace profgauge::query {
namespace {

constexpr std::string_view kHowToSeeColumns =
    "help: `profgauge query --schema TABLE` lists its columns, without TABLE the tables";
constexpr std::string_view kHowToSeeTables = "help: `profgauge query --schema` lists the tables";

/// Words that other tools use for our tables.
struct OtherWord {
  std::string_view word, tables;
};
constexpr OtherWord kOtherWords[] = {
    {"operators", "`ops`"},
    {"operator", "`ops`"},
    {"op", "`ops`"},
    {"aten_ops", "`ops`"},
    {"steps", "`iterations`"},
    {"step", "`iterations`"},
    {"events", "`device_events`, `host_events`"},
    {"event", "`device_events`, `host_events`"},
    {"slice", "`device_events`, `host_events`"},
    {"slices", "`device_events`, `host_events`"},
    {"kernel_events", "`device_events`"},
    {"gpu_events", "`device_events`"},
    {"cpu_events", "`host_events`"},
    {"nvtx", "`ranges`"},
    {"annotations", "`ranges`"},
    {"comm", "`collectives`"},
    {"nccl", "`collectives`"},
    {"communication", "`collectives`"},
    {"copies", "`memcpys`"},
    {"memcpy", "`memcpys`"},
    {"idle", "`gaps`, `gap_events`"},
    {"memory", "`memory_ops`"},
    {"allocations", "`memory_ops`"},
    {"devices", "`gpus`"},
    {"device", "`gpus`"},
    {"rules", "`judged_rules`, `findings`"},
};

std::string_view AsView(const unsigned char* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// Line and column of a byte in the statement.
Where PlaceIn(const std::string& sql, const std::string& file, int offset) {
  Where where;
  where.file = file.empty() ? "SQL" : file;
  if (offset < 0 || static_cast<std::size_t>(offset) > sql.size()) return where;
  const std::string_view before = std::string_view(sql).substr(0, static_cast<std::size_t>(offset));
  where.line = 1 + static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line = before.rfind('\n');
  where.column = static_cast<std::uint32_t>(before.size() -
                                            (line == std::string_view::npos ? 0 : line + 1) + 1);
  return where;
}

// The word after `start` in SQLite's message; empty for another message.
std::string_view NamedAfter(std::string_view message, std::string_view start) {
  return message.starts_with(start) ? message.substr(start.size()) : std::string_view();
}

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::vector<std::string_view> WordsOf(std::string_view sql) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < sql.size();) {
    std::size_t end = at;
    while (end < sql.size() && IsWord(sql[end])) ++end;
    if (end > at) words.push_back(sql.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

std::string Lower(std::string_view word) {
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return small;
}

// Returns the tables that the statement names. Those after FROM and JOIN come first, since a column
// may have the name of a table.
std::vector<const RelationInfo*> NamedTables(std::string_view sql) {
  std::vector<const RelationInfo*> first, others;
  std::string before;
  for (const std::string_view word : WordsOf(sql)) {
    const std::string small = Lower(word);
    if (const auto place = FindRelation(small)) {
      auto& into = before == "from" || before == "join" ? first : others;
      into.push_back(&Schema()[*place]);
    }
    before = small;
  }
  first.insert(first.end(), others.begin(), others.end());
  std::vector<const RelationInfo*> once;
  for (const RelationInfo* table : first) {
    if (std::find(once.begin(), once.end(), table) == once.end()) once.push_back(table);
  }
  return once;
}

// Returns the columns of the tables that the statement names; of all tables, if it names none.
// Names that the statement already contains are not suggested.
std::vector<std::string_view> NearColumns(std::string_view sql) {
  std::vector<std::string_view> names;
  const auto add = [&](const RelationInfo& table) {
    for (const ColumnInfo& column : table.columns) names.push_back(column.name);
  };
  for (const RelationInfo* table : NamedTables(sql)) add(*table);
  if (names.empty()) std::for_each(Schema().begin(), Schema().end(), add);
  const std::vector<std::string_view> said = WordsOf(sql);
  std::erase_if(names, [&](std::string_view name) {
    return std::find(said.begin(), said.end(), name) != said.end();
  });
  return names;
}

// All columns of each table that the statement names: a short list is better than a guess.
std::vector<std::string> ColumnsOf(std::string_view sql) {
  constexpr std::size_t kMostTables = 3;
  std::vector<std::string> notes;
  for (const RelationInfo* table : NamedTables(sql)) {
    if (notes.size() == kMostTables) {
      notes.push_back(fmt::format("help: `profgauge query --schema {}` lists the columns of `{}`",
                                  table->name, table->name));
      continue;
    }
    // Keys first, then by the alphabet, so that a word is found in a long list.
    std::vector<std::pair<bool, std::string_view>> names;
    for (const ColumnInfo& column : table->columns) names.emplace_back(!column.is_key, column.name);
    std::sort(names.begin(), names.end());
    std::string list;
    for (const auto& [is_other, name] : names) list.append(list.empty() ? "" : ", ").append(name);
    notes.push_back(fmt::format("help: columns of `{}`: {}", table->name, list));
  }
  return notes;
}

std::string_view InOurWords(std::string_view table) {
  const std::string small = Lower(table);
  for (const OtherWord& other : kOtherWords) {
    if (other.word == small) return other.tables;
  }
  return {};
}

std::vector<std::string_view> NamesOf(const RelationInfo& table) {
  std::vector<std::string_view> names;
  for (const ColumnInfo& column : table.columns) names.push_back(column.name);
  return names;
}

std::vector<std::string_view> TableNames() {
  std::vector<std::string_view> names;
  for (const RelationInfo& table : Schema()) names.push_back(table.name);
  return names;
}

// A number if all of the text is one and the type is not text.
Cell ParameterValue(const std::string& text, ParameterType type) {
  if (type == ParameterType::kText) return text;
  const char* const end = text.data() + text.size();
  std::int64_t integer = 0;
  const auto whole = std::from_chars(text.data(), end, integer);
  if (whole.ec == std::errc() && whole.ptr == end) return integer;
  double real = 0;
  const auto fraction = std::from_chars(text.data(), end, real);
  if (fraction.ec == std::errc() && fraction.ptr == end) return real;
  return text;
}

bool Fits(const Cell& value, ParameterType type) {
  const bool is_whole = std::holds_alternative<std::int64_t>(value);
  switch (type) {
    case ParameterType::kInteger:
      return is_whole;
    case ParameterType::kReal:
      return is_whole || std::holds_alternative<double>(value);
    case ParameterType::kText:
    case ParameterType::kAny:
      break;
  }
  return true;
}

// Returns `rank` for `:rank`.
std::string_view ParameterName(sqlite3_stmt* statement, int number) {
  const char* name = sqlite3_bind_parameter_name(statement, number);
  return name == nullptr ? std::string_view() : std::string_view(name).substr(1);
}

Error ParameterError(std::string message, std::string help) {
  return UsageError("query/param", std::move(message), std::move(help));
}

}  // namespace

Error Query::SqlError(int code) const {
  const std::string message = sqlite3_errmsg(connection_.get());
  const int primary = code & 0xff;
  Error error;
  error.kind = ErrorKind::kUsage;
  error.where = PlaceIn(sql_, file_, sqlite3_error_offset(connection_.get()));
  // SQLite itself rejects changes to virtual tables.
  const bool is_change = message.find(" may not be ") != std::string::npos ||
                         message.find("create triggers on virtual tables") != std::string::npos;
  if (is_change && seen_->denied.empty()) seen_->denied = "the tables cannot be changed";
  if (!seen_->denied.empty()) {
    error.code = "query/read-only";
    error.message =
        "a query only reads the tables of the profile: " + PrintableShort(seen_->denied, 200);
    error.notes = {"help: write one SELECT; `profgauge query --schema` lists the tables"};
    return error;
  }
  if (primary == SQLITE_NOMEM || primary == SQLITE_TOOBIG) {
    error.kind = ErrorKind::kInput;
    error.code = "query/out-of-memory";
    error.message =
        primary == SQLITE_TOOBIG
            ? "a text, or the statement, is too large for a query"
            : fmt::format("the query needs more than {} MiB of memory", kMostStatementMemory >> 20);
    error.notes = {"help: select fewer rows or columns, or sort after grouping"};
    return error;
  }
  if (primary == SQLITE_INTERRUPT) {
    error.kind = ErrorKind::kInput;
    error.code = "query/out-of-time";
    error.message = fmt::format("the query ran for {}",
                                FormatDuration(static_cast<double>(most_.count()) * 1e6));
    error.notes = {"help: restrict it by `rank` or `iteration`, or raise --timeout"};
    return error;
  }
  error.code = "query/sql";
  error.message = PrintableShort(message, 300);
  const std::string_view table = NamedAfter(message, "no such table: ");
  const std::string_view ours = seen_->only == nullptr ? InOurWords(table) : std::string_view();
  if (!ours.empty()) {
    error.notes.push_back(fmt::format("help: here it is {}", ours));
  } else if (const std::string_view near = Nearest(message); !near.empty()) {
    error.notes.push_back(fmt::format("help: did you mean `{}`?", near));
  }
  std::vector<std::string> columns;
  if (message.find("column") != message.npos && seen_->only == nullptr) columns = ColumnsOf(sql_);
  error.notes.insert(error.notes.end(), columns.begin(), columns.end());
  if (columns.empty()) {
    error.notes.emplace_back(table.empty() ? kHowToSeeColumns : kHowToSeeTables);
  }
  return error;
}

// The known name that is most similar to the unknown one.
std::string_view Query::Nearest(std::string_view message) const {
  const RelationInfo* only = seen_->only;
  if (const auto table = NamedAfter(message, "no such table: "); !table.empty()) {
    return only == nullptr ? DidYouMean(table, TableNames()) : std::string_view(only->name);
  }
  if (const auto function = NamedAfter(message, "no such function: "); !function.empty()) {
    return DidYouMean(function, AllowedFunctions());
  }
  if (auto column = NamedAfter(message, "no such column: "); !column.empty()) {
    column.remove_prefix(column.rfind('.') + 1);
    return DidYouMean(column, only == nullptr ? NearColumns(sql_) : NamesOf(*only));
  }
  return {};
}

Status Query::Open(std::span<const Relation> tables) {
  sqlite3* connection = nullptr;
  int code =
      sqlite3_open_v2(":memory:", &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nullptr);
  connection_.reset(connection);
  if (code == SQLITE_OK) code = AddTables(connection, tables);
  if (code == SQLITE_OK) code = AddFunctions(connection);
  if (code == SQLITE_OK) code = Shut(connection, sql_, *seen_);
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  if (code == SQLITE_OK) return {};
  return Fail(Error{ErrorKind::kInternal,
                    "query/failed",
                    fmt::format("SQLite reports: {}", sqlite3_errmsg(connection)),
                    {},
                    {}});
}

// SQLite stops after the first statement; `tail` is the rest. It may only have blanks and comments,
// which prepare no statement: a NUL byte would hide a second one.
Status Query::Parse() {
  sqlite3_stmt* statement = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v2(connection_.get(), sql_.c_str(),
                                      static_cast<int>(sql_.size()) + 1, &statement, &tail);
  statement_.reset(statement);
  if (code != SQLITE_OK) return Fail(SqlError(code));
  if (statement == nullptr) {
    return Fail(UsageError("query/sql", "there is no statement",
                           "e.g. \"select name, ms(time) from kernels order by time desc\""));
  }
  const auto end = static_cast<int>(tail - sql_.c_str());
  sqlite3_stmt* second = nullptr;
  Seen ignored = *seen_;  // Later statements never run.
  const int more = sqlite3_prepare_v2(connection_.get(), tail, -1, &second, nullptr);
  const bool has_more = more != SQLITE_OK || second != nullptr ||
                        static_cast<std::size_t>(end) + std::string_view(tail).size() < sql_.size();
  sqlite3_finalize(second);
  *seen_ = std::move(ignored);
  if (has_more) {
    Error error = UsageError("query/one-statement", "a query is one statement, found a second one",
                             "run one query for each statement");
    error.where = PlaceIn(sql_, file_, end);
    return Fail(std::move(error));
  }
  // VACUUM INTO does not ask the authorizer before it runs.
  if (sqlite3_stmt_readonly(statement) != 0 && sqlite3_column_count(statement) > 0) return {};
  seen_->denied = "the statement returns no rows";
  return Fail(SqlError(SQLITE_AUTH));
}

Status Query::Bind(const Parameters& parameters) {
  sqlite3_stmt* const statement = statement_.get();
  const int count = sqlite3_bind_parameter_count(statement);
  std::vector<bool> is_bound(static_cast<std::size_t>(count) + 1);
  std::vector<std::string_view> names;
  for (int i = 1; i <= count; ++i) names.push_back(ParameterName(statement, i));
  for (const auto& [name, text, type] : parameters) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      return Fail(ParameterError(fmt::format("the query has no parameter `{}`", Printable(name)),
                                 names.empty() ? "the statement names none, e.g. `rank = :rank`"
                                               : fmt::format("it has {}", fmt::join(names, ", "))));
    }
    const int number = static_cast<int>(found - names.begin()) + 1;
    const Cell value = ParameterValue(text, type);
    if (!Fits(value, type)) {
      return Fail(
          ParameterError(fmt::format("the parameter `{}` needs {}, found `{}`", Printable(name),
                                     type == ParameterType::kInteger ? "an integer" : "a number",
                                     PrintableShort(text)),
                         fmt::format("give `--param {}=VALUE`", Printable(name))));
    }
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      sqlite3_bind_int64(statement, number, *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      sqlite3_bind_double(statement, number, *real);
    } else {
      sqlite3_bind_text64(statement, number, text.data(), text.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8);
    }
    is_bound[static_cast<std::size_t>(number)] = true;
  }
  for (int i = 1; i <= count; ++i) {
    if (is_bound[static_cast<std::size_t>(i)]) continue;
    const std::string_view name = names[static_cast<std::size_t>(i) - 1];
    return Fail(ParameterError(fmt::format("the parameter `{}` has no value", Printable(name)),
                               fmt::format("add `--param {}=VALUE`", Printable(name))));
  }
  return {};
}

Result<Query> Query::Prepare(const std::string& sql, const std::string& file,
                             const Parameters& parameters, const Dataset& data) {
  Query query;
  query.sql_ = sql;
  query.file_ = file;
  PROFGAUGE_CHECK(query.Open(data.tables()));
  PROFGAUGE_CHECK(query.Parse());
  PROFGAUGE_CHECK(query.Bind(parameters));
  return query;
}

Result<Query> Query::PrepareOver(const std::string& sql, const Relation& rows) {
  Query query;
  query.sql_ = sql;
  query.seen_->only = rows.info;
  PROFGAUGE_CHECK(query.Open(std::span(&rows, 1)));
  PROFGAUGE_CHECK(query.Parse());
  PROFGAUGE_CHECK(query.Bind({}));
  return query;
}

// A plain column of the catalog keeps its unit, whatever name the statement gives it. A computed
// column has none.
std::vector<RowColumn> Query::Columns() const {
  sqlite3_stmt* const statement = statement_.get();
  std::vector<RowColumn> columns;
  const bool is_plan = sqlite3_stmt_isexplain(statement) != 0;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    RowColumn column{sqlite3_column_name(statement, i), std::nullopt};
    const char* table = sqlite3_column_table_name(statement, i);
    const char* origin = sqlite3_column_origin_name(statement, i);
    const RelationInfo* relation = seen_->only;
    if (table == nullptr || origin == nullptr || is_plan) {
      relation = nullptr;
    } else if (relation == nullptr) {
      const auto place = FindRelation(table);
      relation = place ? &Schema()[*place] : nullptr;
    }
    const ColumnInfo* info = relation == nullptr ? nullptr : relation->Find(origin);
    // Plain numbers have various meanings: their tables have a separate column for the unit.
    if (info != nullptr && info->unit != Unit::kNumber) column.unit = info->unit;
    columns.push_back(std::move(column));
  }
  return columns;
}

void Query::Start(std::chrono::milliseconds most) {
  most_ = most;
  memory_ = std::make_unique<MemoryLimit>();
  deadline_ = std::make_unique<Deadline>(connection_.get(), most);
}

Result<bool> Query::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return Fail(SqlError(code));
}

void Query::Read(std::vector<Cell>& cells) const {
  sqlite3_stmt* const statement = statement_.get();
  cells.clear();
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_INTEGER:
        cells.emplace_back(static_cast<std::int64_t>(sqlite3_column_int64(statement, i)));
        break;
      case SQLITE_FLOAT:
        cells.emplace_back(sqlite3_column_double(statement, i));
        break;
      case SQLITE_TEXT:
      case SQLITE_BLOB: {
        const std::string_view text = AsView(sqlite3_column_text(statement, i));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
        cells.emplace_back(std::string_view(text.data(), size));
        break;
      }
      default:
        cells.emplace_back();
    }
  }
}

}  // namespace profgauge::query
