#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/ranks/analyze_run.h"
#include "recordings.h"

namespace profgauge::analysis {
namespace {

using profgauge::made::Mesh;
using profgauge::made::Plan;
using ::testing::HasSubstr;

// Only from summaries, at the size of a cluster: the late rank, the cause, and the waiting time of
// each.
TEST(Summaries, AreRightForAThousandRanks) {
  Plan plan;
  plan.mesh = Mesh::kTpDp;
  plan.ranks = 1024;
  plan.inner = 8;
  plan.iterations = 2;
  plan.layers = 2;
  plan.cause = profgauge::made::LateBy::kHost;
  plan.late = 700;
  const profgauge::made::Made made = profgauge::made::Simulate(plan);
  const std::vector<Profile> recordings = Recordings(plan);
  ASSERT_EQ(recordings.size(), 1024u);
  const auto summaries = ranks::SummarizeRanks(recordings, {});
  ASSERT_TRUE(summaries) << summaries.error().message;
  const auto run = Analyze(StandIns(*summaries), {});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(AsNumber(run->Find("rank.straggler")->value, -1), 700);
  EXPECT_THAT(run->Find("rank.straggler")->note, HasSubstr("the host"));
  EXPECT_EQ(AsNumber(run->Find("communication.matched_share")->value, 0), 1);
  const Table& ranks = *run->FindTable("ranks");
  ASSERT_EQ(ranks.rows(), 1024u);
  for (std::size_t rank = 0; rank < ranks.rows(); ++rank) {
    const profgauge::made::RankTruth& truth = made.truth.ranks[rank];
    ASSERT_EQ(AsNumber(ranks.At(rank, "waiting_time"), -1), truth.waiting) << rank;
    ASSERT_EQ(AsNumber(ranks.At(rank, "transfer_time"), -1), truth.transfer) << rank;
    ASSERT_EQ(AsNumber(ranks.At(rank, "last_calls"), -1), truth.last_calls) << rank;
  }
  // The late rank and two of its group are on one time axis.
  const Table& calls = *run->FindTable("rank_calls");
  EXPECT_EQ(AsNumber(calls.At(0, "rank"), -1), 700);
  EXPECT_EQ(run->FindTable("rank_steps")->rows(), 2048u);
}

}  // namespace
}  // namespace profgauge::analysis
