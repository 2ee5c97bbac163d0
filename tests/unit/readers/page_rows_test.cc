// Rows taken from pages, compared with SQLite's.
#include "readers/database/sqlite_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace profgauge::readers {
namespace {

class PageRowsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "page_rows_" + std::to_string(::getpid()) + ".sqlite";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void Write(int page_size, const std::string& sql) {
    std::filesystem::remove(path_);
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
    ASSERT_TRUE(database);
    const Status status = database->Execute("pragma page_size = " + std::to_string(page_size) +
                                            "; begin;" + sql + "; commit");
    ASSERT_TRUE(status) << status.error().message;
  }
  sqlite::Database Open() {
    return *sqlite::Database::Open(path_, sqlite::Mode::kImmutable, ErrorKind::kInput);
  }
  std::optional<PlainTable> Find(const std::vector<std::string>& columns) {
    auto database = Open();
    return FindPlainTable(database, "t", columns);
  }

  // Nothing where not all rows were read.
  std::optional<std::string> Read(const PlainTable& table, std::int64_t first, std::int64_t last) {
    PageRows rows(table);
    Cells cells;
    cells.Clear(table.columns.size());
    if (!rows.Read(first, last, cells)) return std::nullopt;
    std::string text;
    for (std::size_t row = 0; row < cells.rows(); ++row) {
      for (std::size_t column = 0; column < table.columns.size(); ++column) {
        text += cells.IsSet(row, column) ? std::to_string(cells.Integer(row, column)) : "null";
        text += ' ';
      }
    }
    return text;
  }
  std::string Expected(const std::string& columns, std::int64_t first, std::int64_t last) {
    auto database = Open();
    auto statement = database.Prepare("select " + columns +
                                      " from t where rowid between ? and ? order by rowid");
    statement->Bind(1, first).Bind(2, last);
    std::string text;
    while (*statement->Step()) {
      for (int column = 0; column < statement->Columns(); ++column) {
        text += statement->IsNull(column) ? "null" : std::to_string(statement->Integer(column));
        text += ' ';
      }
    }
    return text;
  }

  std::string path_;
};

// Numbers of all lengths, signs and none, beside texts and reals that no one asks for.
constexpr const char* kRows =
    "create table t (a integer, s text, b bigint, r real, c int);"
    "with recursive i(n) as (select 1 union all select n + 1 from i where n < 5000) insert into t "
    "select n - 2, 'text ' || n, (1 << (n % 63)) - n % 3, n / 7.0, case n % 5 when 0 then null "
    "when 1 then 0 when 2 then 1 else -(1 << (n % 63)) end from i;"
    "delete from t where a % 11 = 0 or a between 700 and 800;";

TEST_F(PageRowsTest, RowsAreAsSqliteReadsThem) {
  for (const int page_size : {512, 4096, 65536}) {
    Write(page_size, kRows);
    const auto table = Find({"c", "", "a", "b"});
    ASSERT_TRUE(table);
    for (const auto& [first, last] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 5000}, {2, 2}, {600, 900}, {710, 720}, {4999, 9000}, {-5, 0}}) {
      EXPECT_EQ(Read(*table, first, last), Expected("c, null, a, b", first, last))
          << page_size << ' ' << first;
    }
  }
}

// A key that is the rowid is not in the row.
TEST_F(PageRowsTest, AColumnMayBeTheRowid) {
  Write(4096,
        "create table t (b int, id integer primary key autoincrement, s text);"
        "with recursive i(n) as (select 1 union all select n + 1 from i where n < 500) insert "
        "into t select n % 3, n * 7, 'x' from i");
  const auto table = Find({"id", "b", "id"});
  ASSERT_TRUE(table);
  EXPECT_EQ(Read(*table, 0, 9000), Expected("id, b, id", 0, 9000));
}

TEST_F(PageRowsTest, LeavesOtherPagesToSqlite) {
  Write(4096, kRows);
  EXPECT_FALSE(Find({"a", "s"}));
  EXPECT_FALSE(Find({"r"}));
  Write(4096, "create table t (a integer primary key, b int, c int as (b + 1))");
  EXPECT_FALSE(Find({"a"}));
  EXPECT_FALSE(Find({"b"}));
  for (const char* key : {"a int primary key, b int", "a integer primary key desc, b int",
                          "a integer, b int, primary key (a, b)"}) {
    Write(4096, std::string("create table t (") + key + ")");
    EXPECT_FALSE(Find({"a"})) << key;
  }

  Write(4096, std::string(kRows) + "update t set b = 2.5 where rowid = 40");
  const auto table = Find({"b"});
  ASSERT_TRUE(table);
  EXPECT_EQ(Read(*table, 41, 5000), Expected("b", 41, 5000));
  EXPECT_FALSE(Read(*table, 40, 5000));

  Write(512, std::string(kRows) + "update t set s = zeroblob(600) where rowid = 40");
  EXPECT_FALSE(Read(*Find({"b"}), 1, 100)) << "a row of several pages";
  Write(4096, std::string(kRows) + "alter table t add column d integer default 7");
  EXPECT_FALSE(Read(*Find({"d"}), 1, 100)) << "rows without the column";
  EXPECT_EQ(Read(*Find({"c"}), 1, 100), Expected("c", 1, 100));
  Write(4096, "create table t (a integer)");
  EXPECT_FALSE(Read(*Find({"a"}), 1, 100)) << "no row";
}

TEST(StoredNumbers, AreTakenAsSqliteWritesThem) {
  const auto take = [](std::string bytes) -> std::optional<std::uint64_t> {
    std::string_view left = bytes;
    std::uint64_t number = 0;
    if (!TakeNumber(left, number)) return std::nullopt;
    EXPECT_EQ(left, "rest");
    return number;
  };
  EXPECT_EQ(take("\x7frest"), 127U);
  EXPECT_EQ(take(std::string("\x81\0rest", 6)), 128U);
  EXPECT_EQ(take("\xff\xff\xff\xff\xff\xff\xff\xff\xfe"
                 "rest"),
            ~std::uint64_t{1});
  EXPECT_FALSE(take("\x81")) << "cut";
  EXPECT_FALSE(take("\x80\x05rest")) << "longer than it needs to be";
}

// From a damaged page either nothing is taken, or the rows that SQLite takes.
TEST_F(PageRowsTest, DamageIsLeftToSqlite) {
  Write(512, kRows);
  const auto table = Find({"a", "b", "c"});
  ASSERT_TRUE(table);
  for (const std::size_t byte : {0, 3, 4, 8, 9, 10, 11, 12, 13, 300, 509}) {
    Write(512, kRows);
    {
      std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>((table->root - 1) * 512 + byte));
      file.put('\xff');
    }
    const auto read = Read(*table, 1, 5000);
    if (read) {
      EXPECT_EQ(*read, Expected("a, b, c", 1, 5000)) << byte;
    }
  }
  std::filesystem::resize_file(path_, 512 * 3);
  EXPECT_FALSE(Read(*table, 1, 5000));
}

}  // namespace
}  // namespace profgauge::readers
