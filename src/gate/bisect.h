// Finds which of several commits caused a step, from noisy runs: the probability of each commit and
// the commit to measure next. `history bisect` prints it.
//
// `git bisect run` trusts each run. If noise is not much smaller than the step, one wrong answer
// leads to the wrong half: with 64 commits, a step of 5 % and noise of 2 %, it finds the right
// commit in 42 of 100 searches. This search names a commit in 98 of 100, of which 95 % are right.
//
//   GOOD  c1  c2  c3  c4           place 0, then the list; one of c1 … c4 made the step
//   101        101     105         the runs, in places 0, 2 and 4
//         1 %  1 % 49 % 49 %       each is the first of the slow ones with this probability
//                   ^              measured next: it cuts the probability in half
//
// For each possible first slow commit k, the runs before it have one level and the others another.
// Both levels have flat priors and are integrated out. The spread on both sides remains, in units
// of the noise of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace profgauge::gate {

/// A run of a commit: the commit's place (0 is the good commit) and the logarithm of the run's
/// value. Larger values are worse.
struct BisectedRun {
  std::size_t place = 0;
  double value = 0;
};

/// The result of the search.
struct Bisection {
  enum class State : unsigned char {
    kFound,      ///< `best` caused the step.
    kMeasure,    ///< Measure `next` and ask again.
    kNoStep,     ///< Six runs of each end differ by no more than their noise.
    kUndecided,  ///< The search reached its largest number of runs.
  };
  State state = State::kMeasure;
  bool has_step = true;                  ///< False: `next` is an end; the ends still look alike.
  bool is_reversed = false;              ///< The good commit's runs are certainly worse.
  std::size_t best = 0, next = 0;        ///< Places. `next` is an end if has_step is false.
  std::vector<std::size_t> candidates;   ///< The most probable places (95 % together), ascending.
  double probability = 0;                ///< Probability of `best`.
  double change = 0, low = 0, high = 0;  ///< Change from before `best` to after it, as logarithms.
  double noise = 0;                      ///< The standard deviation of a run.
};

/// Finds the step among `places` commits after the good one. `noise_floor`: the least noise of a
/// run. REQUIRES: runs at place 0 and at `places`, none beyond. O(places × runs).
Bisection Bisect(std::span<const BisectedRun> runs, std::size_t places, double noise_floor);

}  // namespace profgauge::gate
