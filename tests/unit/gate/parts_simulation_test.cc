// How often equal runs have a slower part by chance, and how often a slower one is found, by two
// runs: 500 kernels of which few are long, a tenth of them three times as noisy as the others.
//
// PROFGAUGE_SIMULATIONS=4000 has as many pairs of candidates a cell as the promise is of: one false
// alarm in 1 000 pairs at most. The suite has fewer.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gate/parts.h"

namespace profgauge::gate {
namespace {

constexpr int kKernels = 500, kRecorded = 12, kUsualPairs = 40;
constexpr double kSimulatedNs = 1e9;
constexpr double kBetweenRuns = 0.005, kClocks = 0.01, kWithin = 0.02;

enum class Tails : std::uint8_t { kNormal, kHeavy };

// The same on every machine, unlike the distributions of the library.
class RunNoise {
 public:
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(Even()));
    return radius * std::cos(2 * std::numbers::pi * Even());
  }
  // Student's t with 3 degrees, with variance 1.
  double Heavy() {
    double squares = 0;
    const double above = Normal();
    for (int i = 0; i < 3; ++i) squares += std::pow(Normal(), 2);
    return above / std::sqrt(squares);
  }
  double Even() { return (static_cast<double>(bits_() >> 11) + 0.5) / 9007199254740992.0; }

 private:
  std::mt19937_64 bits_{1};
};

class NoisyProgram {
 public:
  NoisyProgram(RunNoise& noise, Tails tails) : noise_(noise), tails_(tails) {
    double sum = 0;
    for (int i = 0; i < kKernels; ++i) sum += 1 / std::pow(i + 1, 1.2);
    for (int i = 0; i < kKernels; ++i) {
      shares_.push_back(0.9 / std::pow(i + 1, 1.2) / sum);
      spreads_.push_back(kBetweenRuns * (noise.Even() < 0.1 ? 3 : 1));
    }
  }

  // The kernel nearest to this share.
  std::size_t NearestTo(double share) const {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < shares_.size(); ++i) {
      if (std::abs(shares_[i] - share) < std::abs(shares_[nearest] - share)) nearest = i;
    }
    return nearest;
  }

  Snapshot Run(std::size_t slower = 0, double factor = 1) {
    Snapshot run;
    run.iteration_times.assign(kRecorded, static_cast<Ns>(kSimulatedNs));
    run.work.iterations = kRecorded;
    run.work.has_gpu = true;
    const double clock = kClocks * noise_.Normal();
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const double between = tails_ == Tails::kHeavy ? noise_.Heavy() : noise_.Normal();
      const double off = spreads_[i] * between + clock +
                         kWithin / std::sqrt(static_cast<double>(kRecorded)) * noise_.Normal();
      const double time = shares_[i] * kSimulatedNs * std::exp(off) * (i == slower ? factor : 1);
      run.work.kernels.push_back(
          {"kernel " + std::to_string(i), kRecorded, static_cast<Ns>(time * kRecorded), 0, {}});
    }
    return run;
  }

 private:
  RunNoise& noise_;
  Tails tails_;
  std::vector<double> shares_, spreads_;
};

int PairsOfACell() {
  const char* count = std::getenv("PROFGAUGE_SIMULATIONS");
  return count == nullptr ? kUsualPairs : std::atoi(count);
}

struct SeenInPairs {
  int alarms = 0, found = 0;  // Pairs with a part that did not change; with the slower one.
};

SeenInPairs SimulatePairs(Tails tails, int runs, double share, double factor, int pairs) {
  RunNoise noise;
  SeenInPairs seen;
  for (int pair = 0; pair < pairs; ++pair) {
    NoisyProgram program(noise, tails);
    const std::size_t slower = program.NearestTo(share);
    std::vector<Snapshot> baselines;
    for (int i = 0; i < runs; ++i) baselines.push_back(program.Run());
    std::vector<PartFindings> each;
    for (int i = 0; i < 2; ++i) {
      each.push_back(JudgeParts(baselines, program.Run(slower, factor),
                                &analysis::breakdown::WorkSums::kernels, {}, 0.01));
    }
    bool has_alarm = false;
    for (const PartFinding& part : ConfirmParts(each, nullptr).slower) {
      const bool is_it = factor > 1 && part.name == "kernel " + std::to_string(slower);
      seen.found += is_it;
      has_alarm |= !is_it;
    }
    seen.alarms += has_alarm;
  }
  return seen;
}

TEST(PartsSimulation, TwoRunsRaiseNoFalseAlarm) {
  const int pairs = PairsOfACell();
  for (const Tails tails : {Tails::kNormal, Tails::kHeavy}) {
    for (const int runs : {5, 10, 20}) {
      const SeenInPairs seen = SimulatePairs(tails, runs, 0.002, 1, pairs);
      EXPECT_LE(seen.alarms, pairs / 1000) << (tails == Tails::kHeavy) << " K " << runs;
      RecordProperty("alarms of K " + std::to_string(runs), seen.alarms);
    }
  }
}

TEST(PartsSimulation, TwoRunsFindASmallKernel) {
  const int pairs = PairsOfACell();
  for (const Tails tails : {Tails::kNormal, Tails::kHeavy}) {
    const SeenInPairs seen = SimulatePairs(tails, 5, 0.002, 1.2, pairs);
    const double bound = 0.97 * pairs - 3 * std::sqrt(0.97 * 0.03 * pairs);  // Three errors.
    EXPECT_GE(seen.found, bound) << (tails == Tails::kHeavy);
  }
}

}  // namespace
}  // namespace profgauge::gate
