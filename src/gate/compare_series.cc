#include "gate/compare_series.h"

#include <algorithm>

#include "analysis/breakdown/warmup.h"
#include "base/metric_id.h"
#include "gate/statistics.h"

namespace profgauge::gate {
namespace {

constexpr std::string_view kTimeOfPart = ".time";

bool HasPeriods(const Snapshot& run) {
  return run.iteration_times.size() == run.iteration_periods.size() + 1;
}

// Times from start to start, which include time between iterations. Unobserved time, e.g. a pause
// of the profiler, is subtracted. The last iteration has no next start, so its length is used:
//
//     |== 0 ==|  |== 1 xx ==|  |== 2 ==|        times: period 0, period 1 - xx, length of 2
//     '-period 0-'--period 1---'
std::vector<double> TotalTimes(const Snapshot& run) {
  std::vector<double> times = ObservedTimes(run);
  if (!HasPeriods(run)) return times;
  for (std::size_t i = 0; i < run.iteration_periods.size(); ++i) {
    const Ns hidden = run.iteration_unobserved.empty() ? 0 : run.iteration_unobserved[i];
    times[i] = static_cast<double>(run.iteration_periods[i] - hidden);
  }
  return times;
}

bool AreTimes(const std::vector<double>& values) {
  return !values.empty() &&
         std::none_of(values.begin(), values.end(), [](double v) { return v <= 0; });
}

stats::Series SeriesOf(std::vector<double> values) {
  stats::Series series{std::move(values)};
  series.warmup = analysis::breakdown::FindWarmup(series.values);
  return series;
}

}  // namespace

bool IsTypicalTime(std::string_view metric) {
  return metric == metric::kIterationTimeMedian || metric == metric::kIterationPeriodMedian ||
         metric == metric::kStepTimeMedian;
}

bool IsMeanTime(std::string_view metric) {
  return metric == metric::kIterationTimeMean || metric == metric::kIterationPeriodMean ||
         metric == metric::kStepTimeMean;
}

SeriesList TimesOf(std::span<const Snapshot> runs, std::string_view metric) {
  if (metric == metric::kIterationPeriodMean) {
    return HavePeriods(runs) ? TotalsOf(runs) : SeriesList();
  }
  SeriesList all;
  for (const Snapshot& run : runs) {
    std::vector<double> values = ObservedTimes(run);
    if (metric == metric::kIterationPeriodMedian) {
      values.assign(run.iteration_periods.begin(), run.iteration_periods.end());
    }
    if (!AreTimes(values)) return {};
    all.push_back(SeriesOf(std::move(values)));
  }
  return all;
}

bool HavePeriods(std::span<const Snapshot> runs) {
  return std::all_of(runs.begin(), runs.end(), HasPeriods);
}

SeriesList TotalsOf(std::span<const Snapshot> runs) {
  SeriesList all;
  for (const Snapshot& run : runs) {
    std::vector<double> values = TotalTimes(run);
    if (!AreTimes(values)) return {};
    all.push_back(SeriesOf(std::move(values)));
  }
  return all;
}

// Shares by iteration as times: each share is multiplied by the length of its iteration.
std::vector<stats::ShareOfRun> SharesOf(std::span<const Snapshot> runs, std::string_view metric) {
  std::vector<stats::ShareOfRun> all;
  for (const Snapshot& run : runs) {
    const auto shares = run.iteration_shares.find(metric);
    if (shares == run.iteration_shares.end()) return {};
    stats::ShareOfRun out{shares->second, ObservedTimes(run)};
    double whole = 0;
    for (std::size_t i = 0; i < out.part.size(); ++i) {
      out.part[i] *= out.whole[i];
      whole += out.whole[i];
    }
    if (out.part.empty() || whole <= 0) return {};
    all.push_back(std::move(out));
  }
  return all;
}

std::vector<std::vector<double>> PartsByIteration(std::span<const Snapshot> runs,
                                                  std::string_view metric) {
  std::vector<std::vector<double>> all;
  for (const Snapshot& run : runs) {
    const auto found = run.iteration_values.find(metric);
    const auto sum = run.metrics.find(metric);
    std::vector<double> values;
    if (found != run.iteration_values.end()) {
      values.assign(found->second.begin(), found->second.end());
    } else if (metric.ends_with(kTimeOfPart)) {  // A part of the breakdown, for the slowest ranks.
      const auto share = metric.substr(0, metric.size() - kTimeOfPart.size());
      const auto parts = SharesOf(std::span(&run, 1), share);
      if (!parts.empty()) values = parts.front().part;
    }
    // A snapshot keeps no series of a metric that is 0 in all iterations.
    if (values.empty() && sum != run.metrics.end() && sum->second == 0) {
      values.resize(run.iteration_times.size(), 0);
    }
    if (values.empty()) return {};
    all.push_back(std::move(values));
  }
  return all;
}

SeriesList SumsOf(std::span<const Snapshot> runs, std::string_view metric) {
  SeriesList all;
  for (std::vector<double>& values : PartsByIteration(runs, metric)) {
    if (!AreTimes(values)) return {};
    all.push_back(SeriesOf(std::move(values)));
  }
  return all;
}

std::vector<double> AllTimes(std::span<const Snapshot> runs) {
  std::vector<double> all;
  for (const Snapshot& run : runs) {
    const std::vector<double> times = ObservedTimes(run);
    all.insert(all.end(), times.begin(), times.end());
  }
  return all;
}

double LevelOf(const SeriesList& runs) {
  std::vector<double> levels;
  for (const stats::Series& run : runs) {
    levels.push_back(stats::Median(std::span(run.values).subspan(run.warmup)));
  }
  return stats::Median(levels);
}

}  // namespace profgauge::gate
