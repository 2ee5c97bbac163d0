// Compares a run with a baseline: are they comparable, which changes exceed their limits, and where
// the time went.
//
// The entry of `check` and `compare`. It counts nothing and makes no verdict: baseline_verdict.h
// does. The layers below:
//
//     CompareRuns         differences, limits, waterfall, tables        compare.cc
//     MetricComparer      one limit: which statistics, which doubts     compare_metric.h
//     stats::Compare...   numbers in, an answer out                     change.h, by_chance.h
#pragma once

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

/// How one metric was compared. Chosen by the limit and by the data that both sides have, never by
/// the result.
enum class CompareMethod : std::uint8_t {
  kStatistics,  ///< Per-iteration values, with an interval.
  kExact,       ///< A count that does not vary from run to run.
  kChance,      ///< A percentile or extreme: how many iterations are beyond it, against chance.
  kValue,       ///< Two numbers; no statement about noise.
};

/// Why a missed limit does not count.
enum class Excuse : std::uint8_t { kNone, kWaived, kAccepted };

/// One row of a comparison: a metric of both sides and the answer to its limit.
struct MetricComparison {
  std::string metric;
  Unit unit = Unit::kNumber;
  CompareMethod method = CompareMethod::kValue;
  /// In the metric's unit; medians over the runs, with kStatistics of the iterations that count.
  double base = 0, current = 0;
  double change = 0;  ///< current - base.
  /// With kStatistics the change that is judged, and the interval that holds it with 98 %:
  /// relative, or of shares whose limit is not relative as they are.
  double shift = 0, low = 0, high = 0;
  stats::Change verdict = stats::Change::kPass;
  bool over_limit = false;  ///< Inconclusive, with the estimate over the limit: never a pass.
  /// Of times and sums why it is open, the candidate's recordings, and how many would settle it.
  stats::Open open = stats::Open::kNo;
  std::size_t recordings = 0, needed = 0;
  /// Only for times: the change of the sum of all iterations, and its limit; both relative.
  std::optional<double> total, total_limit;
  /// The same of all iterations, starts as they were, where a start moves it (HasStart()).
  std::optional<double> all;
  /// How probable a change like this is by chance, where it is over the limit.
  std::optional<double> chance;
  std::optional<double> sees;  ///< The change that nine of ten such comparisons would fail.
  rules::Level level = rules::Level::kError;
  bool is_missing = false;  ///< One side has no value, or one of another definition; see `reason`.
  std::string limit;        ///< "≤ +5 %".
  /// The limit that judged, as `shift` is: relative, or of shares as they are. 0: any change.
  double allowed = 0;
  /// Whether the limit is a part of the baseline's value, of shares too; else it has their unit.
  bool is_relative = true;
  /// With kStatistics the whole sentence (gate/change_text.h), else one clause where it is missing
  /// or uncertain.
  std::string reason;
  Excuse excuse = Excuse::kNone;  ///< Why the miss does not count.
  double inputs = 0;  ///< By how much longer inputs were, which was taken off; relative.
  /// The runs did other work, or less: `reason` says so, and no number of the change is shown.
  bool is_of_other_work = false;
};

/// Whether the total of all iterations is over its limit where the typical iteration keeps it.
/// REQUIRES: total_limit is set if total is.
inline bool IsOfTotal(const MetricComparison& of) {
  return of.total && of.shift <= *of.total_limit && *of.total > *of.total_limit;
}

/// Whether the limit is missed, or undecided with the estimate over it.
inline bool IsMissed(const MetricComparison& of) {
  return !of.is_missing && (of.verdict == stats::Change::kFail || of.over_limit);
}

/// A candidate with fewer than half of the iterations that the baseline's runs have at least.
struct EndedEarly {
  std::int64_t iterations = 0, of = 0;
};

/// Parts of one kind that became slower, each by itself (gate/parts.h).
struct PartsComparison {
  std::vector<std::string> open;  ///< Why these parts, and so the run, are not judged.
  std::string missing;            ///< Why there are none to compare; empty: there are.
  std::string kind;               ///< "kernels"
  rules::Level level = rules::Level::kWarn;
  double allowed = 0, worst = 0;  ///< The limit and the largest change, relative.
  std::string found;              ///< What is slower in two runs; empty: nothing is.
  /// Slower in the only run, so that a second one decides; empty: none is. `worst` counts them too.
  std::string once;
  std::string most;  ///< "`flash_fwd` +6.1 %", of these the one with most time added; may be empty.
  /// All are slower by more than the limit, which no limit on time tells; else empty.
  std::string common;
  bool is_common_confirmed = false;  ///< In two runs.
};

