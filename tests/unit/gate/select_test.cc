// Which runs of a history a run is compared with, and a team's forty commits.
#include "gate/select.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "compare_fixture.h"
#include "gate/baseline_info.h"
#include "gate/baseline_verdict.h"
#include "gate/history_check.h"
#include "gate/work.h"

namespace profgauge::gate {
namespace {

using testing::Find;
using testing::Plain;
using testing::Sample;

class SelectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "select_" + std::to_string(::getpid()) + ".db";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // A run whose iterations differ a little, and from those of other runs.
  static Snapshot Run(double level, int seed, const std::string& gpu = "NVIDIA A100-SXM4-80GB") {
    Snapshot run = Sample(1);
    for (std::size_t i = 0; i < run.iteration_times.size(); ++i) {
      const auto wobble = static_cast<double>((i * 7 + static_cast<std::size_t>(seed) * 3) % 11);
      run.iteration_times[i] =
          static_cast<Ns>(level * (1e6 + 1e3 * wobble) * (1 + 0.002 * (seed % 5 - 2)));
    }
    run.parts.front().time =
        std::accumulate(run.iteration_times.begin(), run.iteration_times.end(), Ns{0});
    run.source = fmt::format("hash{}", seed);
    run.name = fmt::format("r{}", seed);
    run.environment = {{"gpu", gpu}, {"gpus", "1"}, {"world_size", "1"}};
    return run;
  }

  std::int64_t Add(const Snapshot& run, const std::string& commit, const std::string& verdict = "",
                   const std::string& model = "") {
    auto history = History::OpenToAdd(path_);
    HistoryEntry entry;
    entry.branch = "main";
    entry.commit = commit;
    entry.verdict = verdict;
    entry.model = model;
    entry.snapshot = run;
    const std::int64_t id = *history->Add(entry);
    EXPECT_TRUE(history->Save());
    return id;
  }

  HistoryChoice Choose(const Snapshot& candidate, std::int64_t count,
                       HistoryQuestion question = {}) {
    auto history = History::OpenToRead(path_);
    question.reference = {"main", count};
    if (question.today.empty()) question.today = "2026-11-26";
    auto choice = ChooseRuns(*history, question, std::span(&candidate, 1));
    EXPECT_TRUE(choice) << choice.error().message;
    return *choice;
  }

  static std::string Ids(const std::vector<ChosenRun>& runs) {
    std::string text;
    for (const ChosenRun& run : runs) text += fmt::format("{} ", run.row.id);
    return text;
  }

