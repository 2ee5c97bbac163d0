// Blame, cause, waiting, links, pipelines and clocks against the truth of made runs
// (tests/tools/ranks/made_ranks.h), through the reader as the profiler's own files would be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "../../tools/ranks/made_ranks.h"
#include "analysis/analysis.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/clocks.h"
#include "analysis/communication/links.h"
#include "analysis/communication/once.h"
#include "analysis/communication/pipeline.h"
#include "analysis/communication/rank_facts.h"
#include "fixture.h"
#include "model/device_words.h"
#include "readers/load.h"

namespace profgauge {
namespace {

using made::LateBy;
using made::Made;
using made::Mesh;
using made::Metadata;
using made::Plan;

class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("profgauge_ranks_" + std::to_string(getpid()) + "_" + std::to_string(++count));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    std::filesystem::remove(path_.string() + ".truth.json", ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct Judged {
  std::vector<Profile> profiles;
  std::vector<RankFacts> ranks;
  Matching matching;
  Blame blame;
};

Judged Judge(const Plan& plan, const Made& made) {
  Folder folder;
  WriteRun(plan, made, folder.path());
  Judged judged;
  auto run = LoadRun({folder.path()}, {});
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  if (!run) return judged;
  judged.profiles = std::move(run->profiles);
  const auto contexts = BuildRankContexts(judged.profiles, {});
  EXPECT_TRUE(contexts) << (contexts ? "" : contexts.error().message);
  for (const RankContext& rank : *contexts) judged.ranks.push_back(FactsOf(rank));
  judged.matching = MatchFacts(judged.ranks);
  judged.blame = FindBlame(judged.ranks, judged.matching);
  return judged;
}

std::string Told(const Plan& plan) {
  return "mesh " + std::to_string(static_cast<int>(plan.mesh)) + ", cause " +
         std::string(CauseInWords(plan.cause)) + ", late " + std::to_string(plan.late) +
         ", ranks " + std::to_string(plan.ranks) + ", metadata " +
         std::to_string(static_cast<int>(plan.metadata));
}

constexpr LateBy kCauses[] = {LateBy::kLoader, LateBy::kHost, LateBy::kSlowGpu, LateBy::kMoreWork,
                              LateBy::kCopies};
constexpr Mesh kMeshes[] = {Mesh::kDp, Mesh::kTpDp, Mesh::kPpDp, Mesh::kEpDp};

void ExpectTruth(const Plan& plan) {
  const Made made = Simulate(plan);
  const Judged judged = Judge(plan, made);
  ASSERT_EQ(judged.ranks.size(), static_cast<std::size_t>(plan.ranks)) << Told(plan);
  ASSERT_TRUE(judged.blame.straggler) << Told(plan);
  EXPECT_EQ(judged.ranks[*judged.blame.straggler].rank, made.truth.straggler) << Told(plan);
  EXPECT_EQ(InGeneralWords(judged.blame.cause), made.truth.cause) << Told(plan);
  // A delay that passes through many groups is lost once: never more than was injected.
  const std::int64_t times = plan.mesh == Mesh::kDp || plan.mesh == Mesh::kTpDp ? plan.layers
                             : plan.mesh == Mesh::kPpDp ? 2 * plan.microbatches
                                                        : 2 * plan.layers;
  const Ns injected = plan.iterations * times * plan.lateness;
  const Ns cost = judged.blame.ranks[*judged.blame.straggler].cost;
  EXPECT_LE(cost, injected) << Told(plan);
  EXPECT_GE(2 * cost, injected) << Told(plan);
  for (std::size_t rank = 0; rank < judged.ranks.size(); ++rank) {
    const made::RankTruth& truth = made.truth.ranks[rank];
    EXPECT_EQ(judged.blame.ranks[rank].waiting, truth.waiting) << Told(plan) << " rank " << rank;
    EXPECT_EQ(judged.blame.ranks[rank].transfer, truth.transfer) << Told(plan) << " rank " << rank;
    EXPECT_EQ(judged.blame.ranks[rank].last_calls, truth.last_calls) << Told(plan);
    EXPECT_EQ(judged.ranks[rank].step_time(), truth.step_time) << Told(plan);
    const RankParts parts = MatchedParts(judged.ranks[rank]);
    EXPECT_EQ(parts.sum(), truth.step_time);
    EXPECT_EQ(parts.waiting_exposed, truth.waiting);
  }
}

TEST(ManyRanks, TheRightRankAndCauseInEveryMesh) {
  for (const Mesh mesh : kMeshes) {
    for (const LateBy cause : kCauses) {
      Plan plan;
      plan.mesh = mesh;
      plan.cause = cause;
      plan.late = 5;
      plan.iterations = 4;
      ExpectTruth(plan);
    }
  }
}

TEST(ManyRanks, EveryPlaceInAPipelineCanBeLate) {
  for (std::int64_t late = 0; late < 8; ++late) {
    Plan plan;
    plan.mesh = Mesh::kPpDp;
    plan.cause = LateBy::kSlowGpu;
    plan.late = late;
    plan.iterations = 4;
    ExpectTruth(plan);
  }
}

TEST(ManyRanks, WithOlderMetadata) {
  for (const Mesh mesh : kMeshes) {
    Plan plan;
    plan.mesh = mesh;
    plan.cause = LateBy::kHost;
    plan.late = 2;
    plan.metadata = Metadata::kGroups;
    ExpectTruth(plan);
  }
  for (const Metadata metadata : {Metadata::kNames, Metadata::kSizes}) {
    Plan plan;
    plan.cause = LateBy::kHost;
    plan.late = 2;
    plan.metadata = metadata;
    ExpectTruth(plan);
  }
}

// Without the groups' names the calls of a mesh look like those of one group: nobody is blamed.
TEST(ManyRanks, GroupsWithoutNamesBlameNobody) {
  for (const Mesh mesh : {Mesh::kTpDp, Mesh::kPpDp, Mesh::kEpDp}) {
    Plan plan;
    plan.mesh = mesh;
    plan.cause = LateBy::kHost;
    plan.metadata = Metadata::kSizes;
    EXPECT_FALSE(Judge(plan, Simulate(plan)).blame.straggler) << Told(plan);
  }
}

TEST(ManyRanks, SixtyFourRanks) {
  for (const Mesh mesh : kMeshes) {
    Plan plan;
    plan.mesh = mesh;
    plan.ranks = 64;
    plan.inner = 8;
    plan.iterations = 3;
    plan.cause = LateBy::kSlowGpu;
    plan.late = 43;
    ExpectTruth(plan);
  }
}

// Every rank is a little late at random and one by more than 3 % of the iteration.
TEST(ManyRanks, TheLateOneAmongJitter) {
  for (const Mesh mesh : kMeshes) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      Plan plan;
      plan.mesh = mesh;
      plan.iterations = 10;
      plan.jitter = 60'000;
      plan.cause = LateBy::kHost;
      plan.late = 6;
      plan.lateness = 120'000;
      plan.seed = seed;
      const Judged judged = Judge(plan, Simulate(plan));
      ASSERT_TRUE(judged.blame.straggler) << Told(plan) << " seed " << seed;
      EXPECT_EQ(*judged.blame.straggler, 6u) << Told(plan);
      EXPECT_EQ(judged.blame.cause, "the host") << Told(plan);
    }
  }
}

TEST(ManyRanks, NobodyIsBlamedForJitterOrNothing) {
  for (const Mesh mesh : kMeshes) {
    for (const std::int64_t ranks : {2, 8}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Plan plan;
        plan.mesh = mesh;
        plan.ranks = mesh == Mesh::kDp ? ranks : ranks * 2;
        plan.inner = 2;
        plan.iterations = 8;
        plan.seed = seed;
        plan.jitter = seed == 3 ? 0 : 200'000;
        const Judged judged = Judge(plan, Simulate(plan));
        EXPECT_FALSE(judged.blame.straggler) << Told(plan) << " seed " << seed;
        EXPECT_EQ(judged.blame.jitter, plan.jitter > 0) << Told(plan) << " seed " << seed;
      }
    }
  }
}

