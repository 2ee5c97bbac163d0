// A folder of many profiles is judged without having all of them in memory: the verdict and the
// metrics are those of its ranks' summaries.
#include "cli/rank_by_rank.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/parse.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kRanks = 65;

std::string TraceOf(int rank) {
  return fmt::format(
      R"({{"distributedInfo": {{"rank": {0}, "world_size": {1}}},
"deviceProperties": [{{"id": 0, "name": "Tesla V100-SXM2-16GB"}}], "traceEvents": [
{{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 180}},
{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 20, "dur": 10,
  "args": {{"correlation": 11}}}},
{{"ph": "X", "cat": "kernel", "name": "work", "pid": 0, "tid": 7, "ts": 50, "dur": {2},
  "args": {{"device": 0, "stream": 7, "correlation": 11}}}}]}})",
      rank, kRanks, 100 + rank);
}

class RankByRank : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("ranks_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "run");
    for (int rank = 0; rank < kRanks; ++rank) Write(rank, TraceOf(rank));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(int rank, const std::string& text) const {
    std::ofstream(folder_ / fmt::format("run/rank{}.json", rank), std::ios::binary) << text;
  }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }
  std::string Text(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(At(name), std::ios::binary).rdbuf();
    return text.str();
  }
  std::string Metrics(const std::string& report) const {
    const std::string all = Text(report);
    const auto begin = all.find("\n  \"metrics\": {"), end = all.find("\n  }", begin + 1);
    EXPECT_NE(end, std::string::npos);
    return all.substr(begin, end - begin);
  }
  // The exit code, or the code of the error that ended the command.
  std::string Run(const std::vector<std::string>& words) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Console console;
    const auto options = ParseCommandLine(words);
    std::string ended = "cannot be parsed";
    if (options) {
      console.Configure(*options);
      const auto done = options->command->run(*options, console);
      ended = done ? std::to_string(*done) : done.error().code;
    }
    (void)console.Finish();
    said_ = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    return ended;
  }

  fs::path folder_;
  std::string said_;
};

TEST_F(RankByRank, JudgesManyRanksBySummaries) {
  const std::string code = Run({"check", At("run"), "--json", At("direct.json")});
  EXPECT_NE(said_.find("judging 65 profiles from summaries"), std::string::npos) << said_;
  ASSERT_EQ(Run({"summarize", At("run"), "-o", At("summaries/")}), "0");
  EXPECT_EQ(Run({"check", At("summaries"), "--json", At("merged.json")}), code);
  EXPECT_EQ(Metrics("direct.json"), Metrics("merged.json"));
  EXPECT_NE(Metrics("direct.json").find("profile.kernel_time"), std::string::npos);
}

// The others are judged: a failure of theirs fails the run, else there is no verdict.
TEST_F(RankByRank, NamesUnreadableRank) {
  Write(3, TraceOf(3).substr(0, 300));
  EXPECT_EQ(Run({"check", At("run")}), "1");
  EXPECT_NE(said_.find("rank3.json"), std::string::npos) << said_;
  EXPECT_NE(said_.find("1 of 65 ranks is not in the run"), std::string::npos) << said_;
  EXPECT_EQ(Run({"check", At("run"), "--fail-on", "never"}), "3");
  Write(3, "");  // The profiler was killed before it wrote.
  EXPECT_EQ(Run({"check", At("run"), "--fail-on", "never"}), "3");
  Write(3, "<html>404</html>");  // It was fetched from where it is no longer.
  EXPECT_EQ(Run({"check", At("run"), "--fail-on", "never"}), "3");
  Write(3, TraceOf(3));
  std::ofstream(folder_ / "run/settings.json") << "{\"epochs\": 3}";
  EXPECT_EQ(Run({"check", At("run"), "--fail-on", "never"}), "0");
  EXPECT_NE(said_.find("left out"), std::string::npos) << said_;
  for (int rank = 0; rank < kRanks; ++rank) Write(rank, "{\"traceEvents\": [");
  EXPECT_EQ(Run({"check", At("run")}), "input/ranks-unreadable");
}