  std::string path_;
};

TEST_F(SelectTest, NamesRunsOfTheSameCommitThatPassed) {
  for (int i = 0; i < 3; ++i) Add(Run(1, i), fmt::format("commit{}", i), "pass");
  const std::int64_t passed = Add(Run(1, 10), "mine", "pass");
  Add(Run(1.2, 11), "mine", "fail");
  Add(Run(1.2, 12), "mine", "again");
  Add(Run(1, 13, "NVIDIA H100 80GB HBM3"), "mine", "pass");
  HistoryQuestion question;
  question.commit = "mine";
  EXPECT_EQ(Choose(Run(1.2, 99), 3, question).same_commit, std::vector<std::int64_t>{passed});
  // The candidate's own recording says nothing about itself.
  EXPECT_TRUE(Choose(Run(1, 10), 3, question).same_commit.empty());
  question.commit = "other";
  EXPECT_TRUE(Choose(Run(1.2, 99), 3, question).same_commit.empty());
}

TEST_F(SelectTest, TakesLastComparableRunsNamesSkipped) {
  for (int i = 0; i < 4; ++i) Add(Run(1, i), fmt::format("commit{}", i));
  Add(Run(0.5, 10, "NVIDIA H100 80GB HBM3"), "c10");
  Add(Run(2, 11), "c11", "fail");
  Add(Run(1, 12), "c12", "no_verdict");
  Add(Run(1, 13), "c13", "pass", "bert");
  Add(Run(1, 14), "same");
  Add(Run(1, 15), "same");
  Add(Run(1, 16), "same");
  HistoryQuestion question;
  question.model = "gpt";
  const HistoryChoice choice = Choose(Run(1, 99), 3, question);
  EXPECT_EQ(Ids(choice.window), "3 4 11 ");
  EXPECT_EQ(Ids(choice.anchor), "1 2 3 ");
  const BaselineInfo info = DescribeChoice(choice, {"main", 3}, {1, "2026-11-26", "", false});
  EXPECT_EQ(info.state, BaselineState::kLearning);
  EXPECT_EQ(BaselineLine(info),
            "baseline history:main~3: 3 runs (3 … 11); learning: 3 of 4 runs of main; skipped runs "
            "9, 10 (same commit as 11), run 8 (model bert), run 7 (no verdict), run 6 (failed), "
            "run 5 (H100)");
  BaselineInfo with_files = info;
  with_files.skipped.clear();
  with_files.state = BaselineState::kUsed;
  with_files.runs.insert(with_files.runs.begin(), 2, {0, "", "run"});
  EXPECT_EQ(BaselineLine(with_files), "baseline history:main~3: 5 runs (3 … 11, 2 of files)");
  with_files.runs.resize(2);
  EXPECT_EQ(BaselineLine(with_files), "baseline history:main~3: 2 runs of 3 (2 of files)");
  // The candidate's own profile and commit are not in its baseline.
  EXPECT_EQ(Ids(Choose(Run(1, 3), 2).window), "8 11 ");  // No model is said: work decides.
  question.commit = "commit3";
  EXPECT_EQ(Ids(Choose(Run(1, 99), 2, question).window), "3 11 ");
}

TEST_F(SelectTest, FewerOrNoneAreReported) {
  Add(Run(1, 0, "NVIDIA H100 80GB HBM3"), "a");
  Add(Run(1, 1), "b");
  const BaselineInfo partial =
      DescribeChoice(Choose(Run(1, 9), 5), {"main", 5}, {1, "2026-11-26", "", false});
  EXPECT_EQ(partial.state, BaselineState::kLearning);
  EXPECT_EQ(BaselineMark(partial), "learning: 1 of 4 runs of main");
  const BaselineInfo few =
      DescribeChoice(Choose(Run(1, 9), 5), {"main", 5}, {3, "2026-11-26", "", false});
  EXPECT_EQ(few.state, BaselineState::kNoneComparable);
  const BaselineInfo none =
      DescribeChoice(Choose(Run(1, 9, "Tesla V100"), 5), {"main", 5}, {1, "2026-11-26", "", false});
  EXPECT_EQ(none.state, BaselineState::kNoneComparable);
  EXPECT_EQ(BaselineLine(none),
            "baseline history:main~5: no comparable run among the 2 runs of main: run 2 (A100), "
            "run 1 (H100); here V100");
}

// A branch from before an improvement is held against its own past.
TEST_F(SelectTest, NearestAncestorsCount) {
  for (int i = 0; i < 6; ++i) Add(Run(1, i), fmt::format("commit{}", i));
  Add(Run(1, 7), "dropped");
  Add(Run(1, 8), "old-release");
  HistoryQuestion question;
  question.commit = "mine";
  question.ancestors = {"mine", "commit2", "commit1", "old-release", "commit0"};
  const HistoryChoice behind = Choose(Run(1, 99), 3, question);
  EXPECT_EQ(Ids(behind.window), "8 2 3 ");  // A release that was added later has its place.
  EXPECT_FALSE(behind.is_by_insertion);
  EXPECT_NE(SkippedText(behind.skipped).find("(no ancestor)"), std::string::npos);
  // A merge sees the tip; the judged commit itself is no baseline.
  question.ancestors = {"merge", "commit5", "commit4", "commit3", "commit2"};
  question.commit = "commit5";
  EXPECT_EQ(Ids(Choose(Run(1, 99), 2, question).window), "4 5 ");
  // Unknown to git: the last ones, and told.
  question.ancestors = {"x", "y"};
  question.commit = "x";
  const HistoryChoice unknown = Choose(Run(1, 99), 2, question);
  EXPECT_EQ(Ids(unknown.window), "7 8 ");
  EXPECT_TRUE(unknown.is_by_insertion);
  question = {};
  EXPECT_FALSE(Choose(Run(1, 99), 2, question).is_by_insertion);
}

// Where a shallow clone ends the parents that were kept with the runs lead on.
TEST_F(SelectTest, ParentsOfRunsLeadOn) {
  auto history = History::OpenToAdd(path_);
  for (int i = 0; i < 4; ++i) {
    HistoryEntry entry;
    entry.branch = "main";
    entry.commit = fmt::format("m{}", i);
    entry.parents = i == 0 ? "" : fmt::format("m{} side", i - 1);
    entry.commit_time = 1000 + i;
    entry.snapshot = Run(1, i);
    ASSERT_TRUE(history->Add(entry));
  }
  ASSERT_TRUE(history->Save());
  EXPECT_EQ(history->Rows("main", 9)->back().parents, "m2 side");
  EXPECT_EQ(history->Rows("main", 9)->back().commit_time, 1003);
  HistoryQuestion question;
  question.commit = "mine";
  question.ancestors = {"mine", "m2"};
  EXPECT_EQ(Ids(Choose(Run(1, 99), 5, question).window), "1 2 3 ");
}

// Without runs: learning, lost or misspelled; the day and who judges say which.
// Without ancestors the times of the commits order the runs; later ones are no past.
TEST_F(SelectTest, TimesOfCommitsOrderRuns) {
  const auto add = [&](int seed, std::int64_t time) {
    auto history = History::OpenToAdd(path_);
    HistoryEntry entry;
    entry.branch = "main";
    entry.commit = fmt::format("commit{}", seed);
    entry.commit_time = time;
    entry.snapshot = Run(1, seed);
    EXPECT_TRUE(history->Add(entry));
    EXPECT_TRUE(history->Save());
  };
  add(1, 300), add(2, 100), add(3, 200), add(4, 900);
  HistoryQuestion question;
  question.commit = "mine";
  question.commit_time = 400;
  const HistoryChoice choice = Choose(Run(1, 99), 2, question);
  EXPECT_EQ(Ids(choice.window), "3 1 ");
  EXPECT_TRUE(choice.is_by_insertion);
  question.commit_time = 0;
  EXPECT_EQ(Ids(Choose(Run(1, 99), 2, question).window), "1 4 ");
}

// An improvement that stays is the origin of creep, and undoing a change undoes its headroom.
TEST_F(SelectTest, AnchorFallsWithAnImprovement) {
  for (int i = 0; i < 5; ++i) Add(Run(1, i), fmt::format("a{}", i), "pass", "m");
  Add(Run(0.9, 5), "b0", "pass", "m");
  Add(Run(1, 6), "b1", "pass", "m");  // Not three in a row.
  for (int i = 0; i < 2; ++i) Add(Run(0.9, 7 + i), fmt::format("c{}", i), "pass", "m");
  Add(Run(0.5, 9, "NVIDIA H100 80GB HBM3"), "other", "pass", "m");
  HistoryQuestion question;
  question.model = "m";
  question.limit = 0.05;
  EXPECT_EQ(Ids(Choose(Run(0.9, 99), 4, question).anchor), "1 2 3 4 ");
  Add(Run(0.9, 10), "c2", "pass", "m");
  const HistoryChoice fallen = Choose(Run(0.9, 99), 4, question);
  EXPECT_TRUE(fallen.has_fallen);
  EXPECT_EQ(Ids(fallen.anchor), "8 9 11 ");
  EXPECT_EQ(Ids(fallen.window), "8 9 11 ");
  EXPECT_EQ(DescribeChoice(fallen, {"main", 4}, {}).anchor, "run 8");
  for (int i = 0; i < 4; ++i) Add(Run(0.89, 11 + i), fmt::format("d{}", i), "pass", "m");
  EXPECT_EQ(Ids(Choose(Run(0.9, 99), 4, question).anchor), "8 9 11 12 13 ");
  for (int i = 0; i < 3; ++i) Add(Run(0.8, 20 + i), fmt::format("e{}", i), "pass", "m");
  EXPECT_EQ(Ids(Choose(Run(0.8, 99), 4, question).anchor), "16 17 18 ");
  question.limit = 0;  // As `history check` asks.
  EXPECT_FALSE(Choose(Run(0.8, 99), 4, question).has_fallen);
}

TEST_F(SelectTest, ABranchWithoutRunsHasAState) {
  Add(Run(1, 0), "a", "", "gpt");
  const auto state = [&](const std::string& model, const std::string& until) {
    HistoryQuestion question;
    question.model = model;
    return BaselineStateName(
        DescribeChoice(Choose(Run(1, 9), 5, question), {"main", 5}, {1, "2026-11-26", until, false})
            .state);
  };
  EXPECT_EQ(state("gpt", ""), "learning");
  EXPECT_EQ(state("bert", ""), "lost");
  EXPECT_EQ(state("bert", "2026-11-25"), "lost");
  EXPECT_EQ(state("bert", "2026-11-26"), "first");
  HistoryChoice none;
  none.wanted = 5;
  none.branches = {{"main", 1}};
  HistoryFacts facts{1, "2026-11-26", "2026-12-31", false};
  const BaselineInfo unknown = DescribeChoice(none, {"mian", 5}, facts);
  EXPECT_EQ(BaselineStateName(unknown.state), "unknown_branch");
  EXPECT_EQ(unknown.why_missing, "the history has no branch mian: did you mean main (1 run)?");
  facts.is_judged = true;
  EXPECT_EQ(BaselineStateName(DescribeChoice(none, {"release", 5}, facts).state), "first");
  const BaselineInfo absent = DescribeAbsence({"main", 5}, facts, "h.db does not exist");
  EXPECT_EQ(BaselineLine(absent),
            "baseline history:main~5: learning, 0 of 4 runs of main, until 2026-12-31: nothing was "
            "compared");
}

// Two models in one history: the slowdown of one that is accepted must not hide the other's runs.
TEST_F(SelectTest, LevelIsOfOneProgram) {
  for (int i = 0; i < 3; ++i) Add(Run(1, i), fmt::format("c{}", i), "", "gpt");
  Add(Run(2, 3), "c3", "", "net");
  const std::int64_t accepted = Add(Run(2.4, 4), "c4", "fail", "net");
  auto history = History::OpenToAdd(path_);
  HistoryLevel level;
  level.run = accepted;
  level.reason = level.owner = "anna";
  ASSERT_TRUE(history->Mark(level));
  ASSERT_TRUE(history->Save());
  HistoryQuestion question;
  question.model = "gpt";
  EXPECT_EQ(Ids(Choose(Run(1, 9), 5, question).window), "1 2 3 ");
  EXPECT_FALSE(Choose(Run(1, 9), 5, question).level);
  question.model = "net";
  EXPECT_EQ(Ids(Choose(Run(2.4, 9), 5, question).window), "5 ");
  // Another GPU of the same program starts anew, and its owner reads why.
  const HistoryChoice other = Choose(Run(2.4, 9, "Tesla V100"), 5, question);
  EXPECT_EQ(DescribeChoice(other, {"main", 5}, {1, "2026-11-26", "", false}).why_missing,
            "no comparable run among the 5 runs of main: run 5 (A100); here V100; 4 runs before "
            "the level "
            "accepted with run 5");
}

TEST_F(SelectTest, OtherWorkIsAnotherModel) {
  const auto with = [](Snapshot run, std::vector<analysis::breakdown::WorkSum> kernels) {
    run.work.iterations = 10;
    run.work.has_gpu = true;
    run.work.kernels = std::move(kernels);
    return run;
  };
  const Snapshot base = with(Run(1, 1), {{"a", 100, 1, 0, {}}, {"b", 50, 1, 0, {}}});
  const Snapshot more =
      with(Run(1, 2), {{"a", 100, 1, 0, {}}, {"b", 50, 1, 0, {}}, {"c", 30, 1, 0, {}}});
  const Snapshot other = with(Run(1, 3), {{"x", 100, 1, 0, {}}, {"b", 5, 1, 0, {}}});
  EXPECT_NEAR(WorkOverlap(base, more), 150.0 / 180, 1e-12);
  EXPECT_LT(WorkOverlap(base, other), 0.1);
  EXPECT_EQ(WorkOverlap(base, Run(1, 4)), 1);
  Add(other, "a");
  Add(base, "b");
  EXPECT_EQ(Ids(Choose(more, 5).window), "2 ");
}

TEST_F(SelectTest, AcceptedLevelBeginsTheBaseline) {
  for (int i = 0; i < 5; ++i) Add(Run(1, i), fmt::format("c{}", i));
  const std::int64_t slower = Add(Run(1.1, 5), "c5", "fail");
  Add(Run(1.1, 6), "c6", "fail");
  EXPECT_EQ(Ids(Choose(Run(1.1, 9), 3).window), "3 4 5 ");
  {
    auto history = History::OpenToAdd(path_);
    HistoryLevel level;
    level.run = slower;
    level.reason = "wider model";
    level.owner = "anna";
    level.until = "2026-12-31";
    ASSERT_TRUE(history->Mark(level));
    ASSERT_TRUE(history->Save());
  }
  const HistoryChoice accepted = Choose(Run(1.1, 9), 3);
  EXPECT_EQ(Ids(accepted.window), "6 ");
  EXPECT_EQ(Ids(accepted.anchor), "6 ");
  const BaselineInfo info = DescribeChoice(accepted, {"main", 3}, {3, "2026-11-26", "", false});
  EXPECT_EQ(info.state, BaselineState::kLearning);  // Since a level, few are never missing.
  EXPECT_NE(BaselineLine(info).find("level of run 6, accepted by anna: wider model (until "
                                    "2026-12-31)"),
            std::string::npos);
  HistoryQuestion later;
  later.today = "2027-01-01";
  const HistoryChoice ended = Choose(Run(1.1, 9), 3, later);
  EXPECT_EQ(Ids(ended.window), "3 4 5 ");
  ASSERT_TRUE(ended.ended);
  EXPECT_NE(BaselineLine(DescribeChoice(ended, {"main", 3}, {1, "2026-11-26", "", false}))
                .find("the level accepted by anna ended on 2026-12-31"),
            std::string::npos);
}

// Forty commits as a team lives through them: noise, a slowdown that is merged and accepted,
// another GPU, creep, a stall.
class Team : public SelectTest {
 protected:
  struct Said {
    int exit = 0;
    std::string reason;
  };

