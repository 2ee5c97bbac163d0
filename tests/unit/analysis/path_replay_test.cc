// Simulations in small blocks of steps give the results of plain ones: on generated profiles with
// several threads and streams, ranges that cross, waits of all kinds, and edges that contradict
// each other.
#include "analysis/simulation/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>

#include "analysis/simulation/flags.h"
#include "analysis/simulation/replayer.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

using StepId = simulation::PathGraph::StepId;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  TestProfile Make() {
    TestProfile test;
    const ThreadId threads[] = {test.main(), test.Thread(2), test.Thread(3)};
    const int steps = 1 + Below(4);
    const Ns length = 300'000;
    for (int i = 0; i < steps; ++i) test.Step(i, {i * length, (i + 1) * length - Below(9) * 1'000});
    for (int i = 0; i < steps; ++i) {
      for (const ThreadId thread : threads) FillThread(test, thread, i * length, (i + 1) * length);
    }
    return test;
  }

 private:
  int Below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }

  void FillThread(TestProfile& test, ThreadId thread, Ns at, Ns end) {
    for (at += Below(40'000); at + 20'000 < end; at += 3'000 + Below(12'000)) {
      const Ns length = 1'000 + Below(8'000);
      switch (Below(8)) {
        case 0:
          test.Op("range", {at - 500, at + length + Below(30'000)}, thread);  // May cross.
          break;
        case 1:
          test.Op("aten::mm", {at, at + length}, thread);
          break;
        case 2:
          test.Call("cudaStreamSynchronize", ApiKind::kSync, {at, at + length}, thread);
          break;
        case 3:
          test.Call("cudaDeviceSynchronize", ApiKind::kSync, {at, at + 4 * length}, thread);
          break;
        case 4:
          test.Call("cudaStreamWaitEvent", ApiKind::kSync, {at, at + 500}, thread);
          break;
        default:
          Launch(test, thread, at, length);
      }
    }
  }

  // Now and then before its call, as clocks that differ have it: then edges may close a circle.
  void Launch(TestProfile& test, ThreadId thread, Ns at, Ns length) {
    const int stream = Below(3);
    const Ns early = Below(10) == 0 ? Below(40'000) : -Below(20'000);
    const Ns start = std::max({Ns{1'000}, at - early, Below(4) == 0 ? free_[stream] - 200 : Ns{0}});
    free_[stream] = start + 500 + Below(15'000);
    test.Launch("kernel", {at, at + length}, {start, free_[stream]}, thread, DeviceKind::kKernel, 0,
                7 + stream);
  }

  std::mt19937 random_;
  Ns free_[3] = {};
};

/// A generated recording, and its graph with blocks of several sizes.
struct Generated {
  explicit Generated(unsigned seed) {
    profiles.push_back(Generator(seed).Make().Finish());
    ranks = *iterations::BuildRankContexts(profiles, {});
    for (const unsigned bits : {0U, 1U, 3U, 6U, simulation::PathGraph::kBlockBits}) {
      graphs.push_back(*simulation::PathGraph::Build(ranks.front(), bits));
    }
  }
  std::vector<Profile> profiles;
  std::vector<iterations::RankContext> ranks;
  std::vector<simulation::PathGraph> graphs;
};

struct Cuts {
  Cuts(std::size_t steps, unsigned seed) : cuts(steps), alone(steps) {
    std::mt19937 random(seed);
    for (Ns& cut : cuts) cut = random() % 3 == 0 ? static_cast<Ns>(random() % 4'000) - 2'000 : 0;
    for (std::uint8_t& one : alone) one = random() % 9 == 0 ? 1 : 0;
  }
  simulation::PathChanges changes() const { return {cuts, alone}; }
  std::vector<Ns> cuts;
  std::vector<std::uint8_t> alone;
};

// By the definition only of lags.
Ns PlainTime(const simulation::PathGraph& graph, StepId step,
             const simulation::PathChanges& changes, std::span<const Ns> times) {
  const Ns recorded = graph.RecordedAt(step);
  const StepId before = graph.Before(step);
  const auto [cut, is_alone] = changes.Of(step);
  if (is_alone && before != simulation::PathGraph::kNone) {
    return times[before] + recorded - graph.RecordedAt(before) - cut;
  }
  const StepId binding = graph.BindingOf(step).from;
  if (binding == simulation::PathGraph::kNone) return recorded;
  Ns time = times[binding] + recorded - graph.RecordedAt(binding) - cut;
  graph.ForEachEdge(step, [&](const simulation::PathGraph::Edge& edge) {
    if (edge.from == binding) return;
    time =
        std::max(time, times[edge.from] + std::min<Ns>(0, recorded - graph.RecordedAt(edge.from)));
  });
  return time;
}

// Also checks that predecessors come first, and every step once.
std::vector<Ns> PlainReplay(const simulation::PathGraph& graph,
                            const simulation::PathChanges& changes) {
  std::vector<Ns> times(graph.size());
  std::vector<bool> done(graph.size());
  for (const auto& [begin, end] : graph.runs()) {
    for (StepId step = begin; step < end; ++step) {
      EXPECT_FALSE(done[step]);
      graph.ForEachEdge(
          step, [&](const simulation::PathGraph::Edge& edge) { EXPECT_TRUE(done[edge.from]); });
      times[step] = PlainTime(graph, step, changes, times);
      done[step] = true;
    }
  }
  EXPECT_EQ(std::count(done.begin(), done.end(), false), 0);
  return times;
}

constexpr unsigned kSeeds = 60;

TEST(PathReplay, BlocksChangeNothing) {
  std::size_t dropped = 0, many = 0, detached = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Generated generated(seed);
    const simulation::PathGraph& first = generated.graphs.front();
    const Cuts cuts(first.size(), seed);
    const std::vector<Ns> times = PlainReplay(first, cuts.changes());
    for (const simulation::PathGraph& graph : generated.graphs) {
      EXPECT_EQ(graph.edges(), first.edges());
      EXPECT_EQ(graph.Replay(cuts.changes()), times);
      EXPECT_EQ(simulation::ReplayIterations(graph, cuts.changes()), graph.IterationsAt(times));
      EXPECT_EQ(PlainReplay(graph, {}), graph.Replay({}));
    }
    dropped += first.edges_dropped();
    for (StepId step = 0; step < first.size(); ++step) {
      int elsewhere = 0;
      first.ForEachElsewhere(step, [&](StepId) { ++elsewhere; });
      many += elsewhere > 1;
      detached += first.OwnerOf(step).is_end && first.Before(step) == simulation::PathGraph::kNone;
    }
  }
  // The profiles have the hard cases.
  EXPECT_GT(dropped, 10u);
  EXPECT_GT(many, 100u);
  EXPECT_GT(detached, 100u);
}

// The slacks that the simulation's lags allow, from the last step to the first.
std::vector<Ns> PlainSlacks(const simulation::PathGraph& graph) {
  std::vector<Ns> slacks(graph.size());
  simulation::FirstSlacks(graph).Fill(0, static_cast<StepId>(graph.size()), slacks.data());
  for (auto run = graph.runs().rbegin(); run != graph.runs().rend(); ++run) {
    for (StepId step = run->second; step-- > run->first;) {
      if (slacks[step] == simulation::FirstSlacks::kFree) continue;
      const StepId binding = graph.BindingOf(step).from;
      graph.ForEachEdge(step, [&](const simulation::PathGraph::Edge& edge) {
        const Ns room = graph.RecordedAt(step) - graph.RecordedAt(edge.from);
        Ns& before = slacks[edge.from];
        before =
            std::min(before, slacks[step] + (edge.from == binding ? 0 : std::max<Ns>(room, 0)));
      });
    }
  }
  return slacks;
}

TEST(PathReplay, BlockSlacksEqualStepSlacks) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Generated generated(seed);
    const std::vector<Ns> expected = PlainSlacks(generated.graphs.front());
    for (const simulation::PathGraph& graph : generated.graphs) {
      std::vector<Ns> slacks(graph.size(), -1);
      std::size_t visited = 0;
      simulation::VisitSlacks(graph, [&](StepId step, Ns slack) {
        slacks[step] = slack;
        ++visited;
      });
      EXPECT_EQ(visited, graph.size());
      EXPECT_EQ(slacks, expected);
    }
  }
}

// Every other event or so takes another time.
simulation::Scenario SomeScenario(const Profile& profile, unsigned seed) {
  std::mt19937 random(seed);
  simulation::Scenario scenario;
  const std::pair<simulation::PathTable, std::size_t> tables[] = {
      {simulation::PathTable::kHost, profile.host.size()},
      {simulation::PathTable::kApi, profile.api.size()},
      {simulation::PathTable::kDevice, profile.device.size()}};
  for (const auto& [table, rows] : tables) {
    simulation::Scaling& scaling = scenario.scalings.emplace_back();
    scaling.table = table;
    scaling.factor = static_cast<double>(random() % 8) / 4;
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (random() % 2 == 0) scaling.rows.push_back({0, row});
    }
  }
  return scenario;
}

TEST(PathReplay, MovesEqualTheirSteps) {
  std::size_t moves = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Generated generated(seed);
    const simulation::PathGraph& graph = generated.graphs.front();
    const simulation::ScenarioChanges changes(SomeScenario(generated.profiles.front(), seed), graph,
                                              0, {}, nullptr);
    for (const auto& [begin, end] : graph.runs()) {
      std::vector<StepId> elsewhere, expected;
      graph.ForEachElsewhere(begin, end, [&](StepId from) { elsewhere.push_back(from); });
      for (StepId step = begin; step < end; ++step) {
        if (const std::uint32_t move = graph.moves()[step];
            move != simulation::PathGraph::kNoMove) {
          ++moves;
          EXPECT_TRUE(graph.FollowsOne(step));
          EXPECT_EQ(graph.RecordedAt(step) - graph.RecordedAt(step - 1), Ns{move});
          const simulation::StepChange of_move = changes.OfMove(step, move),
                                       of_step = changes.Of(step);
          EXPECT_EQ(of_move.cut, of_step.cut);
          EXPECT_EQ(of_move.is_alone, of_step.is_alone);
        }
        EXPECT_EQ(graph.FollowsOne(step), graph.HasOneEdge(step) && graph.Before(step) + 1 == step);
        graph.ForEachElsewhere(step, [&](StepId from) { expected.push_back(from); });
      }
      EXPECT_EQ(elsewhere, expected);
    }
  }
  EXPECT_GT(moves, 1'000u);
}

TEST(Flags, RangesAndSingleOnes) {
  for (const std::size_t begin : {0, 1, 63, 64, 70, 128}) {
    for (const std::size_t end : {0, 1, 64, 65, 127, 128, 200}) {
      simulation::Flags flags(200);
      flags.Set(begin, end);
      flags.Set(3);
      for (std::size_t at = 0; at < flags.size(); ++at) {
        EXPECT_EQ(flags[at], (at >= begin && at < end) || at == 3);
      }
    }
  }
  simulation::Flags grown;
  for (std::size_t at = 0; at < 200; ++at) grown.push_back(at % 3 == 0);
  EXPECT_EQ(grown.size(), 200u);
  for (std::size_t at = 0; at < 200; ++at) EXPECT_EQ(grown[at], at % 3 == 0);
}

// Blocks of steps that no change touches are passed over.
TEST(StepFactors, KnowsWhereThereAreNone) {
  simulation::StepFactors factors;
  factors.Resize(1000);
  factors.Fill(400, 200, 3);
  EXPECT_TRUE(factors.AreNone(0, 400));
  EXPECT_TRUE(factors.AreNone(600, 400));
  EXPECT_TRUE(factors.AreNone(0, 1));
  EXPECT_FALSE(factors.AreNone(400, 1));
  EXPECT_FALSE(factors.AreNone(0, 401));
  EXPECT_FALSE(factors.AreNone(400, 200)) << "all alike, but not none";
  EXPECT_EQ(factors.Of(599), 3u);
  EXPECT_EQ(factors.Of(600), 0u);
  factors.Fill(700, 10, 1000);
  EXPECT_EQ(factors.Of(709), 1000u);
  EXPECT_EQ(factors.Of(400), 3u);
}

}  // namespace
}  // namespace profgauge::analysis