TEST_F(RankByRank, JudgesBySummariesBeyondMemory) {
  for (int rank = 3; rank < kRanks; ++rank) {
    fs::remove(folder_ / fmt::format("run/rank{}.json", rank));
  }
  for (int rank = 0; rank < 3; ++rank) Write(rank, TraceOf(rank) + std::string(200'000, ' '));
  const auto judged = [&](const char* memory) {
    const std::string code =
        Run({"check", At("run"), "--max-memory", memory, "--fail-on", "never"});
    return code + (said_.find("judging 3 profiles from summaries") == said_.npos ? " by events"
                                                                                 : " by summaries");
  };
  EXPECT_EQ(judged("1GB"), "3 by events");  // 62 ranks are missing.
  EXPECT_EQ(judged("1MiB"), "3 by summaries");
}

// Rank 1 began one iteration later: those that all have count, as if all were in memory.
TEST_F(RankByRank, RanksWithOtherIterationsAreSummarizedAgain) {
  for (int rank = 3; rank < kRanks; ++rank) {
    fs::remove(folder_ / fmt::format("run/rank{}.json", rank));
  }
  for (int rank = 0; rank < 3; ++rank) {
    std::string events;
    for (int step = rank == 1 ? 2 : 1; step <= 5; ++step) {
      events += fmt::format(
          R"({{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{0}", "pid": 1, "tid": 1,
"ts": {1}, "dur": 900}},
{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": {2},
"dur": 10, "args": {{"correlation": {0}}}}},
{{"ph": "X", "cat": "kernel", "name": "work", "pid": 0, "tid": 7, "ts": {3}, "dur": {4},
"args": {{"device": 0, "stream": 7, "correlation": {0}}}}},
)",
          step, 1000 * step, 1000 * step + 20, 1000 * step + 50, 100 * step + 10 * rank);
    }
    const std::string whole = TraceOf(rank);
    const auto at = whole.find("{\"ph\"");
    Write(rank, whole.substr(0, at) + events.substr(0, events.rfind(',')) + "]}" +
                    std::string(200'000, ' '));
  }
  for (const char* memory : {"1GB", "1MiB"}) {
    ASSERT_EQ(Run({"baseline", "save", At("run"), "--allow-incomplete", "--max-memory", memory,
                   "-o", At(memory)}),
              "0")
        << said_;
    Run({"check", At("run"), "--max-memory", memory, "--json", At("report.json")});
    EXPECT_NE(Text("report.json").find("\"iterations_selected\": 4"), std::string::npos) << memory;
  }
  EXPECT_NE(said_.find("judging 3 profiles from summaries"), std::string::npos) << said_;
  EXPECT_EQ(Text("1MiB"), Text("1GB"));
}

TEST_F(RankByRank, BatchSizeChangesNothing) {
  Write(3, TraceOf(3).substr(0, 300));
  Write(40, "<html>404</html>");
  const auto summarized = [&](const char* jobs) {
    EXPECT_EQ(Run({"summarize", At("run"), "-o", At("all.pgsum"), "-j", jobs}), "3");
    const std::string said = said_, bytes = Text("all.pgsum");
    fs::remove(folder_ / "all.pgsum");
    return said + bytes;
  };
  const std::string alone = summarized("1");
  EXPECT_NE(alone.find("rank3.json"), std::string::npos);
  for (const char* jobs : {"2", "3", "16"}) EXPECT_EQ(summarized(jobs), alone) << jobs;
}

// One of two ranks cannot be read: nothing shows whether ranks are missing, but the other must not
// pass for the run, unless the policy allows one missing rank.
TEST_F(RankByRank, OneReadableRankIsNoRun) {
  for (int rank = 2; rank < kRanks; ++rank) {
    fs::remove(folder_ / fmt::format("run/rank{}.json", rank));
  }
  Write(1, TraceOf(1).substr(0, 300));
  const auto policy = [&](const char* ranks) {
    std::ofstream(folder_ / "policy.yaml")
        << "schema: 1\nthresholds: {profile.kernel_time: {max: 1 s}}\n"
        << ranks;
    return At("policy.yaml");
  };
  const auto run = [&](const char* ranks) {
    return Run({"check", At("run"), "--fail-on", "never", "--policy", policy(ranks)});
  };
  EXPECT_EQ(run(""), "3");
  EXPECT_NE(said_.find("cannot be read"), std::string::npos) << said_;
  EXPECT_EQ(run("ranks: {allow_missing: 1}\n"), "0");
}

