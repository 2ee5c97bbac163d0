#include "analysis/recording/unrecorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/context/utilization.h"
#include "analysis/time/iteration_stats.h"
#include "base/format.h"
#include "base/interval.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "knowledge/gate.h"
#include "knowledge/unrecorded.h"

namespace profgauge::analysis::recording {
namespace {

constexpr MetricId kOfSteps[] = {
    metric::kStepCount,        metric::kStepTimeMean,     metric::kStepTimeMedian,
    metric::kStepTimeMin,      metric::kStepTimeMax,      metric::kStepTimeP95,
    metric::kStepTimeRobustCv, metric::kStepOutliers,     metric::kStepDrift,
    metric::kStepThroughput,   metric::kStepPerturbation, metric::kRunTimeMean,
    metric::kRunUnusualShare};
constexpr MetricId kCorrected[] = {metric::kGpuIdleUnrecorded, metric::kGpuUtilizationUnrecorded,
                                   metric::kFlopsMfuUnrecorded};

template <std::size_t N>
void SetAllAbsent(const MetricId (&ids)[N], const std::string& why, tables::Output& out) {
  for (const MetricId id : ids) out.SetAbsent(id, why);
}

Value RoundedNs(double nanoseconds) { return static_cast<std::int64_t>(std::llround(nanoseconds)); }

/// Work of one device in an iteration, by bounds.
struct Busy {
  double union_of_all = 0, kernels = 0;  ///< ns per iteration.
  double low = 0, high = 0;              ///< Range of `union_of_all` without the profiler.
  double error = 0;                      ///< Relative error of the mean over iterations.
};

/// The additions of one device's rows to an iteration.
struct DeviceSums {
  std::map<std::int64_t, double> of_stream;
  double all = 0;
  std::vector<double> of_iteration;
  SpanCollector computing;  ///< All but collectives.
};

void AddRow(const context::RankContext& rank, std::size_t row, DeviceSums& sums) {
  const DeviceTable& device = rank.profile->device;
  const auto length = static_cast<double>(device.duration[row]);
  sums.of_stream[device.stream[row]] += length;
  sums.all += length;
  const std::uint32_t index = rank.iterations.of_device[row];
  if (index != context::Iterations::kNone && rank.iterations.SelectsIteration(index)) {
    sums.of_iteration[index - rank.iterations.first] += length;
  }
  if (!rank.classes[row].collective) sums.computing.Add(device.start[row], device.duration[row]);
}

double ErrorOfMean(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return 0;
  const time::SeriesStats stats = time::Describe(values);
  return stats.cv.value_or(0) / std::sqrt(n);
}

/// `waiting`: per iteration, of collectives whose ranks are all there; nothing: all of a
/// collective may be waiting.
/// Without the profiler work of different streams may overlap differently, so the device is busy
/// for at least the busiest stream and at most the sum of all:
///
///   stream 1   |######|            6
///   stream 2       |######|        6      union 10, low 6, high 12
///
/// Collectives also wait for ranks that are faster without the profiler: `low` is without that.
std::vector<Busy> BusyOf(const context::RankContext& rank, bool communicates,
                         std::optional<double> waiting) {
  const auto count = static_cast<double>(rank.iterations.selected().size());
  std::vector<Busy> all;
  std::map<std::int32_t, DeviceSums> sums;
  const DeviceTable& device = rank.profile->device;
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (!rank.iterations.CountsDevice(static_cast<std::uint32_t>(row))) continue;
    DeviceSums& of = sums[device.gpu[row]];
    of.of_iteration.resize(rank.iterations.selected().size());
    AddRow(rank, row, of);
  }
  for (const context::GpuUse& use : context::MeasureGpus(rank)) {
    Busy& busy = all.emplace_back();
    busy.union_of_all = static_cast<double>(use.busy) / count;
    busy.kernels = static_cast<double>(use.kernel_busy) / count;
    busy.low = busy.high = busy.union_of_all;
    const auto found = sums.find(use.gpu);
    if (found == sums.end()) {  // A summary: collectives may be all of it.
      if (communicates && !waiting) busy.low = 0;
      if (communicates && waiting) busy.low = busy.union_of_all - *waiting;
      continue;
    }
    DeviceSums& of = found->second;
    double busiest = 0;
    for (const auto& [stream, time] : of.of_stream) busiest = std::max(busiest, time / count);
    const double computing = static_cast<double>(Length(of.computing.Take())) / count;
    busy.low = std::min(busiest, busy.union_of_all);
    if (computing < busy.union_of_all && communicates) {
      busy.low = std::min(busy.low, waiting ? busy.union_of_all - *waiting : computing);
    }
    busy.high = std::max(busy.union_of_all, of.all / count);
    busy.error = ErrorOfMean(of.of_iteration);
  }
  return all;
}

/// The recorded iteration that an unrecorded one is compared with: from start to start where
/// something is between them.
double RecordedLength(const tables::Output& out) {
  const double between = AsNumber(out.ValueOf(metric::kIterationBetweenShare), 0);
  const MetricId id =
      between >= knowledge::kGateMuchBetween.value() && out.IsSet(metric::kIterationPeriodMedian)
          ? metric::kIterationPeriodMedian
          : metric::kIterationTimeMedian;
  return AsNumber(out.ValueOf(id), 0);
}

std::string Times(double ns) { return FormatDuration(ns); }

void SetSteps(const JudgedSteps& steps, tables::Output& out) {
  const time::SeriesStats stats = time::Describe(steps.usual);
  const double median = steps.level.median;
  out.Set(metric::kStepCount, static_cast<std::int64_t>(steps.level.values) * steps.a_value);
  out.Set(metric::kStepTimeMean, RoundedNs(stats.mean));
  out.Set(metric::kStepTimeMedian, RoundedNs(median));
  out.Set(metric::kStepTimeMin, RoundedNs(stats.min));
  out.Set(metric::kStepTimeMax, RoundedNs(stats.max));
  out.Set(metric::kStepTimeP95, RoundedNs(stats.p95));
  if (stats.robust_cv) out.Set(metric::kStepTimeRobustCv, *stats.robust_cv);
  out.Set(metric::kStepOutliers, stats.outliers);
  if (stats.drift) out.Set(metric::kStepDrift, *stats.drift);
  const std::string interval =
      fmt::format("95 % CI {} to {}, {} iterations{}{}", Times(median * (1 - steps.level.own)),
                  Times(median * (1 + steps.level.own)),
                  steps.level.values * static_cast<std::size_t>(steps.a_value),
                  steps.a_value > 1 ? fmt::format(" as means of {}", steps.a_value) : "",
                  steps.is_before_only ? " before the profile" : "");
  out.SetInterval(metric::kStepTimeMedian, median * (1 - steps.level.own),
                  median * (1 + steps.level.own), interval);
  const bool are_single = steps.a_value == 1 && steps.clock != StepClock::kHost;
  if (!are_single) {
    const std::string why =
        steps.a_value > 1 ? "the values are means of several iterations"
                          : "the host's clock runs ahead of the device: single iterations are "
                            "inexact";
    for (const MetricId id : {metric::kStepTimeMin, metric::kStepTimeMax, metric::kStepTimeP95,
                              metric::kStepTimeRobustCv, metric::kStepOutliers}) {
      if (out.IsSet(id)) out.SetNote(id, why, true);
    }
  }
  if (steps.work > 0) {
    out.Set(metric::kStepThroughput, steps.work / (median / 1e9));
    out.SetNote(metric::kStepThroughput, steps.work_name + " per second");
  } else {
    out.SetAbsent(metric::kStepThroughput, "needs the work of a step: `StepClock(tokens=…)`");
  }
  double all = 0, unusual = 0;
  for (const Ns length : steps.lengths) all += static_cast<double>(length);
  for (const std::uint32_t place : steps.unusual)
    unusual += static_cast<double>(steps.lengths[place]);
  out.Set(metric::kRunTimeMean, RoundedNs(all / static_cast<double>(steps.lengths.size())));
  out.Set(metric::kRunUnusualShare, unusual / all);
}

/// By how much the profiler slows the run, with the interval of both.
void SetPerturbation(std::span<const context::RankContext> ranks, const JudgedSteps& steps,
                     tables::Output& out) {
  const double recorded = RecordedLength(out);
  if (recorded <= 0 || ranks.front().iterations.is_whole) {
    return out.SetAbsent(metric::kStepPerturbation, "needs recorded iterations");
  }
  const double ratio = recorded / steps.level.median;
  std::vector<double> lengths;
  for (const context::Iteration& iteration : ranks.front().iterations.selected()) {
    lengths.push_back(static_cast<double>(iteration.time.length()));
  }
  // As precise as the medians are; of few recorded iterations by their spread.
  const double spread = time::Describe(lengths).cv.value_or(0);
  const double n = static_cast<double>(lengths.size());
  const double own = lengths.size() < 2 ? 0 : StudentQuantile(0.975, n - 1) * spread / std::sqrt(n);
  const double error = std::hypot(own, steps.level.own);
  out.Set(metric::kStepPerturbation, ratio);
  out.SetInterval(metric::kStepPerturbation, std::max(0.0, ratio * (1 - error)),
                  ratio * (1 + error),
                  fmt::format("95 % CI {:.2f} to {:.2f}", std::max(0.0, ratio * (1 - error)),
                              ratio * (1 + error)));
}

/// A number of 0 to 1 and how far it may be off.
struct Corrected {
  double value = 0, low = 0, high = 0;
};

/// Idle time of one device without the profiler.
/// Work takes as long without the profiler, only the pauses are shorter: 60 ms of work in a
/// recorded iteration of 100 ms are 40 % idle time, in an unrecorded one of 80 ms 25 %.
Corrected IdleOf(const Busy& busy, const StepLevel& level) {
  const double length = level.median;
  const auto idle = [length](double work) { return 1 - work / length; };
  const double value = idle(busy.union_of_all);
  const double error =
      (1 - value) * std::hypot(knowledge::kUnrecordedKernelError.value(), busy.error, level.own);
  return {std::clamp(value, 0.0, 1.0), std::clamp(idle(busy.high) - error, 0.0, 1.0),
          std::clamp(idle(busy.low) + error, 0.0, 1.0)};
}

Corrected MeanOf(const std::vector<Corrected>& all) {
  Corrected mean;
  for (const Corrected& one : all) {
    mean.value += one.value / static_cast<double>(all.size());
    mean.low += one.low / static_cast<double>(all.size());
    mean.high += one.high / static_cast<double>(all.size());
  }
  return mean;
}

void SetShare(MetricId id, const Corrected& share, tables::Output& out) {
  out.Set(id, share.value);
  out.SetInterval(id, share.low, share.high,
                  fmt::format("{} to {}", FormatShare(share.low), FormatShare(share.high)));
}

void SetCorrected(const std::vector<Busy>& devices, const JudgedSteps& steps, tables::Output& out) {
  std::vector<Corrected> idle, used;
  for (const Busy& busy : devices) {
    idle.push_back(IdleOf(busy, steps.level));
    Busy kernels = busy;
    kernels.union_of_all = busy.kernels;
    kernels.low = std::min(busy.low, busy.kernels);
    kernels.high = busy.kernels + busy.high - busy.union_of_all;
    const Corrected free = IdleOf(kernels, steps.level);
    used.push_back({1 - free.value, 1 - free.high, 1 - free.low});
  }
  SetShare(metric::kGpuIdleUnrecorded, MeanOf(idle), out);
  SetShare(metric::kGpuUtilizationUnrecorded, MeanOf(used), out);
}

// The same FLOPs in the unrecorded time.
void SetMfu(const JudgedSteps& steps, tables::Output& out) {
  if (!out.IsSet(metric::kFlopsMfu)) {
    return out.SetAbsent(metric::kFlopsMfuUnrecorded, "needs the FLOPs of the operators");
  }
  const double factor = AsNumber(out.ValueOf(metric::kIterationTimeMean), 0) / steps.level.median;
  const double mfu = AsNumber(out.ValueOf(metric::kFlopsMfu), 0) * factor;
  out.Set(metric::kFlopsMfuUnrecorded, mfu);
  out.SetInterval(metric::kFlopsMfuUnrecorded, mfu * (1 - steps.level.own),
                  mfu * (1 + steps.level.own),
                  fmt::format("{} to {}", FormatShare(mfu * (1 - steps.level.own)),
                              FormatShare(mfu * (1 + steps.level.own))));
}

/// Waiting of collectives per iteration; nothing where their ranks are not all there.
std::optional<double> WaitingOf(const tables::Output& out) {
  if (!out.IsSet(metric::kCommunicationWaitingShare)) return std::nullopt;
  return AsNumber(out.ValueOf(metric::kCommunicationWaitingShare), 0) *
         AsNumber(out.ValueOf(metric::kIterationTimeMean), 0);
}

/// Why the lengths cannot be of this profile; empty: they can.
/// A device cannot work for longer in an iteration than the iteration takes.
std::string Contradiction(const std::vector<Busy>& devices, double recorded,
                          const JudgedSteps& steps) {
  const double length = steps.level.median;
  const double ratio = recorded > 0 ? length / recorded : 1;
  if (ratio < knowledge::kUnrecordedLeastOfRecorded ||
      ratio > knowledge::kUnrecordedMostOfRecorded) {
    return fmt::format(
        "unrecorded iterations take {}, recorded ones {}: of another program, or in another unit",
        Times(length), Times(recorded));
  }
  for (const Busy& busy : devices) {
    if (busy.low <= knowledge::kUnrecordedContradicts * length * (1 + steps.level.own)) continue;
    return fmt::format(
        "unrecorded iterations take {}, less than the {} that a device works in a recorded one",
        Times(length), Times(busy.low));
  }
  return {};
}

void RemarkProblems(std::span<const context::RankContext> ranks, const std::string& why_not,
                    tables::Output& out) {
  for (const context::RankContext& rank : ranks) {
    const RunSide* side = rank.profile->run_side.get();
    if (side == nullptr) continue;
    for (const RunProblem& problem : side->problems) {
      const bool is_of_devices = problem.code.starts_with("conditions/");
      // Of these the rest counts.
      const bool is_in_part =
          problem.code == "run/rows-skipped" || problem.code == "run/steps-dropped";
      if (is_of_devices || is_in_part) {
        out.AddRemark(std::string(is_of_devices ? kConditionsUnused : kRunUnused),
                      fmt::format("{} (`{}`)", problem.text, problem.code));
        continue;
      }
      out.AddRemark(std::string(kRunUnused),
                    fmt::format("times of unrecorded iterations are left out (`{}`): {}",
                                problem.code, problem.text));
    }
    if (!side->note.empty()) out.AddRemark(std::string(kRunUnused), side->note);
  }
  if (!why_not.empty()) {
    out.AddRemark(std::string(kRunUnused),
                  fmt::format("unrecorded iterations judge nothing: {}", why_not));
  }
}

}  // namespace