// One delay makes every call of its iteration late, and is no habit.
TEST(ManyRanks, NobodyIsBlamedForOneDelay) {
  for (const bool beside : {false, true}) {
    Plan plan;
    plan.ranks = 4;
    plan.iterations = 12;
    plan.jitter = 4'000;
    plan.cause = LateBy::kHost;
    plan.lateness = 25'000'000;
    plan.only_step = beside ? 6 : 0;
    plan.first_only = beside;
    plan.beside = beside;
    const Judged judged = Judge(plan, Simulate(plan));
    EXPECT_FALSE(judged.blame.straggler) << beside;
    EXPECT_TRUE(judged.blame.too_few) << beside;
    const auto analysis = Analyze(judged.profiles, {});
    ASSERT_TRUE(analysis) << analysis.error().message;
    const Table& ranks = *analysis->FindTable("ranks");
    for (std::size_t rank = 0; rank < 4; ++rank) {
      const auto at = [&](std::string_view column) { return AsNumber(ranks.At(rank, column), -1); };
      const bool is_late = rank == 1;
      EXPECT_GT(at("exposed_communication"), at("exposed_once"));
      EXPECT_LT(at("exposed_once"), is_late ? 1e6 : 101e6);
      EXPECT_GT(at("exposed_once"), is_late ? -1.0 : 20e6);
      EXPECT_GE(at("late_cost"), at("late_once"));
      EXPECT_TRUE(!is_late || at("late_once") > 0.95 * at("late_cost"));
    }
  }
}

