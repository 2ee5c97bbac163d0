#include "analysis/recording/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/context/markers.h"
#include "analysis/time/run_iterations.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/loss.h"
#include "knowledge/tensor_cores.h"
#include "model/certificate.h"

namespace profgauge::analysis::recording {
namespace {

// Two kinds of evidence for lost work: iterations with launches that have no device work, and
// iterations without any launch among others with some. The second may also be a loop that
// evaluates now and then, so few of them, or much work outside of iterations, say nothing.
void RemarkWithoutLaunches(std::span<const context::RankContext> ranks, tables::Output& out) {
  if (const time::LostIterations inside = time::MostLostInside(ranks); inside.lost > 0) {
    out.AddRemark(std::string(context::kIterationsLost),
                  fmt::format("the work of {} of {} iterations is missing: they launched some, but "
                              "it was not recorded",
                              FormatCount(inside.lost), FormatCount(inside.all)));
  }
  const time::LostIterations most = time::MostWithoutLaunches(ranks);
  if (most.lost == 0 || time::AreFew(most)) return;
  const double outside = AsNumber(out.ValueOf(metric::kCoverageOutsideShare), 0);
  if (outside >=
      knowledge::kLossMadeUpShare * static_cast<double>(most.lost) / static_cast<double>(most.all))
    return;
  out.AddRemark(std::string(context::kIterationsLost),
                fmt::format("{} of {} iterations launched no work, unlike the others: work was "
                            "lost, or the markers do not mark iterations",
                            FormatCount(most.lost), FormatCount(most.all)));
  out.MarkUncertain(&Basis::all_work,
                    "some iterations launched nothing, and their work may be lost");
}

// Lost work would have kept the device busy, at most by its share of the recorded work.
//
// 10 of 110 launches have no work, so 100 have; their device is idle for 40 %. The lost work would
// have added at most 10 / 100 of the busy time: idle time is at least 40 % - 60 % * 0.1 = 34 %.
void BoundByLostLaunches(std::span<const context::RankContext> ranks, tables::Output& out) {
  std::int64_t lost = 0, made = 0;
  for (const context::RankContext& rank : ranks) {
    lost += rank.iterations.launches_lost;
    made += rank.iterations.launches_made;
  }
  if (lost == 0) return;
  const std::string why = fmt::format("{} launches have no recorded work", FormatCount(lost));
  if (made <= lost) return out.MarkUncertain(&Basis::all_work, why);
  const double more = static_cast<double>(lost) / static_cast<double>(made - lost);
  for (const MetricId id : {metric::kGpuIdleMean, metric::kGpuIdleMax}) {
    if (!out.IsSet(id)) continue;
    const double idle = AsNumber(out.ValueOf(id), 0);
    const double least = std::max(0.0, idle - (1 - idle) * more);
    out.MayBe(id, least, fmt::format("down to {}: {}", FormatShare(least), why));
  }
  for (const MetricId id : {metric::kGpuUtilizationMean, metric::kGpuUtilizationMin}) {
    if (!out.IsSet(id)) continue;
    const double most = std::min(1.0, AsNumber(out.ValueOf(id), 0) * (1 + more));
    out.MayBe(id, most, fmt::format("up to {}: {}", FormatShare(most), why));
  }
}

// At the edges of a profile without launches the device may have worked while the host waited for
// data.
void DoubtLoaderAtEdges(std::span<const context::RankContext> ranks, tables::Output& out) {
  Ns edges = 0, whole = 0;
  for (const context::RankContext& rank : ranks) {
    edges += rank.iterations.in_doubt;
    whole += rank.iterations.SelectedTime();
  }
  const double exposed = AsNumber(out.ValueOf(metric::kDataloaderExposedTime), 0);
  const double doubtful = std::min(exposed, static_cast<double>(edges));
  if (doubtful < knowledge::kLossReadShare.Of(static_cast<double>(whole))) return;
  out.MarkUncertain(metric::kDataloaderExposedShare,
                    out.Told("the {{ device.device }} may have been busy at the edges of the "
                             "profile, where the host waited for data"));
}

// Without its copies a device seems to wait while it copies, and to have copied nothing.
void DoubtCopies(std::span<const context::RankContext> ranks, tables::Output& out) {
  std::uint64_t calls = 0;
  for (const context::RankContext& rank : ranks) {
    calls += rank.profile->log[Counter::copies_not_recorded];
  }
  if (calls == 0) return;
  const std::string why = fmt::format("{} calls copy data, but their copies were not recorded",
                                      FormatCount(static_cast<std::int64_t>(calls)));
  for (const MetricId id : metric::kAll) {
    if (id.text().starts_with("memcpy.")) out.SetAbsent(id, why);
  }
  const double idle = AsNumber(out.ValueOf(metric::kGpuIdleMean), 0);
  out.MayBe(metric::kBreakdownMemcpy, AsNumber(out.ValueOf(metric::kBreakdownMemcpy), 0) + idle,
            why);
  out.MarkUncertain(&Basis::all_work, why + ": the device seems to wait meanwhile");
}

// The profile's own evidence: model/certificate.h.
void DoubtByCertificate(std::span<const context::RankContext> ranks, tables::Output& out) {
  for (const context::RankContext& rank : ranks) {
    const std::string_view clock = FactOf(*rank.profile, kDeviceClock);
    if (clock.empty()) continue;
    const std::string why = fmt::format(
        "the clock of the {{{{ device.device }}}} is {}, and times of waiting are off by as much",
        clock);
    out.AddRemark("clocks-apart", out.Told(why));
    out.MarkUncertain(&Basis::all_work, out.Told(why));
    break;
  }
  for (const context::RankContext& rank : ranks) {
    const std::string_view lost = FactOf(*rank.profile, kCollectivesLost);
    if (lost.empty()) continue;
    const std::string why =
        fmt::format("{} of collectives have no device work in the profile", lost);
    out.AddRemark("collectives-lost", why);
    out.MarkUncertain(&Basis::all_work, why);
    break;
  }
}

// They are left out of every number: model/impossible_times.cc.
void RemarkImpossibleTimes(std::span<const context::RankContext> ranks, tables::Output& out) {
  std::uint64_t count = 0;
  std::string first;
  for (const context::RankContext& rank : ranks) {
    const ImportLog& log = rank.profile->log;
    count += log[Counter::times_impossible];
    const std::vector<std::string>& examples = log.Examples(Counter::times_impossible);
    if (first.empty() && !examples.empty()) first = examples.front();
  }
  if (count == 0) return;
  std::string text = count == 1 ? "1 device event has impossible times and is left out: "
                                : fmt::format(
                                      "{} device events have impossible times and are left "
                                      "out: the first, ",
                                      FormatCount(static_cast<std::int64_t>(count)));
  out.AddRemark("times-impossible", text + first);
}

// Sums stay right, as kernels are rounded up as well as down: no number becomes uncertain.
void RemarkResolution(std::span<const context::RankContext> ranks, tables::Output& out) {
  for (const context::RankContext& rank : ranks) {
    const std::string_view resolution = FactOf(*rank.profile, kTimeResolution);
    if (resolution.empty()) continue;
    return out.AddRemark("time-resolution",
                         fmt::format("times have a resolution of {}; mean times of a few "
                                     "microseconds or less are inexact",
                                     resolution));
  }
}

}  // namespace

void MarkLosses(std::span<const context::RankContext> ranks, tables::Output& out) {
  DoubtByCertificate(ranks, out);
  RemarkResolution(ranks, out);
  RemarkImpossibleTimes(ranks, out);
  RemarkWithoutLaunches(ranks, out);
  DoubtCopies(ranks, out);
  BoundByLostLaunches(ranks, out);
  DoubtLoaderAtEdges(ranks, out);
  std::uint64_t lost = 0, read = 0;
  // A single loss is a statement of the profiler's that it lost events, of any number.
  bool is_unknown = false;
  for (const context::RankContext& rank : ranks) {
    const ImportLog& log = rank.profile->log;
    lost += log[Counter::events_dropped] + log[Counter::rows_missing];
    read += log[Counter::events_read];
    is_unknown = is_unknown || log[Counter::events_dropped] == 1 ||
                 log[Counter::events_too_long] > 0 || log[Counter::rows_unusable] > 0 ||
                 log[Counter::work_before_launch] > 0 || log[Counter::work_overlapping] > 0 ||
                 log[Counter::kernels_serialized] > 0 || log[Counter::gpus_unknown] > 0;
  }
  if (is_unknown) {
    return out.MarkUncertain(&Basis::all_work,
                             "work is missing or its times are wrong by an unknown amount");
  }
  if (lost == 0 || lost < knowledge::kLossReadShare.Of(read)) return;
  out.MarkUncertain(&Basis::all_work, fmt::format("{} lost events may hide work of the device",
                                                  FormatCount(static_cast<std::int64_t>(lost))));
}

namespace {

// Kernels with unknown names may be on Tensor Cores, like other kernels before. If most eligible
// kernels are unknown, the eligible share is absent.
void DoubtTensorCoreKernels(std::span<const context::RankContext> ranks, tables::Output& out) {
  if (!out.IsSet(metric::kTensorCoreUnknownShare)) return;
  const bool is_much = AsNumber(out.ValueOf(metric::kTensorCoreUnknownShare), 0) >
                       knowledge::kTensorCoresUndecidedShare;
  if (!is_much && out.IsSet(metric::kTensorCoreEligibleShare)) return;
  if (ranks.front().knowledge.undecided_use_tensor_cores) return;
  out.MarkUncertain(
      metric::kTensorCoreKernelsPerIteration,
      out.Told("many kernel names leave it unclear whether they use {{ device.matrix_units }}"));
}

}  // namespace

void MarkLostNames(std::span<const context::RankContext> ranks, tables::Output& out) {
  DoubtTensorCoreKernels(ranks, out);
  std::uint64_t lost = 0;
  for (const context::RankContext& rank : ranks)
    lost += rank.profile->log[Counter::kernels_unnamed];
  if (lost == 0) return;
  const std::string why =
      lost == 1 ? "1 kernel has no name in the profile, so its kind is unknown"
                : fmt::format("{} kernels have no name in the profile, so their kind is unknown",
                              FormatCount(static_cast<std::int64_t>(lost)));
  out.SetLacking(&Basis::names, why);
  for (const MetricId id : {metric::kBreakdownOtherKernel, metric::kBreakdownOtherKernelTime}) {
    out.MarkUncertain(id, why);
  }
}

}  // namespace profgauge::analysis::recording
