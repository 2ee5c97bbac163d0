#include "base/table.h"

#include <cmath>
#include <limits>

namespace profgauge {

Column::Column(const ColumnSpec& spec) : id_(spec.id), title_(spec.title), unit_(spec.unit) {
  if (type() == CellType::kReal) cells_.emplace<1>();
}

void Column::Reserve(std::size_t rows) {
  if (type() == CellType::kReal) return reals().reserve(rows);
  integers().Reserve(rows);
}

std::size_t Column::size() const {
  return type() == CellType::kReal ? reals().size() : integers().size();
}

void Column::AddAbsent() {
  if (type() == CellType::kReal) return AddReal(std::numeric_limits<double>::quiet_NaN());
  integers().Append(kAbsentInteger);
}

bool Column::IsAbsentAt(std::size_t row) const {
  if (type() == CellType::kReal) return std::isnan(reals()[row]);
  return integers()[row] == kAbsentInteger;
}

ColumnList::ColumnList(const ColumnList& other) {
  columns_.reserve(other.size());
  for (const Column& column : other) columns_.push_back(std::make_unique<Column>(column));
}

ColumnList& ColumnList::operator=(const ColumnList& other) {
  if (this != &other) *this = ColumnList(other);
  return *this;
}

Column& ColumnList::Add(const ColumnSpec& spec) {
  return *columns_.emplace_back(std::make_unique<Column>(spec));
}

Table::Table(std::string_view id, std::string_view row_name, std::string_view title,
             std::shared_ptr<StringPool> strings)
    : id_(id), row_name_(row_name), title_(title), strings_(std::move(strings)) {}

Column& Table::AddColumn(const ColumnSpec& spec) { return columns_.Add(spec); }

const Column* Table::Find(std::string_view column_id) const {
  for (const Column& column : columns_) {
    if (column.id() == column_id) return &column;
  }
  return nullptr;
}

Column* Table::Find(std::string_view column_id) {
  return const_cast<Column*>(static_cast<const Table*>(this)->Find(column_id));
}

bool Table::CheckShape() const {
  for (const Column& column : columns_) {
    if (column.size() != rows()) return false;
  }
  return true;
}

Value Table::At(std::size_t row, const Column& column) const {
  if (column.IsAbsentAt(row)) return {};
  switch (column.type()) {
    case CellType::kInteger:
      if (column.unit() == Unit::kBool) return column.IntegerAt(row) != 0;
      return column.IntegerAt(row);
    case CellType::kReal:
      return column.RealAt(row);
    case CellType::kText:
      return std::string(strings()[column.TextAt(row)]);
  }
  return {};
}

Value Table::At(std::size_t row, std::string_view column_id) const {
  const Column* column = Find(column_id);
  return column == nullptr ? Value{} : At(row, *column);
}

}  // namespace profgauge