  // Judges a run as `check --baseline history:main~5` does, and adds it with its verdict.
  Said Commit(const Snapshot& run) {
    const std::string commit = fmt::format("commit{}", ++commits_);
    Said said;
    if (commits_ > 1) {
      const HistoryChoice choice = Choose(run, 5);
      said = Judged(choice, run);
    }
    Add(run, commit, said.exit == 0 ? "pass" : said.exit == 1 ? "fail" : "again");
    return said;
  }

  static Said Judged(const HistoryChoice& choice, const Snapshot& run) {
    if (choice.window.empty()) return {0, "missing"};
    std::vector<Snapshot> window, anchor, failed;
    for (const ChosenRun& one : choice.window) window.push_back(one.snapshot);
    for (const ChosenRun& one : choice.anchor) anchor.push_back(one.snapshot);
    for (const ChosenRun& one : choice.failed) failed.push_back(one.snapshot);
    const std::vector<Snapshot> runs = {run};
    RunComparison comparison =
        CompareRuns(window, runs, nullptr, ComparePurpose::kJudge, false, failed);
    std::vector<Snapshot> since = window;
    since.insert(since.end(), failed.begin(), failed.end());
    HoldAgainstAnchor(anchor, runs, {},
                      DescribeChoice(choice, {"main", 5}, {1, "2026-11-26", "", false}), comparison,
                      since);
    Verdict verdict;
    verdict.status = VerdictStatus::kPass;
    AddComparison(comparison, {}, verdict);
    return {ExitCodeOf(verdict, false), verdict.reasons.empty() ? "" : verdict.reasons.front()};
  }

