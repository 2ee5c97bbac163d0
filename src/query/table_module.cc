#include "query/table_module.h"

#include "query/functions.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>
#include <string>

#include "base/table.h"

namespace profgauge::query {
namespace {

// Row counts for SQLite's planner, which works before a profile is read.
constexpr sqlite3_int64 kExpectedEvents = 1'000'000, kExpectedRows = 1'000, kExpectedRanks = 8;

// Hidden columns follow those of the table: `run` is the run's number, `at` a time that an event
// covers.
enum Hidden : int { kRun, kAt, kHiddenColumns };

// The conditions that xBestIndex passes to xFilter, as bits of idxNum. Their values come in the
// order of the bits.
enum Pushed : int { kById = 1, kByRank = 2, kByRun = 4, kAtMoment = 8 };

struct SqlTable : sqlite3_vtab {
  const Relation* relation = nullptr;
  int columns = 0;
  int id = -1, rank = -1, start = -1, duration = -1;  ///< Columns of events; -1: none.
};

// A position in the rows of a table, part by part:
//
//     parts     rank 0: rows 0 1 2 3     rank 1: rows 0 1 2      rank 2: rows 0 1
//     where rank = 1                                  ^ part 1, row 0: end is 3
//     where id = first_id(1) + 2                          ^ row 2 only: end is 3
//     where at = 50                      rows whose [start, start + duration) has 50
struct Cursor : sqlite3_vtab_cursor {
  std::size_t part = 0, row = 0, end = 0;  // `end`: of this part's visited rows.
  std::optional<std::int64_t> id, rank, at;
  std::optional<std::string> run;