TEST(ManyRanks, WhatHappensOnce) {
  std::vector<Ns> costs(12, 400'000);
  EXPECT_EQ(OnlyOnce(costs), 0);
  costs[3] = 25'000'000;
  EXPECT_EQ(OnlyOnce(costs), 24'600'000);
  EXPECT_EQ(WithoutOnce(costs), std::vector<Ns>(12, 400'000));
  costs[4] = 24'000'000;  // Two of twelve are more than one in ten.
  EXPECT_EQ(OnlyOnce(costs), 0);
  // Gradients that are reduced every eighth time.
  const std::vector<Ns> reduced = {0, 0, 0, 0, 0, 0, 0, 9'000'000};
  EXPECT_EQ(OnlyOnce(reduced), 9'000'000);
  EXPECT_EQ(OnlyOnce(reduced, std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 1}), 0);
  EXPECT_EQ(OnlyOnce(reduced, std::vector<std::int64_t>{3, 3, 3, 3, 3, 3, 3, 4}), 9'000'000);
}

// While they wait in a call, the others compute on: they lose one delay once, and are not those
// that have less to compute.
TEST(ManyRanks, OneDelayInManyCallsIsLostOnce) {
  for (const LateBy cause : kCauses) {
    Plan plan;
    plan.ranks = 4;
    plan.iterations = 10;
    plan.cause = cause;
    // More work is one kernel more, as long as the others.
    plan.lateness = cause == LateBy::kMoreWork ? 200'000 : 2'450'000;
    plan.first_only = true;
    plan.beside = true;
    const Judged judged = Judge(plan, Simulate(plan));
    ASSERT_EQ(judged.blame.straggler, 1u) << Told(plan);
    EXPECT_EQ(InGeneralWords(judged.blame.cause), CauseInWords(cause)) << Told(plan);
    const auto injected = static_cast<double>(plan.iterations * plan.lateness);
    EXPECT_NEAR(static_cast<double>(judged.blame.ranks[1].cost), injected, 0.05 * injected);
  }
}

// A slow link is no late rank, and a late rank no slow link.
TEST(ManyRanks, SlowLinks) {
  for (const Mesh mesh : {Mesh::kTpDp, Mesh::kPpDp, Mesh::kEpDp}) {
    Plan plan;
    plan.mesh = mesh;
    plan.ranks = 16;
    plan.slow_link = 4;
    plan.slow_link_percent = 80;
    const Judged judged = Judge(plan, Simulate(plan));
    const std::vector<LinkSpeed> links = MeasureLinks(judged.ranks, judged.matching);
    for (std::size_t i = 0; i < links.size(); ++i) {
      const GroupMatch& group = judged.matching.groups[i];
      const bool slow = group.members == std::vector<std::int64_t>{4, 5, 6, 7};
      if (!links[i].slowdown) continue;
      EXPECT_NEAR(*links[i].slowdown, slow ? 1.8 : 1.0, 0.001) << Told(plan) << group.name;
      EXPECT_EQ(links[i].pair, slow && mesh == Mesh::kPpDp ? "4 - 5" : links[i].pair);
    }
    const auto slow_groups = std::count_if(links.begin(), links.end(), [](const LinkSpeed& link) {
      return link.slowdown.value_or(1) > 1.5;
    });
    EXPECT_EQ(slow_groups, 1) << Told(plan);
  }
  Plan late;
  late.mesh = Mesh::kTpDp;
  late.cause = LateBy::kHost;
  const Judged judged = Judge(late, Simulate(late));
  for (const LinkSpeed& link : MeasureLinks(judged.ranks, judged.matching)) {
    EXPECT_NEAR(link.slowdown.value_or(1), 1.0, 0.001);
  }
}

TEST(ManyRanks, SlowGpusAreThoseWithSlowKernels) {
  for (const LateBy cause : kCauses) {
    Plan plan;
    plan.cause = cause;
    plan.late = 3;
    const Judged judged = Judge(plan, Simulate(plan));
    const auto slowdowns = KernelSlowdowns(judged.ranks);
    for (std::size_t rank = 0; rank < slowdowns.size(); ++rank) {
      ASSERT_TRUE(slowdowns[rank]);
      if (cause == LateBy::kSlowGpu && rank == 3) {
        EXPECT_NEAR(*slowdowns[rank], 1.125, 0.001);
      } else {
        EXPECT_LT(*slowdowns[rank], 1.001) << CauseInWords(cause) << rank;
      }
    }
  }
}

// Three kinds of kernels on four ranks, of which the last one's take as much longer.
std::vector<RankFacts> RanksWithKernels(double experts, double dense, double others) {
  std::vector<RankFacts> ranks(4);
  for (RankFacts& rank : ranks) {
    const bool is_last = &rank == &ranks.back();
    const auto add = [&](std::string_view name, bool is_matrix, double time, double longer) {
      KernelSum sum{name};
      sum.is_matrix = is_matrix;
      sum.calls = 10;
      sum.time = static_cast<Ns>(time * (is_last ? longer : 1));
      rank.kernels.push_back(sum);
    };
    add("dense gemm", true, 25'000'000, dense);
    add("elementwise", false, 10'000'000, others);
    add("grouped gemm", true, 65'000'000, experts);
  }
  return ranks;
}

TEST(ManyRanks, OneKindOfKernelsThatIsSlowerHasMoreToDo) {
  EXPECT_LT(*KernelSlowdowns(RanksWithKernels(1.5, 1, 1))[3], 1.03);
  EXPECT_NEAR(*KernelSlowdowns(RanksWithKernels(1.2, 1.2, 1.2))[3], 1.2, 1e-9);
  // Clocks slow what computes, and memory what it holds up.
  EXPECT_NEAR(*KernelSlowdowns(RanksWithKernels(1.2, 1.2, 1))[3], 1.18, 1e-9);
  EXPECT_NEAR(*KernelSlowdowns(RanksWithKernels(1, 1, 1.6))[3], 1.06, 1e-9);
}

// As experts with more tokens have: their kernels have one grid for all sizes.
TEST(ManyRanks, KernelsWithOtherInputsAreNotAlike) {
  std::vector<RankFacts> ranks = RanksWithKernels(1.5, 1.02, 1);
  for (RankFacts& rank : ranks) {
    for (KernelSum& kernel : rank.kernels) kernel.inputs = 1;
  }
  ranks[3].kernels[2].inputs = 2;
  EXPECT_NEAR(*KernelSlowdowns(ranks)[3], 1 + 0.02 * 25 / 35, 1e-9);
  // Where one rank lacks them, they tell nothing.
  for (KernelSum& kernel : ranks[0].kernels) kernel.inputs = 0;
  EXPECT_GT(*KernelSlowdowns(ranks)[3], 1 + 0.02 * 25 / 35 + 0.01);
}

TEST(ManyRanks, PipelinesHaveTheirBubble) {
  for (const std::int64_t late : {-1, 0, 2, 7}) {
    Plan plan;
    plan.mesh = Mesh::kPpDp;
    plan.ranks = 16;
    plan.microbatches = 6;
    plan.late = late;
    plan.cause = late < 0 ? LateBy::kNothing : LateBy::kSlowGpu;
    const Made made = Simulate(plan);
    const Judged judged = Judge(plan, made);
    std::vector<RankParts> parts;
    for (const RankFacts& rank : judged.ranks) parts.push_back(MatchedParts(rank));
    const Pipeline pipeline = FindPipeline(judged.ranks, parts, judged.matching);
    ASSERT_EQ(pipeline.stages.size(), 4u);
    EXPECT_EQ(pipeline.microbatches, 6);
    EXPECT_DOUBLE_EQ(pipeline.ideal_share(), 3.0 / 9.0);
    for (std::size_t stage = 0; stage < 4; ++stage) {
      Ns bubble = 0;
      for (std::size_t rank = stage; rank < 16; rank += 4) bubble += made.truth.ranks[rank].bubble;
      EXPECT_EQ(pipeline.stages[stage].bubble, bubble) << stage;
      EXPECT_EQ(pipeline.stages[stage].ranks, 4);
    }
  }
  Plan plan;
  plan.mesh = Mesh::kEpDp;
  const Judged judged = Judge(plan, Simulate(plan));
  const std::vector<RankParts> parts(judged.ranks.size());
  EXPECT_TRUE(FindPipeline(judged.ranks, parts, judged.matching).stages.empty());
}

// A stage that posts its receives before it sends is still the first.
TEST(ManyRanks, ReceivesPostedEarlyAreNoStage) {
  Plan plan;
  plan.mesh = Mesh::kPpDp;
  Judged judged = Judge(plan, Simulate(plan));
  std::vector<RankParts> parts;
  for (RankFacts& rank : judged.ranks) {
    parts.push_back(MatchedParts(rank));
    for (CollectiveCall& call : rank.calls) {
      if (call.destination == rank.rank && call.source == rank.rank + 1) {
        call.time.start -= 3'000'000;
      }
    }
    std::stable_sort(rank.calls.begin(), rank.calls.end(),
                     [](const auto& a, const auto& b) { return a.time.start < b.time.start; });
  }
  EXPECT_EQ(FindPipeline(judged.ranks, parts, judged.matching).stages.size(), 4u);
}

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
    const Made made = Simulate(plan);
    const Judged judged = Judge(plan, made);
    EXPECT_EQ(judged.blame.straggler, 3u) << Told(plan);
    EXPECT_EQ(judged.blame.cause, "the host") << Told(plan);
    for (std::size_t rank = 0; rank < judged.ranks.size(); ++rank) {
      const auto waiting = static_cast<double>(made.truth.ranks[rank].waiting);
      EXPECT_NEAR(static_cast<double>(judged.blame.ranks[rank].waiting), waiting,
                  2'000 + waiting / 1'000);
    }
    const Clocks clocks = AlignClocks(judged.ranks, judged.matching);
    ASSERT_TRUE(clocks.complete()) << Told(plan);
    EXPECT_LT(clocks.residual, 2'000) << Told(plan);
    const auto skew = StepSkew(judged.ranks, clocks);
    ASSERT_TRUE(skew);
    std::vector<Ns> truth = made.truth.step_skew;
    std::sort(truth.begin(), truth.end());
    EXPECT_NEAR(static_cast<double>(*skew), static_cast<double>(truth[truth.size() / 2]), 4'000)
        << Told(plan);
  }
}

// Of a long recording the drift is taken out: without it the ends would be 400 us apart.
TEST(ManyRanks, DriftOfLongRecordings) {
  Plan plan;
  plan.ranks = 2;
  plan.iterations = 10;
  plan.cause = LateBy::kLoader;
  plan.late = 1;
  plan.lateness = 500'000'000;
  plan.drift_ppb = 20'000;
  const Judged judged = Judge(plan, Simulate(plan));
  const Clocks clocks = AlignClocks(judged.ranks, judged.matching);
  ASSERT_TRUE(clocks.complete());
  EXPECT_NE(clocks.of_rank[1]->speed, 0);
  EXPECT_LT(clocks.residual, 1'000);
}

TEST(ManyRanks, AMissingCallIsMissingAlone) {
  for (const Metadata metadata : {Metadata::kGroups, Metadata::kNumbers}) {
    for (const Mesh mesh : kMeshes) {
      Plan plan;
      plan.mesh = mesh;
      plan.iterations = 30;
      plan.metadata = metadata;
      plan.cause = LateBy::kHost;
      plan.late = 2;
      plan.lost_rank = 6;
      const Judged judged = Judge(plan, Simulate(plan));
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
  const Judged judged = Judge(plan, Simulate(plan));
  ASSERT_EQ(judged.ranks.size(), 7u);
  EXPECT_EQ(judged.blame.groups, 6u);
  EXPECT_EQ(judged.blame.judged_groups, 4u);
  EXPECT_EQ(judged.blame.straggler, 2u);
}

TEST(ManyRanks, ARankTwiceIsRefused) {
  Plan plan;
  plan.doubled = 3;
  Folder folder;
  WriteRun(plan, Simulate(plan), folder.path());
  const auto run = LoadRun({folder.path()}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, "input/several-runs");
}

TEST(ManyRanks, MetricsAndTables) {
  Plan plan;
  plan.mesh = Mesh::kPpDp;
  plan.cause = LateBy::kSlowGpu;
  plan.late = 5;
  const Made made = Simulate(plan);
  const Judged judged = Judge(plan, made);
  const auto analysis = Analyze(judged.profiles, {});
  ASSERT_TRUE(analysis) << analysis.error().message;
  Ns bubble = 0, whole = 0;
  for (const made::RankTruth& rank : made.truth.ranks) {
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
    const Made made = Simulate(plan);
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
    EXPECT_GE(SumOf(steps, 5, "late_cost"), AsNumber(ranks.At(5, "late_cost"), 0));
    EXPECT_EQ(SumOf(steps, 2, "late_cost"), 0) << Told(plan);
  }
}

TEST(ManyRanks, TheSpreadOverRanksNamesTheLateOne) {
  Plan plan;
  plan.ranks = 64;
  plan.iterations = 3;
  plan.cause = LateBy::kHost;
  plan.late = 43;
  const Judged judged = Judge(plan, Simulate(plan));
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

TEST(ManyRanks, TheRanksThatMatterOnOneAxis) {
  Plan plan;
  plan.cause = LateBy::kHost;
  plan.late = 5;
  plan.clock_offset = 5'000'000;
  const Judged judged = Judge(plan, Simulate(plan));
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
      // Clocks that differ by milliseconds are taken out; the late rank comes when the others have
      // waited, and all end at once.
      EXPECT_EQ(at(i, "waiting"), 0);
      EXPECT_EQ(at(other, "waiting"), plan.lateness);
      EXPECT_NEAR(at(i, "start"), at(other, "start") + static_cast<double>(plan.lateness), 2000);
      EXPECT_NEAR(at(i, "start") + at(i, "duration"), at(other, "start") + at(other, "duration"),
                  2000);
    }
  }
}

// One process with several GPUs, as JAX's are.
TEST(SlowGpus, AreFoundAmongThoseOfOneProcess) {
  for (const int gpus : {2, 4}) {
    TestProfile test;
    for (int i = 0; i < 3; ++i) {
      const Ns at = i * 10'000;
      test.Step(i, {at, at + 9'000});
      for (int gpu = 0; gpu < gpus; ++gpu) {
        const Ns length = gpu == 1 ? 5'000 : 4'000;
        test.Launch("gemm", {at + 10 + gpu, at + 11 + gpu}, {at + 100, at + 100 + length}, {},
                    DeviceKind::kKernel, gpu);
      }
    }
    const Profile profile = test.Finish();
    const auto contexts = BuildRankContexts(std::span(&profile, 1), {});
    ASSERT_TRUE(contexts);
    const RankFacts facts = FactsOf(contexts->front());
    EXPECT_EQ(facts.slow_gpu, gpus == 4 ? 1 : -1);
    EXPECT_EQ(facts.gpu_slowdown, gpus == 4 ? 1.25 : 0);
  }
}

}  // namespace
}  // namespace profgauge
