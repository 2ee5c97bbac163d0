// Compares a run with a baseline: are they comparable, which changes exceed their limits, and where
// the time went.
//
// The entry point of `check` and `compare`. It counts no limits and makes no verdict;
// baseline_verdict.h does that. It is built on these layers:
//
//     CompareRuns         differences, limits, waterfall, tables        compare.cc
//     MetricComparer      one limit: which statistics, which doubts     compare_metric.h
//     stats::Compare...   numbers in, an answer out                     change.h, by_chance.h
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "gate/change.h"
#include "gate/comparable.h"
#include "gate/movement.h"
#include "gate/pairing.h"
#include "gate/snapshot.h"
#include "gate/waterfall.h"
#include "gate/work.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// How one metric was compared. The limit and the data of both sides decide this, never the result.
enum class CompareMethod : std::uint8_t {
  kStatistics,  ///< Per-iteration values, with an interval.
  kExact,       ///< A count that does not vary from run to run.
  kChance,  ///< A percentile or extreme: the number of iterations over it, tested against chance.
  kValue,   ///< Two numbers; no statement about noise.
};

/// Why a missed limit does not count.
enum class Excuse : std::uint8_t { kNone, kWaived, kAccepted };

/// One row of a comparison: a metric of both sides, and the answer for its limit.
struct MetricComparison {
  std::string metric;
  Unit unit = Unit::kNumber;
  CompareMethod method = CompareMethod::kValue;
  /// The compared values. With kStatistics: medians over the runs, of the iterations that count.
  double base = 0, current = 0;
  double change = 0;  ///< current - base.
  /// With kStatistics: the judged change and its 98 % interval. They are relative, or differences
  /// of shares if the limit on a share is not relative.
  double shift = 0, low = 0, high = 0;
  stats::Change verdict = stats::Change::kPass;
  bool over_limit = false;  ///< Inconclusive, with the estimate over the limit: never a pass.
  /// For times and sums: why the answer is undecided, the candidate's profiles, and the number
  /// needed.
  stats::Open open = stats::Open::kNo;
  std::size_t recordings = 0, needed = 0;
  /// Only for times: the change of the sum of all iterations, and its limit; both relative.
  std::optional<double> total, total_limit;
  /// The change of all iterations with their starts; set only if a start affects it (HasStart()).
  std::optional<double> all;
  /// The probability of such a change by chance; set if the change is over the limit.
  std::optional<double> chance;
  std::optional<double> sees;  ///< The change that nine of ten such comparisons detect (they fail).
  rules::Level level = rules::Level::kError;
  bool is_missing = false;  ///< One side has no value, or one of another definition; see `reason`.
  std::string limit;        ///< "≤ +5 %".
  /// The run from which the change is measured if that is not the baseline, but the origin of
  /// creep.
  std::string since;
  /// The limit that judges, in the unit of `shift`: relative, or a difference of shares. 0: any
  /// change.
  double allowed = 0;
  /// True if the limit is relative to the baseline's value, even for a share; else it is in its
  /// unit.
  bool is_relative = true;
  /// With kStatistics: the whole sentence (gate/change_text.h). Otherwise one clause, only if the
  /// value is missing or uncertain.
  std::string reason;
  Excuse excuse = Excuse::kNone;  ///< Why the miss does not count.
  double inputs = 0;  ///< How much longer the inputs were, relative; the change excludes this.
  /// Times are divided by samples, and multiplied by those of the baseline's iterations.
  bool is_per_sample = false;
  /// True if the runs did other or less work. `reason` explains it, and no change is shown.
  bool is_of_other_work = false;
};

/// True if only the total of all iterations is over its limit, not the typical iteration. REQUIRES:
/// total_limit is set if total is.
inline bool IsOfTotal(const MetricComparison& of) {
  return of.total && of.shift <= *of.total_limit && *of.total > *of.total_limit;
}

/// True if the total of all iterations, with their starts, is over its limit and the typical
/// iteration is not, whether or not that fails the run.
inline bool IsOfSomeIterations(const MetricComparison& of) {
  return !of.is_missing && of.total && of.total_limit && of.shift <= *of.total_limit &&
         std::max(*of.total, of.all.value_or(*of.total)) > *of.total_limit;
}

/// True if the limit is missed, or undecided with the estimate over it.
inline bool IsMissed(const MetricComparison& of) {
  return !of.is_missing && (of.verdict == stats::Change::kFail || of.over_limit);
}

/// A candidate with less than half as many iterations as the shortest baseline run.
struct EndedEarly {
  std::int64_t iterations = 0, of = 0;
};

/// Parts of one kind that became slower, each judged by itself (gate/parts.h).
struct PartsComparison {
  std::vector<std::string> open;  ///< Why these parts, and therefore the run, are not judged.
  std::string missing;            ///< Why there are no parts to compare; empty: there are some.
  std::string kind;               ///< "kernels"
  rules::Level level = rules::Level::kWarn;
  double allowed = 0, worst = 0;  ///< The limit and the largest change, relative.
  std::string found;              ///< The parts that are slower in two runs; empty: none is.
  /// Parts that are slower in the only run, so that a second run decides. `worst` includes them.
  std::string once;
  std::string most;  ///< The slower part that adds most time, "`flash_fwd` +6.1 %"; may be empty.
  /// Text if all parts are slower by more than the limit and no limit on time reports it; else
  /// empty.
  std::string common;
  bool is_common_confirmed = false;  ///< In two runs.
};

