// Blame, cause, waiting, links and pipelines against the truth of made runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/communication/blame.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/communication/links.h"
#include "analysis/communication/pipeline.h"
#include "analysis/communication/slowdown.h"
#include "analysis/iterations/observed.h"
#include "fixture.h"
#include "made_ranks_fixture.h"
#include "model/devices.h"

namespace profgauge::analysis {
namespace {

using made::Judge;
using made::Judged;
using made::kMeshes;
using made::Told;
using profgauge::made::LateBy;
using profgauge::made::Made;
using profgauge::made::Mesh;
using profgauge::made::Metadata;
using profgauge::made::Plan;

constexpr LateBy kCauses[] = {LateBy::kLoader, LateBy::kHost, LateBy::kSlowGpu, LateBy::kMoreWork,
                              LateBy::kCopies};

void ExpectTruth(const Plan& plan) {
  const Made made = profgauge::made::Simulate(plan);
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
    const profgauge::made::RankTruth& truth = made.truth.ranks[rank];
    EXPECT_EQ(judged.blame.ranks[rank].waiting, truth.waiting) << Told(plan) << " rank " << rank;
    EXPECT_EQ(judged.blame.ranks[rank].transfer, truth.transfer) << Told(plan) << " rank " << rank;
    EXPECT_EQ(judged.blame.ranks[rank].last_calls, truth.last_calls) << Told(plan);
    EXPECT_EQ(judged.ranks[rank].step_time(), truth.step_time) << Told(plan);
    const communication::RankParts parts = communication::MatchedParts(judged.ranks[rank]);
    EXPECT_EQ(parts.sum(), truth.step_time);
    EXPECT_EQ(parts.waiting_exposed, truth.waiting);
  }
}

TEST(ManyRanks, FindsCauseInEveryMesh) {
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

TEST(ManyRanks, AnyPipelineStageCanBeLate) {
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

// Without the groups' names the calls of a mesh look like those of one group: no one is blamed.
TEST(ManyRanks, GroupsWithoutNamesBlameNoOne) {
  for (const Mesh mesh : {Mesh::kTpDp, Mesh::kPpDp, Mesh::kEpDp}) {
    Plan plan;
    plan.mesh = mesh;
    plan.cause = LateBy::kHost;
    plan.metadata = Metadata::kSizes;
    EXPECT_FALSE(Judge(plan, profgauge::made::Simulate(plan)).blame.straggler) << Told(plan);
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
      const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
      ASSERT_TRUE(judged.blame.straggler) << Told(plan) << " seed " << seed;
      EXPECT_EQ(*judged.blame.straggler, 6u) << Told(plan);
      EXPECT_EQ(judged.blame.cause, "the host") << Told(plan);
    }
  }
}

TEST(ManyRanks, JitterBlamesNoRank) {
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
        const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
        EXPECT_FALSE(judged.blame.straggler) << Told(plan) << " seed " << seed;
        EXPECT_EQ(judged.blame.jitter, plan.jitter > 0) << Told(plan) << " seed " << seed;
      }
    }
  }
}