  const SqlTable& table() const { return *static_cast<const SqlTable*>(pVtab); }
  const std::vector<Part>& parts() const { return table().relation->parts; }
};

std::string_view TypeName(Unit unit) {
  switch (CellTypeOf(unit)) {
    case CellType::kInteger:
      return "INTEGER";
    case CellType::kText:
      return "TEXT";
    case CellType::kReal:
      break;
  }
  return unit == Unit::kNumber ? "" : "REAL";  // Numbers may be integers or texts.
}

// Rows made by a statement have only its column names.
bool HasHidden(const RelationInfo& info) { return info.origin != Origin::kAnswer; }

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string Declaration(const RelationInfo& info) {
  std::string sql = "CREATE TABLE x(";
  for (const ColumnInfo& column : info.columns) {
    sql += (sql.ends_with('(') ? "" : ", ") + Quoted(column.name) + " " +
           std::string(TypeName(column.unit));
  }
  return sql + (HasHidden(info) ? ", run TEXT HIDDEN, at INTEGER HIDDEN)" : ")");
}

int PlaceOf(const RelationInfo& info, std::string_view column) {
  const ColumnInfo* found = info.Find(column);
  return found == nullptr ? -1 : static_cast<int>(found - info.columns.data());
}

int Connect(sqlite3* connection, void* aux, int, const char* const*, sqlite3_vtab** made,
            char**) noexcept try {
  const auto& relation = *static_cast<const Relation*>(aux);
  const RelationInfo& info = *relation.info;
  const int code = sqlite3_declare_vtab(connection, Declaration(info).c_str());
  if (code != SQLITE_OK) return code;
  auto* table = new SqlTable{};
  table->relation = &relation;
  table->columns = static_cast<int>(info.columns.size());
  if (info.origin == Origin::kEvents) {
    table->id = PlaceOf(info, "id");
    table->rank = PlaceOf(info, "rank");
    table->start = PlaceOf(info, "start");
    table->duration = PlaceOf(info, "duration");
  }
  *made = table;
  return SQLITE_OK;
} catch (const std::exception&) {
  return SQLITE_NOMEM;
}

int Disconnect(sqlite3_vtab* table) noexcept {
  delete static_cast<SqlTable*>(table);
  return SQLITE_OK;
}

int PushedBy(const SqlTable& table, int column) {
  if (column < 0) return 0;
  if (column == table.id) return kById;
  if (column == table.rank) return kByRank;
  if (column == table.columns + kRun) return kByRun;
  return column == table.columns + kAt ? kAtMoment : 0;
}

// SQLite calls it with each set of conditions that a join would offer, and takes the cheapest
// answer. Only equality is passed on; SQLite filters the rest.
int BestIndex(sqlite3_vtab* of, sqlite3_index_info* index) noexcept {
  const auto& table = *static_cast<const SqlTable*>(of);
  int used[kAtMoment + 1] = {};  // By bit: the constraint's index plus 1.
  for (int i = 0; i < index->nConstraint; ++i) {
    const auto& constraint = index->aConstraint[i];
    if (constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    const int bit = PushedBy(table, constraint.iColumn);
    // Events have no `at` value of their own: a plan that does not pass it on would find none.
    if (bit == kAtMoment && constraint.usable == 0) return SQLITE_CONSTRAINT;
    if (bit != 0 && constraint.usable != 0) used[bit] = i + 1;
  }
  int arguments = 0;
  for (const int bit : {kById, kByRank, kByRun, kAtMoment}) {
    if (used[bit] == 0) continue;
    index->idxNum |= bit;
    auto& usage = index->aConstraintUsage[used[bit] - 1];
    usage.argvIndex = ++arguments;
    usage.omit = bit == kAtMoment ? 1 : 0;  // SQLite checks the others again.
  }
  const bool is_events = table.id >= 0;
  sqlite3_int64 rows = is_events ? kExpectedEvents : kExpectedRows;
  if ((index->idxNum & kByRank) != 0) rows /= kExpectedRanks;
  index->estimatedCost = static_cast<double>(rows);
  if ((index->idxNum & kAtMoment) != 0) rows = 10;
  if ((index->idxNum & kById) != 0) {
    rows = 1;
    index->estimatedCost = 1;
    index->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  }
  index->estimatedRows = rows;
  return SQLITE_OK;
}

int Open(sqlite3_vtab*, sqlite3_vtab_cursor** made) noexcept try {
  *made = new Cursor{};
  return SQLITE_OK;
} catch (const std::exception&) {
  return SQLITE_NOMEM;
}

int Close(sqlite3_vtab_cursor* cursor) noexcept {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

std::int64_t IntegerIn(const Cell& cell, std::int64_t otherwise) {
  const auto* integer = std::get_if<std::int64_t>(&cell);
  return integer == nullptr ? otherwise : *integer;
}

bool Covers(const Cursor& cursor) {
  if (!cursor.at) return true;
  const SqlTable& table = cursor.table();
  if (table.start < 0 || table.duration < 0) return false;
  const Rows& rows = *cursor.parts()[cursor.part].rows;
  const auto cell = [&](int column) {
    return IntegerIn(rows.At(cursor.row, static_cast<std::size_t>(column)), 0);
  };
  const std::int64_t start = cell(table.start);
  return start <= *cursor.at && *cursor.at - start < cell(table.duration);
}

bool Visits(const Cursor& cursor, const Part& part) {
  if (cursor.run && *cursor.run != part.run) return false;
  return !cursor.rank || !part.rank || *cursor.rank == *part.rank;
}

// Moves to the first visited row of `part` or of a later part.
void EnterParts(Cursor& cursor) {
  for (; cursor.part < cursor.parts().size(); ++cursor.part) {
    const Part& part = cursor.parts()[cursor.part];
    if (!Visits(cursor, part)) continue;
    cursor.row = 0;
    cursor.end = part.rows->size();
    if (cursor.id) {
      const std::int64_t row = *cursor.id - part.first_id;
      if (row < 0 || static_cast<std::size_t>(row) >= cursor.end) continue;
      cursor.row = static_cast<std::size_t>(row);
      cursor.end = cursor.row + 1;
    }
    while (cursor.row < cursor.end && !Covers(cursor)) ++cursor.row;
    if (cursor.row < cursor.end) return;
  }
}

int Next(sqlite3_vtab_cursor* of) noexcept try {
  auto& cursor = *static_cast<Cursor*>(of);
  do {
    ++cursor.row;
  } while (cursor.row < cursor.end && !Covers(cursor));
  if (cursor.row >= cursor.end) {
    ++cursor.part;
    EnterParts(cursor);
  }
  return SQLITE_OK;
} catch (const std::exception&) {
  return SQLITE_NOMEM;
}

// An integer; nullopt for values that SQLite must compare itself.
std::optional<std::int64_t> WholeNumber(sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER) return sqlite3_value_int64(value);
  if (type != SQLITE_FLOAT) return std::nullopt;
  const double real = sqlite3_value_double(value);
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!(real > -kExact && real < kExact)) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(real);
  return static_cast<double>(whole) == real ? std::optional(whole) : std::nullopt;
}

int Filter(sqlite3_vtab_cursor* of, int pushed, const char*, int, sqlite3_value** values) noexcept
    try {
  auto& cursor = *static_cast<Cursor*>(of);
  cursor.id.reset(), cursor.rank.reset(), cursor.run.reset(), cursor.at.reset();
  cursor.part = 0;
  if ((pushed & kById) != 0) cursor.id = WholeNumber(*values++);
  if ((pushed & kByRank) != 0) cursor.rank = WholeNumber(*values++);
  if ((pushed & kByRun) != 0) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(*values));
    if (text != nullptr) cursor.run = text;
    ++values;
  }
  if ((pushed & kAtMoment) != 0) {
    cursor.at = WholeNumber(*values);
    if (!cursor.at) cursor.part = cursor.parts().size();  // No event covers an invalid time.
  }
  EnterParts(cursor);
  return SQLITE_OK;
} catch (const std::exception&) {
  return SQLITE_NOMEM;
}

