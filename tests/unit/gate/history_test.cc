#include "gate/history.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace profgauge::gate {
namespace {

class HistoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "history_" + std::to_string(::getpid()) + ".db";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  static HistoryEntry Entry(const std::string& branch, Ns time) {
    HistoryEntry entry;
    entry.time = 1'700'000'000;
    entry.branch = branch;
    entry.commit = "abc123";
    entry.snapshot.name = "run";
    entry.snapshot.source = "00";
    entry.snapshot.format = "kineto";
    entry.snapshot.iteration_times = {time};
    return entry;
  }

  std::string path_;
};

TEST_F(HistoryTest, GivesLastRunsOldestFirst) {
  {
    auto history = History::OpenToAdd(path_);
    ASSERT_TRUE(history) << history.error().message;
    for (const Ns time : {1, 2, 3}) ASSERT_TRUE(history->Add(Entry("main", time)));
    ASSERT_TRUE(history->Add(Entry("dev", 9)));
  }
  auto history = History::OpenToRead(path_);
  ASSERT_TRUE(history);
  const auto main = history->Last("main", 2);
  ASSERT_TRUE(main);
  ASSERT_EQ(main->size(), 2u);
  EXPECT_EQ((*main)[0].snapshot.iteration_times, std::vector<Ns>{2});
  EXPECT_EQ((*main)[1].snapshot.iteration_times, std::vector<Ns>{3});
  EXPECT_EQ((*main)[1].commit, "abc123");
  EXPECT_EQ(history->Last("", 100)->size(), 4u);
  EXPECT_TRUE(history->Last("none", 100)->empty());
}

TEST_F(HistoryTest, RemovedNumbersAreNeverReused) {
  auto history = History::OpenToAdd(path_);
  ASSERT_TRUE(history);
  for (const Ns time : {1, 2, 3}) ASSERT_TRUE(history->Add(Entry("main", time)));
  ASSERT_TRUE(history->Remove({1, 3}));
  ASSERT_EQ(history->Last("", 10)->size(), 1u);
  EXPECT_EQ(history->Last("", 10)->front().id, 2);
  EXPECT_EQ(*history->Add(Entry("main", 4)), 4);
}

TEST_F(HistoryTest, RemovesNothingWhenOneIsUnknown) {
  {
    auto history = History::OpenToAdd(path_);
    for (const Ns time : {1, 2}) ASSERT_TRUE(history->Add(Entry("main", time)));
    const Status removed = history->Remove({1, 7});
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code, "history/unknown-run");
    EXPECT_EQ(removed.error().kind, ErrorKind::kUsage);
  }
  EXPECT_EQ(History::OpenToRead(path_)->Last("", 10)->size(), 2u);
}

TEST_F(HistoryTest, GoesOnAfterARefusedRemoval) {
  auto history = History::OpenToAdd(path_);
  for (const Ns time : {1, 2}) ASSERT_TRUE(history->Add(Entry("main", time)));
  ASSERT_FALSE(history->Remove({1, 7}));
  EXPECT_EQ(history->Rows("", 10)->size(), 2u);
  EXPECT_EQ(*history->Add(Entry("main", 3)), 3);
  EXPECT_TRUE(history->Remove({1}));
  EXPECT_EQ(history->Rows("", 10)->size(), 2u);
}

// An id, else a whole commit, else the start of one.
TEST_F(HistoryTest, FindsTheClosestName) {
  auto history = History::OpenToAdd(path_);
  for (const char* commit : {"abcdef", "abcd", "abcdef", "abce00", "10aa", "10aabb"}) {
    HistoryEntry entry = Entry("main", 1);
    entry.commit = commit;
    ASSERT_TRUE(history->Add(entry));
  }
  EXPECT_EQ(history->Find("abcd")->id, 2);
  EXPECT_EQ(history->Find("abcdef")->id, 3);
  EXPECT_EQ(history->Find("abcde")->id, 3);
  EXPECT_EQ(history->Find("10aa")->id, 5);
  EXPECT_EQ(history->Find("4")->id, 4);
  EXPECT_EQ(history->Find("abc").error().code, "history/unknown-run");
  HistoryEntry longer = Entry("main", 1);
  longer.commit = "abcdff";
  ASSERT_TRUE(history->Add(longer));
  ASSERT_TRUE(history->Remove({2}));
  EXPECT_EQ(history->Find("abcd").error().message,
            "`abcd` is the start of several commits: abcdef, abcdff");
}