// A run's baseline is the same, whatever it is read from.
TEST_F(RankByRank, BaselinesAreThoseOfTheProfiles) {
  for (int rank = 2; rank < kRanks; ++rank) {
    fs::remove(folder_ / fmt::format("run/rank{}.json", rank));
  }
  ASSERT_EQ(Run({"baseline", "save", At("run"), "-o", At("few.json")}), "0");
  fs::create_directories(folder_ / "kept");
  ASSERT_EQ(Run({"summarize", At("run"), "-o", At("kept/run/")}), "0");
  ASSERT_EQ(Run({"baseline", "save", At("kept/run"), "-o", At("kept.json")}), "0");
  EXPECT_EQ(Text("few.json"), Text("kept.json"));
  EXPECT_NE(Text("few.json").find("\"work\""), std::string::npos);
  ASSERT_EQ(Run({"summarize", At("run"), "-o", At("run.pgsum")}), "0");
  ASSERT_EQ(Run({"baseline", "save", At("run.pgsum"), "-o", At("merged.json")}), "0");
  EXPECT_EQ(Text("few.json"), Text("merged.json"));
  EXPECT_EQ(Run({"baseline", "save", At("run"), At("run.pgsum"), "-o", At("both.json")}),
            "baseline/same-run");
  ASSERT_EQ(Run({"history", "add", At("kept/run"), "--db", At("history.db")}), "0");
  EXPECT_NE(said_.find("added run 1"), std::string::npos) << said_;
  ASSERT_EQ(Run({"history", "add", At("run"), "--db", At("history.db")}), "0");
  EXPECT_NE(said_.find("is run 1 of branch main already"), std::string::npos) << said_;
  ASSERT_EQ(Run({"init", At("run"), "-o", At("of_run.yaml")}), "0");
  ASSERT_EQ(Run({"init", At("kept/run"), "-o", At("of_kept.yaml")}), "0");
  EXPECT_EQ(Text("of_run.yaml"), Text("of_kept.yaml"));
}

TEST_F(RankByRank, ComparesManyRanksBySummaries) {
  ASSERT_EQ(Run({"baseline", "save", At("run"), "-o", At("many.json")}), "0");
  EXPECT_NE(said_.find("comparing 65 profiles from summaries"), std::string::npos) << said_;
  ASSERT_EQ(Run({"summarize", At("run"), "-o", At("kept/run/")}), "0");
  ASSERT_EQ(Run({"baseline", "save", At("kept/run"), "-o", At("kept.json")}), "0");
  EXPECT_EQ(Text("many.json"), Text("kept.json"));
  for (const char* run : {"run", "kept/run"}) {
    ASSERT_EQ(Run({"compare", At("many.json"), At(run), "--json", At("compare.json")}), "0");
    EXPECT_NE(said_.find("same profile"), std::string::npos) << said_;
    EXPECT_NE(Text("compare.json").find("only summaries, without call tree and timeline"),
              std::string::npos);
    // Compared with itself a run shows nothing, whatever it is read from.
    EXPECT_EQ(Run({"check", At(run), "--fail-on", "never", "--baseline", At("many.json")}), "3");
    EXPECT_EQ(Run({"check", At(run), "--fail-on", "never", "--baseline", At("kept/run")}), "3");
    EXPECT_NE(said_.find("baseline/same-run"), std::string::npos) << said_;
  }
  ASSERT_EQ(Run({"report", "--run", "a=" + At("run"), "--run", "b=" + At("kept/run"), "--json",
                 At("runs.json")}),
            "0");
  // A kept file must be whole.
  Write(3, TraceOf(3).substr(0, 300));
  EXPECT_EQ(Run({"baseline", "save", At("run"), "-o", At("cut.json")}), "input/ranks-unreadable");
  EXPECT_NE(said_.find("rank3.json"), std::string::npos) << said_;
  EXPECT_FALSE(fs::exists(At("cut.json")));
  EXPECT_EQ(Run({"baseline", "save", At("run"), "-o", At("cut.json"), "--allow-incomplete"}), "0");
}

TEST_F(RankByRank, SelectedRankKeepsItsEvents) {
  const std::string alone = Run({"check", At("run/rank3.json"), "--json", At("alone.json")});
  EXPECT_EQ(Run({"check", At("run"), "--rank", "3", "--json", At("asked.json")}), alone);
  EXPECT_EQ(said_.find("profiles from summaries"), std::string::npos) << said_;
  EXPECT_EQ(Metrics("asked.json"), Metrics("alone.json"));
  EXPECT_EQ(Run({"check", At("run"), "--rank", "99"}), "analysis/no-rank");
  Write(3, "");
  EXPECT_EQ(Run({"check", At("run"), "--rank", "3"}), "analysis/no-rank");
  EXPECT_NE(said_.find("rank3.json"), std::string::npos) << said_;
}

TEST_F(RankByRank, FewerRanksKeepTheirEvents) {
  fs::remove(folder_ / "run/rank64.json");
  Run({"check", At("run")});
  EXPECT_EQ(said_.find("profiles from summaries"), std::string::npos) << said_;
}

}  // namespace
}  // namespace profgauge::cli