int Eof(sqlite3_vtab_cursor* of) noexcept {
  const auto& cursor = *static_cast<const Cursor*>(of);
  return cursor.part >= cursor.parts().size() ? 1 : 0;
}

void SetResult(sqlite3_context* context, const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    return sqlite3_result_int64(context, *integer);
  }
  if (const auto* real = std::get_if<double>(&cell)) return sqlite3_result_double(context, *real);
  if (const auto* view = std::get_if<std::string_view>(&cell)) {
    return sqlite3_result_text64(context, view->data() == nullptr ? "" : view->data(), view->size(),
                                 SQLITE_STATIC, SQLITE_UTF8);
  }
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT,
                                 SQLITE_UTF8);
  }
  sqlite3_result_null(context);
}

int ColumnOf(sqlite3_vtab_cursor* of, sqlite3_context* context, int column) noexcept try {
  const auto& cursor = *static_cast<const Cursor*>(of);
  const Part& part = cursor.parts()[cursor.part];
  const int hidden = column - cursor.table().columns;
  if (hidden == kRun) {
    SetResult(context, std::string_view(part.run));
  } else if (hidden == kAt) {
    SetResult(context, cursor.at ? Cell(*cursor.at) : Cell());
  } else {
    SetResult(context, part.rows->At(cursor.row, static_cast<std::size_t>(column)));
  }
  return SQLITE_OK;
} catch (const std::exception&) {
  return SQLITE_NOMEM;
}

// The part is in the upper 28 bits, the row in the lower 36 as in kIdsOfRank (6.9e10 rows).
int RowId(sqlite3_vtab_cursor* of, sqlite3_int64* id) noexcept {
  const auto& cursor = *static_cast<const Cursor*>(of);
  constexpr int kBitsOfRow = 36;
  *id = static_cast<sqlite3_int64>((std::uint64_t{cursor.part} << kBitsOfRow) + cursor.row);
  return SQLITE_OK;
}

// Without xCreate: each table exists by its name, and none can be created.
sqlite3_module MakeModule() {
  sqlite3_module module{};
  module.xConnect = Connect;
  module.xBestIndex = BestIndex;
  module.xDisconnect = Disconnect;
  module.xOpen = Open;
  module.xClose = Close;
  module.xFilter = Filter;
  module.xNext = Next;
  module.xEof = Eof;
  module.xColumn = ColumnOf;
  module.xRowid = RowId;
  return module;
}

}  // namespace

int AddTables(sqlite3* connection, std::span<const Relation> tables) {
  static const sqlite3_module kModule = MakeModule();
  for (const Relation& relation : tables) {
    const int code = sqlite3_create_module_v2(connection, relation.info->name.c_str(), &kModule,
                                              const_cast<Relation*>(&relation), nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace profgauge::query
