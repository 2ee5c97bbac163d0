#include "readers/database/sqlite_table.h"

namespace profgauge::readers {
namespace {

Result<std::set<std::string>> ColumnNames(sqlite::Database& database, const std::string& table) {
  PROFGAUGE_TRY(auto statement,
                database.Prepare(
                    "select c.name from sqlite_master m join pragma_table_info(m.name) c "
                    "where m.type = 'table' and m.name = ? and m.sql not like 'create virtual%'"));
  statement.Bind(1, table);
  std::set<std::string> names;
  while (true) {
    PROFGAUGE_TRY(const bool more, statement.Step());
    if (!more) return names;
    names.emplace(statement.Text(0));
  }
}

}  // namespace

Result<TableScan> TableScan::Open(sqlite::Database& database, const std::string& table,
                                  std::initializer_list<Wanted> wanted, std::string_view filter) {
  TableScan scan;
  PROFGAUGE_TRY(const std::set<std::string> there, ColumnNames(database, table));
  if (there.empty()) return scan;
  scan.exists_ = true;
  std::string columns;
  for (const Wanted& want : wanted) {
    std::string found = "null";
    for (const char* name : want.names) {
      if (!there.contains(name)) continue;
      found = "\"" + std::string(name) + "\"";
      break;
    }
    scan.present_.push_back(found != "null");
    columns += (columns.empty() ? "" : ", ") + found;
  }
  std::string sql = "select " + columns + " from \"" + table + "\"";
  if (!filter.empty()) sql.append(" where ").append(filter);
  PROFGAUGE_TRY(auto statement, database.Prepare(sql));
  scan.statement_.emplace(std::move(statement));
  return scan;
}

Result<bool> TableScan::Next() {
  if (!exists_) return false;
  return statement_->Step();
}

bool TableScan::IsSet(std::size_t column) const {
  return Has(column) && !statement_->IsNull(static_cast<int>(column));
}

std::int64_t TableScan::Integer(std::size_t column, std::int64_t otherwise) const {
  return IsSet(column) ? statement_->Integer(static_cast<int>(column)) : otherwise;
}

double TableScan::Real(std::size_t column, double otherwise) const {
  return IsSet(column) ? statement_->Real(static_cast<int>(column)) : otherwise;
}

std::string_view TableScan::Text(std::size_t column) const {
  return IsSet(column) ? statement_->Text(static_cast<int>(column)) : std::string_view{};
}

Result<std::set<std::string>> TableNames(sqlite::Database& database) {
  PROFGAUGE_TRY(auto statement,
                database.Prepare("select name from sqlite_master where type = 'table'"));
  std::set<std::string> names;
  while (true) {
    PROFGAUGE_TRY(const bool more, statement.Step());
    if (!more) return names;
    names.emplace(statement.Text(0));
  }
}

}  // namespace profgauge::readers
