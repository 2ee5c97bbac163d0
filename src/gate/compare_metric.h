// Compares one metric of a run with the baseline, by the statistics that its values allow.
//
// Compare() tries these in order and uses the first for which both sides have the data:
//
//     Lack*            no answer: another definition, no samples, no times     is_missing
//     CompareTimes     times of iterations, recorded or unrecorded             kStatistics
//     CompareShares    a share of the iteration's time                         kStatistics
//     CompareTail      p95, max, robust cv: counts over a bound                kChance
//     CompareSums      a time in each iteration: its total                     kStatistics
//     CompareSparse    a time in some iterations: the mean                     kStatistics
//     CompareNoisy     one number a run, with noise                            kStatistics
//     CompareValues    one number a run, exact or not                          kExact, kValue
//     Doubt*           an answer that the data do not carry                    undecided, missing
//
// A Doubt never turns a failure into a pass. It fails a passed limit only with `on_missing: fail`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/circumstances.h"
#include "gate/compare.h"
#include "gate/compare_series.h"
#include "gate/unrecorded.h"

namespace profgauge::gate {

/// Counts that are equal in all runs of a program, so any change is real.
std::span<const std::string_view> ExactMetrics();
/// True if the metric is one of ExactMetrics().
bool IsExact(std::string_view metric);

/// The allowed change of a limit, in the metric's unit. A relative amount is relative to |base|, so
/// with a baseline of 0 any change in the limited direction exceeds the limit.
double AbsoluteOf(const rules::BaselineLimit::Amount& amount, double base);

/// The severity of an answer: 4 fail, 3 inconclusive over the limit, 2 inconclusive within it, 1
/// improved, 0 pass.
int Weight(stats::Change change, bool over_limit);

/// Compares metric by metric. The snapshots, the policy and the work must outlive it.
class MetricComparer {
 public:
  /// With kJudgePairs, times are compared pair by pair. With kJudge, failures must be repeated;
  /// `earlier` are profiles of ancestors that may be as slow.
  MetricComparer(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                 const rules::PolicyBaseline& policy, const WorkChange& work,
                 ComparePurpose purpose, std::span<const Snapshot> earlier);

  /// The row of one limit. If it limits both directions, the row has the more severe answer.
  MetricComparison Compare(const rules::BaselineLimit& limit);

  /// False if the row adds nothing: a default count that a side does not have, or the time from
  /// start to start if iterations follow each other without a pause.
  bool IsNews(const MetricComparison& metric) const;

  /// Sentences about skipped data.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool LackDefinition(MetricComparison& out) const;
  bool LackTimes(MetricComparison& out) const;
  bool LackSteps(MetricComparison& out) const;
  bool LackSums(std::string_view family, MetricComparison& out) const;
  bool LackSamples(const rules::BaselineLimit& limit, MetricComparison& out) const;
  void DoubtWork(const rules::BaselineLimit& limit, MetricComparison& out) const;
  void DoubtAfter(MetricComparison& out) const;
  void DoubtEmptyIterations(MetricComparison& out) const;
  void DoubtNumbers(MetricComparison& out) const;
  void DoubtFloor(const rules::BaselineLimit& limit, MetricComparison& out) const;

  bool CompareTimes(const rules::BaselineLimit& limit, MetricComparison& out);
  void DivideBySamples(std::span<const Snapshot> runs, SeriesList& series) const;
  bool CompareShares(const rules::BaselineLimit& limit, MetricComparison& out) const;
  bool CompareTail(const rules::BaselineLimit& limit, MetricComparison& out) const;
  bool CompareSums(const rules::BaselineLimit& limit, MetricComparison& out);
  bool CompareSparse(const rules::BaselineLimit& limit, MetricComparison& out) const;
  bool CompareNoisy(const rules::BaselineLimit& limit, const std::vector<double>& base,
                    const std::vector<double>& current, MetricComparison& out) const;
  void CompareValues(const rules::BaselineLimit& limit, MetricComparison& out);

  stats::CompareOptions Options(const rules::BaselineLimit& limit,
                                const rules::BaselineLimit::Amount& amount, bool increase,
                                double level) const;
  std::vector<double> ValuesOf(std::span<const Snapshot> runs, const std::string& metric);
  void NoteInputs(const InputMix& mix);
  static void DoubtInputs(const InputMix& mix, MetricComparison& out);
  static void DoubtUnknownInputs(const InputMix& mix, MetricComparison& out);
  void NoteWarmup(const SeriesList& base, const SeriesList& current);
  void AddOnce(std::vector<std::string> more);

  std::span<const Snapshot> baselines_;
  std::span<const Snapshot> candidates_;
  std::span<const Snapshot> earlier_;
  std::vector<std::string> base_names_, current_names_;
  const rules::PolicyBaseline& policy_;
  const WorkChange& work_;
  StepsUse steps_;
  ComparePurpose purpose_;
  std::vector<std::string> notes_;
};

/// Copies both levels, change, interval and verdict from a comparison of times. The caller sets the
/// limit and the sentence.
void TakeNumbers(const stats::Comparison& result, MetricComparison& out);
/// Copies only the reason why the answer is undecided.
void TakeDoubt(const stats::Comparison& result, MetricComparison& out);

}  // namespace profgauge::gate
