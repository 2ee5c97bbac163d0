#include "support/plain_tables.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "support/fuzz.h"
#include "support/table_cells.h"

namespace {

using profgauge::fuzz::CellValue;
using profgauge::fuzz::Require;

struct Cell {
  int type = SQLITE_NULL;
  std::int64_t whole = 0;
  double real = 0;
  std::string text;
};
using Row = std::vector<Cell>;

struct Table {
  std::string name;
  std::vector<std::string> columns;
  std::deque<Row> rows;
};
std::vector<Table> tables;

const Cell kNothing;

Cell TextCell(std::string_view text) { return {SQLITE_TEXT, 0, 0, std::string(text)}; }

Table* Find(std::string_view name) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

/// The text between the next two quotes, which are removed with the text before them.
std::string Quoted(std::string_view& sql) {
  sql.remove_prefix(std::min(sql.size(), sql.find('"') + 1));
  return std::string(profgauge::fuzz::CutAt(sql, '"'));
}

}  // namespace

struct sqlite3 {};

struct sqlite3_stmt {
  enum class Asks { kTables, kHasTable, kColumns, kRows, kNothing };
  Asks asks = Asks::kNothing;
  std::string table;               ///< Bound, or of kRows in the statement.
  std::vector<int> columns;        ///< Columns of kRows; -1: null.
  int filtered = -1;               ///< The column that the rows are chosen by.
  std::vector<std::int64_t> only;  ///< Its numbers.
  std::size_t next = 0;
  Row row;
  std::vector<const Cell*> at;

  bool Fits(const Row& cells) const {
    if (filtered < 0) return true;
    const Cell& cell = cells[static_cast<std::size_t>(filtered)];
    return std::any_of(only.begin(), only.end(), [&](std::int64_t number) {
      return cell.type == SQLITE_INTEGER
                 ? cell.whole == number
                 : cell.type == SQLITE_FLOAT && cell.real == static_cast<double>(number);
    });
  }
  bool Give(std::string_view text) {
    row = {TextCell(text)};
    at = {&row[0]};
    return true;
  }
  bool StepRows(const Table& of) {
    while (next < of.rows.size() && !Fits(of.rows[next])) ++next;
    if (next == of.rows.size()) return false;
    const Row& cells = of.rows[next++];
    at.clear();
    for (const int column : columns) {
      at.push_back(column < 0 ? &kNothing : &cells[static_cast<std::size_t>(column)]);
    }
    return true;
  }
  bool Step() {
    if (asks == Asks::kNothing) return false;
    if (asks == Asks::kTables) return next < tables.size() && Give(tables[next++].name);
    const Table* of = Find(table);
    if (of == nullptr) return false;
    if (asks == Asks::kHasTable) return next++ == 0 && Give("1");
    if (asks == Asks::kColumns) return next < of->columns.size() && Give(of->columns[next++]);
    return StepRows(*of);
  }
};

namespace {

using Asks = sqlite3_stmt::Asks;

int ColumnIn(const Table& table, std::string_view name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  Require(found != table.columns.end(), "columns that are selected are there");
  return static_cast<int>(found - table.columns.begin());
}

/// `"a", null, "b" from "T" not indexed where (1)`, `(0)` or `("c" in (1, 2))`.
void PrepareRows(std::string_view sql, sqlite3_stmt& statement) {
  statement.asks = Asks::kRows;
  const std::size_t from = sql.find(" from \"");
  Require(from != std::string_view::npos, "a statement that is known");
  std::string_view selected = sql.substr(0, from), rest = sql.substr(from);
  statement.table = Quoted(rest);
  const Table* table = Find(statement.table);
  Require(table != nullptr, "a table that is there");
  for (bool more = true; more;) {
    const bool is_null = selected.starts_with("null");
    if (is_null) selected.remove_prefix(std::strlen("null"));
    statement.columns.push_back(is_null ? -1 : ColumnIn(*table, Quoted(selected)));
    more = selected.starts_with(", ");
    if (more) selected.remove_prefix(2);
  }
  rest.remove_prefix(rest.find('(') + 1);
  if (rest.starts_with("0")) statement.asks = Asks::kNothing;
  if (!rest.starts_with("\"")) return;
  statement.filtered = ColumnIn(*table, Quoted(rest));
  rest.remove_prefix(rest.find('(') + 1);
  for (std::int64_t number = 0; !rest.empty() && rest.front() != ')';) {
    const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), number).ptr;
    statement.only.push_back(number);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    while (rest.starts_with(",") || rest.starts_with(" ")) rest.remove_prefix(1);
  }
}

/// As SQLite casts a text.
std::int64_t WholeOf(const std::string& text) {
  errno = 0;
  return std::strtoll(text.c_str(), nullptr, 10);
}
double RealOf(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n\r\f\v");
  if (begin == std::string::npos) return 0;
  const std::size_t digit = begin + (text[begin] == '-' || text[begin] == '+' ? 1 : 0);
  const bool is_number =
      digit < text.size() &&
      (std::isdigit(static_cast<unsigned char>(text[digit])) || text[digit] == '.');
  if (!is_number || text.substr(digit, 2) == "0x" || text.substr(digit, 2) == "0X") return 0;
  return std::strtod(text.c_str(), nullptr);
}

sqlite3 the_database;

}  // namespace

