#include "gate/bisect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

TEST(Bisect, AsksForTheEndsWhereTheyDoNotDiffer) {
  const std::vector<BisectedRun> runs = {RunOfCommit(0, 100), RunOfCommit(8, 101)};
  EXPECT_EQ(Bisect(runs, 8, 0.01).state, Bisection::State::kNoStep);
  // The spread of one commit's runs is the noise where it is larger than the floor.
  const std::vector<BisectedRun> noisy = {RunOfCommit(0, 90), RunOfCommit(0, 110),
                                          RunOfCommit(8, 105)};
  EXPECT_GT(Bisect(noisy, 8, 0.01).noise, 0.1);
  EXPECT_EQ(Bisect(noisy, 8, 0.01).state, Bisection::State::kNoStep);
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

// bisect_simulation: how often a search ends at the right commit, and after how many runs besides
// three of each end.
struct Searches {
  double right = 0, runs = 0;
};
Searches Simulate(std::size_t places, double step, double noise, int searches) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, noise);
  Searches out;
  for (int i = 0; i < searches; ++i) {
    const std::size_t culprit = 1 + random() % places;
    const auto measure = [&](std::size_t place) {
      return BisectedRun{place, (place >= culprit ? step : 0) + normal(random)};
    };
    std::vector<BisectedRun> runs;
    for (int k = 0; k < 3; ++k) {
      runs.push_back(measure(0));
      runs.push_back(measure(places));
    }
    Bisection found = Bisect(runs, places, 0.01);
    // Ends that do not differ are run again by who asks: here the search goes on.
    while (found.state == Bisection::State::kMeasure || found.state == Bisection::State::kNoStep) {
      if (runs.size() > 60) break;
      runs.push_back(measure(found.next));
      ++out.runs;
      found = Bisect(runs, places, 0.01);
    }
    out.right += found.best == culprit ? 1 : 0;
  }
  out.right /= searches;
  out.runs /= searches;
  return out;
}

TEST(BisectSimulation, EndsAtTheRightCommit) {
  const Searches quiet = Simulate(64, 0.05, 0.005, 100);
  EXPECT_GE(quiet.right, 0.98);
  EXPECT_NEAR(quiet.runs, 6.0, 1.0);
  const Searches usual = Simulate(64, 0.05, 0.01, 100);
  EXPECT_GE(usual.right, 0.96);
  EXPECT_NEAR(usual.runs, 6.2, 1.0);
  // `git bisect run` ends at the right one in 42 of 100 here.
  const Searches noisy = Simulate(64, 0.05, 0.02, 100);
  EXPECT_GE(noisy.right, 0.88);
  EXPECT_NEAR(noisy.runs, 14.6, 3.0);
}

}  // namespace
}  // namespace profgauge::gate
