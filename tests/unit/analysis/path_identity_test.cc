// The replay of an unchanged graph returns every recorded time, on every profile at hand that
// has launches; where there is no graph, the reason is one that we know.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/simulation/graph.h"
#include "analysis/simulation/replay.h"
#include "oracle.h"

namespace profgauge::analysis {
namespace {

void ExpectIdentity(const std::string& path, const simulation::PathGraph& graph) {
  const std::vector<Ns> times = graph.Replay({});
  std::size_t wrong = 0;
  for (simulation::PathGraph::StepId i = 0; i < graph.size(); ++i)
    wrong += times[i] != graph.RecordedAt(i);
  EXPECT_EQ(wrong, 0u) << path << ": of " << graph.size() << " steps";
  std::vector<Span> recorded;
  for (const iterations::Iteration& iteration : graph.rank().iterations.selected()) {
    recorded.push_back(iteration.time);
  }
  EXPECT_EQ(graph.IterationsAt(times), recorded) << path;
  EXPECT_NE(graph.LastStep(times, recorded), simulation::PathGraph::kNone) << path;
  // A replay only for the iterations, which forgets times, is as one that keeps them.
  std::vector<Ns> cuts(graph.size() / 2);
  std::vector<std::uint8_t> alone(cuts.size());
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    cuts[i] = static_cast<Ns>(i % 7) - 2;
    alone[i] = i % 5 == 0 ? 1 : 0;
  }
  const simulation::PathChanges changes(cuts, alone);
  EXPECT_EQ(simulation::ReplayIterations(graph, changes), graph.IterationsAt(graph.Replay(changes)))
      << path;
  // 12 bytes a step hold its edge from the step before, the time since then and its place in the
  // order; some have more.
  const std::size_t more = std::max(graph.edges(), graph.size()) - graph.size();
  EXPECT_LE(graph.bytes(), graph.size() * 12 + more * 8 + 4096) << path;
}

TEST(PathIdentity, EveryProfileOrAReason) {
  PROFGAUGE_SKIP_WITHOUT_SHARED();
  std::size_t replayed = 0, with_launches = 0;
  for (const std::string& path : AllRecordings()) {
    readers::ReadOptions options;
    options.threads = 1;
    const auto profiles = readers::ReadProfiles(path, options);
    if (!profiles) continue;  // No profile, or one whose reader says why.
    const auto ranks = iterations::BuildRankContexts(*profiles, {});
    ASSERT_TRUE(ranks.has_value()) << path;
    for (const iterations::RankContext& rank : *ranks) {
      const std::vector<ApiId>& launches = rank.profile->device.launch;
      const bool launched =
          rank.profile->has_timeline && std::any_of(launches.begin(), launches.end(),
                                                    [](ApiId launch) { return launch.valid(); });
      with_launches += launched;
      const auto graph = simulation::PathGraph::Build(rank);
      EXPECT_TRUE(graph.has_value() || !launched) << path << ": " << graph.error();
      if (!graph) {
        fmt::print("{}: no graph: {}\n", path, graph.error());
        EXPECT_FALSE(graph.error().empty());
        continue;
      }
      ++replayed;
      fmt::print("{}: {} steps, {} edges, {} dropped\n", path, graph->size(), graph->edges(),
                 graph->edges_dropped());
      ExpectIdentity(path, *graph);
    }
  }
  EXPECT_GE(with_launches, 60u);
  EXPECT_GE(replayed, with_launches);
}

}  // namespace
}  // namespace profgauge::analysis
