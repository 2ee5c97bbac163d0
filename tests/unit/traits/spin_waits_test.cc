// A thread that spins until a kernel is done waits for it: it does no separate work.
#include "analysis/simulation/derived_waits.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../analysis/fixture.h"

namespace profgauge {
namespace {

constexpr Ns kRound = 30 * analysis::kMs;

struct Spins {
  int rounds = 4;     ///< In each the host launches a kernel, and goes on 20 ms later.
  int ended = 4;      ///< The number of these in which the kernel ends then.
  Ns early = 40'000;  ///< How much before the kernel's end the host goes on.
  Ns idle = 0;        ///< How much of the 20 ms the device is idle at the end's kernel.
  Ns length = 20 * analysis::kMs;
  const char* range = "dispatch";
};

// Between the rounds many short operators, as programs have.
analysis::TestProfile Made(const Spins& spins) {
  analysis::TestProfile test;
  test.Step(0, {0, spins.rounds * kRound});
  for (int i = 0; i < spins.rounds; ++i) {
    const Ns at = i * kRound + 1'000;
    const Ns go_on = at + 20'000 + spins.length;
    test.Op(spins.range, {at, at + spins.length + 2 * analysis::kMs});
    const bool ends = i < spins.ended;
    const Ns end = ends ? go_on + spins.early : go_on - 5 * analysis::kMs;
    test.Launch("notify_dispatch", {at + 10'000, at + 20'000}, {at + 30'000 + spins.idle, end});
    if (!ends) test.Work("other", {at + 30'000, go_on}, DeviceKind::kKernel, 0, 9);
    test.Op("aten::after", {go_on, go_on + 10'000});
    for (int k = 0; k < 20; ++k) {
      const Ns op = at + spins.length + 3 * analysis::kMs + k * 20'000;
      test.Op("aten::small", {op, op + 10'000});
    }
  }
  return test;
}

// How many of the operators after a wait depend on device work.
int BoundByKernels(const Spins& spins) {
  std::vector<Profile> profiles = analysis::OneRank(Made(spins).Finish());
  const auto ranks = analysis::iterations::BuildRankContexts(profiles, {});
  EXPECT_TRUE(ranks.has_value());
  const auto graph = analysis::simulation::PathGraph::Build(ranks->front());
  EXPECT_TRUE(graph.has_value());
  int bound = 0;
  const Profile& profile = profiles.front();
  for (analysis::simulation::PathGraph::StepId step = 0; step < graph->size(); ++step) {
    const analysis::simulation::PathOwner owner = graph->OwnerOf(step);
    if (owner.table != analysis::simulation::PathTable::kHost || owner.is_end) continue;
    if (profile.Name(profile.host.name[owner.row]) != "aten::after") continue;
    if (graph->BindingOf(step).kind == analysis::simulation::PathEdge::kSync) ++bound;
  }
  // The graph's promise for a replay without changes includes these edges, too.
  const std::vector<Ns> replayed = graph->Replay({});
  for (analysis::simulation::PathGraph::StepId step = 0; step < graph->size(); ++step) {
    EXPECT_EQ(replayed[step], graph->RecordedAt(step));
  }
  return bound;
}

TEST(SpinWaits, SpinEndingWithKernelIsAWait) { EXPECT_EQ(BoundByKernels({}), 4); }

TEST(SpinWaits, OnceIsChance) {
  EXPECT_EQ(BoundByKernels({.rounds = 1, .ended = 1}), 0);
  EXPECT_EQ(BoundByKernels({.rounds = 2, .ended = 2}), 2);
}

TEST(SpinWaits, MostSpinsMustEndWithKernel) {
  EXPECT_EQ(BoundByKernels({.rounds = 5, .ended = 4}), 4);
  EXPECT_EQ(BoundByKernels({.rounds = 5, .ended = 3}), 0);
}

TEST(SpinWaits, EndsThatAreApartAreNone) {
  EXPECT_EQ(BoundByKernels({.early = 190'000}), 4);  // Within 1 % of 20 ms.
  EXPECT_EQ(BoundByKernels({.early = 210'000}), 0);
  EXPECT_EQ(BoundByKernels({.early = 90'000, .length = 3 * analysis::kMs}), 4);  // Within 100 us.
  EXPECT_EQ(BoundByKernels({.early = 110'000, .length = 3 * analysis::kMs}), 0);
}

TEST(SpinWaits, IdleDeviceIsNoWait) {
  EXPECT_EQ(BoundByKernels({.idle = 1 * analysis::kMs}), 4);  // Busy for 95 %.
  EXPECT_EQ(BoundByKernels({.idle = 3 * analysis::kMs}), 0);  // 85 %.
}

TEST(SpinWaits, ShortSpinsAreHostWork) {
  EXPECT_EQ(BoundByKernels({.length = 900'000}), 0);
  EXPECT_EQ(BoundByKernels({.length = 1'100'000}), 4);
}

// A call that takes long is a call: its own time is recorded as such.
TEST(SpinWaits, ACallIsNoSpin) {
  analysis::TestProfile test;
  test.Step(0, {0, 4 * kRound});
  for (int i = 0; i < 4; ++i) {
    const Ns at = i * kRound + 1'000;
    test.Launch("kernel", {at, at + 10'000}, {at + 20'000, at + 20 * analysis::kMs});
    test.Call("cudaMalloc", ApiKind::kMemory, {at + 15'000, at + 20 * analysis::kMs});
    test.Op("aten::after", {at + 20 * analysis::kMs, at + 20 * analysis::kMs + 10'000});
  }
  std::vector<Profile> profiles = analysis::OneRank(test.Finish());
  const auto ranks = analysis::iterations::BuildRankContexts(profiles, {});
  const auto graph = analysis::simulation::PathGraph::Build(ranks->front());
  ASSERT_TRUE(graph.has_value());
  for (analysis::simulation::PathGraph::StepId step = 0; step < graph->size(); ++step) {
    EXPECT_NE(graph->BindingOf(step).kind, analysis::simulation::PathEdge::kSync);
  }
}

// Halving the kernels that are waited for nearly halves the iterations.
TEST(SpinWaits, FasterKernelsSaveSpinTime) {
  std::vector<Profile> profiles = analysis::OneRank(Made({}).Finish());
  const auto ranks = analysis::iterations::BuildRankContexts(profiles, {});
  const auto graph = analysis::simulation::PathGraph::Build(ranks->front());
  ASSERT_TRUE(graph.has_value());
  std::vector<Ns> cuts(graph->size(), 0);
  for (analysis::simulation::PathGraph::StepId step = 0; step < graph->size(); ++step) {
    const analysis::simulation::PathOwner owner = graph->OwnerOf(step);
    if (owner.table == analysis::simulation::PathTable::kDevice && owner.is_end)
      cuts[step] = 10 * analysis::kMs;
  }
  const Span span = graph->IterationsAt(graph->Replay(cuts)).front();
  EXPECT_EQ(span.end - span.start, 4 * kRound - 4 * 10 * analysis::kMs);
}

}  // namespace
}  // namespace profgauge
