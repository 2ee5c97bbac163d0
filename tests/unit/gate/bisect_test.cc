#include "gate/bisect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace profgauge::gate {
namespace {

BisectedRun RunOfCommit(std::size_t place, double value) { return {place, std::log(value)}; }

// By hand: each of four commits is as likely; one in the middle is measured; then the one that
// halves the rest.
TEST(Bisect, HalvesWhatIsLeft) {
  std::vector<BisectedRun> runs = {RunOfCommit(0, 100), RunOfCommit(0, 101), RunOfCommit(4, 105)};
  Bisection found = Bisect(runs, 4, 0.01);
  EXPECT_EQ(found.state, Bisection::State::kMeasure);
  EXPECT_NEAR(found.probability, 0.25, 1e-9);
  EXPECT_EQ(found.candidates, (std::vector<std::size_t>{1, 2, 3, 4}));
  EXPECT_EQ(found.next, 2u);
  runs.push_back(RunOfCommit(2, 101));
  found = Bisect(runs, 4, 0.01);
  EXPECT_EQ(found.state, Bisection::State::kMeasure);
  EXPECT_NEAR(found.probability, 0.49, 0.01);
  EXPECT_EQ(found.candidates, (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(found.next, 3u);
  runs.push_back(RunOfCommit(3, 104.5));
  found = Bisect(runs, 4, 0.01);
  EXPECT_EQ(found.state, Bisection::State::kFound);
  EXPECT_EQ(found.best, 3u);
  EXPECT_NEAR(found.probability, 0.97, 0.01);
  EXPECT_NEAR(std::expm1(found.change), 0.041, 0.001);
}

// The one with fewer runs first, until each has six.
TEST(Bisect, AsksForTheEndsWhereTheyDoNotDiffer) {
  std::vector<BisectedRun> runs = {RunOfCommit(0, 100), RunOfCommit(8, 101)};
  for (int i = 0; i < 10; ++i) {
    const Bisection found = Bisect(runs, 8, 0.01);
    EXPECT_EQ(found.state, Bisection::State::kMeasure);
    EXPECT_EQ(found.next, i % 2 == 0 ? 0U : 8U);
    runs.push_back(RunOfCommit(found.next, found.next == 0 ? 100 : 101));
  }
  EXPECT_EQ(Bisect(runs, 8, 0.01).state, Bisection::State::kNoStep);
  // The spread of one commit's runs is the noise where it is larger than the floor.
  const std::vector<BisectedRun> noisy = {RunOfCommit(0, 90), RunOfCommit(0, 110),
                                          RunOfCommit(8, 105)};
  EXPECT_GT(Bisect(noisy, 8, 0.01).noise, 0.1);
  EXPECT_EQ(Bisect(noisy, 8, 0.01).next, 8U);
}

TEST(Bisect, OneCommitIsFoundAtOnce) {
  const std::vector<BisectedRun> runs = {RunOfCommit(0, 100), RunOfCommit(1, 110)};
  const Bisection found = Bisect(runs, 1, 0.01);
  EXPECT_EQ(found.state, Bisection::State::kFound);
  EXPECT_EQ(found.best, 1u);
}

// A run of the wrong side does not end the search: it costs one more run of its commit.
TEST(Bisect, OutlivesAnOutlier) {
  std::vector<BisectedRun> runs = {
      RunOfCommit(0, 100),   RunOfCommit(0, 100.5), RunOfCommit(0, 99.5), RunOfCommit(8, 105),
      RunOfCommit(8, 105.5), RunOfCommit(8, 104.5), RunOfCommit(4, 103)};
  EXPECT_EQ(Bisect(runs, 8, 0.01).state, Bisection::State::kMeasure);
  runs.insert(runs.end(), {RunOfCommit(4, 100), RunOfCommit(5, 100), RunOfCommit(6, 105),
                           RunOfCommit(5, 100.2)});
  const Bisection found = Bisect(runs, 8, 0.01);
  EXPECT_EQ(found.state, Bisection::State::kFound);
  EXPECT_EQ(found.best, 6u);
}

TEST(Bisect, EndsWhereNothingCanBeDecided) {
  std::vector<BisectedRun> runs;
  for (int i = 0; i < 30; ++i) runs.push_back(RunOfCommit(0, 100 + i % 2));
  for (int i = 0; i < 31; ++i) runs.push_back(RunOfCommit(2, 110 + i % 2));
  EXPECT_EQ(Bisect(runs, 2, 0.01).state, Bisection::State::kUndecided);
}

// The good commit is the slow one: no step of this direction is found, however clear it is.
TEST(Bisect, AnImprovementIsNoStep) {
  std::vector<BisectedRun> runs;
  for (int i = 0; i < 6; ++i) {
    runs.push_back(RunOfCommit(0, 120));
    runs.push_back(RunOfCommit(8, 100));
  }
  EXPECT_EQ(Bisect(runs, 8, 0.01).state, Bisection::State::kNoStep);
}

// bisect_simulation: how many searches name a commit, how many of these the right one, and after
// how many runs. A search begins with three runs of each end, and does what the answer says.
struct Searches {
  double named = 0, right = 0, runs = 0, no_step = 0;
};
Searches Simulate(std::size_t places, double step, double noise, int searches = 1000) {
  std::mt19937_64 random(17);
  // The same on every machine, unlike the distributions of the library.
  const auto even = [&] {
    return (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0;
  };
  const auto normal = [&] {
    const double radius = std::sqrt(-2 * std::log(even()));
    return radius * std::cos(2 * std::numbers::pi * even());
  };
  Searches out;
  for (int i = 0; i < searches; ++i) {
    const std::size_t culprit = 1 + random() % places;
    const auto measure = [&](std::size_t place) {
      return BisectedRun{place, (place >= culprit ? step : 0) + noise * normal()};
    };
    std::vector<BisectedRun> runs;
    for (int k = 0; k < 3; ++k) {
      runs.push_back(measure(0));
      runs.push_back(measure(places));
    }
    Bisection found = Bisect(runs, places, 0.01);
    while (found.state == Bisection::State::kMeasure) {
      runs.push_back(measure(found.next));
      found = Bisect(runs, places, 0.01);
    }
    const bool is_named = found.state == Bisection::State::kFound;
    out.named += is_named;
    out.right += is_named && found.best == culprit;
    out.no_step += found.state == Bisection::State::kNoStep;
    out.runs += static_cast<double>(runs.size());
  }
  out.right /= std::max(1.0, out.named);
  out.named /= searches;
  out.no_step /= searches;
  out.runs /= searches;
  return out;
}

// The numbers of examples/ci/README.md, gate/bisect.h and the row gate.bisect_sure of the
// thresholds.
TEST(BisectSimulation, NamesTheRightCommit) {
  const Searches quiet = Simulate(64, 0.05, 0.005);
  EXPECT_GE(quiet.named, 0.995);
  EXPECT_GE(quiet.right, 0.995);
  EXPECT_NEAR(quiet.runs, 12, 0.5);
  // `git bisect run` ends at the right one in 42 of 100 here.
  const Searches noisy = Simulate(64, 0.05, 0.02);
  EXPECT_NEAR(noisy.named, 0.98, 0.01);
  EXPECT_NEAR(noisy.right, 0.95, 0.015);
  EXPECT_NEAR(noisy.runs, 20, 1);
  const Searches few = Simulate(16, 0.05, 0.02);
  EXPECT_NEAR(few.named, 0.98, 0.01);
  EXPECT_NEAR(few.right, 0.95, 0.015);
  const Searches small = Simulate(64, 0.03, 0.01);
  EXPECT_GE(small.named, 0.98);
  EXPECT_GE(small.right, 0.98);
}

TEST(BisectSimulation, NamesNoCommitWhereNothingHappened) {
  const Searches none = Simulate(64, 0, 0.02, 300);
  EXPECT_LE(none.named, 0.05);
  EXPECT_GE(none.no_step, 0.9);
}

}  // namespace
}  // namespace profgauge::gate
