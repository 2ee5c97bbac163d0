#include "analysis/recording/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/kernels.h"

namespace profgauge::analysis::recording {
namespace {

double Measured(MetricId id, const tables::Output& out) { return AsNumber(out.ValueOf(id), 0); }

double Part(double part, double whole) { return whole > 0 ? part / whole : 0; }

// As if a device idled while only whole graphs run: the other end of the possible values. The
// measured values count it as busy then. Over the GPUs with work of all ranks, as
// analysis/context/utilization.h pools them.
struct WorstUse {
  std::size_t gpus = 0;
  Ns graphs = 0, observed = 0;
  double idle = 0, most_idle = 0, idle_time = 0, longest_idle = 0;
  double used = 0, least_used = 1;

  void Add(const context::GpuUse& use, double iterations) {
    const auto open = static_cast<double>(use.whole_graphs);
    const double share = use.idle_share() + Part(open, static_cast<double>(use.observed));
    const double time =
        static_cast<double>(use.observed - use.busy + use.whole_graphs) / iterations;
    const double utilization =
        std::max(0.0, use.utilization() - Part(open, static_cast<double>(use.window)));
    ++gpus;
    graphs += use.whole_graphs;
    observed += use.observed;
    idle += share;
    most_idle = std::max(most_idle, share);
    idle_time += time;
    longest_idle = std::max(longest_idle, time);
    used += utilization;
    least_used = std::min(least_used, utilization);
  }
  double share() const { return Part(static_cast<double>(graphs), static_cast<double>(observed)); }
  double MeanOf(double sum) const { return sum / static_cast<double>(gpus); }
};

WorstUse WorstUseOf(std::span<const context::RankContext> ranks) {
  WorstUse worst;
  for (const context::RankContext& rank : ranks) {
    if (rank.window().length() <= 0) continue;
    const auto iterations =
        static_cast<double>(std::max<std::size_t>(rank.iterations.selected().size(), 1));
    for (const context::GpuUse& use : rank.gpus) worst.Add(use, iterations);
  }
  return worst;
}

// Sets the far end of the metric's possible values, with the direction in words.
void Bound(MetricId id, double other, tables::Output& out) {
  const bool is_more = other > Measured(id, out);
  std::string bound = std::isinf(other) ? "perhaps more"
                                        : fmt::format("{} to {}", is_more ? "up" : "down",
                                                      FormatValue(other, SpecOf(id).unit));
  out.MayBe(id, other, fmt::format("{}, as {}", bound, tables::kWholeGraphs));
}

void BoundUse(const WorstUse& worst, tables::Output& out) {
  Bound(metric::kGpuIdleMean, worst.MeanOf(worst.idle), out);
  Bound(metric::kGpuIdleMax, worst.most_idle, out);
  Bound(metric::kGpuIdleTimeMean, worst.MeanOf(worst.idle_time), out);
  Bound(metric::kGpuIdleTimeMax, worst.longest_idle, out);
  Bound(metric::kGpuUtilizationMean, worst.MeanOf(worst.used), out);
  Bound(metric::kGpuUtilizationMin, worst.least_used, out);
  // Blocks of its kernels are unknown, and count as none.
  constexpr MetricId kCores = metric::kGpuSmEfficiency;
  Bound(kCores, std::min(1.0, Measured(kCores, out) + worst.share()), out);
}

// A program of one device has no one to communicate with.
bool MayCommunicate(std::span<const context::RankContext> ranks, const WorstUse& worst,
                    const tables::Output& out) {
  return ranks.size() > 1 || worst.gpus > 1 || Measured(metric::kCommunicationTime, out) > 0 ||
         std::any_of(ranks.begin(), ranks.end(), [](const context::RankContext& rank) {
           return rank.profile->distributed.world_size > 1;
         });
}

void BoundCommunication(const WorstUse& worst, tables::Output& out) {
  const auto graphs = static_cast<double>(worst.graphs);
  const double time = Measured(metric::kCommunicationTime, out);
  const double hidden = time * Measured(metric::kCommunicationOverlap, out);
  for (const MetricId id : {metric::kCommunicationExposedShare, metric::kBreakdownCommunication}) {
    Bound(id, std::min(1.0, Measured(id, out) + worst.share()), out);
  }
  for (const MetricId id : {metric::kCommunicationTime, metric::kBreakdownCommunicationTime}) {
    Bound(id, Measured(id, out) + graphs, out);
  }
  Bound(metric::kCommunicationOverlap, Part(hidden, time + graphs), out);
  for (const MetricId id : {metric::kCommunicationExposedShare, metric::kCommunicationTime}) {
    if (out.IsSet(id)) continue;
    out.SetAbsent(id, fmt::format("no recorded kernel is known to communicate, and {}",
                                  tables::kWholeGraphs));
  }
}

// A graph may contain any number of kernels, so the far end of counts is infinite.
void BoundKernels(tables::Output& out) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  Bound(metric::kKernelCountPerIteration, kAny, out);
  Bound(metric::kTensorCoreKernelsPerIteration, kAny, out);
  Bound(metric::kKernelShortShare, 1, out);
  out.MarkUncertain(metric::kGpuOccupancy, tables::kWholeGraphs);
}

}  // namespace

void BoundByWholeGraphs(std::span<const context::RankContext> ranks, tables::Output& out) {
  const WorstUse worst = WorstUseOf(ranks);
  if (worst.graphs == 0) return;
  out.AddRemark("whole-graphs",
                fmt::format("for {} of the time only CUDA graphs run that were recorded as a "
                            "whole: their kernels, and whether the GPU is busy in them, are "
                            "unknown; record with `nsys profile --cuda-graph-trace=node`",
                            FormatShare(worst.share())));
  BoundUse(worst, out);
  if (MayCommunicate(ranks, worst, out)) BoundCommunication(worst, out);
  if (worst.share() >= knowledge::kKernelsFewGraphsShare) BoundKernels(out);
}

}  // namespace profgauge::analysis::recording
