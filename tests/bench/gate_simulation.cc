// How often the regression gate cries wolf, and how often it finds a real slowdown: a Monte-Carlo
// over synthetic iteration times with known truth. Prints one row per case; asserts nothing.
//
//   gate_simulation [REPETITIONS]        Default: 600. Deterministic: the seed is fixed.
//
// Iteration times are log-normal around the run's own level, autocorrelated (AR(1)), with 3 % of
// outliers 25 % slower; each run has its own level (the run effect), which no number of iterations
// inside one run reveals. Limit 5 %, prior noise floor 1 %.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "gate/statistics.h"

namespace {

using profgauge::stats::Change;

constexpr double kSigma = 0.02;
constexpr double kOutlierShare = 0.03;
constexpr double kOutlierFactor = 1.25;

struct Case {
  int iterations;
  int baselines;
  double run_effect;
  double correlation;
};

class Runs {
 public:
  // std::normal_distribution differs between libraries; Box-Muller gives the same runs everywhere.
  double Normal() {
    const double u = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    const double v = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v);
  }

  std::vector<double> Make(const Case& c, double change) {
    const double level = std::log(100 * (1 + change)) + c.run_effect * Normal();
    const double step = kSigma * std::sqrt(1 - c.correlation * c.correlation);
    std::vector<double> times;
    double wave = kSigma * Normal();
    for (int i = 0; i < c.iterations; ++i) {
      wave = c.correlation * wave + step * Normal();
      const double u = static_cast<double>(random_() >> 11) * 0x1p-53;
      times.push_back(std::exp(level + wave) * (u < kOutlierShare ? kOutlierFactor : 1));
    }
    return times;
  }

 private:
  std::mt19937_64 random_{20260101};
};

double FailShare(const Case& c, double change, int repetitions) {
  Runs runs;
  int failed = 0;
  for (int i = 0; i < repetitions; ++i) {
    std::vector<std::vector<double>> base;
    for (int k = 0; k < c.baselines; ++k) base.push_back(runs.Make(c, 0));
    const std::vector<std::vector<double>> current = {runs.Make(c, change)};
    failed += profgauge::stats::Compare(base, current, {}).change == Change::kFail;
  }
  return static_cast<double>(failed) / repetitions;
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::max(1, std::atoi(argv[1])) : 600;
  fmt::print("share of FAIL verdicts at a limit of +5 %, {} repetitions\n\n", repetitions);
  fmt::print("{:>10} {:>9} {:>10} {:>11}   {:>6} {:>6} {:>6} {:>6}\n", "iterations", "baselines",
             "run effect", "correlation", "+0 %", "+3 %", "+8 %", "+12 %");
  for (const double effect : {0.0, 0.01, 0.02}) {
    for (const int baselines : {1, 3}) {
      for (const int iterations : {5, 10, 20, 50}) {
        for (const double correlation : {0.0, 0.4, 0.7}) {
          const Case c{iterations, baselines, effect, correlation};
          fmt::print("{:>10} {:>9} {:>8.0f} % {:>11.1f}  ", iterations, baselines, effect * 100,
                     correlation);
          for (const double change : {0.0, 0.03, 0.08, 0.12}) {
            fmt::print(" {:>5.1f}%", FailShare(c, change, repetitions) * 100);
          }
          fmt::print("\n");
        }
      }
    }
  }
}
