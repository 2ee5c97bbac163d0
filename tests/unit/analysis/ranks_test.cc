// Matching, waiting and blame on made runs whose truth is known, and on the real 8-rank DLRM run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"
#include "fixture.h"
#include "made_run.h"
#include "model/devices.h"
#include "readers/load.h"

namespace profgauge::analysis {
namespace {

using ::testing::HasSubstr;

struct Judged {
  std::vector<iterations::RankContext> contexts;
  std::vector<communication::RankFacts> ranks;
  communication::Matching matching;
  communication::Blame blame;
};

Judged Judge(const std::vector<Profile>& profiles) {
  Judged judged;
  auto contexts = iterations::BuildRankContexts(profiles, {});
  EXPECT_TRUE(contexts) << (contexts ? "" : contexts.error().message);
  judged.contexts = std::move(*contexts);
  judged.ranks = communication::TimeFacts(judged.contexts).communication;
  judged.matching = communication::MatchFacts(judged.ranks);
  judged.blame = communication::FindBlame(judged.ranks, judged.matching);
  return judged;
}

struct Cause {
  LateBy cause;
  std::string_view told;
};
constexpr Cause kCauses[] = {{LateBy::kLoader, "waiting for input data"},
                             {LateBy::kHost, "the host"},
                             {LateBy::kSlowGpu, "a slow GPU"},
                             {LateBy::kMoreWork, "more work on the GPU"},
                             {LateBy::kCopies, "copies"}};

// An iteration that one GPU computes for many times as long makes it no slow GPU; one that all
// ranks have (an evaluation) hides none.
TEST(Ranks, OneIterationMakesNoSlowGpu) {
  struct Case {
    bool slow, once, all_once;
    double slowdown;
  };
  for (const Case& of : {Case{false, false, false, 1}, Case{false, true, false, 1},
                         Case{true, false, false, 1.5}, Case{true, false, true, 1.5}}) {
    std::vector<Profile> profiles;
    for (int rank = 0; rank < 4; ++rank) {
      TestProfile test;
      Ns at = 0;
      for (int step = 0; step < 10; ++step) {
        const bool is_odd = step == 6 && (of.all_once || (of.once && rank == 2));
        const Ns kernel = 10'000 * (is_odd ? 50 : 1) * (of.slow && rank == 2 ? 3 : 2) / 2;
        test.Launch("k", {at + 1, at + 2}, {at + 5, at + 5 + kernel});
        test.Step(step, {at, at + 10 + kernel});
        at += 10 + kernel;
      }
      profiles.push_back(test.Finish());
    }
    auto analysis = Analyze(profiles, {});
    ASSERT_TRUE(analysis);
    const Table& ranks = *analysis->FindTable("ranks");
    EXPECT_NEAR(AsNumber(ranks.At(2, "kernel_slowdown"), 0), of.slowdown, 0.01);
    EXPECT_EQ(IsAbsent(ranks.At(2, "compute_once")), !of.once && !of.all_once);
    EXPECT_EQ(IsAbsent(ranks.At(1, "compute_once")), !of.all_once);
  }
}

TEST(Ranks, BlamesLateRankWithCause) {
  for (const std::size_t ranks : {2u, 8u, 64u}) {
    for (const bool numbered : {true, false}) {
      for (const Cause& cause : kCauses) {
        MadeRun run;
        run.ranks = ranks;
        run.numbered = numbered;
        run.cause = cause.cause;
        run.late = ranks / 2;
        const std::vector<Profile> profiles = Make(run);
        const Judged judged = Judge(profiles);
        ASSERT_TRUE(judged.blame.straggler) << ranks << " " << cause.told;
        EXPECT_EQ(*judged.blame.straggler, run.late) << ranks << " " << cause.told;
        EXPECT_EQ(InGeneralWords(judged.blame.cause), cause.told) << ranks;
        const communication::RankLateness& late = judged.blame.ranks[run.late];
        const auto calls = static_cast<Ns>(run.iterations * run.calls);
        EXPECT_EQ(late.last_calls, calls);
        EXPECT_EQ(late.cost, calls * run.lateness);
        EXPECT_EQ(late.waiting, 0);
        EXPECT_EQ(judged.blame.ranks[0].waiting, calls * run.lateness);
        EXPECT_EQ(late.transfer, calls * MadeRun::kTransfer);
      }
    }
  }
}

TEST(Ranks, NoOneIsBlamedWithoutLateness) {
  MadeRun run;
  const std::vector<Profile> profiles = Make(run);
  const Judged judged = Judge(profiles);
  EXPECT_FALSE(judged.blame.straggler);
  EXPECT_FALSE(judged.blame.jitter);
}

TEST(Ranks, JitterBlamesNoOne) {
  MadeRun run;
  run.ranks = 16;
  run.iterations = 10;
  run.jitter = 200'000;
  const std::vector<Profile> profiles = Make(run);
  const Judged judged = Judge(profiles);
  EXPECT_FALSE(judged.blame.straggler);
  EXPECT_TRUE(judged.blame.jitter);
}

// Two groups share a description; each waits for its own last rank only.
TEST(Ranks, FindsGroupsByNameAndMembers) {
  MadeRun run;
  run.group_size = 4;
  run.cause = LateBy::kHost;
  run.late = 6;
  const std::vector<Profile> profiles = Make(run);
  const Judged judged = Judge(profiles);
  ASSERT_EQ(judged.matching.groups.size(), 2u);
  EXPECT_EQ(judged.matching.groups[0].name, "dp0");
  EXPECT_EQ(judged.matching.groups[1].present, (std::vector<std::size_t>{4, 5, 6, 7}));
  EXPECT_EQ(judged.blame.straggler, 6u);
  EXPECT_EQ(judged.blame.ranks[0].waiting, 0);
  EXPECT_GT(judged.blame.ranks[4].waiting, 0);
}

// A missing call unmatches only that call; with numbers and without.
TEST(Ranks, OneMissingCallIsMissing) {
  for (const bool numbered : {true, false}) {
    MadeRun run;
    run.iterations = 10;
    run.numbered = numbered;
    run.cause = LateBy::kHost;
    run.lost_rank = 3;
    const std::vector<Profile> profiles = Make(run);
    const Judged judged = Judge(profiles);
    ASSERT_EQ(judged.matching.groups.size(), 1u);
    const communication::GroupMatch& group = judged.matching.groups[0];
    EXPECT_EQ(group.calls, 8 * 30 - 1);
    EXPECT_EQ(group.matched_calls, 8 * 29) << numbered;
    EXPECT_TRUE(group.MayBlame());
    EXPECT_EQ(judged.blame.straggler, run.late);
    EXPECT_EQ(judged.blame.ranks[0].waiting, 29 * run.lateness);
  }
}

bool AreToldApart(const Analysis& analysis) {
  return std::any_of(analysis.remarks.begin(), analysis.remarks.end(),
                     [](const Remark& remark) { return remark.id == "ranks-apart"; });
}

// Ranks of two runs of one program: all their calls have a partner by number, and none ends with
// it.
TEST(Ranks, TwoRunsAreNotMatched) {
  MadeRun run;
  run.ranks = 2;
  run.iterations = 10;
  run.jitter = 8'000'000;
  std::vector<Profile> one = Make(run);
  const auto of_one = Analyze(one, {});
  ASSERT_TRUE(of_one.has_value());
  EXPECT_EQ(NumberOf(*of_one, "communication.matched_share"), 1);
  EXPECT_FALSE(AreToldApart(*of_one));
  run.jitter = 14'000'000;
  std::vector<Profile> mixed;
  mixed.push_back(std::move(one.front()));
  mixed.push_back(std::move(Make(run).back()));
  const auto of_two = Analyze(mixed, {});
  ASSERT_TRUE(of_two.has_value());
  EXPECT_EQ(NumberOf(*of_two, "communication.matched_share"), 0);
  EXPECT_TRUE(IsAbsent(of_two->Find("communication.waiting_share")->value));
  EXPECT_TRUE(IsAbsent(of_two->Find("rank.straggler")->value));
  EXPECT_TRUE(AreToldApart(*of_two));
}

TEST(Ranks, AMissingRankBlamesNoOne) {
  MadeRun run;
  run.cause = LateBy::kHost;
  std::vector<Profile> profiles = Make(run);
  profiles.pop_back();
  const Judged judged = Judge(profiles);
  EXPECT_EQ(judged.blame.judged_groups, 0u);
  EXPECT_FALSE(judged.blame.straggler);
  EXPECT_FALSE(judged.blame.ranks[0].matched);
}

// If no profile states the world's size, the largest group shows the least number of ranks.
TEST(Ranks, LargerGroupMissesRanks) {
  MadeRun run;
  std::vector<Profile> profiles = Make(run);
  const auto missing_of = [](std::vector<Profile>& ranks) {
    for (Profile& rank : ranks) rank.distributed.world_size = -1;
    const auto analysis = Analyze(ranks, {});
    return AsNumber(analysis->Find("profile.ranks_missing")->value, -1);
  };
  EXPECT_EQ(missing_of(profiles), -1);
  profiles.pop_back();
  EXPECT_EQ(missing_of(profiles), 1);
}

// A rank alone is judged by itself; that others are missing is known, if the size of the world is.
TEST(Ranks, ARankAloneSaysHowManyThereAre) {
  std::vector<Profile> profiles = Make(MadeRun());
  profiles.resize(1);
  const auto why = [&](std::int64_t world) {
    profiles.front().distributed.world_size = world;
    const auto analysis = Analyze(profiles, {});
    return analysis->Find("profile.ranks_missing")->absent_because;
  };
  EXPECT_TRUE(why(64).starts_with("one rank of 64 was given")) << why(64);
}

// A file may state any size: naming those that are missing takes no longer.
TEST(Ranks, WorldOfAnySizeHasMissingRanks) {
  std::vector<Profile> profiles = Make(MadeRun());
  constexpr std::int64_t kWorld = 40'000'000'000'000;
  for (Profile& rank : profiles) rank.distributed.world_size = kWorld;
  const auto analysis = Analyze(profiles, {});
  const Metric* missing = analysis->Find("profile.ranks_missing");
  const auto count = static_cast<std::int64_t>(profiles.size());
  EXPECT_EQ(AsNumber(missing->value, -1), static_cast<double>(kWorld - count));
  EXPECT_NE(missing->note.find(fmt::format(" {},", count)), std::string::npos) << missing->note;
  EXPECT_NE(missing->note.find(fmt::format("and {} more", kWorld - count - 8)), std::string::npos)
      << missing->note;
}

// Of calls that state no size, the list of the group says how many ranks take part.
TEST(Ranks, GroupIsAsLargeAsItsList) {
  std::vector<Profile> profiles = Make(MadeRun());
  for (Profile& rank : profiles) {
    rank.distributed.world_size = 64;
    for (Collective& collective : rank.collectives) collective.group_size = -1;
  }
  const Judged judged = Judge(profiles);
  for (const communication::RankFacts& rank : judged.ranks) {
    ASSERT_FALSE(rank.calls.empty());
    for (const communication::CollectiveCall& call : rank.calls) {
      EXPECT_EQ(communication::GroupSizeOf(call, judged.ranks),
                static_cast<std::int64_t>(profiles.size()));
    }
  }
}

TEST(Ranks, PartsAddUpToTheIterations) {
  for (const Cause& cause : kCauses) {
    MadeRun run;
    run.cause = cause.cause;
    run.jitter = 30'000;
    const std::vector<Profile> profiles = Make(run);
    const Judged judged = Judge(profiles);
    for (std::size_t i = 0; i < judged.ranks.size(); ++i) {
      const communication::RankParts parts = communication::MatchedParts(judged.ranks[i]);
      EXPECT_EQ(parts.sum(), judged.contexts[i].iterations.SelectedTime());
      EXPECT_EQ(parts.waiting_exposed, judged.blame.ranks[i].waiting);
      EXPECT_EQ(parts.transfer_exposed, judged.blame.ranks[i].transfer);
    }
  }
}

// Recomputed without this program, from the durations of kernels by order.
TEST(Ranks, RealDlrm) {
  const auto folder = std::filesystem::path(PROFGAUGE_SHARED_DIR) / "data/kineto/dlrm_8ranks";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no real profiles at hand";
  const auto profiles = readers::ReadRun({folder.string()}, {});
  ASSERT_TRUE(profiles) << profiles.error().message;
  const Judged judged = Judge(*profiles);
  constexpr std::int64_t kWaiting[] = {5581, 11119, 3275, 9557, 6370, 6034, 3341, 1529};
  constexpr std::int64_t kLast[] = {0, 0, 0, 0, 1, 2, 0, 5};
  for (std::size_t i = 0; i < 8; ++i) {
    const auto rank = static_cast<std::size_t>(judged.ranks[i].rank);
    EXPECT_EQ(std::lround(static_cast<double>(judged.blame.ranks[i].waiting) / 1000),
              kWaiting[rank])
        << rank;
    EXPECT_EQ(judged.blame.ranks[i].last_calls, kLast[rank]) << rank;
  }
  EXPECT_EQ(judged.matching.groups.size(), judged.blame.judged_groups);
}

}  // namespace
}  // namespace profgauge::analysis
