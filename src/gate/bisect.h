// Which of several commits made a step, by runs that are noisy: the posterior, and the commit to
// measure next. `history bisect` prints it.
//
// `git bisect run` takes each run as certain. Where the noise is not far below the step, one wrong
// answer sends it to the wrong half for good: of 64 commits, with a step of 5 % and a noise of 2 %,
// it ends at the right one in 42 of 100 searches. This names one in 98, of which 95 of 100 are
// right.
//
//   GOOD  c1  c2  c3  c4           place 0, then the list; one of c1 … c4 made the step
//   101        101     105         the runs, in places 0, 2 and 4
//         1 %  1 % 49 % 49 %       each is the first of the slow ones with this probability
//                   ^              measured next: it cuts the probability in half
//
// For each first slow commit k there are two levels, that of the runs before it and that of the
// others. They have flat priors and are integrated out, so that what is left is the spread of both
// sides, in units of the noise of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace profgauge::gate {

/// A run of a commit: its place, 0 for the good one, and the logarithm of its value, which rises
/// where the run is worse.
struct BisectedRun {
  std::size_t place = 0;
  double value = 0;
};

/// What the runs show.
struct Bisection {
  enum class State : unsigned char {
    kFound,      ///< `best` made the step.
    kMeasure,    ///< Measure `next` and ask again.
    kNoStep,     ///< The ends do not differ by more than their noise, in six runs of each.
    kUndecided,  ///< More runs than are worth it.
  };
  State state = State::kMeasure;
  bool has_step = true;  ///< Else `next` is an end: these do not differ by more than their noise.
  bool is_reversed = false;             ///< The good commit's runs are worse for certain.
  std::size_t best = 0, next = 0;       ///< Places; `next` is an end where these do not differ yet.
  std::vector<std::size_t> candidates;  ///< The likeliest places with 95 % together, ascending.
  double probability = 0;               ///< Of `best`.
  double change = 0, low = 0, high = 0;  ///< From the runs before `best` to the others: logarithms.
  double noise = 0;                      ///< The standard deviation of a run.
};

/// The step among `places` commits after the good one. `noise_floor`: the least noise of a run.
/// REQUIRES: a run at place 0, one at `places`, none beyond. O(places × runs).
Bisection Bisect(std::span<const BisectedRun> runs, std::size_t places, double noise_floor);

}  // namespace profgauge::gate
