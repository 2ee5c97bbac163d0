// Parquet files that are written, read again by our own reader.
#include "exports/tables/parquet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ask.h"
#include "readers/parquet/table.h"

namespace profgauge::query {
namespace {

using readers::parquet::Form;
using readers::parquet::RowBlocks;
using readers::parquet::Table;

/// Values of a column as cells; texts are made.
std::vector<Cell> ReadColumn(const Table& table, std::size_t column) {
  std::vector<Cell> cells;
  RowBlocks blocks(table, {column});
  while (true) {
    const auto rows = blocks.Next();
    if (!rows) throw std::runtime_error(rows.error().message);
    if (*rows == 0) return cells;
    const auto& block = blocks.block(0);
    for (std::size_t row = 0; row < *rows; ++row) {
      if (block.is_set[row] == 0) {
        cells.emplace_back();
      } else if (blocks.column(0).form == Form::kText) {
        cells.emplace_back(std::string(block.values.texts[row]));
      } else if (blocks.column(0).form == Form::kReal) {
        cells.emplace_back(std::bit_cast<double>(block.values.numbers[row]));
      } else {
        cells.emplace_back(std::int64_t{block.values.numbers[row]});
      }
    }
  }
}

const std::vector<exports::ParquetColumn> kColumns = {{"count", Unit::kCount},
                                                      {"share", Unit::kShare},
                                                      {"name", Unit::kText},
                                                      {"flag", Unit::kBool},
                                                      {"number", Unit::kNumber}};

/// A file with these rows, in groups of `most`.
std::string Written(const std::vector<std::vector<Cell>>& rows, std::size_t most) {
  exports::ParquetWriter writer(kColumns, {{"unit.count", "count"}});
  std::string bytes;
  for (std::size_t from = 0; from < rows.size(); from += most) {
    writer.AddGroup(std::min(most, rows.size() - from),
                    [&](std::size_t row, std::size_t column) { return rows[from + row][column]; });
    bytes += writer.Take();
  }
  writer.Finish();
  return bytes + writer.Take();
}

std::vector<std::vector<Cell>> ManyRows(std::size_t count) {
  std::vector<std::vector<Cell>> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::int64_t>(i);
    const bool is_run = i / 100 % 2 == 0;  // Long runs and mixed parts of each column.
    rows.push_back({i % 7 == 3 ? Cell() : Cell(number * 1'000'003 - 5'000'000),
                    i % 5 == 0 ? Cell() : Cell(0.25 * static_cast<double>(i)),
                    i % 11 == 0 ? Cell()
                    : is_run    ? Cell(std::string("same"))
                                : Cell("text " + std::to_string(i % 300)),
                    Cell(number % 3 == 0 ? std::int64_t{1} : std::int64_t{0}),
                    is_run ? Cell(number) : Cell(0.5)});
  }
  return rows;
}

TEST(Parquet, IsReadAsItWasWritten) {
  for (const std::size_t count : {0u, 1u, 7u, 8u, 9u, 1'000u, 20'011u}) {
    for (const std::size_t most : {3u, 1'000u, 100'000u}) {
      if (count / most > 100) continue;
      const auto rows = ManyRows(count);
      const std::string bytes = Written(rows, most);
      const auto table = Table::OfBytes("made", bytes);
      ASSERT_TRUE(table.has_value()) << table.error().message;
      ASSERT_EQ(table->rows(), count);
      for (std::size_t column = 0; column < kColumns.size(); ++column) {
        EXPECT_EQ(table->columns()[column].name, kColumns[column].name);
        const std::vector<Cell> cells = ReadColumn(*table, column);
        ASSERT_EQ(cells.size(), count);
        for (std::size_t row = 0; row < count; ++row) {
          Cell expected = rows[row][column];
          if (column == 4 && expected.index() == 1) {
            expected = static_cast<double>(std::get<std::int64_t>(expected));
          }
          ASSERT_EQ(cells[row], expected) << count << " rows by " << most << ", row " << row
                                          << ", column " << kColumns[column].name;
        }
      }
    }
  }
}

TEST(Parquet, TextsAreValidUtf8) {
  const std::string bytes =
      Written({{Cell(), Cell(), Cell(std::string("a\xff\xc3")), Cell(), Cell()}}, 10);
  const auto table = Table::OfBytes("made", bytes);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(ReadColumn(*table, 2), (std::vector<Cell>{std::string("a\ufffd\ufffd")}));
}

/// The table as `export tables` writes it.
std::string Written(const query::Relation& relation) {
  std::vector<exports::ParquetColumn> columns;
  for (const query::ColumnInfo& column : relation.info->columns) {
    columns.push_back({column.name, column.unit});
  }
  exports::ParquetWriter writer(std::move(columns), {});
  std::string bytes;
  for (const query::Part& part : relation.parts) {
    writer.AddGroup(part.rows->size(), [&](std::size_t row, std::size_t column) {
      return part.rows->At(row, column);
    });
    bytes += writer.Take();
  }
  writer.Finish();
  return bytes + writer.Take();
}

/// The stored form of a cell: numbers of a column are all whole or none.
Cell Stored(const Cell& cell, const Cell& read) {
  const auto* whole = std::get_if<std::int64_t>(&cell);
  if (whole != nullptr && std::holds_alternative<double>(read)) {
    return static_cast<double>(*whole);
  }
  const bool is_text = std::holds_alternative<std::string_view>(cell);
  return is_text ? Cell(std::string(TextOf(cell))) : cell;
}

// SQL reads the same rows, so the two agree cell by cell.
TEST(Parquet, HasEachCellOfEachTable) {
  std::size_t tables = 0, cells = 0;
  for (const query::Relation& relation : query::Ddp().data.tables()) {
    if (relation.size() == 0) continue;
    const std::string bytes = Written(relation);
    const auto table = Table::OfBytes(relation.info->name, bytes);
    ASSERT_TRUE(table.has_value()) << table.error().message;
    ASSERT_EQ(table->rows(), relation.size());
    ++tables;
    for (std::size_t column = 0; column < relation.info->columns.size(); ++column) {
      const std::vector<Cell> read = ReadColumn(*table, column);
      std::size_t at = 0;
      for (const query::Part& part : relation.parts) {
        for (std::size_t row = 0; row < part.rows->size(); ++row, ++at, ++cells) {
          const Cell expected = Stored(part.rows->At(row, column), read.at(at));
          ASSERT_EQ(read[at], expected)
              << relation.info->name << '.' << relation.info->columns[column].name << ' ' << row;
        }
      }
    }
  }
  EXPECT_GE(tables, 30u);
  EXPECT_GE(cells, 100'000u);
}

TEST(Parquet, SameRowsGiveTheSameBytes) {
  EXPECT_EQ(Written(ManyRows(500), 100), Written(ManyRows(500), 100));
}

}  // namespace
}  // namespace profgauge::query
