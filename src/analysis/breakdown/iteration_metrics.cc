#include "analysis/breakdown/iteration_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analysis/breakdown/iteration_stats.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/catalog/part_metrics.h"
#include "analysis/iterations/observed.h"
#include "base/metric_id.h"
#include "knowledge/collectives.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::breakdown {
namespace {

// Rounds to whole ns: a mean of times is no more exact than the times.
Value RoundedTime(double nanoseconds) {
  return static_cast<std::int64_t>(std::llround(nanoseconds));
}

}  // namespace

// Uses pairs of consecutive iterations. If numbers jump, the next one is missing.
void SetPeriods(std::span<const RunIteration> run, catalog::Output& out) {
  std::vector<double> periods;
  Ns all = 0, between = 0;
  for (const RunIteration& iteration : run) {
    if (!iteration.period) continue;
    periods.push_back(static_cast<double>(*iteration.period));
    all += *iteration.period;
    between += std::max<Ns>(0, *iteration.period - iteration.duration);
  }
  if (all <= 0) {
    const std::string reason = "needs two consecutive iterations";
    out.SetAbsent(metric::kIterationPeriodMedian, reason);
    out.SetAbsent(metric::kIterationPeriodMean, reason);
    return out.SetAbsent(metric::kIterationBetweenShare, reason);
  }
  const SeriesStats of_periods = Describe(periods);
  out.Set(metric::kIterationPeriodMedian, RoundedTime(of_periods.median));
  out.Set(metric::kIterationPeriodMean, RoundedTime(of_periods.mean));
  out.Set(metric::kIterationBetweenShare, static_cast<double>(between) / static_cast<double>(all));
}

// Notes whether changing kernels explain a part of the lengths, and whether iterations are few.
void SetNoteOfVariance(std::span<const double> durations, std::span<const double> alike,
                       const knowledge::TunableThresholds& thresholds, catalog::Output& out) {
  const bool is_of_rest = !std::ranges::equal(durations, alike);
  const bool is_low = durations.size() < thresholds.iterations_confident_least;
  std::string note;
  if (is_low) {
    note = fmt::format("low confidence: {} iterations ({} or more are needed)", durations.size(),
                       thresholds.iterations_confident_least.value());
  }
  if (is_of_rest) {
    note += note.empty() ? "" : "; ";
    note += "the inputs change: it is of the time that the kernels do not explain";
  }
  if (!note.empty()) out.SetNote(metric::kIterationTimeRobustCv, std::move(note), is_low);
}

// A statistic has two minimum numbers of values: to be computed, and to be reliable. The robust
// variation and the outliers use `alike`; all other statistics, including the standard deviation,
// use the real lengths.
void SetStatistics(std::span<const double> durations, std::span<const double> alike,
                   const knowledge::TunableThresholds& thresholds, catalog::Output& out) {
  SeriesStats stats = Describe(durations, thresholds.iterations_outlier_deviations);
  const SeriesStats of_alike = Describe(alike, thresholds.iterations_outlier_deviations);
  stats.robust_cv = of_alike.robust_cv;
  stats.outliers = of_alike.outliers;
  out.Set(metric::kIterationTimeMean, RoundedTime(stats.mean));
  out.Set(metric::kIterationTimeMedian, RoundedTime(stats.median));
  out.Set(metric::kIterationTimeMin, RoundedTime(stats.min));
  out.Set(metric::kIterationTimeMax, RoundedTime(stats.max));
  out.Set(metric::kIterationTimeP95, RoundedTime(stats.p95));
  const auto set = [&](MetricId id, std::optional<double> value, std::size_t needed, bool is_time) {
    if (value) {
      out.Set(id, is_time ? RoundedTime(*value) : Value(*value));
      return;
    }
    out.SetAbsent(
        id, durations.size() < needed
                ? fmt::format(
                      "needs at least {} iterations ({} selected); record more: {}", needed,
                      durations.size(),
                      out.HowToRecord(Capability::kIterationMarkers, "put a marker around each"))
                : "the iterations have no length");
  };
  set(metric::kIterationTimeStddev, stats.stddev, 2, true);
  set(metric::kIterationTimeCv, stats.cv, 2, false);
  set(metric::kIterationTimeRobustCv, stats.robust_cv, 2, false);
  set(metric::kIterationDrift, stats.drift, 3, false);
  // With fewer iterations the spread is too uncertain: outliers would be random.
  if (durations.size() >= knowledge::kIterationsOutlierLeast) {
    out.Set(metric::kIterationOutliers, stats.outliers);
  } else {
    set(metric::kIterationOutliers, std::nullopt,
        knowledge::kIterationsOutlierLeast.as<std::size_t>(), false);
  }
  if (stats.robust_cv) SetNoteOfVariance(durations, alike, thresholds, out);
  // Neighboring iterations depend on each other; with so few, drift would be random.
  if (durations.size() >= knowledge::kIterationsOutlierLeast) return;
  for (const MetricId id : {metric::kIterationTimeCv, metric::kIterationDrift}) {
    if (!out.IsSet(id)) continue;
    out.SetNote(id, fmt::format("low confidence: {} iterations ({} or more are needed)",
                                durations.size(), knowledge::kIterationsOutlierLeast.value()));
  }
}

