#include "report/build_trend.h"

#include "report/build_sections.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>

#include "analysis/analysis.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "gate/baseline_info.h"
#include "gate/change_points.h"
#include "gate/history_check.h"
#include "gate/select.h"
#include "model/devices.h"
#include "profgauge/version.h"
#include "report/labels.h"

namespace profgauge::report {
namespace {

constexpr MetricId kMedian = metric::kIterationTimeMedian;
constexpr std::array<MetricId, 10> kMetrics = {kMedian,
                                               metric::kServeTtftMedian,
                                               metric::kServeTtftP99,
                                               metric::kServeOutputRate,
                                               metric::kGpuUtilizationMean,
                                               metric::kGpuIdleMean,
                                               metric::kTensorCoreEfficiency,
                                               metric::kKernelCountPerIteration,
                                               metric::kDataloaderExposedShare,
                                               metric::kMemoryPeakAllocated};

// More series of benchmarks would crowd out the other charts.
constexpr std::size_t kMostBenchmarkSeries = 24;

// The median is computed from iterations, so every run with times has it.
std::optional<double> ValueOf(const gate::Snapshot& run, std::string_view metric) {
  if (metric == kMedian) return gate::MedianIteration(run);
  const auto it = run.metrics.find(metric);
  return it == run.metrics.end() ? std::nullopt : std::optional(it->second);
}

TrendChange BuildChange(const gate::stats::ChangePoint& point, std::size_t run,
                        const analysis::MetricSpec& spec) {
  TrendChange change;
  change.run = run;
  change.before = MakeQuantity(point.before, spec.unit);
  change.after = MakeQuantity(point.after, spec.unit);
  change.change = MakeQuantity(point.change, Unit::kShare);
  change.change.text =
      (point.change < 0 ? "−" : "+") + FormatShare(point.change < 0 ? -point.change : point.change);
  change.is_worse = (spec.direction == analysis::Direction::kLowerIsBetter && point.change > 0) ||
                    (spec.direction == analysis::Direction::kHigherIsBetter && point.change < 0);
  return change;
}

// Values of runs with one definition, and the indices of these runs.
struct Stretch {
  std::vector<double> values;
  std::vector<std::size_t> runs;
};

// The runs that count, as for `history check`: several of one commit count once.
struct Counted {
  std::vector<bool> counts;  ///< By run.
  std::size_t level = 0;     ///< The first run of the level in force.
};

Counted CountedOf(std::span<const gate::HistoryEntry* const> entries,
                  std::span<const gate::HistoryLevel> levels) {
  Counted out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool begins = std::ranges::any_of(
        levels, [&](const gate::HistoryLevel& level) { return level.run == entries[i]->id; });
    if (begins) out.level = i;
  }
  out.counts.resize(entries.size());
  for (const auto& [first, part] : {std::pair(std::size_t{0}, entries.first(out.level)),
                                    std::pair(out.level, entries.subspan(out.level))}) {
    for (const std::size_t at : gate::OneOfEachCommit(part)) out.counts[first + at] = true;
  }
  return out;
}

// Changes of the level are searched only between changes of the definition:
//
//     run          1   2   3   4   5   6   7   8   9
//     definition   1   1   1   1   2   2   2   2   2
//     values      10  10  10  10  14  14  14  15  14      no step at 5: another way to count
//
// Those after the start of the level in force, `level`, are searched only in its runs, as
// `history check` does.
void AddChanges(const Stretch& stretch, std::size_t level, const analysis::MetricSpec& spec,
                TrendSeries& series) {
  const auto first = static_cast<std::size_t>(std::ranges::lower_bound(stretch.runs, level) -
                                              stretch.runs.begin());
  const std::span<const double> values(stretch.values);
  const auto add = [&](std::size_t from, std::size_t begin, std::size_t end) {
    for (gate::stats::ChangePoint point : gate::stats::FindChangePoints(values.subspan(from), {})) {
      point.index += from;
      if (point.index < begin || point.index >= end) continue;
      series.changes.push_back(BuildChange(point, stretch.runs[point.index], spec));
    }
  };
  if (first > 0) add(0, 0, first + 1);
  add(first, first + 1, values.size());
}

TrendChange Redefinition(std::size_t run) {
  TrendChange change;
  change.run = run;
  change.is_redefined = true;
  change.change.text = "another definition";
  return change;
}

// Terms for the devices of the latest run whose devices are known.
const DeviceWords& WordsOf(std::span<const gate::HistoryEntry* const> entries) {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const Accelerator found = AcceleratorOfName((*entry)->snapshot.Environment("gpu"));
    if (found != Accelerator::kUnknown) return DeviceWordsOf(found);
  }
  return DeviceWordsOf(Accelerator::kUnknown);
}

