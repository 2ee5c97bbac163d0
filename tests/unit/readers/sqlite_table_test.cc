// Scans of tables, long ones against the statement that SQLite itself steps through.
#include "readers/database/sqlite_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/parallel.h"

namespace profgauge::readers {
namespace {

class SqliteTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "sqlite_table_" + std::to_string(::getpid()) + ".sqlite";
    std::filesystem::remove(path_);
  }
  void TearDown() override {
    LimitThreads(0);
    std::filesystem::remove(path_);
  }

  void Write(const std::string& sql) {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    ASSERT_TRUE(database);
    const Status status = database->Execute("pragma synchronous = off; begin;" + sql + "; commit");
    ASSERT_TRUE(status) << status.error().message;
  }
  // `rows` of all types, with SQLite's conversions to other types.
  static std::string Numbers(int rows) {
    return "with recursive i(n) as (select 1 union all select n + 1 from i where n < " +
           std::to_string(rows) +
           ") insert into t select n, case n % 7 when 0 then null when 1 then -n when 2 then "
           "n * 0.5 when 3 then 'text ' || n when 4 then '12.7e1' when 5 then x'410042' else "
           "1e300 end from i;";
  }

  Result<TableScan> Scan(sqlite::Database& database, const Only& only = {}) {
    return TableScan::Open(database, "t", {{{"missing", "a"}}, {{"b"}}, {{"missing"}}}, only);
  }
  static std::string RowOf(const TableScan& scan) {
    std::string row;
    for (std::size_t column = 0; column < 3; ++column) {
      row += std::to_string(scan.IsSet(column)) + ' ' + std::to_string(scan.Integer(column, -7)) +
             ' ' + std::to_string(scan.Real(column, -7)) + ' ' + std::string(scan.Text(column)) +
             ';';
    }
    return row;
  }

  // The result of a plain statement, by SQLite's own conversions.
  std::vector<std::string> Expected(const std::string& filter = "1") {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInput);
    auto statement = database->Prepare("select a, b, null from t where " + filter);
    std::vector<std::string> rows;
    while (*statement->Step()) {
      std::string row;
      for (int column = 0; column < 3; ++column) {
        const bool set = !statement->IsNull(column);
        row += std::to_string(set) + ' ' + std::to_string(set ? statement->Integer(column) : -7) +
               ' ' + std::to_string(set ? statement->Real(column) : -7) + ' ' +
               std::string(statement->Text(column)) + ';';
      }
      rows.push_back(row);
    }
    return rows;
  }

  std::vector<std::string> Read(std::size_t threads, const Only& only = {}) {
    LimitThreads(threads);
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInput);
    auto scan = Scan(*database, only);
    EXPECT_TRUE(scan);
    std::vector<std::string> rows;
    const Status status = scan->ForEach([&] { rows.push_back(RowOf(*scan)); });
    EXPECT_TRUE(status);
    return rows;
  }

  std::uint64_t RowsAtMost() {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInput);
    return Scan(*database)->RowsAtMost();
  }

  std::string path_;
};