// Why the time of a part is unknown: no such events were recorded. Empty if they were.
std::string WhyUntold(std::span<const IterationFacts> ranks, Category part,
                      const catalog::Output& out) {
  const auto any = [&](auto has) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [&](const IterationFacts& rank) { return has(rank); });
  };
  switch (part) {
    case Category::kRuntime:
      return any([](const IterationFacts& f) { return f.has_api; })
                 ? ""
                 : "needs the host's runtime calls, which this profile does not have";
    case Category::kDataLoader:
    case Category::kCpu:
      return any([](const IterationFacts& f) { return f.has_host; })
                 ? ""
                 : out.Gap(Capability::kHostOps);
    case Category::kTensorCoreKernel:
    case Category::kOtherKernel:
    case Category::kMemcpy:
    case Category::kMemset:
      return any([](const IterationFacts& f) { return f.has_device; })
                 ? ""
                 : out.Gap(Capability::kDeviceEvents);
    default:
      return {};
  }
}

void SetBreakdown(std::span<const IterationFacts> ranks, const Breakdown& sums, Ns whole,
                  catalog::Output& out) {
  for (std::size_t i = 0; i < kBreakdownCategories; ++i) {
    const auto category = static_cast<Category>(i);
    const PartMetrics& id = kBreakdownMetrics[i];
    const std::string untold = WhyUntold(ranks, category, out);
    if (whole > 0 && !untold.empty() && sums[i] == 0) {
      catalog::SetPartAbsent(id, untold, out);
      continue;
    }
    catalog::SetPart(id, sums[i], whole, out);
  }
}

namespace {

// Returns the one-off loading time, far above that of the other iterations, on the rank with most
// of it. For example, an epoch's first batch starts the loader's processes.
Ns MostLoadedOnce(std::span<const IterationFacts> ranks) {
  Ns most = 0;
  for (const IterationFacts& rank : ranks) {
    std::vector<Ns> waits;
    for (const Breakdown& parts : rank.parts) {
      waits.push_back(parts[static_cast<std::size_t>(Category::kDataLoader)]);
    }
    most = std::max(most, iterations::OnlyOnce(waits));
  }
  return most;
}

}  // namespace

// `exposed`: time inside of the iterations, whose total length is `whole`.
void SetLoader(std::span<const IterationFacts> ranks, Ns exposed, Ns whole, catalog::Output& out) {
  LoaderTimes all;
  for (const IterationFacts& rank : ranks) {
    all.between += rank.loader.between;
    all.stalled += rank.loader.stalled;
  }
  std::string untold = WhyUntold(ranks, Category::kDataLoader, out);
  if (exposed + all.stalled > 0) untold.clear();
  if (whole <= 0) untold = "the iterations have no length";
  if (!untold.empty()) {
    for (const MetricId id : {metric::kDataloaderExposedShare, metric::kDataloaderExposedTime,
                              metric::kDataloaderExposedOnce, metric::kDataloaderStalledTime}) {
      out.SetAbsent(id, untold);
    }
    return;
  }
  out.Set(metric::kDataloaderExposedShare,
          static_cast<double>(exposed + all.between) / static_cast<double>(whole + all.between));
  out.Set(metric::kDataloaderExposedTime, exposed + all.between);
  out.Set(metric::kDataloaderExposedOnce, MostLoadedOnce(ranks));
  out.Set(metric::kDataloaderStalledTime, all.stalled);
}

}  // namespace profgauge::analysis::breakdown