/// A rank that became slower than the others.
struct SlowRank {
  std::int64_t rank = 0;
  /// Text: "rank 3 takes 4.97 ms more for its own work per iteration (kernels +4.97 ms); …".
  std::string text;
};

/// The whole comparison of a run with a baseline, for the verdict and for every output.
struct RunComparison {
  std::string base_name;     ///< The run that the waterfall starts from.
  std::string current_name;  ///< The run that it ends at.
  std::int64_t baseline_runs = 0, current_runs = 0;
  std::vector<Difference> differences;
  /// Properties that all runs have in common, with their values.
  std::vector<std::pair<std::string, std::string>> alike;
  bool is_comparable = true;
  /// False for runs that must not be compared: the limits on changes then do not count.
  bool is_judged = true;
  std::vector<MetricComparison> metrics;
  /// How the inputs of the slowest changed operator changed; empty if unknown.
  std::string changed_inputs;
  std::string changed;  ///< The differences other than speed, in one line (gate/change_text.h).
  std::string outside;  ///< MoreOutside(); empty if lengths cannot be compared for it.
  std::vector<PartsComparison> parts;  ///< Kinds of parts that the policy limits.
  std::optional<EndedEarly> ended_early;
  std::optional<Movement> movement;  ///< Set last, and only if a limit is missed.
  std::string blame;  ///< Which commits may have caused the step; set if earlier ones may have.
  WorkChange work;    ///< Whether an iteration does the same work.
  bool is_same_run = false;   ///< Each run of the baseline is the profile of a candidate.
  bool has_same_run = false;  ///< At least one of them is.
  /// Sentences about skipped runs and iterations (warm-up or unusual) and about uncertain results.
  std::vector<std::string> notes;
  std::optional<SlowRank> slow_rank;
  Waterfall waterfall;      ///< Empty, from 0 to 0, when one of its runs has no iteration times.
  bool is_of_rank = false;  ///< The waterfall describes the slow rank; else the run.
  std::vector<PairedValue> values;  ///< Values of the two runs of the waterfall, like the tables.
  PairedTable kernels, ops;
};

/// The purpose of a comparison.
enum class ComparePurpose : std::uint8_t {
  kJudge,       ///< It decides an exit code.
  kJudgePairs,  ///< It decides an exit code. Runs were recorded alternately, the first candidate
                ///< beside the first baseline.
  kExplain,     ///< It is only shown. It has the same answers, but names no times that are missing.
};

/// Compares runs by every limit of `policy`, or by the default limits. Returns a row for each
/// limit, in their order. Omits default limits on counts that cannot be compared, and periods that
/// repeat the lengths. Adds each sentence about skipped data to `notes` once. `work` is
/// CompareWork() of both sides; `earlier` is as for MetricComparer. REQUIRES: as CompareRuns().
std::vector<MetricComparison> CompareMetrics(
    std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
    const rules::PolicyBaseline& policy, const WorkChange& work, std::vector<std::string>& notes,
    ComparePurpose purpose = ComparePurpose::kJudge, std::span<const Snapshot> earlier = {});

/// The runs whose parts are compared: the baseline may have more runs than for other limits.
struct PartRuns {
  std::span<const Snapshot> baselines, candidates;
  /// The nearest ancestor in a history, which is not in `baselines`. If its parts are slower, too,
  /// it confirms those of a single candidate. nullptr if there is none.
  const Snapshot* newest = nullptr;
  bool is_ordered = false;  ///< `baselines` are of a history, oldest first.
};

/// Divides runs of a history, oldest first: the last one is `newest` if enough others remain.
PartRuns WithNewest(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates);

/// Compares kernels, operators, collectives and modules of each candidate, part by part, if
/// `policy` limits them. Without any limit, kernels are compared and only warn, provided that the
/// baseline has enough runs. Fills in `parts`, and notes the parts that could not be judged.
/// REQUIRES: neither list is empty.
void CompareParts(const PartRuns& runs, const rules::PolicyBaseline& policy,
                  RunComparison& comparison);

/// Returns the index of the run with the median iteration time. Equal runs are ordered by name, so
/// the order of the runs does not matter.
/// REQUIRES: runs is not empty, each has an iteration.
std::size_t FindMiddleRun(std::span<const Snapshot> runs);

/// Compares `candidates`, runs of one program, with `baselines`. The waterfall compares the middle
/// runs of both. If `policy` is nullptr or has no limits, iteration.time.median is limited to +5 %,
/// and counts are compared exactly, as warnings. `accepts_work`: a user accepts that an iteration
/// does other work. REQUIRES: neither list is empty; every run has an iteration; for pairs, as many
/// candidates as baselines, at least stats::kLeastPairs.
RunComparison CompareRuns(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                          const rules::PolicyBaseline* policy,
                          ComparePurpose purpose = ComparePurpose::kJudge,
                          bool accepts_work = false, std::span<const Snapshot> earlier = {});

}  // namespace profgauge::gate
