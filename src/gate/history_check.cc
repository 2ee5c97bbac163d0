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
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// Fewer runs show neither a step (three a side) nor creep (five a side).
constexpr std::size_t kLeastRuns = knowledge::kGateHistoryLeast.as<std::size_t>();
constexpr std::size_t kLevelRuns = knowledge::kGateHistoryLevel.as<std::size_t>();
constexpr double kDefaultStep = knowledge::kGateHistoryStep.value();
// A place is ruled out if its sum of squares exceeds the best one's by this number of variances: 95
// % of chance.
constexpr double kBlameVariances = knowledge::kGateBlameVariances.value();

bool IsBetterHigh(const std::string& metric) {
  const std::shared_ptr<const analysis::MetricSpec> spec = analysis::DescribeMetric(metric);
  return spec != nullptr && spec->direction == analysis::Direction::kHigherIsBetter;
}

// The largest allowed step upwards; for a metric that should be large, of its inverse.
double LimitOf(const std::string& metric, const rules::PolicyBaseline& policy) {
  const bool is_inverse = IsBetterHigh(metric);
  for (const rules::BaselineLimit& limit : policy.limits) {
    const auto& amount = is_inverse ? limit.max_decrease : limit.max_increase;
    if (limit.metric != metric || !amount || !amount->relative) continue;
    return is_inverse ? 1 / (1 - amount->value) - 1 : amount->value;
  }
  return kDefaultStep;
}

std::vector<double> ValuesOf(std::span<const ChosenRun> runs, const std::string& metric) {
  std::vector<double> values;
  const bool is_inverse = IsBetterHigh(metric);
  for (const ChosenRun& run : runs) {
    const auto value = run.snapshot.metrics.find(metric);
    const auto median =
        metric == metric::kIterationTimeMedian ? MedianIteration(run.snapshot) : std::nullopt;
    if (median) {
      values.push_back(*median);
    } else if (value != run.snapshot.metrics.end() && value->second > 0) {
      values.push_back(is_inverse ? 1 / value->second : value->second);
    }
  }
  return values;
}

std::string CommitOf(const ChosenRun& run) {
  return run.row.commit.empty() ? fmt::format("run {}", run.row.id) : run.row.commit;
}

// "one of 2 commits: 3f2a (most likely), 77c1"
std::string OneOf(const std::vector<std::string>& commits) {
  return fmt::format("one of {} commits: {} (most likely){}{}", commits.size(), commits.front(),
                     commits.size() > 1 ? ", " : "",
                     fmt::join(commits.begin() + 1, commits.end(), ", "));
}

// Snapshots at one end of the history.
std::vector<Snapshot> Some(std::span<const ChosenRun> runs) {
  std::vector<Snapshot> out;
  for (const ChosenRun& run : runs) out.push_back(run.snapshot);
  return out;
}

