#include "gate/history_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "analysis/analysis.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "gate/change_points.h"
#include "gate/change_text.h"
#include "gate/compare.h"
#include "gate/constants.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// With fewer runs, neither a step (three per side) nor creep (five per side) can be found.
constexpr std::size_t kLeastRuns = knowledge::kGateHistoryLeast.as<std::size_t>();
constexpr std::size_t kLevelRuns = knowledge::kGateHistoryLevel.as<std::size_t>();
constexpr std::size_t kLastRuns = knowledge::kGateHistoryLast.as<std::size_t>();
// A step has at least this many errors, and at most this many variances more than a ramp.
constexpr double kStepErrors = knowledge::kGateStepErrors.value();
constexpr double kStepOverRamp = knowledge::kGateStepOverRamp.value();
constexpr double kDefaultStep = knowledge::kGateHistoryStep.value();
// A place is excluded if its sum of squares exceeds the best one's by this many variances (95 %).
constexpr double kBlameVariances = knowledge::kGateBlameVariances.value();

bool IsBetterHigh(const std::string& metric) {
  const std::shared_ptr<const analysis::MetricSpec> spec = analysis::DescribeMetric(metric);
  return spec != nullptr && spec->direction == analysis::Direction::kHigherIsBetter;
}

// The largest allowed increase. If higher is better, it is that of the inverse of the metric.
double LimitOf(const std::string& metric, const rules::PolicyBaseline& policy) {
  const bool is_inverse = IsBetterHigh(metric);
  for (const rules::BaselineLimit& limit : policy.limits) {
    const auto& amount = is_inverse ? limit.max_decrease : limit.max_increase;
    if (limit.metric != metric || !amount || !amount->relative) continue;
    return is_inverse ? 1 / (1 - amount->value) - 1 : amount->value;
  }
  return kDefaultStep;
}

// The value of `metric` in a run; nothing if it is not above 0.
std::optional<double> ValueOf(const Snapshot& run, const std::string& metric) {
  if (metric == metric::kIterationTimeMedian) {
    if (const auto median = MedianIteration(run); median && *median > 0) return median;
  }
  const auto found = run.metrics.find(metric);
  return found == run.metrics.end() || found->second <= 0 ? std::nullopt
                                                          : std::optional(found->second);
}

std::vector<double> ValuesOf(std::span<const ChosenRun> runs, const std::string& metric) {
  std::vector<double> values;
  for (const ChosenRun& run : runs) {
    if (const auto value = ValueOf(run.snapshot, metric)) values.push_back(*value);
  }
  return values;
}

std::string CommitOf(const ChosenRun& run) {
  return run.row.commit.empty() ? fmt::format("run {}", run.row.id) : run.row.commit;
}

// The possible commits as text: "one of 2 commits: 3f2a (most likely), 77c1".
std::string OneOf(const std::vector<std::string>& commits) {
  return fmt::format("one of {} commits: {} (most likely){}{}", commits.size(), commits.front(),
                     commits.size() > 1 ? ", " : "",
                     fmt::join(commits.begin() + 1, commits.end(), ", "));
}

// The snapshots of some runs.
std::vector<Snapshot> Some(std::span<const ChosenRun> runs) {
  std::vector<Snapshot> out;
  for (const ChosenRun& run : runs) out.push_back(run.snapshot);
  return out;
}

// The change of the last run from the first ones, if `check` would fail it.
struct Creep {
  double change = 0;
  bool is_of_total = false;
};
std::optional<Creep> CreepOf(std::span<const ChosenRun> runs, const std::string& metric,
                             const rules::PolicyBaseline& policy) {
  const std::size_t level = std::min(kLevelRuns, runs.size() / 2);
  if (level == 0) return std::nullopt;
  rules::PolicyBaseline only = policy;
  std::erase_if(only.limits,
                [&](const rules::BaselineLimit& limit) { return limit.metric != metric; });
  std::vector<std::string> notes;
  const auto first = Some(runs.first(level)), last = Some(runs.last(1));
  const auto between = Some(runs.subspan(level, runs.size() - level - 1));
  const WorkChange work = CompareWork(first, last, true);
  for (const MetricComparison& of :
       CompareMetrics(first, last, only, work, notes, ComparePurpose::kJudge, between)) {
    if (of.metric != metric || of.is_missing || of.verdict != stats::Change::kFail) continue;
    const bool is_of_total = IsOfTotal(of);
    return Creep{is_of_total ? *of.total : of.shift, is_of_total};
  }
  return std::nullopt;
}

// The relative change from the median of the first five values to that of the last three. REQUIRES:
// at least one value.
double LevelChange(std::span<const double> values) {
  const std::size_t first = std::min(kLevelRuns, values.size());
  const std::size_t last = std::min(kLastRuns, values.size());
  return stats::Median(values.last(last)) / stats::Median(values.first(first)) - 1;
}

