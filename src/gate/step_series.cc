#include "gate/step_series.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/time/warmup.h"
#include "base/metric_id.h"
#include "knowledge/unrecorded.h"

namespace profgauge {
namespace {

bool IsUnusual(const Snapshot& run, std::size_t place) {
  return std::ranges::binary_search(run.steps_unusual, static_cast<std::uint32_t>(place));
}

std::vector<double> UsualOf(const Snapshot& run) {
  std::vector<double> usual;
  for (std::size_t i = 0; i < run.step_times.size(); ++i) {
    if (!IsUnusual(run, i)) usual.push_back(static_cast<double>(run.step_times[i]));
  }
  return usual;
}

bool HasSteps(const Snapshot& run) {
  return run.step_times.size() >= run.steps_unusual.size() + knowledge::kUnrecordedConfidentLeast;
}

stats::Series SeriesOfSteps(std::vector<double> values) {
  stats::Series series{std::move(values)};
  series.warmup = stats::FindWarmup(series.values);
  return series;
}

std::size_t CountOf(const SeriesList& runs) {
  std::size_t count = 0;
  for (const stats::Series& run : runs) count += run.values.size();
  return count;
}

}  // namespace

StepsUse StepsUseOf(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates) {
  const bool base = std::ranges::all_of(baselines, HasSteps);
  const bool current = std::ranges::all_of(candidates, HasSteps);
  if (!base || !current) return base || current ? StepsUse::kOneSide : StepsUse::kNone;
  const bool is_single = baselines.front().steps_a_value == 1;
  const auto is_other = [&](const Snapshot& run) { return (run.steps_a_value == 1) != is_single; };
  const bool differ =
      std::ranges::any_of(baselines, is_other) || std::ranges::any_of(candidates, is_other);
  return differ ? StepsUse::kOtherSampling : StepsUse::kBoth;
}

bool IsOfSteps(std::string_view metric) {
  return metric == metric::kStepTimeMean || metric == metric::kStepTimeMedian ||
         metric == metric::kStepTimeP95 || metric == metric::kStepTimeMax ||
         metric == metric::kStepTimeRobustCv;
}

SeriesList UsualSteps(std::span<const Snapshot> runs) {
  SeriesList all;
  for (const Snapshot& run : runs) all.push_back(SeriesOfSteps(UsualOf(run)));
  return all;
}

SeriesList AllSteps(std::span<const Snapshot> runs) {
  SeriesList all;
  for (const Snapshot& run : runs) {
    all.push_back(SeriesOfSteps({run.step_times.begin(), run.step_times.end()}));
  }
  return all;
}

std::vector<double> StepValues(std::span<const Snapshot> runs) {
  std::vector<double> all;
  for (const Snapshot& run : runs) {
    const std::vector<double> usual = UsualOf(run);
    all.insert(all.end(), usual.begin(), usual.end());
  }
  return all;
}

std::string StepCounts(const SeriesList& base, const SeriesList& current) {
  return fmt::format("by {} unrecorded iterations, the baseline's {}", CountOf(current),
                     CountOf(base));
}

}  // namespace profgauge