/// A rank that became slower than the others.
struct SlowRank {
  std::int64_t rank = 0;
  /// "rank 3 takes 4.97 ms more for its own work per iteration (kernels +4.97 ms); …"
  std::string text;
};

/// The whole comparison of a run with a baseline, for the verdict and for every output.
struct RunComparison {
  std::string base_name;     ///< The run that the waterfall starts from.
  std::string current_name;  ///< The run that it ends at.
  std::int64_t baseline_runs = 0, current_runs = 0;
  std::vector<Difference> differences;
  /// Properties, and their values, that all runs have alike.
  std::vector<std::pair<std::string, std::string>> alike;
  bool is_comparable = true;
  /// Whether the limits on changes count: false for runs that must not be compared.
  bool is_judged = true;
  std::vector<MetricComparison> metrics;
  /// How the inputs of the operator with most time changed, of those that did; empty: unknown.
  std::string changed_inputs;
  std::string changed;  ///< The differences beside the speed, one line (gate/change_text.h).
  std::vector<PartsComparison> parts;  ///< Kinds of parts that the policy limits.
  std::optional<EndedEarly> ended_early;
  std::optional<Movement> movement;  ///< Set last, where a limit is missed.
  std::string blame;                 ///< Whose the step may be, where it may be others'.
  WorkChange work;                   ///< Whether an iteration does the same.
  bool is_same_run = false;          ///< Every run of the baseline is a candidate's own recording.
  bool has_same_run = false;         ///< One is.
  /// Runs and iterations that were skipped as warm-up or unusual, and uncertain results: one
  /// sentence each.
  std::vector<std::string> notes;
  std::optional<SlowRank> slow_rank;
  Waterfall waterfall;      ///< Empty, from 0 to 0, when one of its runs has no iteration times.
  bool is_of_rank = false;  ///< The waterfall is of the slow rank; else of the run.
  std::vector<PairedValue> values;  ///< Values of the two runs of the waterfall, like the tables.
  PairedTable kernels, ops;
};

/// The use of the answer.
enum class ComparePurpose : std::uint8_t {
  kJudge,       ///< It decides an exit code.
  kJudgePairs,  ///< The same; runs were recorded alternately, the first candidate beside the first
                ///< baseline.
  kExplain,     ///< It is only shown.
};

/// Every limit of `policy`, or of the default, compared with runs; `notes` lists the skipped data,
/// each sentence once. `work` is CompareWork() of both. A row for each limit, in their order,
/// except default limits on counts that cannot be compared, and periods that say the same as the
/// lengths. `earlier` as MetricComparer's.
/// REQUIRES: as CompareRuns().
std::vector<MetricComparison> CompareMetrics(
    std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
    const rules::PolicyBaseline& policy, const WorkChange& work, std::vector<std::string>& notes,
    ComparePurpose purpose = ComparePurpose::kJudge, std::span<const Snapshot> earlier = {});

/// Runs whose parts are compared. It may be more of a baseline than the other limits read.
struct PartRuns {
  std::span<const Snapshot> baselines, candidates;
  /// Of a history the nearest ancestor, which is none of `baselines`: a single candidate's parts
  /// that are slower in it too are confirmed. nullptr: there is none.
  const Snapshot* newest = nullptr;
  bool is_ordered = false;  ///< `baselines` are of a history, oldest first.
};

/// Splits runs of a history, oldest first: the last one is the newest if enough others are left.
PartRuns WithNewest(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates);

/// Compares the kernels, operators, collectives and modules of each candidate by itself, if
/// `policy` limits them; without any limit in it kernels, as warnings, where the baseline has runs
/// enough. It fills in `parts`, and notes the parts that could not be judged. REQUIRES: neither
/// list is empty.
void CompareParts(const PartRuns& runs, const rules::PolicyBaseline& policy,
                  RunComparison& comparison);

/// Index of the run in the middle by its median iteration time, of equal ones by their names: the
/// order of the runs decides nothing.
/// REQUIRES: runs is not empty, each has an iteration.
std::size_t FindMiddleRun(std::span<const Snapshot> runs);

/// Compares `candidates`, runs of one program, with `baselines`. The waterfall leads from the
/// middle run of the one to that of the other. Without limits in `policy` (nullptr or none), gates
/// iteration.time.median at +5 % and compares counts exactly, as warnings.
/// `accepts_work`: somebody accepts that an iteration does other work.
/// REQUIRES: neither list is empty; every run has at least one iteration; of pairs, as many of each
/// and stats::kLeastPairs at least.
RunComparison CompareRuns(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                          const rules::PolicyBaseline* policy,
                          ComparePurpose purpose = ComparePurpose::kJudge,
                          bool accepts_work = false, std::span<const Snapshot> earlier = {});

}  // namespace profgauge::gate