  int commits_ = 0;
};

TEST_F(Team, LivesThroughFortyCommits) {
  int seed = 0;
  // Only noise: green.
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Commit(Run(1, seed++)).exit, 0) << commits_;
  // A slowdown of 12 % is merged: five runs ask for three recordings, and the commits after it are
  // such. Red from the third on.
  for (int i = 0; i < 4; ++i) {
    const Said said = Commit(Run(1.12, seed++));
    EXPECT_EQ(said.exit, i < 2 ? 3 : 1) << commits_;
    EXPECT_NE(said.reason.find("limit +5"), std::string::npos) << said.reason;
  }
  // It is meant: accepted at its first commit, and later commits are green.
  {
    auto history = History::OpenToAdd(path_);
    const auto run = history->Find("commit11");
    ASSERT_TRUE(run);
    HistoryLevel level;
    level.run = run->id;
    level.reason = "wider model";
    level.owner = "anna";
    ASSERT_TRUE(history->Mark(level));
    ASSERT_TRUE(history->Save());
  }
  for (int i = 0; i < 8; ++i) EXPECT_EQ(Commit(Run(1.12, seed++)).exit, 0) << commits_;
  // Another GPU joins the pool: judged only by limits at first, then with its own kind.
  const std::string h100 = "NVIDIA H100 80GB HBM3";
  EXPECT_EQ(Commit(Run(0.6, seed++, h100)).reason, "missing");
  EXPECT_EQ(Commit(Run(1.12, seed++)).exit, 0);
  EXPECT_EQ(Commit(Run(0.6, seed++, h100)).exit, 0);
  EXPECT_EQ(Commit(Run(0.75, seed++, h100)).exit, 1);
  // Creep of 1 % a commit: no step is over the limit, the anchor sees it before +10 %.
  double level = 1.12;
  int seen_at = 0;
  for (int i = 1; i <= 12 && seen_at == 0; ++i) {
    level *= 1.01;
    const Said said = Commit(Run(level, seed++));
    if (said.exit == 0) continue;
    seen_at = i;
    EXPECT_NE(said.reason.find("creep"), std::string::npos) << said.reason;
    EXPECT_NE(said.reason.find("since the level of run 11"), std::string::npos) << said.reason;
  }
  EXPECT_GE(seen_at, 4);
  EXPECT_LE(seen_at, 9);
  // It is found and repaired; two iterations that stall are no pass and no accusation.
  EXPECT_EQ(Commit(Run(1.12, seed++)).exit, 0);
  Snapshot stalled = Run(1.12, seed++);
  stalled.iteration_times[7] *= 10;
  stalled.iteration_times[15] *= 10;
  stalled.parts.front().time =
      std::accumulate(stalled.iteration_times.begin(), stalled.iteration_times.end(), Ns{0});
  const Said said = Commit(stalled);
  EXPECT_EQ(said.exit, 3);
  EXPECT_NE(said.reason.find("if it was the machine, record again"), std::string::npos)
      << said.reason;
  while (commits_ < 40) EXPECT_EQ(Commit(Run(1.12, seed++)).exit, 0) << commits_;
}