// `value_of` returns a run's value. For metrics, definitions count, too.
template <class ValueOfRun>
TrendSeries BuildSeries(std::span<const gate::HistoryEntry* const> entries, const Counted& counted,
                        const analysis::MetricSpec& spec, const ValueOfRun& value_of,
                        std::size_t& present) {
  TrendSeries series;
  Stretch stretch;
  std::int32_t definition = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const gate::Snapshot& run = entries[i]->snapshot;
    const std::optional<double> value = value_of(run);
    series.values.push_back(
        MakeQuantity(value ? Value{*value} : Value{}, spec.unit, "the run has no such value"));
    if (!value) continue;
    ++present;
    if (!counted.counts[i]) continue;
    if (definition != 0 && run.DefinitionOf(spec.id) != definition) {
      AddChanges(stretch, counted.level, spec, series);
      series.changes.push_back(Redefinition(i));
      stretch = {};
    }
    definition = run.DefinitionOf(spec.id);
    stretch.values.push_back(*value);
    stretch.runs.push_back(i);
  }
  AddChanges(stretch, counted.level, spec, series);
  return series;
}

TrendSeries SeriesOfMetric(std::span<const gate::HistoryEntry* const> entries,
                           const Counted& counted, const analysis::MetricSpec& spec,
                           std::size_t& present) {
  TrendSeries series = BuildSeries(
      entries, counted, spec, [&](const gate::Snapshot& run) { return ValueOf(run, spec.id); },
      present);
  series.metric = spec.id;
  series.title = InDeviceWords(spec.title, WordsOf(entries));
  return series;
}

// Adds the benchmarks of the last run, in its order.
void AddBenchmarks(std::span<const gate::HistoryEntry* const> entries, const Counted& counted,
                   std::vector<TrendSeries>& out) {
  if (entries.empty()) return;
  const auto& last = entries.back()->snapshot.work.benchmarks;
  for (const analysis::breakdown::WorkSum& named :
       std::span(last).first(std::min(last.size(), kMostBenchmarkSeries))) {
    const auto mean_of = [&](const gate::Snapshot& run) -> std::optional<double> {
      const auto& all = run.work.benchmarks;
      const auto found = std::ranges::find(all, named.name, &analysis::breakdown::WorkSum::name);
      return found == all.end() ? std::nullopt : gate::MeanOfBenchmark(*found);
    };
    std::size_t present = 0;
    TrendSeries series = BuildSeries(entries, counted, analysis::SpecOf(kMedian), mean_of, present);
    series.metric = std::string(kBenchmarkSeries) + named.name;
    series.title = "Benchmark " + named.name;
    if (present >= 2) out.push_back(std::move(series));
  }
}

std::string_view StateName(gate::HistoryState state) {
  switch (state) {
    case gate::HistoryState::kSteady:
      return "flat";
    case gate::HistoryState::kStep:
      return "step";
    case gate::HistoryState::kCreep:
      return "creep";
    case gate::HistoryState::kTooFew:
      break;
  }
  return {};
}

// Adds the step that `history check` found, if the search for levels found none: it has other
// values, or fewer runs after it. So a chart has the step that its sentence names.
void AddStep(std::span<const gate::ChosenRun> runs, std::span<const std::size_t> places,
             const gate::HistoryFindings& findings, const analysis::MetricSpec& spec,
             TrendSeries& series) {
  const auto is_new = [&](const TrendChange& change) { return change.run > places.front(); };
  if (findings.commits.empty() || std::ranges::any_of(series.changes, is_new)) return;
  const auto found = std::ranges::find_if(runs, [&](const gate::ChosenRun& run) {
    return run.row.commit == findings.commits.front() ||
           (run.row.commit.empty() &&
            fmt::format("run {}", run.row.id) == findings.commits.front());
  });
  if (found == runs.begin() || found == runs.end()) return;
  const auto at = static_cast<std::size_t>(found - runs.begin());
  const auto mean = [&](std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += AsNumber(series.values[places[i]].value, 0);
    return sum / static_cast<double>(to - from);
  };
  series.changes.push_back(
      BuildChange({at, mean(0, at), mean(at, runs.size()), findings.change}, places[at], spec));
}

