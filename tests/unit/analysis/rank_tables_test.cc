// Clocks, missing calls and ranks, and the tables of ranks, against the truth of made runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/catalog/output.h"
#include "analysis/communication/clocks.h"
#include "analysis/ranks/kept_tables.h"
#include "made_ranks_fixture.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

using made::Folder;
using made::Judge;
using made::Judged;
using made::kMeshes;
using made::Told;
using profgauge::made::LateBy;
using profgauge::made::Made;
using profgauge::made::Mesh;
using profgauge::made::Metadata;
using profgauge::made::Plan;

// Clocks an hour apart that run at different speeds change neither blame nor waiting, and the
// skew between ranks is the true one.
TEST(ManyRanks, ClocksDoNotMatter) {
  for (const Mesh mesh : kMeshes) {
    Plan plan;
    plan.mesh = mesh;
    plan.cause = LateBy::kHost;
    plan.late = 3;
    plan.clock_offset = 300'000'000'000;
    plan.drift_ppb = 20'000;
    const Made made = profgauge::made::Simulate(plan);
    const Judged judged = Judge(plan, made);
    EXPECT_EQ(judged.blame.straggler, 3u) << Told(plan);
    EXPECT_EQ(judged.blame.cause, "the host") << Told(plan);
    for (std::size_t rank = 0; rank < judged.ranks.size(); ++rank) {
      const auto waiting = static_cast<double>(made.truth.ranks[rank].waiting);
      EXPECT_NEAR(static_cast<double>(judged.blame.ranks[rank].waiting), waiting,
                  2'000 + waiting / 1'000);
    }
    const communication::Clocks clocks = communication::AlignClocks(judged.ranks, judged.matching);
    ASSERT_TRUE(clocks.complete()) << Told(plan);
    EXPECT_LT(clocks.residual, 2'000) << Told(plan);
    const auto skew = communication::StepSkew(judged.ranks, clocks);
    ASSERT_TRUE(skew);
    std::vector<Ns> truth = made.truth.step_skew;
    std::sort(truth.begin(), truth.end());
    EXPECT_NEAR(static_cast<double>(*skew), static_cast<double>(truth[truth.size() / 2]), 4'000)
        << Told(plan);
  }
}

// In a long profile the drift is corrected: without it the ends would be 400 us apart.
TEST(ManyRanks, DriftOfLongProfiles) {
  Plan plan;
  plan.ranks = 2;
  plan.iterations = 10;
  plan.cause = LateBy::kLoader;
  plan.late = 1;
  plan.lateness = 500'000'000;
  plan.drift_ppb = 20'000;
  const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
  const communication::Clocks clocks = communication::AlignClocks(judged.ranks, judged.matching);
  ASSERT_TRUE(clocks.complete());
  EXPECT_NE(clocks.of_rank[1]->speed, 0);
  EXPECT_LT(clocks.residual, 1'000);
}

// Calls come group by group: without the order of their ends, two groups would look like a drift.
TEST(ManyRanks, DriftOfSeveralGroups) {
  std::vector<communication::RankFacts> ranks(2);
  communication::Matching matching;
  std::mt19937 drawn(7);
  for (std::size_t group = 0; group < 3; ++group) {
    for (Ns step = 0; step < 20; ++step) {
      const Ns end = step * 1'000'000'000 + static_cast<Ns>(group) * 3'000'000;
      communication::MatchedCall& call = matching.calls.emplace_back();
      call.group = group;
      call.transfer = 1'000;
      for (std::size_t rank = 0; rank < 2; ++rank) {
        call.members.push_back({rank, ranks[rank].calls.size()});
        // Ends differ by the wake-up of either host.
        const Ns at = end + static_cast<Ns>(drawn() % 10'000);
        ranks[rank].calls.emplace_back().time = {at - 200'000, at};
      }
    }
  }
  const communication::Clocks clocks = communication::AlignClocks(ranks, matching);
  ASSERT_TRUE(clocks.complete());
  EXPECT_LT(clocks.residual, 10'000);
  EXPECT_LT(std::abs(clocks.of_rank[1]->speed), 1e-6);
}

TEST(ManyRanks, OneMissingCallIsMissing) {
  for (const Metadata metadata : {Metadata::kGroups, Metadata::kNumbers}) {
    for (const Mesh mesh : kMeshes) {
      Plan plan;
      plan.mesh = mesh;
      plan.iterations = 30;
      plan.metadata = metadata;
      plan.cause = LateBy::kHost;
      plan.late = 2;
      plan.lost_rank = 6;
      const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
      EXPECT_EQ(judged.blame.straggler, 2u) << Told(plan);
      EXPECT_EQ(judged.blame.cause, "the host") << Told(plan);
      EXPECT_EQ(judged.blame.judged_groups, judged.blame.groups) << Told(plan);
    }
  }
}

// Whose groups are whole is still judged.
TEST(ManyRanks, MissingRanks) {
  Plan plan;
  plan.mesh = Mesh::kTpDp;
  plan.cause = LateBy::kHost;
  plan.late = 2;
  plan.missing = {7};
  const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
  ASSERT_EQ(judged.ranks.size(), 7u);
  EXPECT_EQ(judged.blame.groups, 6u);
  EXPECT_EQ(judged.blame.judged_groups, 4u);
  EXPECT_EQ(judged.blame.straggler, 2u);
}

TEST(ManyRanks, ARankTwiceIsRefused) {
  Plan plan;
  plan.doubled = 3;
  Folder folder;
  profgauge::made::WriteRun(plan, profgauge::made::Simulate(plan), folder.path());
  const auto run = readers::LoadRun({folder.path()}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "input/several-runs");
}

TEST(ManyRanks, MetricsAndTables) {
  Plan plan;
  plan.mesh = Mesh::kPpDp;
  plan.cause = LateBy::kSlowGpu;
  plan.late = 5;
  const Made made = profgauge::made::Simulate(plan);
  const Judged judged = Judge(plan, made);
  const auto analysis = Analyze(judged.profiles, {});
  ASSERT_TRUE(analysis) << analysis.error().message;
  Ns bubble = 0, whole = 0;
  for (const profgauge::made::RankTruth& rank : made.truth.ranks) {
    bubble += rank.bubble;
    whole += rank.step_time;
  }
  EXPECT_DOUBLE_EQ(AsNumber(analysis->Find("pipeline.bubble_share")->value, 0),
                   static_cast<double>(bubble) / static_cast<double>(whole));
  EXPECT_EQ(AsNumber(analysis->Find("rank.straggler")->value, -1), 5);
  EXPECT_EQ(analysis->FindTable("pipeline")->rows(), 4u);
  EXPECT_GE(analysis->FindTable("message_sizes")->rows(), 6u);
}

Ns SumOf(const Table& table, std::int64_t rank, std::string_view column) {
  Ns sum = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (AsNumber(table.At(row, "rank"), -1) != static_cast<double>(rank)) continue;
    sum += static_cast<Ns>(AsNumber(table.At(row, column), 0));
  }
  return sum;
}

TEST(ManyRanks, RanksByIterationAddUp) {
  for (const Mesh mesh : kMeshes) {
    Plan plan;
    plan.mesh = mesh;
    plan.cause = LateBy::kHost;
    plan.late = 5;
    const Made made = profgauge::made::Simulate(plan);
    const Judged judged = Judge(plan, made);
    const auto analysis = Analyze(judged.profiles, {});
    ASSERT_TRUE(analysis) << analysis.error().message;
    const Table& steps = *analysis->FindTable("rank_steps");
    const Table& ranks = *analysis->FindTable("ranks");
    ASSERT_EQ(steps.rows(), static_cast<std::size_t>(plan.ranks * plan.iterations));
    constexpr std::string_view kParts[] = {"compute_only",    "overlapped",  "transfer_exposed",
                                           "waiting_exposed", "copy",        "dataloader",
                                           "host_time",       "unattributed"};
    for (std::size_t row = 0; row < steps.rows(); ++row) {
      Ns sum = 0;
      for (const auto part : kParts) sum += static_cast<Ns>(AsNumber(steps.At(row, part), -1));
      EXPECT_EQ(sum, AsNumber(steps.At(row, "duration"), -1)) << Told(plan) << " row " << row;
    }
    for (std::int64_t rank = 0; rank < plan.ranks; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      EXPECT_EQ(SumOf(steps, rank, "duration"), made.truth.ranks[at].step_time);
      EXPECT_EQ(SumOf(steps, rank, "waiting_time"), made.truth.ranks[at].waiting);
      EXPECT_EQ(SumOf(steps, rank, "transfer_time"), made.truth.ranks[at].transfer);
      for (const auto part : kParts) {
        EXPECT_EQ(SumOf(steps, rank, part), AsNumber(ranks.At(at, part), -1)) << part;
      }
    }
    EXPECT_GT(SumOf(steps, 5, "late_cost"), 0) << Told(plan);
    EXPECT_EQ(SumOf(steps, 5, "late_cost"), AsNumber(ranks.At(5, "late_cost"), -1)) << Told(plan);
    EXPECT_EQ(SumOf(steps, 2, "late_cost"), 0) << Told(plan);
  }
}

// Waiting and lateness are those of the selected iterations, as the iteration times beside them.
TEST(ManyRanks, SelectionLimitsWaiting) {
  Plan plan;
  plan.mesh = Mesh::kTpDp;
  plan.cause = LateBy::kHost;
  plan.late = 5;
  const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
  const auto all = Analyze(judged.profiles, {});
  Selection selection;
  selection.warmup = plan.iterations / 2;
  const auto half = Analyze(judged.profiles, selection);
  ASSERT_TRUE(all && half);
  const Table& steps = *half->FindTable("rank_steps");
  const Table& ranks = *half->FindTable("ranks");
  for (std::int64_t rank = 0; rank < plan.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    for (const std::string_view column : {"waiting_time", "transfer_time", "late_cost"}) {
      EXPECT_EQ(SumOf(steps, rank, column), AsNumber(ranks.At(at, column), -1)) << column;
    }
    EXPECT_EQ(2 * AsNumber(ranks.At(at, "last_calls"), -1),
              AsNumber(all->FindTable("ranks")->At(at, "last_calls"), -1));
  }
  EXPECT_GT(AsNumber(ranks.At(5, "late_cost"), 0), 0);
}

TEST(ManyRanks, SpreadNamesTheLateRank) {
  Plan plan;
  plan.ranks = 64;
  plan.iterations = 3;
  plan.cause = LateBy::kHost;
  plan.late = 43;
  const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
  const auto analysis = Analyze(judged.profiles, {});
  ASSERT_TRUE(analysis) << analysis.error().message;
  const Table& spread = *analysis->FindTable("rank_spread");
  ASSERT_EQ(spread.rows(), 15u);  // Five parts of three iterations.
  const Ns late = plan.layers * plan.lateness;
  for (std::size_t row = 0; row < spread.rows(); ++row) {
    const std::string part = std::get<std::string>(spread.At(row, "part"));
    EXPECT_EQ(AsNumber(spread.At(row, "ranks"), 0), 64);
    if (part == "waiting") {
      EXPECT_EQ(AsNumber(spread.At(row, "min"), -1), 0);
      EXPECT_EQ(AsNumber(spread.At(row, "min_rank"), -1), 43);
      EXPECT_EQ(AsNumber(spread.At(row, "median"), -1), late);
      EXPECT_EQ(AsNumber(spread.At(row, "p5"), -1), late);
    } else if (part == "lateness") {
      EXPECT_EQ(AsNumber(spread.At(row, "max"), -1), late);
      EXPECT_EQ(AsNumber(spread.At(row, "max_rank"), -1), 43);
      EXPECT_EQ(AsNumber(spread.At(row, "p95"), -1), 0);
    }
  }
}

TEST(ManyRanks, SelectedRanksOnOneAxis) {
  Plan plan;
  plan.cause = LateBy::kHost;
  plan.late = 5;
  plan.clock_offset = 5'000'000;
  const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
  const auto analysis = Analyze(judged.profiles, {});
  ASSERT_TRUE(analysis) << analysis.error().message;
  const Table& calls = *analysis->FindTable("rank_calls");
  // The iteration and its calls, on three ranks.
  const auto each = static_cast<std::size_t>(plan.layers) + 1;
  ASSERT_EQ(calls.rows(), 3 * each);
  EXPECT_EQ(AsNumber(calls.At(0, "rank"), -1), 5);
  const auto at = [&](std::size_t row, std::string_view column) {
    return AsNumber(calls.At(row, column), -1);
  };
  for (std::size_t i = 1; i < each; ++i) {
    for (const std::size_t other : {each + i, 2 * each + i}) {
      EXPECT_EQ(at(other, "call"), at(i, "call"));
      // Clocks that differ by milliseconds are corrected; the late rank comes when the others have
      // waited, and all end simultaneously.
      EXPECT_EQ(at(i, "waiting"), 0);
      EXPECT_EQ(at(other, "waiting"), plan.lateness);
      EXPECT_NEAR(at(i, "start"), at(other, "start") + static_cast<double>(plan.lateness), 2000);
      EXPECT_NEAR(at(i, "start") + at(i, "duration"), at(other, "start") + at(other, "duration"),
                  2000);
    }
  }
}

// A rank whose rows share too much keeps no exposure: the run has none, and says so.
TEST(KeptExposures, DroppedOnesAreRemarked) {
  ranks::KeptExposures kept;
  kept["kernels_by_op"].is_dropped = true;
  Summary summary;
  ranks::WriteExposures(kept, summary);
  const auto read = ranks::ReadExposures(summary);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->at("kernels_by_op").is_dropped);
  catalog::Output out;
  out.AddTable("kernels_by_op");
  const std::vector<std::int64_t> numbers = {0, 1};
  ASSERT_TRUE(ranks::AddKeptExposures(
      numbers, [&](std::size_t) -> Result<ranks::KeptExposures> { return *read; }, out));
  Analysis analysis;
  out.MoveTo(analysis);
  EXPECT_TRUE(analysis.exposures.empty());
  ASSERT_EQ(analysis.remarks.size(), 1U);
  EXPECT_EQ(analysis.remarks[0].id, "summary-bounds/kernels_by_op");
  EXPECT_NE(analysis.remarks[0].text.find("summaries of 2 ranks keep no bound"), std::string::npos)
      << analysis.remarks[0].text;
}

}  // namespace
}  // namespace profgauge::analysis
