// Runs below folders: how far the search goes, and what it says where it ends early.
#include "cli/find_runs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "cli/profile_search.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrace =
    R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7,)"
    R"( "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7}}]})";

class FindRunsTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(testing::TempDir()) / ("find_" + std::to_string(getpid()));
    fs::remove_all(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  void Put(const fs::path& path) const {
    fs::create_directories((dir_ / path).parent_path());
    std::ofstream(dir_ / path) << kTrace;
  }

  fs::path dir_;
};

TEST_F(FindRunsTest, SearchesAllLevels) {
  Put("1/2/3/4/5/6/7/8/a.pt.trace.json");
  const FoundProfiles found = FindProfiles({dir_.string()});
  EXPECT_EQ(found.profiles.size(), 1U);
  EXPECT_TRUE(found.is_whole);
}

// Level by level, so that a deep tree beside the run does not hide it.
TEST_F(FindRunsTest, LooksAtTheDeepestLast) {
  Put("a/1/2/3/4/deep.pt.trace.json");
  Put("b/run.pt.trace.json");
  const FoundProfiles found = FindProfiles({dir_.string()}, 4);
  ASSERT_EQ(found.profiles.size(), 1U);
  EXPECT_EQ(fs::path(found.profiles[0].path).filename(), "run.pt.trace.json");
  EXPECT_FALSE(found.is_whole);
  EXPECT_TRUE(FindProfiles({dir_.string()}, 8).is_whole);
}

TEST_F(FindRunsTest, OneOfFewerNamesThanAllMayNotBeTheOnlyRun) {
  FoundRuns found;
  found.runs.emplace_back();
  found.runs[0].name = "b/run";
  found.runs[0].command = "profgauge check b";
  found.is_whole = false;
  const Error error = NotOneRun(found, "runs");
  EXPECT_EQ(error.code, "input/too-many-names");
  EXPECT_EQ(
      error.message,
      "more than 100000 names are below the folder: whether b/run is its only run is unknown");
}

}  // namespace
}  // namespace profgauge::cli