TEST(BlameSet, HoldsTheTrueCommit) {
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back((i * 7 % 5 - 2) * 0.003 + (i >= 20 ? 0.05 : 0));
  const std::vector<std::size_t> set = stats::BlameSet(values, 0.01);
  ASSERT_FALSE(set.empty());
  EXPECT_EQ(set.front(), 20U);
  EXPECT_LE(set.size(), 2U);
  EXPECT_TRUE(stats::BlameSet(std::vector<double>{1, 2, 3}, 0.01).empty());
}

// A missed limit of the run itself shows no change, nor does doubt about one.
TEST_F(SelectTest, TakesRunsFailingOwnLimits) {
  Add(Run(1, 0), "a", "limits");
  Add(Run(1, 1), "b", "undecided");
  Add(Run(1, 2), "c", "no_verdict");
  Add(Run(1, 3), "d", "fail");
  EXPECT_EQ(Ids(Choose(Run(1, 9), 5).window), "1 2 ");
}

// A run that asks for another recording is none itself while the runs after it do so, too: these
// are recordings of one slowdown. Once one passes it shows what the machine does.
TEST_F(SelectTest, TakesRunsThatAskedAgainAfterAPass) {
  Add(Run(1, 0), "a", "pass");
  Add(Run(1.08, 1), "b", "again");
  Add(Run(1.08, 2), "c", "again");
  EXPECT_EQ(Ids(Choose(Run(1, 9), 5).window), "1 ");
  EXPECT_EQ(Ids(Choose(Run(1, 9), 5).failed), "2 3 ");
  Add(Run(1, 3), "d", "pass");
  EXPECT_EQ(Ids(Choose(Run(1, 9), 5).window), "1 2 3 4 ");
  EXPECT_EQ(Ids(Choose(Run(1, 9), 5).failed), "");
}