std::vector<double> LogsOf(std::span<const double> values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

}  // namespace

std::optional<double> WorseIsHigher(const Snapshot& run, const std::string& metric) {
  const std::optional<double> value = ValueOf(run, metric);
  return value && IsBetterHigh(metric) ? 1 / *value : value;
}

HistoryFindings CheckHistory(std::span<const ChosenRun> runs, const std::string& metric,
                             const rules::PolicyBaseline& policy) {
  HistoryFindings out;
  const std::vector<double> values = ValuesOf(runs, metric);
  out.runs = values.size();
  if (values.size() < kLeastRuns || values.size() != runs.size()) {
    out.state = HistoryState::kTooFew;
    return out;
  }
  const double limit = LimitOf(metric, policy);
  // The change of the inverse if higher is better, so that larger is always worse.
  const auto worse = [is_inverse = IsBetterHigh(metric)](double change) {
    return is_inverse ? 1 / (1 + change) - 1 : change;
  };
  const std::vector<stats::ChangePoint> points = stats::FindChangePoints(values, {});
  const double floor = policy.noise_floor.value_or(stats::kUsualNoiseFloor);
  // `first` is the most likely place, if it is known.
  const auto name_places = [&](std::size_t begin, std::size_t end, std::size_t first) {
    out.commits.clear();
    const auto logs = LogsOf(std::span(values).subspan(begin, end - begin));
    if (first > 0) out.commits.push_back(CommitOf(runs[first]));
    for (const std::size_t at : stats::BlameSet(logs, floor)) {
      if (begin + at != first) out.commits.push_back(CommitOf(runs[begin + at]));
    }
  };
  std::size_t level_from = 0;  // Creep is measured from the last decrease of the level.
  double level = values.front();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0) level = points[i].before;
    if (worse(points[i].change) < 0) {
      level_from = points[i].index;
      level = points[i].after;
    }
    const bool is_undone = worse(points.back().after / points[i].before - 1) <= limit;
    if (worse(points[i].change) <= limit || is_undone) continue;
    const std::size_t begin = i == 0 ? 0 : points[i - 1].index;
    const std::size_t end = i + 1 < points.size() ? points[i + 1].index : values.size();
    if (out.state == HistoryState::kStep) out.earlier.emplace_back(out.change, out.commits);
    out.state = HistoryState::kStep;
    out.change = points[i].change;
    name_places(begin, end, points[i].index);
  }
  if (out.state == HistoryState::kStep) {
    const double all = points.back().after / level - 1;
    if (points.size() > 1 && worse(all) > worse(out.change)) out.level = all;
    return out;
  }
  const std::span<const double> since = std::span(values).subspan(level_from);
  if (const double change = LevelChange(since); worse(change) > limit) {
    out.state = HistoryState::kCreep;
    out.change = change;
  } else if (const auto creep = CreepOf(runs.subspan(level_from), metric, policy)) {
    // Creep that is too small for the medians, but that `check` against the anchor would fail.
    out.state = HistoryState::kCreep;
    out.change = creep->change;
    out.is_of_total = creep->is_of_total;
  }
  // Searches for a step among the last runs, which are too few for a certain change point.
  const std::size_t from = points.empty() ? 0 : points.back().index;
  const auto step = stats::FindStep(LogsOf(std::span(values).subspan(from)), floor);
  if (!step || out.is_of_total) return out;
  const double change = std::expm1(*step);
  if (worse(change) <= limit && out.state != HistoryState::kCreep) return out;
  if (out.state == HistoryState::kCreep && worse(out.change) > worse(change)) {
    out.level = out.change;
  }
  out.state = HistoryState::kStep;
  out.change = change;
  name_places(from, values.size(), 0);
  return out;
}

std::string BlameText(std::span<const ChosenRun> window, std::span<const ChosenRun> failed,
                      const Snapshot& candidate, double noise_floor) {
  if (failed.empty()) return {};
  std::vector<double> values;
  std::vector<std::string> names;
  for (const std::span<const ChosenRun> runs : {window, failed}) {
    for (const ChosenRun& run : runs) {
      const std::optional<double> median = MedianIteration(run.snapshot);
      if (!median || *median <= 0) return {};
      values.push_back(std::log(*median));
      names.push_back(Printable(CommitOf(run)));
    }
  }
  const std::optional<double> median = MedianIteration(candidate);
  if (!median || *median <= 0) return {};
  values.push_back(std::log(*median));
  names.emplace_back("this one");
  const std::vector<std::size_t> set = stats::BlameSet(values, noise_floor, 1);
  if (set.empty()) return {};
  const std::size_t own = values.size() - 1;
  if (set == std::vector{own}) return "the step is of this commit, not of earlier failed runs";
  std::vector<std::string> commits;
  for (const std::size_t at : set) commits.push_back(names[at]);
  const bool may_be_own = std::find(set.begin(), set.end(), own) != set.end();
  const std::string where = commits.size() == 1 ? commits.front() : OneOf(commits);
  return may_be_own ? "the step may be of " + where
                    : "the step is not of this commit, but of " + where;
}

