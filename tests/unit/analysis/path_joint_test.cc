// The joint replay of ranks: unchanged it returns every time; a rank that comes earlier or later
// takes the others with it, as a run recorded with that change does.
#include "analysis/simulation/joint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "analysis/communication/collective_calls.h"
#include "analysis/simulation/replayer.h"
#include "fixture.h"
#include "oracle.h"

namespace profgauge::analysis {
namespace {

// A rank's recording: it loads, computes, communicates, waits for that, again and again.
class Rank {
 public:
  Rank(std::size_t rank, std::size_t ranks, std::vector<std::string> groups = {"dp"}) {
    auto& distributed = test_.builder().distributed();
    distributed.backend = "nccl";
    distributed.rank = static_cast<std::int64_t>(rank);
    distributed.world_size = static_cast<std::int64_t>(ranks);
    for (const std::string& name : groups) {
      ProcessGroup group;
      group.name = name;
      group.size = static_cast<std::int64_t>(ranks);
      for (std::size_t r = 0; r < ranks; ++r) group.ranks.push_back(static_cast<std::int64_t>(r));
      distributed.groups.push_back(group);
    }
    size_ = static_cast<std::int64_t>(ranks);
    test_.Op("start", {0, 1});
  }

  void Load(Ns begin, Ns end) { test_.Op("load", {begin, end}); }
  void Compute(Ns call, Ns begin, Ns end) {
    test_.Launch("gemm", {call, call + 1'000}, {begin, end});
  }
  void Reduce(Ns call, Ns begin, Ns end, std::int64_t number, std::string_view group = "dp",
              std::int64_t stream = 7) {
    auto& builder = test_.builder();
    Collective collective;
    collective.name = builder.Intern("allreduce");
    collective.group = builder.Intern(group);
    collective.in_elements = collective.out_elements = 1'000;
    collective.group_size = size_;
    collective.sequence = number;
    ApiRow launch;
    launch.start = call;
    launch.duration = 1'000;
    launch.name = builder.Intern("cudaLaunchKernel");
    launch.kind = ApiKind::kLaunch;
    launch.thread = test_.main();
    launch.correlation = ++correlation_;
    builder.AddApi(launch);
    DeviceRow kernel;
    kernel.start = begin;
    kernel.duration = end - begin;
    kernel.kind = DeviceKind::kKernel;
    kernel.name = builder.Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)");
    kernel.gpu = 0;
    kernel.stream = stream;
    kernel.correlation = correlation_;
    kernel.collective = builder.AddCollective(collective);
    builder.AddDevice(kernel);
  }
  void Event(std::string_view call, Ns begin) {
    test_.Call(call, ApiKind::kOther, {begin, begin + 500});
  }
  void Wait(Ns begin, Ns end) { test_.Call("cudaStreamSynchronize", ApiKind::kSync, {begin, end}); }
  void Step(int number, Ns begin, Ns end) { test_.Step(number, {begin, end}); }
  Profile Finish() { return test_.Finish(); }

 private:
  TestProfile test_;
  std::int64_t size_ = 0, correlation_ = 1'000'000;
};

constexpr Ns kTransfer = 40'000;
using Loads = std::array<Ns, 3>;

/// Three ranks, three iterations, each with a call; `loads` is how long each rank's loader takes.
std::vector<Profile> Recorded(const Loads& loads) {
  std::vector<Rank> ranks;
  for (std::size_t r = 0; r < loads.size(); ++r) ranks.emplace_back(r, loads.size());
  std::array<Ns, 3> at{1'000, 1'000, 1'000};
  for (int step = 0; step < 3; ++step) {
    Ns last = 0;
    std::array<Ns, 3> ready{};
    for (std::size_t r = 0; r < 3; ++r) {
      const Ns loaded = at[r] + loads[r];
      ranks[r].Load(at[r], loaded);
      ranks[r].Compute(loaded, loaded + 5'000, loaded + 105'000);
      ready[r] = loaded + 106'000;
      last = std::max(last, ready[r]);
    }
    const Ns end = last + kTransfer;
    for (std::size_t r = 0; r < 3; ++r) {
      const Ns call = at[r] + loads[r] + 2'000;
      ranks[r].Reduce(call, ready[r], end, step);
      ranks[r].Wait(call + 2'000, end + 3'000);
      ranks[r].Step(step, at[r], end + 4'000);
      at[r] = end + 4'000;
    }
  }
  std::vector<Profile> profiles;
  for (Rank& rank : ranks) profiles.push_back(rank.Finish());
  return profiles;
}

/// Three ranks that compute four buckets an iteration and reduce each beside the next, on a stream
/// of its own; the host launches all of them ahead, then waits. `computes`: of a rank's bucket.
std::vector<Profile> RecordedBeside(const std::array<Ns, 3>& computes) {
  constexpr int kBuckets = 4;
  std::vector<Rank> ranks;
  for (std::size_t r = 0; r < computes.size(); ++r) ranks.emplace_back(r, computes.size());
  Ns at = 1'000;
  for (int step = 0; step < 3; ++step) {
    const Ns first = at + 100'000;
    Ns reduced = 0;
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
      std::array<Ns, 3> begins{};
      Ns last = 0;
      for (std::size_t r = 0; r < 3; ++r) {
        begins[r] = std::max(reduced, first + (bucket + 1) * computes[r]);
        last = std::max(last, begins[r]);
      }
      reduced = last + kTransfer;
      for (std::size_t r = 0; r < 3; ++r) {
        const Ns call = at + bucket * 10'000, begin = first + bucket * computes[r];
        ranks[r].Compute(call, begin, begin + computes[r]);
        ranks[r].Event("cudaEventRecord", call + 2'000);
        ranks[r].Event("cudaStreamWaitEvent", call + 3'000);
        ranks[r].Reduce(call + 4'000, begins[r], reduced, step * kBuckets + bucket, "dp", 20);
      }
    }
    for (std::size_t r = 0; r < 3; ++r) {
      ranks[r].Wait(at + 60'000, reduced + 3'000);
      ranks[r].Step(step, at, reduced + 4'000);
    }
    at = reduced + 4'000;
  }
  std::vector<Profile> profiles;
  for (Rank& rank : ranks) profiles.push_back(rank.Finish());
  return profiles;
}

struct ReplayedRanks {
  explicit ReplayedRanks(std::vector<Profile> read) : profiles(std::move(read)) {
    auto contexts = iterations::BuildRankContexts(profiles, {});
    EXPECT_TRUE(contexts.has_value());
    ranks = std::make_shared<const std::vector<iterations::RankContext>>(std::move(*contexts));
    replayer = std::make_unique<simulation::Replayer>(ranks);
    EXPECT_EQ(replayer->why_not(), "");
  }
  simulation::JointReplay Joint() const {
    std::vector<std::vector<communication::CollectiveCall>> calls;
    for (const iterations::RankContext& rank : *ranks)
      calls.push_back(communication::CollectCollectives(rank));
    const communication::Matching matching = communication::MatchRanks(*ranks, calls);
    return simulation::JointReplay(replayer->graphs(), matching, calls);
  }
  /// The loader of `rank` takes `factor` times as long.
  simulation::Prediction Loading(std::uint32_t rank, double factor) const {
    simulation::Scenario scenario;
    simulation::Scaling& scaling = scenario.scalings.emplace_back();
    scaling.factor = factor;
    const Profile& profile = profiles[rank];
    for (std::uint32_t row = 0; row < profile.host.size(); ++row) {
      if (profile.Name(profile.host.name[row]) == "load") scaling.rows.push_back({rank, row});
    }
    EXPECT_EQ(scaling.rows.size(), 3u);
    return replayer->Predict(scenario);
  }
  /// The ranks come to their collectives with the next to last, or with the last of the others.
  simulation::Scenario KeepingUp(std::initializer_list<std::uint32_t> late) const {
    simulation::Scenario scenario;
    simulation::Scaling& scaling = scenario.scalings.emplace_back();
    scaling.table = simulation::PathTable::kDevice;
    scaling.keeps_up = true;
    for (const std::uint32_t rank : late) {
      const Profile& profile = profiles[rank];
      for (std::uint32_t row = 0; row < profile.device.size(); ++row) {
        if (profile.device.collective[row].valid()) scaling.rows.push_back({rank, row});
      }
    }
    replayer->FindSteps(scenario);
    return scenario;
  }
  void ExpectIdentity(const simulation::JointReplay& joint) const {
    std::vector<simulation::ScenarioChanges> none;
    for (std::uint32_t rank = 0; rank < profiles.size(); ++rank) {
      none.emplace_back(simulation::Scenario{}, replayer->graphs()[rank], rank,
                        replayer->transfers(rank), &joint);
    }
    const auto times = joint.Replay(none);
    for (std::size_t rank = 0; rank < times.size(); ++rank) {
      const simulation::PathGraph& graph = replayer->graphs()[rank];
      std::size_t wrong = 0;
      for (simulation::PathGraph::StepId step = 0; step < graph.size(); ++step) {
        wrong += times[rank][step] != graph.RecordedAt(step);
      }
      EXPECT_EQ(wrong, 0u) << "rank " << rank << " of " << graph.size() << " steps";
    }
  }

  std::vector<Profile> profiles;
  std::shared_ptr<const std::vector<iterations::RankContext>> ranks;
  std::unique_ptr<simulation::Replayer> replayer;
};

TEST(JointReplay, UnchangedItKeepsEveryTime) {
  const ReplayedRanks run(Recorded({50'000, 250'000, 120'000}));
  const simulation::JointReplay joint = run.Joint();
  EXPECT_EQ(joint.joint_calls(), 3u);
  EXPECT_EQ(joint.dissolved_calls(), 0u);
  run.ExpectIdentity(joint);
}

TEST(JointReplay, RankShiftsMoveTheOthers) {
  const Loads loads{50'000, 250'000, 120'000};
  const ReplayedRanks run(Recorded(loads));
  ASSERT_TRUE(run.replayer->is_joint());
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    for (const double factor : {0.0, 0.2, 0.5, 3.0, 7.0}) {
      Loads changed = loads;
      changed[rank] = static_cast<Ns>(static_cast<double>(loads[rank]) * factor);
      const ReplayedRanks twin(Recorded(changed));
      const simulation::Prediction predicted = run.Loading(rank, factor);
      EXPECT_EQ(predicted.iteration_time, twin.replayer->Predict({}).recorded_time)
          << "rank " << rank << " by " << factor;
    }
  }
}

void ExpectKeepsUp(const ReplayedRanks& run, std::initializer_list<std::uint32_t> late,
                   std::vector<Profile> twin) {
  const double truth = ReplayedRanks(std::move(twin)).replayer->Predict({}).recorded_time;
  const simulation::Scenario scenario = run.KeepingUp(late);
  const simulation::Prediction found = run.replayer->Predict(scenario);
  EXPECT_NEAR(found.iteration_time, truth, 0.002 * truth);
  EXPECT_LE(found.recorded_time - found.iteration_time, run.replayer->MostSaved(scenario));
}

TEST(JointReplay, LateRankKeepsUpWithTheNextToLast) {
  const ReplayedRanks run(Recorded({50'000, 250'000, 120'000}));
  ExpectKeepsUp(run, {1}, Recorded({50'000, 120'000, 120'000}));
  ExpectKeepsUp(run, {1, 2}, Recorded({50'000, 50'000, 50'000}));
}

TEST(JointReplay, NobodyWaitsForARankThatIsNotLast) {
  const ReplayedRanks run(Recorded({50'000, 250'000, 120'000}));
  const simulation::Prediction found = run.replayer->Predict(run.KeepingUp({0, 2}));
  EXPECT_EQ(found.iteration_time, found.recorded_time);
  const simulation::Scenario all = run.KeepingUp({0, 1, 2});
  EXPECT_EQ(run.replayer->Predict(all).iteration_time, found.recorded_time)
      << "no one is left to keep up with";
}

// Each bucket of the late rank makes the next later still; what it loses is lost once.
TEST(JointReplay, LateRankThatComputesBesideItsCallsKeepsUp) {
  const ReplayedRanks run(RecordedBeside({100'000, 100'000, 130'000}));
  run.ExpectIdentity(run.Joint());
  ExpectKeepsUp(run, {2}, RecordedBeside({100'000, 100'000, 100'000}));
  const ReplayedRanks uneven(RecordedBeside({100'000, 115'000, 130'000}));
  ExpectKeepsUp(uneven, {2}, RecordedBeside({100'000, 115'000, 115'000}));
}

TEST(JointReplay, KeepingUpNeedsTheOtherRanks) {
  std::vector<Profile> profiles = Recorded({50'000, 250'000, 120'000});
  profiles.pop_back();
  const ReplayedRanks run(std::move(profiles));
  const simulation::Scenario scenario = run.KeepingUp({1});
  EXPECT_EQ(run.replayer->Predict(scenario).gain_share(), 0);
  EXPECT_EQ(run.replayer->MostSaved(scenario), 0);
}

TEST(JointReplay, SingleRankKeepsOthersArrivals) {
  std::vector<Profile> profiles = Recorded({50'000, 250'000, 120'000});
  profiles.pop_back();
  const ReplayedRanks run(std::move(profiles));
  EXPECT_FALSE(run.replayer->is_joint()) << "the group lacks a member";
  EXPECT_EQ(run.Loading(1, 0).gain_share(), 0.0) << "rank 0 waits as recorded";
  profiles = Recorded({50'000, 250'000, 120'000});
  profiles.resize(1);
  const ReplayedRanks one(std::move(profiles));
  EXPECT_FALSE(one.replayer->is_joint());
  EXPECT_GT(one.Loading(0, 0).gain_share(), 0.0) << "what it waits is part of its calls";
}

TEST(JointReplay, ZeroLengthCallsStillWait) {
  const ReplayedRanks run(Recorded({50'000, 250'000, 120'000}));
  simulation::Scenario scenario;
  simulation::Scaling& scaling = scenario.scalings.emplace_back();
  scaling.table = simulation::PathTable::kDevice;
  scaling.factor = 0;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const DeviceTable& device = run.profiles[rank].device;
    for (std::uint32_t row = 0; row < device.size(); ++row) {
      if (run.profiles[rank].Name(device.name[row]).starts_with("nccl")) {
        scaling.rows.push_back({rank, row});
      }
    }
  }
  const auto waiting = static_cast<std::size_t>(PathKind::kWaiting);
  const simulation::Prediction waits = run.replayer->Predict(scenario);
  EXPECT_EQ(waits.recorded_time - waits.iteration_time, kTransfer);
  scaling.without_waiting = true;
  const simulation::Prediction alone = run.replayer->Predict(scenario);
  EXPECT_EQ(alone.recorded_time - alone.iteration_time, kTransfer) << "of the slowest rank";
  // Rank 1 comes last: 200 and 130 us of waiting in each of three iterations of the others.
  EXPECT_EQ(waits.path[waiting] - alone.path[waiting], 3 * (200'000 + 130'000));
}

TEST(JointReplay, WaitingForOthersIsSlack) {
  const ReplayedRanks run(Recorded({50'000, 250'000, 120'000}));
  const std::vector<std::vector<Ns>> joint = run.replayer->JointSlacks();
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const simulation::PathGraph& graph = run.replayer->graphs()[rank];
    const simulation::PathGraph::StepId end_of_gemm = 1;
    ASSERT_EQ(run.profiles[rank].Name(run.profiles[rank].device.name[graph.OwnerOf(1).row]),
              "gemm");
    const Ns waited[] = {200'000, 0, 130'000};
    EXPECT_EQ(joint[rank][end_of_gemm], waited[rank]);
    simulation::VisitSlacks(graph, [&](simulation::PathGraph::StepId step, Ns slack) {
      if (step == end_of_gemm) {
        EXPECT_EQ(slack, 0);
      }
    });
  }
}

// Two groups whose calls the ranks make in different orders on one stream could not have ended
// together: one call is replayed only by each rank, and every time still comes back.
TEST(JointReplay, ContradictingCallsAreNotJoint) {
  std::vector<Profile> profiles;
  for (std::size_t r = 0; r < 2; ++r) {
    Rank rank(r, 2, {"a", "b"});
    rank.Reduce(1'000, 10'000, 50'000, 0, r == 0 ? "a" : "b");
    rank.Reduce(3'000, 60'000, 90'000, 0, r == 0 ? "b" : "a");
    rank.Wait(5'000, 95'000);
    rank.Step(0, 1, 96'000);
    profiles.push_back(rank.Finish());
  }
  const ReplayedRanks run(std::move(profiles));
  const simulation::JointReplay joint = run.Joint();
  EXPECT_EQ(joint.joint_calls(), 1u);
  EXPECT_EQ(joint.dissolved_calls(), 1u);
  run.ExpectIdentity(joint);
}

TEST(JointReplay, RealRanks) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  auto read = readers::ReadRun({SharedPath("data/kineto/dlrm_8ranks")}, {});
  ASSERT_TRUE(read.has_value());
  const ReplayedRanks run(std::move(*read));
  ASSERT_EQ(run.profiles.size(), 8u);
  const simulation::JointReplay joint = run.Joint();
  EXPECT_GT(joint.joint_calls(), 5u);
  EXPECT_EQ(joint.dissolved_calls(), 0u);
  run.ExpectIdentity(joint);
}

}  // namespace
}  // namespace profgauge::analysis
