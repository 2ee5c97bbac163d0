#include "gate/history.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
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

  std::string Bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  }

  std::string path_;
};

TEST_F(HistoryTest, GivesLastRunsOldestFirst) {
  {
    auto history = History::OpenToAdd(path_);
    ASSERT_TRUE(history) << history.error().message;
    for (const Ns time : {1, 2, 3}) ASSERT_TRUE(history->Add(Entry("main", time)));
    ASSERT_TRUE(history->Add(Entry("dev", 9)));
    ASSERT_TRUE(history->Save());
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

// Dictionaries keep their numbers, so the first run of a program does.
TEST_F(HistoryTest, RemovesRunsWithTheirSnapshots) {
  auto history = History::OpenToAdd(path_);
  ASSERT_TRUE(history);
  for (const Ns time : {1, 2, 3}) ASSERT_TRUE(history->Add(Entry("main", time)));
  ASSERT_TRUE(history->Remove({1, 3}));
  ASSERT_EQ(history->Last("", 10)->size(), 1u);
  EXPECT_EQ(history->Last("", 10)->front().id, 2);
  EXPECT_EQ(*history->Add(Entry("main", 4)), 3);
  EXPECT_EQ(history->Load(3)->iteration_times, std::vector<Ns>{4});
  EXPECT_EQ(history->Load(1).error().code, "history/unknown-run");
}

TEST_F(HistoryTest, RemovesNothingWhenOneIsUnknown) {
  auto history = History::OpenToAdd(path_);
  for (const Ns time : {1, 2}) ASSERT_TRUE(history->Add(Entry("main", time)));
  const Status removed = history->Remove({1, 7});
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, "history/unknown-run");
  EXPECT_EQ(removed.error().kind, ErrorKind::kUsage);
  ASSERT_TRUE(history->Save());
  EXPECT_EQ(History::OpenToRead(path_)->Last("", 10)->size(), 2u);
}

// Nothing is in place before Save(), and no empty file is left.
TEST_F(HistoryTest, UnsavedChangesAreNone) {
  {
    auto history = History::OpenToAdd(path_);
    ASSERT_TRUE(history->Add(Entry("main", 1)));
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::ofstream(path_).close();
  EXPECT_TRUE(History::OpenToRead(path_)->Last("", 10)->empty());
  { EXPECT_TRUE(History::OpenToAdd(path_)); }
  EXPECT_TRUE(std::filesystem::exists(path_));
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

// What one statement more makes of a history, and what is said of it.
TEST_F(HistoryTest, RefusesWhatItDidNotMake) {
  struct Row {
    const char* made;
    const char* code;
  };
  const Row kRows[] = {
      {"select 1", ""},
      {"vacuum", ""},
      {"reindex", ""},
      {"analyze", "history/foreign"},
      {"create trigger t after insert on run begin delete from run; end", "history/foreign"},
      {"drop table run; create view run as select 1 as id", "history/foreign"},
      {"create table other (id integer)", "history/foreign"},
      {"drop index run_by_branch", "history/damaged"},
      {"drop index run_by_branch; create index run_by_branch on run (branch, id) where id > 7",
       "history/foreign"},
      {"alter table run add column more text", "history/foreign"},
      {"drop table snapshot", "history/damaged"},
      {"pragma journal_mode = wal", "history/foreign"},
      {"pragma application_id = 5", "history/foreign"},
      {"pragma user_version = 3", "history/old"},
      {"pragma user_version = 5", "history/newer"},
  };
  for (const Row& row : kRows) {
    std::filesystem::remove(path_);
    {
      auto history = History::OpenToAdd(path_);
      ASSERT_TRUE(history->Add(Entry("main", 1)));
      ASSERT_TRUE(history->Save());
    }
    sqlite3* foreign = nullptr;  // As any program opens it.
    ASSERT_EQ(sqlite3_open(path_.c_str(), &foreign), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(foreign, row.made, nullptr, nullptr, nullptr), SQLITE_OK) << row.made;
    sqlite3_close(foreign);
    const std::string before = Bytes();
    const auto said = [](const Result<History>& opened) {
      return opened ? "" : opened.error().code;
    };
    EXPECT_EQ(said(History::OpenToRead(path_)), row.code) << row.made;
    EXPECT_EQ(said(History::OpenToAdd(path_)), row.code) << row.made;
    EXPECT_EQ(Bytes(), before) << row.made;
  }
}

TEST_F(HistoryTest, RefusesOtherFilesUntouched) {
  EXPECT_EQ(History::OpenToRead(path_).error().code, "history/missing");
  std::ofstream(path_) << "this is no database, but it is long enough to look like a file of one";
  EXPECT_EQ(History::OpenToAdd(path_).error().code, "history/foreign");
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(History::OpenToRead(path_).error().code, "history/not-a-file");
  EXPECT_EQ(History::OpenToAdd(path_).error().code, "history/not-a-file");
  EXPECT_EQ(History::OpenToAdd(::testing::TempDir()).error().code, "history/not-a-file");
  EXPECT_EQ(History::OpenToAdd(path_ + "/h.db").error().code, "history/cannot-open");
}

// A text that is refused on reading is refused before it is written.
TEST_F(HistoryTest, BoundsTexts) {
  {
    auto history = History::OpenToAdd(path_);
    HistoryEntry entry = Entry(std::string(1024, 'b'), 1);
    ASSERT_TRUE(history->Add(entry));
    entry.branch += 'b';
    EXPECT_EQ(history->Add(entry).error().code, "history/too-long");
    ASSERT_TRUE(history->Save());
  }
  const auto set = [this](const char* sql) {
    auto database = sqlite::Database::Open(path_, sqlite::Mode::kReadWrite, ErrorKind::kConfig);
    ASSERT_TRUE(database->Execute(sql));
  };
  EXPECT_EQ(History::OpenToRead(path_)->Rows("", 9)->size(), 1u);
  set("update run set commit_id = zeroblob(2000)");
  EXPECT_EQ(History::OpenToRead(path_)->Rows("", 9).error().code, "history/damaged");
  set("update run set commit_id = ''; update snapshot set hash = 'f'");
  EXPECT_EQ(History::OpenToRead(path_)->Load(1).error().code, "history/damaged");
  set("delete from dictionary");
  EXPECT_EQ(History::OpenToRead(path_)->Load(1).error().code, "history/damaged");
  set("update run set id = 9223372036854775807");
  EXPECT_EQ(History::OpenToRead(path_)->Rows("", 9).error().code, "history/damaged");
}

// Where one history is locked another writer waits, and gives up after 10 s.
TEST_F(HistoryTest, ALockedHistoryIsWaitedFor) {
  auto history = History::OpenToAdd(path_);
  ASSERT_TRUE(history->Add(Entry("main", 1)));
  ASSERT_TRUE(history->Save());
  EXPECT_EQ(History::OpenToRead(path_)->Rows("", 9)->size(), 1u);
  EXPECT_EQ(History::OpenToAdd(path_)->Rows("", 9)->size(), 1u);  // The file is another now.
  auto writer = History::OpenToAdd(path_);
  EXPECT_EQ(History::OpenToAdd(path_).error().code, "history/locked");
}

// A run like others costs what differs.
TEST_F(HistoryTest, PacksRunsByEachOther) {
  const auto size_with = [this](int runs) {
    auto history = History::OpenToAdd(path_);
    for (int i = 0; i < runs; ++i) {
      HistoryEntry entry = Entry("main", i);
      for (int k = 0; k < 400; ++k) entry.snapshot.metrics["m" + std::to_string(k * k)] = k * 0.37;
      EXPECT_TRUE(history->Add(entry));
    }
    EXPECT_TRUE(history->Save());
    return std::filesystem::file_size(path_);
  };
  const auto one = size_with(1);
  EXPECT_LT(size_with(200), one + std::uintmax_t{200} * 1000);
  EXPECT_EQ(History::OpenToRead(path_)->Load(150)->metrics.size(), 400u);
}

TEST_F(HistoryTest, NamesFilesBesideIt) {
  EXPECT_TRUE(UnusedBesideHistory(path_).empty());
  std::ofstream(path_ + "-journal").close();
  EXPECT_EQ(UnusedBesideHistory(path_), std::vector<std::string>{path_ + "-journal"});
  std::filesystem::remove(path_ + "-journal");
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

// No reading or refused adding changes half of a file.
TEST_F(HistoryTest, RefusesTruncatedFileUntouched) {
  {
    auto history = History::OpenToAdd(path_);
    ASSERT_TRUE(history);
    HistoryEntry large = Entry("main", 1);
    large.snapshot.name = std::string(50'000, 'x');
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(history->Add(large));
    ASSERT_TRUE(history->Save());
  }
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  const std::string before = Bytes();
  EXPECT_EQ(History::OpenToRead(path_).error().code, "history/damaged");
  EXPECT_EQ(History::OpenToAdd(path_).error().code, "history/damaged");
  EXPECT_EQ(Bytes(), before);
}

TEST_F(HistoryTest, WritersInParallelLoseNothing) {
  constexpr int kWriters = 4;
  constexpr int kEach = 10;
  for (int writer = 0; writer < kWriters; ++writer) {
    if (fork() != 0) continue;
    for (int i = 0; i < kEach; ++i) {
      auto history = History::OpenToAdd(path_);
      if (!history || !history->Add(Entry("main", i)) || !history->Save()) _exit(1);
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
  const auto add = [this](Ns time) {
    auto history = History::OpenToAdd(path_);
    return history && history->Add(Entry("main", time)) && history->Save();
  };
  ASSERT_TRUE(add(1));
  const pid_t child = fork();
  if (child == 0) {
    auto history = History::OpenToAdd(path_);
    (void)history->Add(Entry("main", 2));
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(History::OpenToRead(path_)->Last("main", 10)->size(), 1u);
  EXPECT_TRUE(add(2));
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
    ASSERT_TRUE(history->Save());
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
