#include "gate/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/metric_id.h"
#include "gate/change_text.h"
#include "gate/compare.h"
#include "gate/compare_series.h"
#include "gate/constants.h"
#include "gate/estimate.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// An iteration is a stall if it exceeds the typical one by this many spreads and by a tenth.
constexpr double kStallSpreads = 5;
constexpr double kLeastStall = 0.1;
// The proposed floor is rounded up to a tenth of a percent.
constexpr double kFloorStep = 0.001;
constexpr std::int64_t kRunsForLessNoise = knowledge::kGateRunsForLessNoise.as<std::int64_t>();
// The variance of a Hodges-Lehmann shift in that of a difference of means (normal values): pi/3.
constexpr double kShiftVariance = 1.0472;

std::vector<double> LogsOf(const stats::Series& series) {
  std::vector<double> logs;
  for (const double value : series.values) logs.push_back(std::log(value));
  return logs;
}

// The time that stalls take beyond typical iterations, as a share of all time.
double StallShare(const std::vector<double>& logs, double level, double spread) {
  double stalled = 0, all = 0;
  for (const double value : logs) {
    const double time = std::exp(value - level);
    all += time;
    if (value - level > std::max(kLeastStall, kStallSpreads * spread)) stalled += time - 1;
  }
  return stalled / all;
}

// Proposes a noise floor, with the reason. A few runs that happen to agree would give a floor so
// low that the next equal run fails: three runs with 0.4 % between them showed 0.05 %.
std::string FloorText(const BaselinePower& power) {
  const bool is_assumed = power.runs < kRunsForLessNoise && power.between < stats::kUsualNoiseFloor;
  if (!is_assumed) {
    return fmt::format("Write into the policy: `baseline: {{noise_floor: {:.1f}%}}`",
                       power.noise_floor * 100);
  }
  return fmt::format("Keep the default `noise_floor: {:.1f}%`: it takes {} runs to show less noise",
                     power.noise_floor * 100, kRunsForLessNoise);
}

}  // namespace

// The noise between runs is the spread of their medians. This includes the noise of iterations, so
// it is rather too large than too small.
BaselinePower MeasurePower(std::span<const Snapshot> runs, const rules::PolicyBaseline& policy) {
  BaselinePower power;
  power.runs = static_cast<std::int64_t>(runs.size());
  std::vector<double> levels, spreads, stalls;
  stats::Autocorrelation correlation;
  std::size_t shortest = static_cast<std::size_t>(-1);
  for (const stats::Series& series : TimesOf(runs, metric::kIterationTimeMedian.text())) {
    const std::vector<double> logs = LogsOf(series);
    const std::span<const double> steady = std::span(logs).subspan(series.warmup);
    levels.push_back(stats::Median(steady));
    spreads.push_back(stats::RobustSigma(steady));
    stalls.push_back(StallShare(logs, levels.back(), spreads.back()));
    correlation.Add(steady);
    shortest = std::min(shortest, logs.size());
  }
  power.iterations = static_cast<std::int64_t>(shortest);
  power.between = std::sqrt(stats::Variance(levels));
  power.spread = stats::Median(spreads);
  power.correlation = correlation.Estimate();
  power.stalls = stats::Median(stalls);
  power.noise_floor = std::max(kFloorStep, std::ceil(power.between / kFloorStep) * kFloorStep);
  if (power.runs < kRunsForLessNoise) {
    power.noise_floor = std::max(power.noise_floor, stats::kUsualNoiseFloor);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<Snapshot> others(runs.begin(), runs.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<std::string> notes;
    bool fails = false, is_open = false;
    const WorkChange work = CompareWork(others, runs.subspan(i, 1));
    for (const MetricComparison& of : CompareMetrics(others, runs.subspan(i, 1), policy, work,
                                                     notes, ComparePurpose::kExplain)) {
      if (of.is_missing || of.level != rules::Level::kError) continue;
      fails |= of.verdict == stats::Change::kFail;
      is_open |= of.over_limit;
    }
    power.fails += fails;
    power.undecided += !fails && is_open;
  }
  return power;
}

namespace {

// The expected distance of the slowest of `runs` normal values from their median, in standard
// deviations: the quantile of its expected rank (Blom 1958).
double SlowestOf(double runs) {
  constexpr double kNormal = 1e6;  // Degrees of freedom.
  return runs < 2 ? 0 : profgauge::StudentQuantile((runs - 0.375) / (runs + 0.25), kNormal);
}

}  // namespace

double SeenWith(const BaselinePower& power, std::int64_t iterations, std::int64_t runs,
                double limit) {
  const auto n = static_cast<double>(iterations);
  const auto k = static_cast<double>(runs);
  const double floor = power.noise_floor, nu = 2 * n - 2, assumed = stats::kAssumedSpread * floor;
  const double own = kShiftVariance * power.spread * power.spread;
  const double variance =
      (nu * own + stats::kAssumedWeight * assumed * assumed) / (nu + stats::kAssumedWeight) * 2 / n;
  const double factor =
      stats::MedianFactor(static_cast<std::size_t>(runs)) + stats::MedianFactor(std::size_t{1});
  stats::Estimate estimate;
  estimate.within = variance * stats::ErrorInflation(power.correlation, n) * factor / 2;
  estimate.between = floor * floor * factor;
  estimate.runs = static_cast<std::size_t>(runs);
  estimate.spread = floor;
  estimate.slowest = floor * SlowestOf(k);
  stats::CompareOptions options;
  options.limit = limit;
  return std::expm1(estimate.Sees(stats::MakeLimits(options)));
}

std::string PowerText(const BaselinePower& power, double limit) {
  std::string text = fmt::format(
      "{} runs of at least {} iterations, each against the others: {} fail, {} undecided\n\n"
      "  noise between runs       {}\n"
      "  spread of iterations     {}\n"
      "  autocorrelation          {:.2f}\n"
      "  time in stalls           {}\n\n"
      "{}\n\n"
      "Smallest change that is found in nine of ten, limit {}:\n\n  iterations",
      power.runs, power.iterations, power.fails, power.undecided, FormatShare(power.between),
      FormatShare(power.spread), power.correlation, FormatShare(power.stalls), FloorText(power),
      RelativeChange(limit));
  constexpr std::int64_t kRuns[] = {1, 3, 5, 10};
  constexpr std::int64_t kIterations[] = {5, 12, 20, 50, 200, 1000};
  for (const std::int64_t runs : kRuns) {
    text += fmt::format("  {:>10}", fmt::format("{} run{}", runs, runs == 1 ? "" : "s"));
  }
  for (const std::int64_t iterations : kIterations) {
    text += fmt::format("\n  {:>10}", iterations);
    for (const std::int64_t runs : kRuns) {
      text += fmt::format("  {:>10}",
                          fmt::format("+{:.1f} %", 100 * SeenWith(power, iterations, runs, limit)));
    }
  }
  return text + "\n";
}

}  // namespace profgauge::gate