// Few baselines leave a slowdown undecided. Such runs never become the level, whatever passes
// later, and they confirm one that stays.
TEST_F(SelectTest, LeavesOutRunsOverTheirLimit) {
  for (int i = 0; i < 3; ++i) Add(Run(1, i), fmt::format("c{}", i), "pass");
  Add(Run(1.08, 3), "slow", "over");
  Add(Run(1.08, 4), "after", "over");
  EXPECT_EQ(Ids(Choose(Run(1.08, 9), 5).window), "1 2 3 ");
  EXPECT_EQ(Ids(Choose(Run(1.08, 9), 5).failed), "4 5 ");
  Add(Run(1, 5), "reverted", "pass");
  EXPECT_EQ(Ids(Choose(Run(1, 9), 5).window), "1 2 3 6 ");
  HistoryQuestion with_failed;
  with_failed.with_failed = true;
  EXPECT_EQ(Ids(Choose(Run(1, 9), 6, with_failed).window), "1 2 3 4 5 6 ");
}

// A run that fails as those before it did is not to blame.
TEST_F(SelectTest, StepsOfEarlierCommitsAreTheirs) {
  for (int i = 0; i < 5; ++i) Add(Run(1, i), fmt::format("c{}", i));
  Add(Run(1.12, 5), "slow", "fail");
  Add(Run(1.12, 6), "after", "fail");
  Add(Run(0.5, 7, "NVIDIA H100 80GB HBM3"), "other", "fail");
  const auto blame = [&](const Snapshot& candidate) {
    const HistoryChoice choice = Choose(candidate, 5);
    return BlameText(choice.window, choice.failed, candidate, 0.01);
  };
  EXPECT_EQ(blame(Run(1.12, 8)), "the step is not of this commit, but of slow");
  EXPECT_EQ(blame(Run(1.5, 8)), "the step is of this commit, not of earlier failed runs");
  const HistoryChoice choice = Choose(Run(1, 9), 5);
  EXPECT_EQ(Ids(choice.failed), "6 7 ");
  EXPECT_EQ(BlameText(choice.window, {}, Run(1.12, 8), 0.01), "");
}

TEST_F(SelectTest, CheckFindsStepsAndCreep) {
  const auto check = [&](int runs, double step, double creep) {
    std::vector<ChosenRun> all;
    for (int i = 0; i < runs; ++i) {
      ChosenRun& run = all.emplace_back();
      run.row.id = i + 1;
      run.row.commit = fmt::format("c{:02}", i);
      run.snapshot = Run((i >= 12 ? step : 1) * (1 + creep * i), i);
    }
    return CheckHistory(all, "iteration.time.median", {});
  };
  EXPECT_EQ(check(20, 1, 0).state, HistoryState::kSteady);
  EXPECT_EQ(check(5, 1, 0).state, HistoryState::kTooFew);
  const HistoryFindings step = check(20, 1.1, 0);
  EXPECT_EQ(step.state, HistoryState::kStep);
  EXPECT_EQ(step.commits.front(), "c12");
  EXPECT_EQ(FindingsText(step).substr(0, 4), "+10.");
  EXPECT_NE(check(20, 1, 0.006).state, HistoryState::kSteady);
}