TEST_F(SqliteTableTest, LongTablesEqualSqlite) {
  Write("create table t (a integer, b);" + Numbers(100'000));
  EXPECT_GT(RowsAtMost(), 0U);
  const auto expected = Expected();
  ASSERT_EQ(expected.size(), 100'000U);
  for (const std::size_t threads : {1, 2, 7}) EXPECT_TRUE(Read(threads) == expected) << threads;
}

// Where all columns hold whole numbers rows are taken from pages, except for blocks with others.
TEST_F(SqliteTableTest, LongNumberTablesEqualSqlite) {
  const std::string whole =
      "create table t (a integer, b integer);"
      "with recursive i(n) as (select 1 union all select n + 1 from i where "
      "n < 100000) insert into t select n, n * n from i;";
  Write(whole);
  for (const std::size_t threads : {1, 2, 7}) EXPECT_TRUE(Read(threads) == Expected()) << threads;
  Write("update t set b = 2.5 where a in (5, 50000); delete from t where a in (7, 60000, 99999)");
  for (const std::size_t threads : {1, 2, 7}) EXPECT_TRUE(Read(threads) == Expected()) << threads;
}

// A key of an inner page that is too large hides the pages after it: no row is lost unsaid.
TEST_F(SqliteTableTest, DamagedKeyDoesNotEndTable) {
  Write(
      "create table t (a integer, b integer);"
      "with recursive i(n) as (select 1 union all select n + 1 from i where n < 200000) "
      "insert into t select n, n from i;");
  std::int64_t page_size = 0, root = 0;
  {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInput);
    const auto number = [&](std::string_view sql) {
      auto statement = database->Prepare(sql);
      EXPECT_TRUE(statement->Step().value_or(false));
      return statement->Integer(0);
    };
    page_size = number("pragma page_size");
    root = number("select rootpage from sqlite_master where name = 't'");
  }
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const std::int64_t page = (root - 1) * page_size;
  const auto two_bytes = [&](std::int64_t at) {
    file.seekg(page + at);
    const int high = file.get();
    return high << 8 | file.get();
  };
  const int cells = two_bytes(3);
  ASSERT_GT(cells, 0);
  const int last = two_bytes(12 + 2 * (cells - 1));
  file.seekp(page + last + 4);
  file.put('\xff');  // The first byte of its key: larger than any rowid.
  file.close();
  for (const std::size_t threads : {1, 2, 7}) {
    LimitThreads(threads);
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInput);
    auto scan = Scan(*database);
    ASSERT_TRUE(scan);
    std::size_t rows = 0;
    const Status status = scan->ForEach([&] { ++rows; });
    if (status) {
      EXPECT_EQ(rows, 200'000U);
    } else {
      EXPECT_EQ(status.error().code, "sqlite/damaged");
    }
  }
}

TEST_F(SqliteTableTest, GapsAndFiltersLeaveTheOrder) {
  Write("create table t (a integer, b); create index by_b on t (b, a);" + Numbers(200'000) +
        "delete from t where a % 3 = 0 or a between 20000 and 90000;"
        "alter table t add column c integer; update t set c = a % 7");
  EXPECT_GT(RowsAtMost(), 0U);
  const auto expected = Expected("c in (2, 5)");
  ASSERT_GT(expected.size(), 10'000U);
  for (const std::size_t threads : {1, 2, 7}) {
    EXPECT_TRUE(Read(threads, {"c", {2, 5}}) == expected) << threads;
  }
  EXPECT_TRUE(Read(2, {"no_such_column", {1}}).empty());
}

TEST_F(SqliteTableTest, OtherTablesAreSteppedThrough) {
  // Rowids far apart; a column of their name; no rowids.
  for (const std::string table :
       {"create table t (a integer primary key, b); insert into t values (-9e18, 1), (9e18, 2);",
        "create table t (a integer, b, _RowId_);", "create table t (a integer, b);"}) {
    std::filesystem::remove(path_);
    Write(table + "insert into t (a, b) values (5, 'five'), (6, 6.5)");
    EXPECT_EQ(RowsAtMost(), 0U) << table;
    EXPECT_EQ(Read(2), Expected()) << table;
  }
  std::filesystem::remove(path_);
  Write("create table t (a integer primary key, b) without rowid;" + Numbers(100'000));
  EXPECT_EQ(RowsAtMost(), 0U);
  EXPECT_TRUE(Read(2) == Expected());
}

TEST_F(SqliteTableTest, RowExceptionEndsTheScan) {
  Write("create table t (a integer, b);" + Numbers(100'000));
  for (const std::size_t threads : {1, 2, 7}) {
    LimitThreads(threads);
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInput);
    auto scan = Scan(*database);
    std::size_t rows = 0;
    const auto take = [&] {
      if (++rows == 50'000) throw std::runtime_error("enough");
    };
    EXPECT_THROW((void)scan->ForEach(take), std::runtime_error) << threads;
    EXPECT_EQ(rows, 50'000U) << threads;
  }
}

TEST_F(SqliteTableTest, DamageFailsWithAnyThreads) {
  Write("create table t (a integer, b);" + Numbers(100'000));
  {
    std::FILE* file = std::fopen(path_.c_str(), "r+b");
    ASSERT_NE(file, nullptr);
    std::fseek(file, static_cast<long>(std::filesystem::file_size(path_) / 2), SEEK_SET);
    const std::vector<char> ones(20'000, '\xff');
    std::fwrite(ones.data(), 1, ones.size(), file);
    std::fclose(file);
  }
  for (const std::size_t threads : {1, 2, 7}) {
    LimitThreads(threads);
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInput);
    auto scan = Scan(*database);
    ASSERT_TRUE(scan);
    const Status status = scan->ForEach([] {});
    ASSERT_FALSE(status) << threads;
    EXPECT_EQ(status.error().code, "sqlite/damaged") << threads;
  }
}

}  // namespace
}  // namespace profgauge::readers