// Adds the results of `history check` with its default limit.
void AddAnswers(std::span<const gate::HistoryEntry* const> entries, const Counted& counted,
                std::vector<TrendSeries>& series) {
  std::vector<gate::ChosenRun> runs;
  std::vector<std::size_t> places;
  for (std::size_t i = counted.level; i < entries.size(); ++i) {
    if (!counted.counts[i]) continue;
    runs.push_back({*entries[i], entries[i]->snapshot});
    places.push_back(i);
  }
  for (TrendSeries& one : series) {
    const analysis::MetricSpec* spec = analysis::FindMetric(one.metric);
    if (spec == nullptr || spec->direction == analysis::Direction::kNeutral) continue;
    const gate::HistoryFindings findings = gate::CheckHistory(runs, one.metric, {});
    one.state = StateName(findings.state);
    if (!one.state.empty()) one.answer = gate::FindingsText(findings);
    if (findings.state == gate::HistoryState::kStep) AddStep(runs, places, findings, *spec, one);
  }
}

}  // namespace

Trend BuildTrend(std::span<const gate::HistoryEntry* const> all, const std::string& branch,
                 std::span<const gate::HistoryLevel> levels) {
  Trend trend;
  std::vector<const gate::HistoryEntry*> entries;
  std::vector<gate::SkippedRun> others;
  for (const gate::HistoryEntry* entry : all) {
    std::string why = gate::WhyNotComparable(entry->snapshot, entry->model, all.back()->snapshot,
                                             all.back()->model);
    if (why.empty()) {
      entries.push_back(entry);
    } else {
      others.push_back({entry->id, std::move(why)});
    }
  }
  if (!others.empty()) {
    trend.left_out = gate::SkippedText(others) + ", not comparable with the last run";
  }
  const std::size_t benchmarks = all.empty() ? 0 : all.back()->snapshot.work.benchmarks.size();
  if (benchmarks > kMostBenchmarkSeries) {
    trend.left_out +=
        fmt::format("{}{} benchmarks after the first {}", trend.left_out.empty() ? "" : "; ",
                    benchmarks - kMostBenchmarkSeries, kMostBenchmarkSeries);
  }
  if (entries.size() > gate::stats::kMostStepped) {
    trend.left_out += fmt::format("{}steps before the last {} runs, in which they are looked for",
                                  trend.left_out.empty() ? "" : "; ", gate::stats::kMostStepped);
  }
  trend.tool = std::string("profgauge ") + kVersion;
  trend.branch = branch;
  for (const gate::HistoryEntry* entry : entries) {
    TrendRun& run = trend.runs.emplace_back();
    run.id = entry->id;
    run.added =
        fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(static_cast<std::time_t>(entry->time)));
    run.branch = entry->branch;
    run.commit = entry->commit;
    run.name = entry->snapshot.name;
    run.verdict = entry->verdict;
    run.iterations = static_cast<std::int64_t>(entry->snapshot.iteration_times.size());
  }
  const Counted counted = CountedOf(entries, levels);
  for (const MetricId id : kMetrics) {
    std::size_t present = 0;
    TrendSeries series = SeriesOfMetric(entries, counted, analysis::SpecOf(id), present);
    if (present >= 2 || id == kMedian) trend.series.push_back(std::move(series));
  }
  AddBenchmarks(entries, counted, trend.series);
  // Load tests and benchmarks have no iterations.
  const bool has_median = std::ranges::any_of(entries, [](const auto* entry) {
    return gate::MedianIteration(entry->snapshot).has_value();
  });
  if (!has_median && trend.series.size() > 1) trend.series.erase(trend.series.begin());
  AddAnswers(entries, counted, trend.series);
  return trend;
}

}  // namespace profgauge::report
