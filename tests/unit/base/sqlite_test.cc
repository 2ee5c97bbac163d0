#include "base/sqlite.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/byte_source.h"
#include "base/files.h"

namespace profgauge::sqlite {
namespace {

class SqliteTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  // As any program makes it.
  void Make(const char* sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(handle);
  }
  Result<bool> First(const char* sql) {
    PROFGAUGE_TRY(auto database, Database::Open(path_, Mode::kImmutable, ErrorKind::kInput));
    PROFGAUGE_TRY(auto statement, database.Prepare(sql));
    return statement.Step();
  }
  const std::string path_ = ::testing::TempDir() + "sqlite_" + std::to_string(::getpid());
};

// Views and virtual tables run others' statements.
TEST_F(SqliteTest, KnowsTablesOnly) {
  Make("create table t (a); create view v as select 1; create virtual table f using fts5(a)");
  auto database = Database::Open(path_, Mode::kImmutable, ErrorKind::kInput);
  EXPECT_TRUE(*database->HasTable("t"));
  EXPECT_FALSE(*database->HasTable("v"));
  EXPECT_FALSE(*database->HasTable("f"));
  EXPECT_FALSE(First("select * from v"));
}

TEST_F(SqliteTest, BoundsTexts) {
  Make("create table t (a); insert into t values (zeroblob(17000000))");
  EXPECT_EQ(First("select a from t").error().code, "sqlite/too-large");
}

// By the size of the file: an endless statement ends.
TEST_F(SqliteTest, BoundsWork) {
  Make("create table t (a)");
  EXPECT_EQ(First("with recursive c(x) as (select 1 union all select x + 1 from c) "
                  "select sum(x) from c")
                .error()
                .code,
            "sqlite/too-slow");
}

TEST_F(SqliteTest, WaitsForNoPipe) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(First("select 1").error().code, "input/not-a-file");
}

TEST_F(SqliteTest, KeepsBytesInMemory) {
  auto made = Database::OpenBytes({}, "m", ErrorKind::kInput);
  ASSERT_TRUE(made->Execute("create table t (a); insert into t values (7)"));
  const std::string bytes(made->Serialize());
  EXPECT_TRUE(bytes.starts_with("SQLite format 3"));
  auto again = Database::OpenBytes(bytes, "m", ErrorKind::kInput);
  auto statement = again->Prepare("select a from t");
  ASSERT_TRUE(*statement->Step());
  EXPECT_EQ(statement->Integer(0), 7);
  EXPECT_FALSE(again->AttachImmutable("/none", "other"));
}

// Of a database whose writer has not closed it, rows are in the log alone. SQLite waits for ever
// for the writer of a pipe that has the name of a file of its own.
TEST_F(SqliteTest, ReadsALogInACopy) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::canonical(::testing::TempDir()) / ("log_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string file = (folder / "a").string();
  Make("pragma journal_mode = wal; create table t (a)");
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &writer), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(writer, "insert into t values (7)", nullptr, nullptr, nullptr), SQLITE_OK);
  fs::copy_file(path_, file);
  fs::copy_file(path_ + "-wal", file + "-wal");
  sqlite3_close(writer);
  for (const char* pipe : {"-journal", "-shm"}) ASSERT_EQ(::mkfifo((file + pipe).c_str(), 0600), 0);
  ::setenv("TMPDIR", folder.c_str(), 1);
  {
    auto database = Database::Open(file, Mode::kWithLog, ErrorKind::kInput);
    ASSERT_TRUE(database) << database.error().message;
    for (const char* sql : {"select a from t", "select max(a) from t"}) {
      auto statement = database->Prepare(sql);
      ASSERT_TRUE(*statement->Step());
      EXPECT_EQ(statement->Integer(0), 7);
    }
    EXPECT_EQ(ListEntries(folder).size(), 4U) << "nothing is left of the copy";
  }
  EXPECT_EQ(ListEntries(folder).size(), 4U);
  ::setenv("TMPDIR", (folder / "none").c_str(), 1);
  EXPECT_EQ(Database::Open(file, Mode::kWithLog, ErrorKind::kInput).error().code, "sqlite/no-copy");
  ::unsetenv("TMPDIR");
  LimitInputs({folder});
  fs::remove(file + "-wal");
  fs::create_symlink(path_, file + "-wal");
  EXPECT_EQ(Database::Open(file, Mode::kWithLog, ErrorKind::kInput).error().code, "input/outside");
  LimitInputs({});
  fs::remove_all(folder);
}

// A server reads below its folders, wherever a link leads when it is opened.
TEST_F(SqliteTest, LimitedInputsHoldForAllDoors) {
  namespace fs = std::filesystem;
  Make("create table t (a)");
  const fs::path folder =
      fs::canonical(::testing::TempDir()) / ("in_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  fs::create_symlink(path_, folder / "link");
  LimitInputs({folder});
  EXPECT_EQ(First("select 1").error().code, "input/outside");
  EXPECT_EQ(OpenByteSource((folder / "link").string()).error().code, "input/outside");
  EXPECT_EQ(ReadSmallFile(folder / "link"), std::nullopt);
  EXPECT_TRUE(ListEntries(::testing::TempDir()).empty());
  ASSERT_EQ(ListEntries(folder).size(), 1U);
  EXPECT_EQ(ListEntries(folder).front().kind, EntryKind::kOther);
  EXPECT_EQ(TakeLinksLeftOut(), 1U);
  LimitInputs({});
  EXPECT_TRUE(First("select 1"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace profgauge::sqlite
