// Is a run slower than its baseline, by how much, and how sure can one be?
//
// Two things are judged: the typical iteration (gate/estimate.h) and the total of all iterations
// (gate/total.h). Iteration times are few, skewed to the right, autocorrelated, and carry a run
// effect that no number of iterations inside one run reveals. So the typical iteration is a median
// ratio with an interval that counts all three sources of doubt, with and without a probable
// warm-up; and a total over the limit is excused only by counted chance. Doubt widens the
// interval, it never replaces the answer: a change that is certain always fails.
// rules/README.md has the procedure in words, README.md here its coverage;
// tests/tools/gate_campaign.py makes that table. tests/tools/gate_procedure.py is a second
// implementation of all of it. A failure within three limits is final only if other recordings
// repeat it: gate/repeat.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gate/constants.h"
#include "gate/total.h"

namespace profgauge::gate::stats {

/// The answer of a comparison. kInconclusive: the data can neither pass nor fail the limit. It is
/// not a weak pass: with `over_limit` the estimate itself is over the limit, and it never counts as
/// passed. Without it a change of three limits cannot be excluded, and `on_inconclusive` of the
/// policy decides. Where the typical iteration is inconclusive, Comparison::remedy says how many
/// iterations or runs would decide.
enum class Change : std::uint8_t { kPass, kFail, kImproved, kInconclusive };
std::string_view ChangeName(Change change);  ///< "pass", "fail", "improved", "inconclusive"

/// How certain a failure must be. A policy sets it.
enum class Strictness : std::uint8_t {
  kNormal,   ///< Fails when the estimate is beyond the limit and the change is certainly above 0.
  kCertain,  ///< Fails only when the change is certainly beyond the limit.
};

/// The limits and the assumptions of one comparison. All limits are >= 0, in both directions.
struct CompareOptions {
  double limit = 0.05;  ///< Tolerated change of the typical iteration, relative.
  /// Tolerated increase of the total, relative; nothing: it is not judged. Default: as `limit`.
  std::optional<double> total_limit = 0.05;
  /// Only the total is judged, with a separate interval: the mean.
  bool is_mean = false;
  /// Smallest absolute change that may fail, in the values' unit. Default: none.
  double absolute_floor = 0;
  /// Standard deviation between runs of one program that is assumed, relative.
  double noise_floor = kUsualNoiseFloor;
  /// Whether an increase is the bad direction; a total is judged only then.
  bool lower_is_better = true;
  Strictness strictness = Strictness::kNormal;
  /// Whether a failure within three limits must be repeated by other recordings (gate/repeat.h).
  /// Not for pairs, nor where two recordings are compared and not two programs.
  bool must_repeat = true;
};

/// One run's iterations, in order.
struct Series {
  std::vector<double> values;
  std::size_t warmup = 0;  ///< Leading ones that are warm-up, by FindWarmup.

  bool operator==(const Series&) const = default;
};

/// Why a run does not count.
enum class LeftOut : std::uint8_t { kNo, kOdd, kHalfWarmup };

/// Whether one run counts, and why not.
struct RunUse {
  LeftOut left_out = LeftOut::kNo;
  double from_others = 0;  ///< With kOdd: the distance of its level from the median of the others'.
};

/// The runs of one side, with the numbers of their iterations. Times are in the values' unit.
struct SideUse {
  std::vector<RunUse> runs;
  std::size_t kept = 0;        ///< Runs.
  std::size_t iterations = 0;  ///< Iterations of all runs.
  std::size_t used = 0;        ///< Without warm-up, of the runs kept.
  double level = 0;            ///< Median of the kept runs' medians, as measured.
  /// How far the runs are apart where odd ones cannot be distinguished from the others; else 0.
  double apart = 0;
};

/// The way to turn an undecided answer into a certain one.
struct Remedy {
  enum class Kind : std::uint8_t { kNone, kIterations, kBaselines, kNothing, kPairs };
  Kind kind = Kind::kNone;
  std::int64_t count = 0;  ///< Iterations a run with their warm-up, baseline runs or pairs.
};

/// The reason of the verdict.
enum class DecidedBy : std::uint8_t {
  kTypical,       ///< The typical iteration.
  kTotal,         ///< The total of all iterations.
  kOddCandidate,  ///< A candidate run that is slower than the others, and left out.
};

/// Why an answer is open: over the limit, or too uncertain for a pass.
enum class Open : std::uint8_t {
  kNo,
  kAgain,      ///< One recording does not settle it, or its recordings disagree.
  kLearning,   ///< No number of recordings confirms it against so few baseline runs.
  kUncertain,  ///< The typical iteration is over the limit, but not certainly.
  kTooFew,     ///< Four limits cannot be excluded.
  kStalls,     ///< A few slow iterations.
  kStart,      ///< A start that costs more than any of the baseline's.
};

/// Changes are relative; positive is an increase, whichever way is bad.
struct Comparison {
  Change change = Change::kInconclusive;
  DecidedBy by = DecidedBy::kTypical;
  bool over_limit = false;     ///< Inconclusive, and over the limit: never a pass.
  Open open = Open::kNo;       ///< Set where the answer is inconclusive, and no pass.
  std::size_t recordings = 0;  ///< Of the candidate, and earlier ones that are as slow;
  std::size_t needed = 0;      ///< how many would settle it. 0: as many as there are.
  bool by_size = false;        ///< The typical iteration fails only by its size: a wide interval.
  double shift = 0;            ///< Median ratio of a candidate's iteration to a base's.
  double low = 0, high = 0;    ///< Hold the true change with 98 %.
  double all_iterations = 0;   ///< The same with warm-up.
  std::optional<double> later_half;  ///< The same of the later halves.
  double excluded = 0;         ///< A pass needs the interval below 3 limits (or 3 losses in a row).
  std::optional<Total> total;  ///< Where it is judged.
  /// The smallest change that nine of ten such comparisons fail in the end; 0: unknown.
  double sees = 0;
  /// The way to make it much smaller, and how small; kNone: no reasonable one.
  Remedy sees_more;
  double sees_then = 0;
  SideUse base, current;
  std::size_t slower = 0;    ///< The candidates' used iterations over the base's level and limit.
  double noise = 0;          ///< Standard deviation between runs.
  double assumed_noise = 0;  ///< Assumed noise of one iteration, if a run has only one; else 0.
  std::size_t pairs = 0;     ///< The change is their mean; 0: runs were not paired.
  bool limit_below_noise = false;  ///< The limit is so tight that false alarms must be expected.
  Remedy remedy;
};

/// The total of all iterations, if it is not the sum of the series themselves: from start to
/// start. Empty: the series themselves.
struct TotalSeries {
  std::span<const Series> base, current;
};

/// Earlier recordings that may be as slow as the candidate's, of ancestors that failed: they count
/// in whether a failure is repeated, and in nothing else. `totals` as of TotalSeries.
struct EarlierSeries {
  std::span<const Series> runs, totals;
};

/// Compares candidate runs with baseline runs. Identical runs are a pass with exactly zero change,
/// however noisy they are; they are recognized only in the same order. For other runs the order
/// within a side does not matter for the verdict; that of the values within a series does
/// (autocorrelation, halves, start). A factor on all values changes nothing but levels, if there is
/// no absolute floor.
/// Cost: estimate.h's, and total.h's draws where the total is over its limit.
/// REQUIRES: neither list nor any series is empty; warm-up is less than a series; all values > 0.
Comparison Compare(std::span<const Series> baselines, std::span<const Series> candidates,
                   const CompareOptions& options, const TotalSeries& totals = {},
                   const EarlierSeries& earlier = {});

}  // namespace profgauge::gate::stats