// One delay makes every call of its iteration late, and is not usual.
TEST(ManyRanks, OneDelayBlamesNoRank) {
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
    const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
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

TEST(ManyRanks, OneOffDelays) {
  std::vector<Ns> costs(12, 400'000);
  EXPECT_EQ(iterations::OnlyOnce(costs), 0);
  costs[3] = 25'000'000;
  EXPECT_EQ(iterations::OnlyOnce(costs), 24'600'000);
  EXPECT_EQ(iterations::WithoutOnce(costs), std::vector<Ns>(12, 400'000));
  costs[4] = 24'000'000;  // Two of twelve are more than one in ten.
  EXPECT_EQ(iterations::OnlyOnce(costs), 0);
  // Gradients that are reduced every eighth time.
  const std::vector<Ns> reduced = {0, 0, 0, 0, 0, 0, 0, 9'000'000};
  EXPECT_EQ(iterations::OnlyOnce(reduced), 9'000'000);
  EXPECT_EQ(iterations::OnlyOnce(reduced, std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 1}), 0);
  EXPECT_EQ(iterations::OnlyOnce(reduced, std::vector<std::int64_t>{3, 3, 3, 3, 3, 3, 3, 4}),
            9'000'000);
}

// While they wait in a call, the others compute on: they lose one delay once, and are not those
// that have less to compute.
TEST(ManyRanks, OneDelayCountsOnce) {
  for (const LateBy cause : kCauses) {
    Plan plan;
    plan.ranks = 4;
    plan.iterations = 10;
    plan.cause = cause;
    // More work is one kernel more, as long as the others.
    plan.lateness = cause == LateBy::kMoreWork ? 200'000 : 2'450'000;
    plan.first_only = true;
    plan.beside = true;
    const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
    ASSERT_EQ(judged.blame.straggler, 1u) << Told(plan);
    EXPECT_EQ(InGeneralWords(judged.blame.cause), profgauge::made::CauseInWords(cause))
        << Told(plan);
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
    const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
    const std::vector<communication::LinkSpeed> links =
        communication::MeasureLinks(judged.ranks, judged.matching);
    for (std::size_t i = 0; i < links.size(); ++i) {
      const communication::GroupMatch& group = judged.matching.groups[i];
      const bool slow = group.members == std::vector<std::int64_t>{4, 5, 6, 7};
      if (!links[i].slowdown) continue;
      EXPECT_NEAR(*links[i].slowdown, slow ? 1.8 : 1.0, 0.001) << Told(plan) << group.name;
      EXPECT_EQ(links[i].pair, slow && mesh == Mesh::kPpDp ? "4 - 5" : links[i].pair);
    }
    const auto slow_groups = std::count_if(
        links.begin(), links.end(),
        [](const communication::LinkSpeed& link) { return link.slowdown.value_or(1) > 1.5; });
    EXPECT_EQ(slow_groups, 1) << Told(plan);
  }
  Plan late;
  late.mesh = Mesh::kTpDp;
  late.cause = LateBy::kHost;
  const Judged judged = Judge(late, profgauge::made::Simulate(late));
  for (const communication::LinkSpeed& link :
       communication::MeasureLinks(judged.ranks, judged.matching)) {
    EXPECT_NEAR(link.slowdown.value_or(1), 1.0, 0.001);
  }
}

TEST(ManyRanks, SlowGpusHaveSlowKernels) {
  for (const LateBy cause : kCauses) {
    Plan plan;
    plan.cause = cause;
    plan.late = 3;
    const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
    const auto slowdowns = communication::KernelSlowdowns(judged.ranks);
    for (std::size_t rank = 0; rank < slowdowns.size(); ++rank) {
      ASSERT_TRUE(slowdowns[rank]);
      if (cause == LateBy::kSlowGpu && rank == 3) {
        EXPECT_NEAR(*slowdowns[rank], 1.125, 0.001);
      } else {
        EXPECT_LT(*slowdowns[rank], 1.001) << profgauge::made::CauseInWords(cause) << rank;
      }
    }
  }
}

// Three kinds of kernels on four ranks, of which the last one's take as much longer.
std::vector<communication::RankFacts> RanksWithKernels(double experts, double dense,
                                                       double others) {
  std::vector<communication::RankFacts> ranks(4);
  for (communication::RankFacts& rank : ranks) {
    const bool is_last = &rank == &ranks.back();
    const auto add = [&](std::string_view name, bool is_matrix, double time, double longer) {
      communication::KernelSum sum{name};
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

TEST(ManyRanks, OneSlowerKindHasMoreWork) {
  EXPECT_LT(*communication::KernelSlowdowns(RanksWithKernels(1.5, 1, 1))[3], 1.03);
  EXPECT_NEAR(*communication::KernelSlowdowns(RanksWithKernels(1.2, 1.2, 1.2))[3], 1.2, 1e-9);
  // Clocks slow computing kernels, and memory those that wait for it.
  EXPECT_NEAR(*communication::KernelSlowdowns(RanksWithKernels(1.2, 1.2, 1))[3], 1.18, 1e-9);
  EXPECT_NEAR(*communication::KernelSlowdowns(RanksWithKernels(1, 1, 1.6))[3], 1.06, 1e-9);
}

// As experts with more tokens have: their kernels have one grid for all sizes.
TEST(ManyRanks, OtherInputsAreOtherKernels) {
  std::vector<communication::RankFacts> ranks = RanksWithKernels(1.5, 1.02, 1);
  for (communication::RankFacts& rank : ranks) {
    for (communication::KernelSum& kernel : rank.kernels) kernel.inputs = 1;
  }
  ranks[3].kernels[2].inputs = 2;
  EXPECT_NEAR(*communication::KernelSlowdowns(ranks)[3], 1 + 0.02 * 25 / 35, 1e-9);
  // If one rank does not have them, they show nothing.
  for (communication::KernelSum& kernel : ranks[0].kernels) kernel.inputs = 0;
  EXPECT_GT(*communication::KernelSlowdowns(ranks)[3], 1 + 0.02 * 25 / 35 + 0.01);
}

TEST(ManyRanks, PipelinesHaveTheirBubble) {
  for (const std::int64_t late : {-1, 0, 2, 7}) {
    Plan plan;
    plan.mesh = Mesh::kPpDp;
    plan.ranks = 16;
    plan.microbatches = 6;
    plan.late = late;
    plan.cause = late < 0 ? LateBy::kNothing : LateBy::kSlowGpu;
    const Made made = profgauge::made::Simulate(plan);
    const Judged judged = Judge(plan, made);
    std::vector<communication::RankParts> parts;
    for (const communication::RankFacts& rank : judged.ranks)
      parts.push_back(communication::MatchedParts(rank));
    const communication::Pipeline pipeline =
        communication::FindPipeline(judged.ranks, parts, judged.matching);
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
  const Judged judged = Judge(plan, profgauge::made::Simulate(plan));
  const std::vector<communication::RankParts> parts(judged.ranks.size());
  EXPECT_TRUE(communication::FindPipeline(judged.ranks, parts, judged.matching).stages.empty());
}

// However a profile shows who sends to whom.
TEST(ManyRanks, PipelinesOfEveryVersionAreFound) {
  for (const profgauge::made::Peers peers :
       {profgauge::made::Peers::kOther, profgauge::made::Peers::kBoth,
        profgauge::made::Peers::kRange, profgauge::made::Peers::kBatch,
        profgauge::made::Peers::kUntold}) {
    Plan plan;
    plan.mesh = Mesh::kPpDp;
    plan.ranks = 16;
    plan.peers = peers;
    const Made made = profgauge::made::Simulate(plan);
    const Judged judged = Judge(plan, made);
    std::vector<communication::RankParts> parts;
    for (const communication::RankFacts& rank : judged.ranks)
      parts.push_back(communication::MatchedParts(rank));
    const communication::Pipeline pipeline =
        communication::FindPipeline(judged.ranks, parts, judged.matching);
    const bool is_told = peers != profgauge::made::Peers::kUntold;
    EXPECT_EQ(pipeline.stages.size(), is_told ? 4u : 0u) << static_cast<int>(peers);
    for (std::size_t i = 0; i < judged.ranks.size(); ++i) {
      const Ns bubble = made.truth.ranks[i].bubble;
      if (is_told) {
        EXPECT_EQ(communication::UntoldTransfers(judged.ranks[i]), 0);
        EXPECT_EQ(std::accumulate(pipeline.waiting[i].begin(), pipeline.waiting[i].end(), Ns{0}),
                  bubble)
            << static_cast<int>(peers) << " rank " << i;
      } else {
        EXPECT_GE(communication::UntoldTransfers(judged.ranks[i]), bubble);
      }
    }
  }
}

// Four ranks that send on in a ring; `at`: when the n-th transfer of a rank ends, -1 for none.
communication::Pipeline RingOf(std::int64_t transfers,
                               const std::function<Ns(std::int64_t, std::int64_t)>& at) {
  std::vector<communication::RankFacts> ranks(4);
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    communication::RankFacts& facts = ranks[static_cast<std::size_t>(rank)];
    facts.rank = rank;
    facts.steps.push_back({0, {0, 10'000}, {}});
    facts.exposed = {{0, 10'000}};
    for (std::int64_t n = 0; n < transfers; ++n) {
      if (at(rank, n) < 0) continue;
      communication::CollectiveCall call;
      call.kind = classify::CollectiveKind::kSendRecv;
      call.source = rank;
      call.destination = (rank + 1) % 4;
      call.iteration = 0;
      call.time = {at(rank, n) - 10, at(rank, n)};
      call.transfer = 4;
      facts.calls.push_back(call);
      call.time.end += 1;  // Where it is received.
      ranks[static_cast<std::size_t>(call.destination)].calls.push_back(call);
    }
  }
  std::vector<communication::RankParts> parts;
  for (const communication::RankFacts& rank : ranks)
    parts.push_back(communication::MatchedParts(rank));
  communication::Matching matching;
  matching.groups.emplace_back().point_to_point = true;
  return communication::FindPipeline(ranks, parts, matching);
}

// Each stage has two parts of the model: the last stage sends to the first, once.
TEST(ManyRanks, InterleavedPipelinesAreRings) {
  const communication::Pipeline pipeline =
      RingOf(2, [](std::int64_t rank, std::int64_t part) -> Ns {
        return rank == 3 && part == 1 ? -1 : 100 + (4 * part + rank) * 20;
      });
  ASSERT_EQ(pipeline.stages.size(), 4u);
  EXPECT_EQ(pipeline.microbatches, 2);
  EXPECT_GT(pipeline.stages[1].bubble, 0);
  // Where all send simultaneously (the ring of a sequence's parts), no one is first.
  const communication::Pipeline ring =
      RingOf(3, [](std::int64_t, std::int64_t n) -> Ns { return 100 + n * 20; });
  EXPECT_TRUE(ring.stages.empty());
}

// A stage that posts its receives before it sends is still the first.
TEST(ManyRanks, ReceivesPostedEarlyAreNoStage) {
  Plan plan;
  plan.mesh = Mesh::kPpDp;
  Judged judged = Judge(plan, profgauge::made::Simulate(plan));
  std::vector<communication::RankParts> parts;
  for (communication::RankFacts& rank : judged.ranks) {
    parts.push_back(communication::MatchedParts(rank));
    for (communication::CollectiveCall& call : rank.calls) {
      if (call.destination == rank.rank && call.source == rank.rank + 1) {
        call.time.start -= 3'000'000;
      }
    }
    std::stable_sort(rank.calls.begin(), rank.calls.end(),
                     [](const auto& a, const auto& b) { return a.time.start < b.time.start; });
  }
  EXPECT_EQ(communication::FindPipeline(judged.ranks, parts, judged.matching).stages.size(), 4u);
}

// One process with several GPUs, as JAX's are.
TEST(SlowGpus, FoundWithinOneProcess) {
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
    const auto contexts = iterations::BuildRankContexts(std::span(&profile, 1), {});
    ASSERT_TRUE(contexts);
    const communication::RankFacts facts =
        communication::TimeFacts(*contexts).communication.front();
    EXPECT_EQ(facts.slow_gpu, gpus == 4 ? 1 : -1);
    EXPECT_EQ(facts.gpu_slowdown, gpus == 4 ? 1.25 : 0);
  }
}

}  // namespace
}  // namespace profgauge::analysis