std::string FindingsText(const HistoryFindings& findings) {
  switch (findings.state) {
    case HistoryState::kTooFew:
      return fmt::format("{} comparable runs since the last accepted level: at least {} are needed",
                         findings.runs, kLeastRuns);
    case HistoryState::kSteady:
      return fmt::format("no step and no creep over the limit in {} comparable runs",
                         findings.runs);
    case HistoryState::kCreep:
      // Levels are medians of several runs, so the first and the last run may differ by more.
      return fmt::format(
          "creep: {}{} between the levels of the first and the last of {} "
          "comparable runs, no single step",
          findings.is_of_total ? "total " : "", RelativeChange(findings.change), findings.runs);
    case HistoryState::kStep:
      break;
  }
  const auto step = [](double change, const std::vector<std::string>& commits) {
    return RelativeChange(change) + " at " +
           (commits.size() == 1 ? commits.front() : OneOf(commits));
  };
  std::string text;
  for (const auto& [change, commits] : findings.earlier) text += step(change, commits) + "; ";
  text += step(findings.change, findings.commits);
  if (findings.level) text += "; level " + RelativeChange(*findings.level);
  return text;
}

namespace stats {

namespace {

// The sums of squares around two means, for each place of a cut; computed from prefix sums:
//
//     values     0 0 0 | 5 6 5 6        cut after 3: 1.0        the best
//                0 0 0 5 | 6 5 6        cut after 4: 19.4
//                                       variance 1.0 / (7 - 3) = 0.25; within 6 * 0.25 of the best:
//                                       only the cut after 3
//
// Three degrees of freedom are used for two means and the place. Equal values have no variance, so
// it is at least a quarter of the squared floor.
class TwoLevels {
 public:
  TwoLevels(std::span<const double> values, double noise_floor, std::size_t least)
      : n_(values.size()), least_(least), best_(least) {
    for (const double value : values) {
      sums_.push_back(sums_.back() + value - values.front());
      squares_.push_back(squares_.back() + (value - values.front()) * (value - values.front()));
    }
    for (std::size_t k = least; k + least <= n_; ++k) {
      if (Fit(k) < Fit(best_)) best_ = k;
    }
    variance_ = std::max(Fit(best_) / static_cast<double>(n_ - 3), noise_floor * noise_floor / 4);
  }

  double Fit(std::size_t k) const {
    const double left = sums_[k], right = sums_[n_] - sums_[k];
    return squares_[n_] - left * left / static_cast<double>(k) -
           right * right / static_cast<double>(n_ - k);
  }
  std::vector<std::size_t> Places() const {
    std::vector<std::size_t> places = {best_};
    for (std::size_t k = least_; k + least_ <= n_; ++k) {
      if (k != best_ && Fit(k) <= Fit(best_) + kBlameVariances * variance_) places.push_back(k);
    }
    return places;
  }
  double Change() const {
    return (sums_[n_] - sums_[best_]) / static_cast<double>(n_ - best_) -
           sums_[best_] / static_cast<double>(best_);
  }
  double Error() const {
    return std::sqrt(variance_ *
                     (1 / static_cast<double>(best_) + 1 / static_cast<double>(n_ - best_)));
  }
  double variance() const { return variance_; }
  std::size_t best() const { return best_; }

 private:
  std::vector<double> sums_ = {0}, squares_ = {0};
  std::size_t n_, least_, best_;
  double variance_ = 0;
};

}  // namespace

std::vector<std::size_t> BlameSet(std::span<const double> values, double noise_floor,
                                  std::size_t least) {
  if (values.size() < knowledge::kGateLeastToSplit) return {};
  return TwoLevels(values, noise_floor, least).Places();
}

std::optional<double> FindStep(std::span<const double> values, double noise_floor) {
  if (values.size() < knowledge::kGateLeastToSplit) return std::nullopt;
  const TwoLevels step(values, noise_floor, 2);
  if (std::abs(step.Change()) < kStepErrors * step.Error()) return std::nullopt;
  if (step.Fit(step.best()) >
      FitOfRamp(values, 1, RampEnd::kAtLast) + kStepOverRamp * step.variance()) {
    return std::nullopt;
  }
  return step.Change();
}

}  // namespace stats

}  // namespace profgauge::gate