TEST_F(HistoryTest, RefusesOtherFilesUntouched) {
  EXPECT_EQ(History::OpenToRead(path_).error().code, "history/missing");

  std::ofstream(path_) << "this is no database, but it is long enough to look like a file of one";
  EXPECT_EQ(History::OpenToAdd(path_).error().code, "sqlite/damaged");

  std::filesystem::remove(path_);
  {
    auto foreign = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kConfig);
    ASSERT_TRUE(foreign->Execute("create table kernel (id integer)"));
  }
  EXPECT_EQ(History::OpenToAdd(path_).error().code, "history/foreign");
  {
    auto foreign = sqlite::Database::Open(path_, sqlite::Mode::kReadOnly, ErrorKind::kConfig);
    EXPECT_FALSE(*foreign->HasTable("run"));
  }

  std::filesystem::remove(path_);
  ASSERT_TRUE(History::OpenToAdd(path_));
  {
    auto newer = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kConfig);
    ASSERT_TRUE(newer->Execute("pragma user_version = 4"));
  }
  EXPECT_EQ(History::OpenToAdd(path_).error().code, "history/newer");
}

TEST_F(HistoryTest, KeepsLevelsWithTheirRuns) {
  auto history = History::OpenToAdd(path_);
  for (const Ns time : {1, 2}) ASSERT_TRUE(history->Add(Entry("main", time)));
  HistoryLevel level{0, 2, "wider model", "anna", "2027-03-31", 1'700'000'000, ""};
  EXPECT_EQ(*history->Mark(level), 1);
  HistoryEntry accepted = Entry("main", 3);
  accepted.commit = "def456";
  ASSERT_TRUE(history->Add(accepted, level));
  const auto levels = history->Levels();
  ASSERT_EQ(levels->size(), 2u);
  EXPECT_EQ(levels->back().run, 3);
  EXPECT_EQ(levels->front().owner, "anna");
  EXPECT_EQ(levels->front().until, "2027-03-31");
  EXPECT_EQ(history->Remove({2}, {1, 7}).error().code, "history/unknown-level");
  EXPECT_EQ(history->Levels()->size(), 2u);
  EXPECT_TRUE(history->Remove({}, {1}));
  EXPECT_TRUE(history->Remove({3}));  // With its level.
  EXPECT_TRUE(history->Levels()->empty());
  EXPECT_EQ(history->Find("abc123")->id, 2);
  EXPECT_EQ(history->Find("abc").error().code, "history/unknown-run");
  EXPECT_EQ(*history->FindSource("main", "00"), 1);
  EXPECT_FALSE(history->FindSource("main", "01")->has_value());
}

// Half of a database is refused when its rows are read, and no reading or refused adding changes
// it.
TEST_F(HistoryTest, RefusesTruncatedFileUntouched) {
  {
    auto history = History::OpenToAdd(path_);
    ASSERT_TRUE(history);
    HistoryEntry large = Entry("main", 1);
    large.snapshot.name = std::string(50'000, 'x');
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(history->Add(large));
  }
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  const auto bytes = [this] {
    std::ifstream file(path_, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string before = bytes();
  auto history = History::OpenToRead(path_);
  const bool refused = !history || !history->Last("main", 10);
  EXPECT_TRUE(refused);
  EXPECT_EQ(bytes(), before);
}

TEST_F(HistoryTest, WritersInParallelLoseNothing) {
  constexpr int kWriters = 4;
  constexpr int kEach = 10;
  for (int writer = 0; writer < kWriters; ++writer) {
    if (fork() != 0) continue;
    for (int i = 0; i < kEach; ++i) {
      auto history = History::OpenToAdd(path_);
      if (!history || !history->Add(Entry("main", i))) _exit(1);
    }
    _exit(0);
  }
  for (int writer = 0; writer < kWriters; ++writer) {
    int status = 0;
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(History::OpenToRead(path_)->Last("main", 1000)->size(), kWriters * kEach);
}

TEST_F(HistoryTest, AKilledWriterKeepsOldRows) {
  ASSERT_TRUE(History::OpenToAdd(path_)->Add(Entry("main", 1)));
  const pid_t child = fork();
  if (child == 0) {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kConfig);
    (void)database->Execute(
        "begin immediate; insert into run (time, branch, commit_id, snapshot) "
        "values (1, 'main', '', 'half')");
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(History::OpenToRead(path_)->Last("main", 10)->size(), 1u);
  EXPECT_TRUE(History::OpenToAdd(path_)->Add(Entry("main", 2)));
}

TEST_F(HistoryTest, KeepsAllOfARun) {
  HistoryEntry entry = Entry("main", 5);
  entry.time = 1'700'000'123;
  entry.commit = "def";
  entry.snapshot.metrics["gpu.idle.mean"] = 0.25;
  {
    auto history = History::OpenToAdd(path_);
    ASSERT_TRUE(history);
    EXPECT_EQ(*history->Add(entry), 1);
    EXPECT_EQ(*history->Add(Entry("dev", 6)), 2);
  }
  auto history = History::OpenToRead(path_);
  ASSERT_TRUE(history);
  const auto kept = history->Last("", 10);
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 2U);
  EXPECT_EQ((*kept)[0].id, 1);
  EXPECT_EQ((*kept)[0].time, 1'700'000'123);
  EXPECT_EQ((*kept)[0].branch, "main");
  EXPECT_EQ((*kept)[0].commit, "def");
  EXPECT_EQ((*kept)[0].snapshot.metrics, entry.snapshot.metrics);
  EXPECT_EQ((*kept)[1].branch, "dev");
  EXPECT_FALSE(history->Add(entry));  // Not opened for it.
}

// A file becomes a history only where it is empty, and where it is opened to add.
TEST_F(HistoryTest, OtherFilesStay) {
  struct Row {
    const char* made;
    const char* to_read;
    const char* to_add;
  };
  const Row kRows[] = {
      {"", "history/foreign", ""},
      {"pragma application_id = 5", "history/foreign", "history/foreign"},
      {"create table a (b integer)", "history/foreign", "history/foreign"},
      {"pragma application_id = 1885816937; pragma user_version = 1", "history/old", "history/old"},
      {"pragma application_id = 1885816937; pragma user_version = 3", "history/damaged",
       "history/damaged"},
      {"pragma application_id = 1885816937; pragma user_version = 4", "history/newer",
       "history/newer"},
  };
  for (const Row& row : kRows) {
    const auto make = [&] {
      std::filesystem::remove(path_);
      auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kConfig);
      ASSERT_TRUE(database);
      ASSERT_TRUE(database->Execute(*row.made == 0 ? "pragma user_version = 0" : row.made));
    };
    const auto said = [](const Result<History>& opened) {
      return opened ? "" : opened.error().code;
    };
    make();
    EXPECT_EQ(said(History::OpenToRead(path_)), row.to_read) << row.made;
    make();
    EXPECT_EQ(said(History::OpenToAdd(path_)), row.to_add) << row.made;
  }
}

TEST(HistoryReference, NamesABranchAndACount) {
  EXPECT_EQ(ParseHistoryReference("history:main~10")->branch, "main");
  EXPECT_EQ(ParseHistoryReference("history:main~1")->count, 1);
  EXPECT_EQ(ParseHistoryReference("history:main~1000")->count, 1000);
  EXPECT_EQ(ParseHistoryReference("history:main~2~3")->branch, "main~2");
  EXPECT_EQ(ParseHistoryReference("history:main~2~3")->count, 3);
  for (const char* bad : {"main", "history:main~-1", "history:main~3x", "history:main~ 3",
                          "history:main~99999999999999999999", "History:main"}) {
    EXPECT_EQ(ParseHistoryReference(bad).error().code, "history/reference") << bad;
  }
  EXPECT_EQ(ParseHistoryReference("history:main~10")->count, 10);
  EXPECT_EQ(ParseHistoryReference("history:feature/x")->branch, "feature/x");
  EXPECT_EQ(ParseHistoryReference("history:feature/x")->count, 1);
  for (const char* bad : {"main~10", "history:", "history:~3", "history:main~0",
                          "history:main~1001", "history:main~x", "history:main~"}) {
    EXPECT_EQ(ParseHistoryReference(bad).error().code, "history/reference") << bad;
  }
}

}  // namespace
}  // namespace profgauge::gate