// A rate that fell is said as it fell, not by its inverse; a commit with several runs counts once.
TEST_F(SelectTest, CheckSaysTheChangeOfTheMetric) {
  std::vector<ChosenRun> all;
  for (int i = 0; i < 20; ++i) {
    ChosenRun& run = all.emplace_back();
    run.row.commit = fmt::format("c{:02}", i);
    run.snapshot = Run(1, i);
    run.snapshot.metrics["serve.output_rate"] = (i >= 12 ? 80 : 100) + i % 2;
  }
  EXPECT_EQ(Plain(FindingsText(CheckHistory(all, "serve.output_rate", {}))), "−19.9 % at c12");
  for (ChosenRun& run : all)
    run.snapshot.metrics["serve.output_rate"] *= run.row.commit < "c12" ? 0.5 : 1;
  EXPECT_EQ(CheckHistory(all, "serve.output_rate", {}).state, HistoryState::kSteady);

  std::vector<HistoryEntry> entries(5);
  const char* const commits[] = {"", "a", "", "a", "a"};
  std::vector<const HistoryEntry*> listed;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].id = static_cast<std::int64_t>(i);
    entries[i].commit = commits[i];
    entries[i].snapshot = Run(i == 1 ? 3 : 1 + 0.1 * static_cast<double>(i), 0);
    listed.push_back(&entries[i]);
  }
  EXPECT_EQ(OneOfEachCommit(listed), (std::vector<std::size_t>{0, 2, 4}));
}

// Of 10 runs and three after a step each is named; a step below the limit only where the level is
// over it.
TEST(FindStep, NeedsTwoRunsAfterIt) {
  const auto levels = [](std::vector<double> after) {
    std::vector<double> values;
    for (int i = 0; i < 10; ++i) values.push_back((i * 7 % 5 - 2) * 0.002);
    for (const double value : after) values.push_back(value + 0.001);
    return values;
  };
  ASSERT_TRUE(stats::FindStep(levels({0.1, 0.099}), 0.01).has_value());
  EXPECT_NEAR(*stats::FindStep(levels({0.1, 0.1, 0.1}), 0.01), 0.1, 0.005);
  EXPECT_EQ(stats::BlameSet(levels({0.1, 0.1, 0.1}), 0.01), std::vector<std::size_t>{10});
  EXPECT_FALSE(stats::FindStep(levels({0.001, -0.001}), 0.01).has_value());
  std::vector<double> creep;
  for (int i = 0; i < 20; ++i) creep.push_back(0.01 * i + (i % 2 == 0 ? 0.001 : -0.001));
  EXPECT_FALSE(stats::FindStep(creep, 0.01).has_value());
}

TEST_F(SelectTest, CheckNamesARecentStep) {
  std::vector<ChosenRun> all;
  for (int i = 0; i < 13; ++i) {
    ChosenRun& run = all.emplace_back();
    run.row.commit = fmt::format("c{:02}", i);
    run.snapshot = Run(i >= 10 ? 1.1 : 1, i);
  }
  const HistoryFindings step = CheckHistory(all, "iteration.time.median", {});
  EXPECT_EQ(step.state, HistoryState::kStep);
  EXPECT_EQ(step.commits.front(), "c10");
}

TEST_F(SelectTest, CheckNamesEachStep) {
  std::vector<ChosenRun> all;
  for (int i = 0; i < 18; ++i) {
    ChosenRun& run = all.emplace_back();
    run.row.commit = fmt::format("c{:02}", i);
    run.snapshot = Run(i >= 12 ? 1.3 : i >= 6 ? 1.14 : 1, i);
  }
  const std::string text = Plain(FindingsText(CheckHistory(all, "iteration.time.median", {})));
  EXPECT_TRUE(text.starts_with("+14.")) << text;
  EXPECT_NE(text.find(" at c06; +14."), text.npos) << text;
  EXPECT_NE(text.find(" at c12; level +30"), text.npos) << text;
}

// A past step is no step; a gain that is lost again bit by bit is creep.
TEST_F(SelectTest, CheckJudgesTheLevelOfToday) {
  const auto check = [&](const std::vector<double>& levels) {
    std::vector<ChosenRun> all;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      ChosenRun& run = all.emplace_back();
      run.row.commit = fmt::format("c{:02}", i);
      run.snapshot = Run(levels[i], static_cast<int>(i));
    }
    return CheckHistory(all, "iteration.time.median", {});
  };
  std::vector<double> undone(8, 1.0), lost(8, 1.0);
  undone.insert(undone.end(), 5, 1.2);
  EXPECT_EQ(check(undone).state, HistoryState::kStep);
  undone.insert(undone.end(), 6, 1.0);
  EXPECT_EQ(check(undone).state, HistoryState::kSteady);
  lost.insert(lost.end(), 6, 0.8);
  EXPECT_EQ(check(lost).state, HistoryState::kSteady);
  for (int i = 1; i <= 14; ++i) lost.push_back(0.8 * (1 + 0.01 * i));
  EXPECT_NE(check(lost).state, HistoryState::kSteady);
}

