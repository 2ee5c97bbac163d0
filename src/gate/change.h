// Decides whether a run is slower than its baseline, by how much, and with which certainty.
//
// Two quantities are judged: the typical iteration (gate/estimate.h) and the total of all
// iterations (gate/total.h). Iteration times are few, skewed to the right and autocorrelated. They
// also have a run effect that is invisible within one run. So the typical iteration is a median
// ratio whose interval includes all three sources of uncertainty, with and without a probable
// warm-up. A total over the limit is excused only if chance explains it. Uncertainty widens the
// interval but never excuses: a certain change always fails. README.md here has the procedure and
// its coverage (tests/tools/gate_campaign.py makes the table); tests/tools/gate_procedure.py is a
// second implementation. A failure within three limits is final only if other profiles repeat it:
// gate/repeat.h.
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

/// The answer of a comparison. kInconclusive: the data can neither pass nor fail the limit. With
/// `over_limit` the estimate exceeds the limit and never counts as passed. Otherwise a change of
/// three limits cannot be excluded, and the policy's `on_inconclusive` decides. If the typical
/// iteration is inconclusive, Comparison::remedy has the number of iterations or runs that would
/// decide.
enum class Change : std::uint8_t { kPass, kFail, kImproved, kInconclusive };
std::string_view ChangeName(Change change);  ///< "pass", "fail", "improved", "inconclusive"

/// How certain a failure must be. A policy sets it.
enum class Strictness : std::uint8_t {
  kNormal,   ///< Fails if the estimate is over the limit and the change is certainly above 0.
  kCertain,  ///< Fails only if the change is certainly over the limit.
};

/// The limits and the assumptions of one comparison. All limits are >= 0, in both directions.
struct CompareOptions {
  double limit = 0.05;  ///< Tolerated change of the typical iteration, relative.
  /// The tolerated increase of the total, relative. If absent, the total is not judged.
  std::optional<double> total_limit = 0.05;
  /// True for a mean: only the total is judged, with a separate interval.
  bool is_mean = false;
  /// The smallest absolute change that may fail, in the values' unit. Default: none.
  double absolute_floor = 0;
  /// The assumed standard deviation between runs of one program, relative.
  double noise_floor = kUsualNoiseFloor;
  /// True if an increase is bad; a total is judged only then.
  bool lower_is_better = true;
  Strictness strictness = Strictness::kNormal;
  /// True if a failure within three limits must be repeated by other profiles (gate/repeat.h).
  /// False for pairs, and for comparisons of two profiles instead of two programs.
  bool must_repeat = true;
};

/// One run's iterations, in order.
struct Series {
  std::vector<double> values;
  std::size_t warmup = 0;  ///< Number of warm-up iterations at the start, by FindWarmup().

  bool operator==(const Series&) const = default;
};

/// Why a run is excluded.
enum class LeftOut : std::uint8_t { kNo, kOdd, kHalfWarmup };

/// Whether one run is used, and the reason if it is not.
struct RunUse {
  LeftOut left_out = LeftOut::kNo;
  double from_others = 0;  ///< With kOdd: distance of its level from the median of the others.
};

/// The runs of one side, with their numbers of iterations. Times are in the values' unit.
struct SideUse {
  std::vector<RunUse> runs;
  std::size_t kept = 0;        ///< Number of runs that are used.
  std::size_t iterations = 0;  ///< Iterations of all runs.
  std::size_t used = 0;        ///< Iterations of the kept runs after warm-up.
  double level = 0;            ///< Median of the kept runs' medians, as measured.
  /// The range of the runs' levels if it is unknown which of them are outliers; else 0.
  double apart = 0;
};

/// A way to turn an undecided answer into a certain one.
struct Remedy {
  enum class Kind : std::uint8_t { kNone, kIterations, kBaselines, kNothing, kPairs };
  Kind kind = Kind::kNone;
  std::int64_t count = 0;  ///< Iterations per run including warm-up, baseline runs, or pairs.
};

/// The part of the comparison that decided the verdict.
enum class DecidedBy : std::uint8_t {
  kTypical,       ///< The typical iteration.
  kTotal,         ///< The total of all iterations.
  kOddCandidate,  ///< An excluded candidate run that is slower than the others.
};

/// Why an answer is undecided and never a pass: it is over the limit, or too uncertain.
enum class Open : std::uint8_t {
  kNo,
  kAgain,      ///< One profile does not decide it, or the profiles of the run disagree.
  kLearning,   ///< No number of profiles can confirm it: the baseline has too few runs.
  kUncertain,  ///< The typical iteration is over the limit, but not certainly.
  kTooFew,     ///< A change of four limits cannot be excluded.
  kStalls,     ///< A few slow iterations.
  kStart,      ///< A start that costs more than the baseline's starts.
};

/// The result. Changes are relative; positive is an increase, whether good or bad.
struct Comparison {
  Change change = Change::kInconclusive;
  DecidedBy by = DecidedBy::kTypical;
  bool over_limit = false;     ///< Inconclusive, and over the limit: never a pass.
  Open open = Open::kNo;       ///< Set if the answer is inconclusive and never a pass.
  std::size_t recordings = 0;  ///< Profiles of the candidate, plus equally slow earlier ones.
  std::size_t needed = 0;      ///< Profiles that would decide. 0: no more are needed.
  bool by_size = false;        ///< The typical iteration fails only by its size: wide interval.
  double shift = 0;            ///< Median ratio of a candidate's iteration to a base's.
  double low = 0, high = 0;    ///< The interval that contains the true change with 98 %.
  double all_iterations = 0;   ///< `shift` with warm-up.
  std::optional<double> later_half;  ///< `shift` of the later halves.
  double excluded = 0;  ///< A pass needs the interval below this: 3 limits (or 3 losses in a row).
  std::optional<Total> total;  ///< Set if the total is judged.
  /// The smallest change that nine of ten such comparisons fail in the end; 0 if unknown.
  double sees = 0;
  /// The best way to lower `sees` considerably, and `sees` after it; kNone if there is none.
  Remedy sees_more;
  double sees_then = 0;
  SideUse base, current;
  std::size_t slower = 0;    ///< Used candidate iterations over the base's level plus the limit.
  double noise = 0;          ///< Standard deviation between runs.
  double assumed_noise = 0;  ///< Assumed noise of one iteration, if a run has only one; else 0.
  std::size_t pairs = 0;     ///< Pairs whose changes were averaged; 0: not paired.
  bool limit_below_noise = false;  ///< The limit is below the noise, so false alarms must be
                                   ///< expected.
  Remedy remedy;
};

/// Times from start to start, for the total. Empty if the total is the sum of the series.
struct TotalSeries {
  std::span<const Series> base, current;
};

/// Profiles of failed ancestors that may be as slow as the candidate's. They count only as
/// repetitions of a failure. `totals` is like TotalSeries.
struct EarlierSeries {
  std::span<const Series> runs, totals;
};

/// Compares candidate runs with baseline runs. Identical runs in the same order pass with a change
/// of exactly zero. Otherwise the order of runs does not affect the verdict. The order of values in
/// a series does (autocorrelation, halves, start). Without an absolute floor, scaling all values
/// changes only levels.
/// Cost: as MakeEstimate(), plus JudgeTotal()'s draws if the total is over its limit.
/// REQUIRES: neither list nor any series is empty; warm-up is shorter than its series; values > 0.
Comparison Compare(std::span<const Series> baselines, std::span<const Series> candidates,
                   const CompareOptions& options, const TotalSeries& totals = {},
                   const EarlierSeries& earlier = {});

}  // namespace profgauge::gate::stats