std::shared_ptr<const JudgedSteps> AddUnrecorded(std::span<const context::RankContext> ranks,
                                                 tables::Output& out) {
  std::optional<JudgedSteps> steps;
  std::string why_not;
  for (const context::RankContext& rank : ranks) {
    auto of_rank = JudgeSteps(rank, why_not);
    if (of_rank && (!steps || of_rank->level.median > steps->level.median))
      steps = std::move(of_rank);
  }
  if (steps) why_not.clear();
  RemarkProblems(ranks, why_not, out);
  if (!steps) {
    const bool are_times = std::ranges::all_of(
        ranks, [](const context::RankContext& rank) { return IsOfTimes(*rank.profile); });
    const std::string why = !why_not.empty() ? why_not
                            : are_times      ? "the file has no times of iterations"
                                             : "needs the times of unrecorded iterations "
                                               "(`profgauge.run`, or `--step-times FILE`)";
    SetAllAbsent(kOfSteps, why, out);
    SetAllAbsent(kCorrected, why, out);
    return nullptr;
  }
  const double recorded = ranks.front().iterations.is_whole ? 0 : RecordedLength(out);
  const bool communicates = AsNumber(out.ValueOf(metric::kCommunicationTime), 0) > 0;
  std::vector<Busy> devices;
  for (const context::RankContext& rank : ranks) {
    if (rank.iterations.selected().empty() || rank.iterations.is_whole) continue;
    for (Busy& busy : BusyOf(rank, communicates, WaitingOf(out))) devices.push_back(busy);
  }
  if (const std::string why = Contradiction(devices, recorded, *steps); !why.empty()) {
    out.AddRemark(std::string(kRunContradicts), why);
    SetAllAbsent(kOfSteps, why, out);
    SetAllAbsent(kCorrected, why, out);
    return nullptr;
  }
  SetSteps(*steps, out);
  SetPerturbation(ranks, *steps, out);
  const double least = steps->level.median * (1 - steps->level.own);
  steps->exceeds_recorded = recorded > 0 && least > knowledge::kUnrecordedSlower * recorded;
  if (steps->exceeds_recorded) {
    SetAllAbsent(kCorrected,
                 fmt::format("unrecorded iterations take {}, longer than recorded ones ({}): the "
                             "profile is of another part of the run",
                             Times(steps->level.median), Times(recorded)),
                 out);
  } else if (devices.empty() || recorded <= 0) {
    SetAllAbsent(kCorrected, "needs recorded iterations with device work", out);
  } else {
    SetCorrected(devices, *steps, out);
    SetMfu(*steps, out);
  }
  return std::make_shared<const JudgedSteps>(*std::move(steps));
}

}  // namespace profgauge::analysis::recording