// Runs of another model, however many, hide none.
TEST_F(SelectTest, LooksAtRunsOfAModelBehindAThousandOthers) {
  auto history = History::OfBytes("", path_);
  ASSERT_TRUE(history);
  HistoryEntry entry;
  entry.branch = "main";
  for (int i = 0; i < 1004; ++i) {
    entry.model = i < 3 ? "small" : "big";
    entry.commit = fmt::format("commit{}", i);
    entry.snapshot = Run(1, i);
    ASSERT_TRUE(history->Add(entry));
  }
  HistoryQuestion question;
  question.reference = {"main", 5};
  question.model = "small";
  question.today = "2026-11-26";
  const Snapshot candidate = Run(1, 2000);
  const auto choice = ChooseRuns(*history, question, std::span(&candidate, 1));
  ASSERT_TRUE(choice) << choice.error().message;
  EXPECT_EQ(Ids(choice->window), "1 2 3 ");
  EXPECT_EQ(Ids(choice->anchor), "1 2 3 ");
  // The creep of the other model counts from its first run on.
  question.model = "big";
  EXPECT_EQ(Ids(ChooseRuns(*history, question, std::span(&candidate, 1))->anchor), "4 5 6 7 8 ");
}

TEST_F(SelectTest, SaysWhichRunsItDidNotLookAt) {
  for (int i = 0; i < 5; ++i) Add(Run(1, i), fmt::format("commit{}", i));
  HistoryQuestion question;
  question.looked_at = 3;
  const HistoryChoice choice = Choose(Run(1, 9), 5, question);
  EXPECT_EQ(Ids(choice.window), "3 4 5 ");
  EXPECT_EQ(SkippedText(choice.skipped),
            "run 2 (and those before it: only the last 3 runs of a branch are looked at)");
  question.looked_at = 5;
  EXPECT_TRUE(Choose(Run(1, 9), 5, question).skipped.empty());
}

// One run of another kind is compared for all of them, unless it may be compared.
TEST_F(SelectTest, RunsOfOneKindDifferAlike) {
  for (int i = 0; i < 3; ++i) Add(Run(1, i, "NVIDIA H100 80GB HBM3"), fmt::format("old{}", i));
  Add(Run(1, 5), "new");
  Snapshot unknown = Run(1, 6);
  unknown.environment.erase(unknown.environment.begin());  // The GPU is not recorded.
  Add(unknown, "unknown");
  const HistoryChoice choice = Choose(Run(1, 9), 9);
  EXPECT_EQ(Ids(choice.window), "4 5 ");
  EXPECT_EQ(SkippedText(choice.skipped), "runs 1, 2, 3 (H100)");
}

TEST_F(SelectTest, SaysHowBothSidesAreDivided) {
  const auto by = [](int seed, const std::string& source) {
    Snapshot run = Run(1, seed);
    run.environment.emplace_back("iterations", source);
    return run;
  };
  Add(by(1, "ProfilerStep#N"), "marked");
  const HistoryChoice choice = Choose(by(9, "data loader calls next"), 5);
  EXPECT_EQ(SkippedText(choice.skipped),
            "run 1 (iterations by ProfilerStep#N, here by data loader calls next)");
}

// Runs without a model are told apart by their work, which takes a while for each.
TEST_F(SelectTest, SaysWhichRunsItDidNotCompare) {
  const auto with = [](const std::string& kernel, int seed) {
    Snapshot run = Run(1, seed);
    run.work.iterations = 20;
    run.work.has_gpu = true;
    run.work.kernels = {{kernel, 20, 1'000'000, 0, {}}};
    return run;
  };
  for (int i = 0; i < 8; ++i) Add(with("other", i), fmt::format("other{}", i));
  HistoryQuestion question;
  question.compared = 2;
  const HistoryChoice none = Choose(with("own", 99), 5, question);
  EXPECT_TRUE(none.is_cut);
  EXPECT_EQ(SkippedText(none.skipped),
            "runs 1, 2, 5, 6 and 2 more (other work), runs 3, 4 (not compared, as too many others "
            "are)");
  Add(with("own", 15), "own");
  const HistoryChoice choice = Choose(with("own", 99), 5, question);
  EXPECT_EQ(Ids(choice.window), "9 ");
  EXPECT_EQ(Ids(choice.anchor), "9 ");
}

}  // namespace
}  // namespace profgauge::gate