extern "C" {

int sqlite3_open_v2(const char*, sqlite3** handle, int, const char*) {
  *handle = &the_database;
  return SQLITE_OK;
}
int sqlite3_close_v2(sqlite3*) { return SQLITE_OK; }
int sqlite3_busy_timeout(sqlite3*, int) { return SQLITE_OK; }
int sqlite3_db_config(sqlite3*, int, ...) { return SQLITE_OK; }
int sqlite3_exec(sqlite3*, const char*, int (*)(void*, int, char**, char**), void*, char**) {
  return SQLITE_OK;
}
int sqlite3_limit(sqlite3*, int, int) { return 0; }
void sqlite3_progress_handler(sqlite3*, int, int (*)(void*), void*) {}
int sqlite3_extended_errcode(sqlite3*) { return SQLITE_ERROR; }
const char* sqlite3_errmsg(sqlite3*) { return ""; }
sqlite3* sqlite3_db_handle(sqlite3_stmt*) { return &the_database; }

int sqlite3_prepare_v2(sqlite3*, const char* text, int size, sqlite3_stmt** statement,
                       const char**) {
  std::string_view sql(text, static_cast<std::size_t>(size));
  *statement = new sqlite3_stmt;
  if (sql.starts_with("select name from sqlite_master")) {
    (*statement)->asks = Asks::kTables;
  } else if (sql.starts_with("select c.name from sqlite_master") ||
             sql.starts_with("select name from pragma_table_info")) {
    (*statement)->asks = Asks::kColumns;
  } else if (sql.starts_with("select 1 from sqlite_master")) {
    (*statement)->asks = Asks::kHasTable;
  } else if (!sql.starts_with("select page_count")) {  // As if there were none: no table is long.
    PrepareRows(sql.substr(std::strlen("select ")), **statement);
  }
  return SQLITE_OK;
}
int sqlite3_finalize(sqlite3_stmt* statement) {
  delete statement;
  return SQLITE_OK;
}
int sqlite3_reset(sqlite3_stmt* statement) {
  statement->next = 0;
  return SQLITE_OK;
}
int sqlite3_step(sqlite3_stmt* statement) { return statement->Step() ? SQLITE_ROW : SQLITE_DONE; }
int sqlite3_bind_text64(sqlite3_stmt* statement, int, const char* text, sqlite3_uint64 size,
                        void (*)(void*), unsigned char) {
  statement->table.assign(text, size);
  return SQLITE_OK;
}

int sqlite3_column_type(sqlite3_stmt* statement, int column) {
  return statement->at[static_cast<std::size_t>(column)]->type;
}
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt* statement, int column) {
  const Cell& cell = *statement->at[static_cast<std::size_t>(column)];
  return cell.type == SQLITE_INTEGER ? cell.whole : WholeOf(cell.text);
}
double sqlite3_column_double(sqlite3_stmt* statement, int column) {
  const Cell& cell = *statement->at[static_cast<std::size_t>(column)];
  return cell.type == SQLITE_FLOAT ? cell.real : RealOf(cell.text);
}
const unsigned char* sqlite3_column_text(sqlite3_stmt* statement, int column) {
  const Cell& cell = *statement->at[static_cast<std::size_t>(column)];
  return reinterpret_cast<const unsigned char*>(cell.text.data());
}
int sqlite3_column_bytes(sqlite3_stmt* statement, int column) {
  return static_cast<int>(statement->at[static_cast<std::size_t>(column)]->text.size());
}

}  // extern "C"

namespace profgauge::fuzz {
namespace {

bool SameLetters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// The table of SQLite's `create table`: nothing if two names are the same, or there is none.
Table* Create(const std::vector<std::string_view>& head) {
  for (Table& table : tables) {
    if (SameLetters(table.name, head[0])) {
      return table.columns.size() + 1 == head.size() ? &table : nullptr;
    }
  }
  if (head.size() < 2 || SameLetters(head[0].substr(0, 7), "sqlite_")) return nullptr;
  for (std::size_t i = 1; i < head.size(); ++i) {
    for (std::size_t j = 1; j < i; ++j) {
      if (SameLetters(head[i], head[j])) return nullptr;
    }
  }
  Table table;
  table.name = std::string(head[0].substr(0, head[0].find('\0')));
  for (std::size_t i = 1; i < head.size(); ++i) {
    table.columns.emplace_back(head[i].substr(0, head[i].find('\0')));
  }
  return &tables.emplace_back(std::move(table));
}

Row RowOf(std::string_view line, std::size_t columns) {
  const auto cells = CellsOf(line);
  Row row(columns);
  for (std::size_t i = 0; i < cells.size() && i < columns; ++i) {
    const CellValue value = ValueOfCell(cells[i]);
    row[i] = {value.type, value.whole, value.real,
              value.type == SQLITE_BLOB ? value.bytes : std::string(value.text)};
  }
  return row;
}

}  // namespace

PlainTables::PlainTables(std::string_view text) {
  tables.clear();
  Table* table = nullptr;
  while (!text.empty()) {
    const std::string_view line = CutAt(text, '\n');
    if (line.starts_with("# ")) {
      table = Create(CellsOf(line.substr(2)));
    } else if (table != nullptr) {
      table->rows.push_back(RowOf(line, table->columns.size()));
    }
  }
}

}  // namespace profgauge::fuzz
