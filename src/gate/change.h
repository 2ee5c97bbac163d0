// Is a run slower than its baseline, by how much, and how sure can one be?
//
// Iteration times are few, skewed to the right, autocorrelated, and carry a run effect that no
// number of iterations inside one run reveals. So: median ratios instead of means, an interval that
// counts all three sources of doubt, and readings with and without what looks like warm-up. Doubt
// widens the interval, it never replaces the answer: a change that is certain always fails.
// rules/README.md has the procedure in words and what it finds; tests/bench/gate_simulation.cc
// makes that table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace profgauge::stats {

enum class Change : std::uint8_t { kPass, kFail, kImproved, kInconclusive };
std::string_view ChangeName(Change change);  ///< "pass", "fail", "improved", "inconclusive"

enum class Strictness : std::uint8_t {
  kNormal,   ///< Fails when the estimate is beyond the limit and the change is certainly above 0.
  kCertain,  ///< Fails only when the change is certainly beyond the limit.
};

struct CompareOptions {
  /// Tolerated increase: relative (0.05 is 5 %) on logarithms, absolute otherwise. Default: 5 %.
  double limit = 0.05;
  /// Work on logarithms (times: relative changes) or on the values (shares: percentage points).
  bool logarithmic = true;
  /// Smallest absolute change that may fail, in the values' unit. Default: none.
  double absolute_floor = 0;
  /// Standard deviation between runs of one program that is assumed, in the unit of `limit`.
  double noise_floor = 0.01;
  /// Whether an increase is the bad direction. Default: lower is better.
  bool lower_is_better = true;
  Strictness strictness = Strictness::kNormal;
};

/// One run's iterations, in order.
struct Series {
  std::vector<double> values;
  std::size_t warmup = 0;  ///< Leading ones that are warm-up, by FindWarmup of the run's times.

  bool operator==(const Series&) const = default;
};

/// Why a run does not count.
enum class LeftOut : std::uint8_t { kNo, kOdd, kHalfWarmup };

struct RunUse {
  LeftOut left_out = LeftOut::kNo;
  double from_others = 0;  ///< With kOdd: how far its level lies from the median of the others'.
};

struct SideUse {
  std::vector<RunUse> runs;
  std::size_t kept = 0;        ///< Runs.
  std::size_t iterations = 0;  ///< Of all runs.
  std::size_t used = 0;        ///< Without warm-up, of the runs kept.
  double level = 0;            ///< Median of the kept runs' medians, as measured.
  /// How far the runs lie apart where odd ones cannot be told from the others; else 0.
  double apart = 0;
};

/// What would turn an open answer into a sure one.
struct Remedy {
  enum class Kind : std::uint8_t { kNone, kIterations, kBaselines, kNothing };
  Kind kind = Kind::kNone;
  std::int64_t count = 0;  ///< Iterations a run, or baseline runs.
};

/// Iterations far over the baseline's level, where these alone decide: a part of the candidate's,
/// against fewer of the baseline's than chance would leave, or shorter ones. The typical iteration
/// does not show them; the mean is over the limit by them.
struct SlowPart {
  bool decides = false;
  double bound = 0;                   ///< Slower by more than this: the limit, or the spread.
  std::size_t base = 0, current = 0;  ///< So many of the used iterations.
  double mean = 0;                    ///< Change of the mean of the used iterations.
  /// By how much the typical slow one is longer, where that decides and not how many there are.
  double longer = 0;
  bool at_end = false;  ///< That they are the last ones of a run decides.
};

/// Leading iterations that are left out of the candidates as warm-up, though the baseline has none
/// such: over a quarter, with which the mean is over the limit. Such a start is no habit of the
/// program.
struct SlowStart {
  bool decides = false;
  std::size_t iterations = 0;  ///< So many of the candidates' are left out.
  double mean = 0;             ///< Change of the mean of all iterations.
};

/// Changes are relative (logarithmic) or absolute; positive is an increase, whichever way is bad.
struct Comparison {
  Change change = Change::kInconclusive;
  bool over_limit = false;  ///< Inconclusive, and the estimate is over the limit: never a pass.
  bool by_size = false;     ///< Fails by its size alone: the interval is wide.
  double shift = 0;  ///< Median ratio, or difference, of a candidate's iteration to a base's.
  double low = 0, high = 0;          ///< Hold the true change with 98 %.
  double all_iterations = 0;         ///< The same with warm-up.
  std::optional<double> later_half;  ///< The same of the later halves.
  double excluded = 0;               ///< A pass needs the interval below this: 3 limits.
  SideUse base, current;
  SlowPart slow;             ///< Of times whose increase is bad.
  SlowStart start;           ///< The same.
  std::size_t slower = 0;    ///< The candidates' used iterations over the base's level and limit.
  double noise = 0;          ///< Standard deviation between runs.
  double assumed_noise = 0;  ///< Of one iteration, where a run has but one; else 0.
  bool limit_below_noise = false;  ///< The limit is so tight that false alarms must be expected.
  Remedy remedy;
};

/// Compares candidate runs with baseline runs. Identical runs are a pass with exactly zero change,
/// however noisy they are.
/// REQUIRES: neither list nor any series is empty; warm-up is less than a series; all values > 0
/// when logarithmic.
Comparison Compare(std::span<const Series> baselines, std::span<const Series> candidates,
                   const CompareOptions& options);

}  // namespace profgauge::stats