// By the same procedure as every check, of the last `of_last` runs.
struct Creep {
  double change = 0;
  bool is_of_total = false;
};
std::optional<Creep> CreepOf(std::span<const ChosenRun> runs, std::size_t of_last,
                             const std::string& metric, const rules::PolicyBaseline& policy) {
  const std::size_t level = std::min(kLevelRuns, runs.size() / 2);
  if (level == 0) return std::nullopt;
  rules::PolicyBaseline only = policy;
  std::erase_if(only.limits,
                [&](const rules::BaselineLimit& limit) { return limit.metric != metric; });
  std::vector<std::string> notes;
  const auto first = Some(runs.first(level)), last = Some(runs.last(of_last));
  const WorkChange work = CompareWork(first, last, true);
  for (const MetricComparison& of : CompareMetrics(first, last, only, work, notes)) {
    const bool is_sure = of.low > 0 || of.high < 0;
    const bool is_over =
        of.verdict == stats::Change::kFail || (of_last > 1 && of.over_limit && is_sure);
    if (of.metric != metric || of.is_missing || !is_over) continue;
    const bool is_of_total = IsOfTotal(of);
    return Creep{is_of_total ? *of.total : of.shift, is_of_total};
  }
  return std::nullopt;
}

}  // namespace

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
  const std::vector<stats::ChangePoint> points = stats::FindChangePoints(values, {});
  std::size_t level_from = 0;  // Creep is measured from the last time that the level fell.
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].change < 0) level_from = points[i].index;
    const bool is_undone = points.back().after <= points[i].before * (1 + limit);
    if (points[i].change <= limit || is_undone) continue;
    const std::size_t begin = i == 0 ? 0 : points[i - 1].index;
    const std::size_t end = i + 1 < points.size() ? points[i + 1].index : values.size();
    std::vector<double> segment;
    for (std::size_t at = begin; at < end; ++at) segment.push_back(std::log(values[at]));
    out.state = HistoryState::kStep;
    out.change = points[i].change;
    out.commits.clear();
    for (const std::size_t at :
         stats::BlameSet(segment, policy.noise_floor.value_or(stats::kUsualNoiseFloor))) {
      out.commits.push_back(CommitOf(runs[begin + at]));
    }
  }
  if (out.state == HistoryState::kStep) return out;
  // The last one by itself was compared with the anchor by its check: a failure there is found
  // here.
  const std::span<const ChosenRun> since = runs.subspan(level_from);
  for (const std::size_t last : {std::min(kLevelRuns, since.size() / 2), std::size_t{1}}) {
    const auto creep = CreepOf(since, last, metric, policy);
    if (!creep) continue;
    out.state = HistoryState::kCreep;
    out.change = creep->change;
    out.is_of_total = creep->is_of_total;
    break;
  }
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
      return fmt::format("creep: {}{} over {} comparable runs, no single step",
                         findings.is_of_total ? "total " : "", RelativeChange(findings.change),
                         findings.runs);
    case HistoryState::kStep:
      break;
  }
  const std::string text = RelativeChange(findings.change) + " at ";
  return text + (findings.commits.size() == 1 ? findings.commits.front() : OneOf(findings.commits));
}

namespace stats {

// Sums of squares around two means, from prefix sums:
//
//     values     0 0 0 | 5 6 5 6        cut after 3: 1.0        the best
//                0 0 0 5 | 6 5 6        cut after 4: 19.4
//                                       variance 1.0 / (7 - 3) = 0.25; within 6 * 0.25 of the best:
//                                       only the cut after 3
//
// Three degrees of freedom are the two means and the place. Equal values would have no variance, so
// a quarter of the squared floor is the least.
std::vector<std::size_t> BlameSet(std::span<const double> values, double noise_floor,
                                  std::size_t least) {
  const std::size_t n = values.size();
  if (n < knowledge::kGateLeastToSplit) return {};
  std::vector<double> sums = {0}, squares = {0};
  for (const double value : values) {
    sums.push_back(sums.back() + value - values.front());
    squares.push_back(squares.back() + (value - values.front()) * (value - values.front()));
  }
  const auto fit = [&](std::size_t k) {
    const auto before = static_cast<double>(k), after = static_cast<double>(n - k);
    const double left = sums[k], right = sums[n] - sums[k];
    return squares[n] - left * left / before - right * right / after;
  };
  std::size_t best = least;
  double squares_of_best = std::numeric_limits<double>::infinity();
  for (std::size_t k = least; k + least <= n; ++k) {
    if (fit(k) >= squares_of_best) continue;
    squares_of_best = fit(k);
    best = k;
  }
  const double variance =
      std::max(squares_of_best / static_cast<double>(n - 3), noise_floor * noise_floor / 4);
  std::vector<std::size_t> set = {best};
  for (std::size_t k = least; k + least <= n; ++k) {
    if (k != best && fit(k) <= squares_of_best + kBlameVariances * variance) set.push_back(k);
  }
  return set;
}

}  // namespace stats

}  // namespace profgauge::gate
