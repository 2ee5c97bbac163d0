#include "analysis/trust/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/breakdown/iteration_remarks.h"
#include "analysis/breakdown/run_iterations.h"
#include "analysis/iterations/iteration_parts.h"
#include "analysis/iterations/markers.h"
#include "analysis/iterations/observed.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/coverage.h"
#include "knowledge/kernels.h"
#include "knowledge/loss.h"
#include "knowledge/tensor_cores.h"
#include "knowledge/usual.h"
#include "model/certificate.h"

namespace profgauge::analysis::trust {
namespace {

// Whether operators were recorded. Ranges of the user are not operators.
bool HasOps(const Profile& profile) {
  const auto& kinds = profile.host.kind;
  return std::find(kinds.begin(), kinds.end(), HostKind::kOp) != kinds.end();
}

// The id of the remark on work in no iteration, such as start-up, evaluation or unmarked steps.
constexpr std::string_view kOutside = "outside";

// Remarks on much work in no iteration, once. If its launches are unknown, it may be that of the
// iterations: a host that runs ahead ends them long before the device, so they have its lengths.
void RemarkWorkOutside(std::span<const iterations::RankContext> contexts,
                       std::span<const CoverageFacts> ranks, catalog::Output& out) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const iterations::Iterations& iterations = contexts[i].iterations;
    const CoverageFacts& facts = ranks[i];
    if (iterations.is_whole || iterations.source.by == IterationsBy::kRange || facts.total == 0)
      continue;
    const auto share = [](Ns part, Ns whole) {
      return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    const double outside = share(facts.total - facts.in_any, facts.total);
    if (outside < knowledge::kCoverageOutsideShare ||
        share(facts.with_launch, facts.in_window) > knowledge::kCoverageWithLaunchShare) {
      // Other remarks name iterations that are not of the run.
      if (outside < knowledge::kUsualMinor || !iterations.partial.empty()) continue;
      out.AddRemark(std::string(kOutside),
                    FormatShare(outside) +
                        out.Told(" of the {{ device.device }} time is outside of all iterations, "
                                 "so no number of an iteration contains it"));
      return;
    }
    const std::string help =
        out.HowToRecord(Capability::kLaunchLinks, "record the launching calls");
    out.AddRemark(
        std::string(iterations::kWorkOutside),
        FormatShare(outside) +
            out.Told(" of the {{ device.device }} time is outside the iterations, and its launches "
                     "were not recorded, so the iteration time is unknown; ") +
            help);
    return;
  }
}

// Whether it is a filtered trace without the ranks' computation.
bool HoldsCollectivesOnly(const iterations::RankContext& rank) {
  const Profile& profile = *rank.profile;
  const auto& calls = profile.api.kind;
  if (HasOps(profile) || std::find(calls.begin(), calls.end(), ApiKind::kLaunch) != calls.end()) {
    return false;
  }
  bool any = false;
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    if (profile.device.kind[row] != DeviceKind::kKernel) continue;
    if (!rank.classes[row].collective) return false;
    any = true;
  }
  return any;
}

std::string CountOf(std::int64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", FormatCount(count), count == 1 ? one : several);
}

// The reason depends on evidence that a device was used; the machine's list of devices is none.
std::string WhyNoDeviceEvents(std::span<const iterations::RankContext> contexts,
                              const catalog::Output& out) {
  bool is_listed = false;
  for (const iterations::RankContext& rank : contexts) {
    if (!rank.profile->has_timeline || rank.profile->neuron != nullptr) return {};
    const std::string_view use = FactOf(*rank.profile, kDeviceUse);
    is_listed = is_listed || std::any_of(rank.profile->gpus.begin(), rank.profile->gpus.end(),
                                         [](const Gpu& gpu) { return !gpu.name.empty(); });
    if (use.empty()) continue;
    if (use.ends_with("launch") || use.ends_with("launches")) {
      return fmt::format("{} {} recorded and no work of the ", use,
                         use.ends_with("launch") ? "was" : "were") +
             out.Told("{{ device.device }}. Nothing can be judged");
    }
    return out.Told("no work of the {{ device.device }} was recorded, which the run used") +
           fmt::format(" ({})", use);
  }
  return is_listed ? out.Told("a {{ device.device }} is listed, and no work of it was recorded")
                   : std::string();
}

void RemarkNothingToJudge(std::span<const iterations::RankContext> contexts,
                          std::span<const CoverageFacts> ranks, catalog::Output& out) {
  // Contexts of summaries have no rows, so their facts are used.
  const bool has_device = std::any_of(contexts.begin(), contexts.end(),
                                      [](const auto& rank) { return rank.has_device(); }) ||
                          std::any_of(ranks.begin(), ranks.end(), [](const CoverageFacts& rank) {
                            return rank.kernels_seen + rank.copies_seen + rank.memsets_seen > 0;
                          });
  if (!has_device) {
    if (std::string why = WhyNoDeviceEvents(contexts, out); !why.empty()) {
      out.AddRemark(std::string(iterations::kNoDeviceEvents), std::move(why));
    }
    return;
  }
  const bool has_timeline = std::all_of(contexts.begin(), contexts.end(), [](const auto& rank) {
    return rank.profile->has_timeline;
  });
  if (!has_timeline) return;
  std::int64_t kernels = 0, copies = 0, memsets = 0;
  bool collectives_only = true;
  for (const CoverageFacts& rank : ranks) {
    kernels += rank.kernels_seen;
    copies += rank.copies_seen;
    memsets += rank.memsets_seen;
    collectives_only = collectives_only && rank.collectives_only;
  }
  std::string why;
  if (kernels == 0 && copies + memsets > 0) {
    const std::string both = copies > 0 && memsets > 0 ? " and " : "";
    why = fmt::format("no kernel was recorded: the profile holds {}{}{}. Nothing was computed",
                      copies > 0 ? CountOf(copies, "copy", "copies") : "", both,
                      memsets > 0 ? CountOf(memsets, "memset", "memsets") : "");
    out.AddRemark(std::string(iterations::kNoKernels), why);
  } else if (collectives_only) {
    why = out.Told(
        "the profile holds collectives only: how busy the {{ device.device }}s are is "
        "unknown; waiting between ranks is shown");
    out.AddRemark(std::string(iterations::kCollectivesOnly), why);
  }
}

}  // namespace

// `in_any` counts by iteration, `in_window` by time, and neither contains the other. Work of
// unselected iterations is mostly only in `in_any`. Work that starts in the window but belongs to
// no iteration is only in `in_window`.
CoverageFacts CoverageFactsOf(const iterations::RankContext& rank) {
  CoverageFacts facts;
  const DeviceTable& device = rank.profile->device;
  const Span window = rank.window();
  facts.has_ops = HasOps(*rank.profile);
  facts.has_calls = rank.profile->api.size() > 0;
  facts.collectives_only = HoldsCollectivesOnly(rank);
  for (std::size_t i = 0; i < device.size(); ++i) {
    const Ns time = device.duration[i];
    facts.total += time;
    if (device.kind[i] == DeviceKind::kKernel) facts.kernels += time;
    if (rank.profile->IsWholeGraph(i)) facts.whole_graphs += time;
    if (rank.iterations.of_device[i] != iterations::Iterations::kNone) facts.in_any += time;
    // Decided by time, since work without a launch is in no iteration.
    if (device.start[i] < window.start || device.start[i] >= window.end) continue;
    facts.in_window += time;
    const DeviceKind kind = device.kind[i];
    ++(kind == DeviceKind::kKernel   ? facts.kernels_seen
       : kind == DeviceKind::kMemcpy ? facts.copies_seen
                                     : facts.memsets_seen);
    if (device.op[i].valid()) facts.with_op += time;
    if (device.launch[i].valid()) facts.with_launch += time;
  }
  return facts;
}

void AddCoverage(std::span<const iterations::RankContext> contexts,
                 std::span<const CoverageFacts> ranks, catalog::Output& out) {
  RemarkNothingToJudge(contexts, ranks, out);
  RemarkWorkOutside(contexts, ranks, out);
  CoverageFacts sum;
  for (const CoverageFacts& rank : ranks) {
    sum.has_ops |= rank.has_ops;
    sum.has_calls |= rank.has_calls;
    sum.total += rank.total;
    sum.with_op += rank.with_op;
    sum.with_launch += rank.with_launch;
    sum.in_any += rank.in_any;
    sum.in_window += rank.in_window;
    sum.kernels += rank.kernels;
    sum.whole_graphs += rank.whole_graphs;
  }
  if (sum.whole_graphs > 0) {
    out.Set(metric::kCoverageKernelShare,
            static_cast<double>(sum.kernels - sum.whole_graphs) / static_cast<double>(sum.kernels));
    out.SetNote(metric::kCoverageKernelShare,
                out.Told("the rest is in {{ device.graph }}s that were recorded as a whole"));
  } else {
    out.SetAbsent(metric::kCoverageKernelShare,
                  out.Told("no {{ device.graph }} was recorded whole"));
  }
  if (sum.total == 0) {
    for (const MetricId id : {metric::kCoverageLinkedShare, metric::kCoverageLaunchedShare,
                              metric::kCoverageOutsideShare}) {
      out.SetAbsent(id, out.Gap(Capability::kDeviceEvents));
    }
    return;
  }
  out.Set(metric::kCoverageOutsideShare,
          static_cast<double>(sum.total - sum.in_any) / static_cast<double>(sum.total));
  if (sum.in_window == 0) {
    for (const MetricId id : {metric::kCoverageLinkedShare, metric::kCoverageLaunchedShare}) {
      out.SetAbsent(
          id, out.Told("no work of the {{ device.device }} starts in the selected iterations"));
    }
    return;
  }
  // Work launched before the profile has no launch in it, which is no fault of the profile.
  const auto share = [&](Ns part) {
    return static_cast<double>(part) / static_cast<double>(sum.in_window);
  };
  // If no operator was recorded, a share of 0 would blame the program.
  if (sum.has_ops || sum.with_op > 0) {
    out.Set(metric::kCoverageLinkedShare, share(sum.with_op));
  } else {
    out.SetAbsent(metric::kCoverageLinkedShare, out.Gap(Capability::kHostOps));
  }
  if (sum.has_calls || sum.with_launch > 0) {
    out.Set(metric::kCoverageLaunchedShare, share(sum.with_launch));
  } else {
    out.SetAbsent(metric::kCoverageLaunchedShare, out.Gap(Capability::kLaunchLinks));
  }
}

namespace {

// Sets the host time after the window of a profile without iterations, which ends with its last
// device work.
void SetTail(std::span<const iterations::RankContext> ranks, std::span<const EdgeFacts> facts,
             catalog::Output& out) {
  std::optional<Ns> tail;
  bool has_device = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const iterations::Iterations& iterations = ranks[i].iterations;
    has_device |= facts[i].has_device;
    if (!facts[i].has_device || iterations.source.by != IterationsBy::kUndivided) continue;
    const iterations::Iteration& whole = iterations.all.front();
    tail = std::max(tail.value_or(0), whole.host.end - whole.time.end);
  }
  if (tail) {
    out.Set(metric::kCoverageTailTime, *tail);
  } else if (has_device) {
    out.SetAbsent(metric::kCoverageTailTime,
                  "the profile has iterations, which hold the host's work");
  } else {
    out.SetAbsent(metric::kCoverageTailTime, out.Gap(Capability::kDeviceEvents));
  }
}

}  // namespace

namespace {

// Returns the work launched before the profile that its first iteration waits for. Work left over
// from an earlier recorded part is none: its launches are in the profile.
Ns BacklogOf(const iterations::RankContext& rank) {
  const iterations::Iteration& first = rank.iterations.all.front();
  if (first.lead_in == 0 || rank.iterations.is_whole) return first.lead_in;
  const Ns begin = first.time.start - first.lead_in;
  const ApiTable& api = rank.profile->api;
  for (std::size_t call = 0; call < api.size(); ++call) {
    if (api.kind[call] == ApiKind::kLaunch && api.start[call] < begin) return 0;
  }
  return first.lead_in;
}

}  // namespace

EdgeFacts EdgeFactsOf(const iterations::RankContext& rank) {
  EdgeFacts facts;
  facts.has_device = rank.has_device();
  facts.backlog = BacklogOf(rank);
  facts.capture = rank.captured;
  facts.counts = CountCaptures(*rank.profile);
  if (rank.EndsWithWork()) facts.start_up = iterations::SetupTimes(*rank.profile).start_up();
  return facts;
}

void AddEdges(std::span<const iterations::RankContext> ranks, std::span<const EdgeFacts> facts,
              catalog::Output& out) {
  Ns unobserved = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    unobserved = std::max(unobserved, Length(ranks[i].unobserved) - facts[i].capture);
  EdgeFacts run;
  for (const EdgeFacts& rank : facts) {
    run.has_device |= rank.has_device;
    run.backlog = std::max(run.backlog, rank.backlog);
    run.start_up = std::max(run.start_up, rank.start_up);
    run.capture = std::max(run.capture, rank.capture);
    run.counts.captures += rank.counts.captures;
    run.counts.captured += rank.counts.captured;
    run.counts.ran += rank.counts.ran;
  }
  for (const auto& [id, time] : {std::pair(metric::kCoverageBacklogTime, run.backlog),
                                 std::pair(metric::kCoverageStartUpTime, run.start_up),
                                 std::pair(metric::kCoverageCaptureTime, run.capture)}) {
    if (run.has_device) {
      out.Set(id, time);
    } else {
      out.SetAbsent(id, out.Gap(Capability::kDeviceEvents));
    }
  }
  if (run.start_up > 0) {
    out.AddRemark("start-up",
                  fmt::format("the first {} are the profiler's start-up; no number includes "
                              "them",
                              FormatDuration(static_cast<double>(run.start_up))));
  }
  SetTail(ranks, facts, out);
  if (unobserved > 0) {
    out.AddRemark(
        "edges",
        fmt::format(
            "{} at the edges and pauses of the profile count as neither busy nor idle: {} (earlier "
            "work, or pauses and work of the profiler)",
            FormatDuration(static_cast<double>(unobserved)),
            out.Told("the program and the {{ device.device }} were not recorded then")));
  }
  if (run.counts.captures == 0) {
    out.SetAbsent(metric::kLaunchCapturedShare, "no graph was captured");
    return;
  }
  out.Set(metric::kLaunchCapturedShare, run.counts.captured_share());
  if (run.counts.captured_share() > knowledge::kLossCapturedShare) {
    out.SetLacking(&Basis::execution,
                   "the profile is of a graph capture, in which launched work does not run; record "
                   "the runs of the graph");
  }
}

namespace {

// Remarks on two signs of lost work: launches in iterations without their device work, and
// iterations without launches beside others with some. The second may also be a loop with
// occasional evaluations, so a few of them, or much work outside of iterations, prove nothing.
void RemarkWithoutLaunches(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  if (const breakdown::LostIterations inside = breakdown::MostLostInside(ranks); inside.lost > 0) {
    out.AddRemark(std::string(iterations::kIterationsLost),
                  fmt::format("the work of {} of {} iterations is missing: they launched some, but "
                              "it was not recorded",
                              FormatCount(inside.lost), FormatCount(inside.all)));
  }
  const breakdown::LostIterations most = breakdown::MostWithoutLaunches(ranks);
  if (most.lost == 0 || breakdown::AreFew(most)) return;
  const double outside = AsNumber(out.ValueOf(metric::kCoverageOutsideShare), 0);
  if (outside >=
      knowledge::kLossMadeUpShare * static_cast<double>(most.lost) / static_cast<double>(most.all))
    return;
  out.AddRemark(std::string(iterations::kIterationsLost),
                fmt::format("{} of {} iterations launched no work, unlike the others: work was "
                            "lost, or the markers do not mark iterations",
                            FormatCount(most.lost), FormatCount(most.all)));
  out.MarkUncertain(&Basis::all_work,
                    "some iterations launched nothing, and their work may be lost");
}

// The only iteration may be marked for longer than anything was recorded.
void RemarkSilentEnd(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  for (const iterations::RankContext& rank : ranks) {
    const iterations::Iterations& own = rank.iterations;
    if (own.silent_end == 0 || !rank.has_device()) continue;
    const std::string why = fmt::format(
        "recording may have ended in the only iteration: no event is in the last {} of "
        "its {}",
        FormatDuration(static_cast<double>(own.silent_end)),
        FormatDuration(static_cast<double>(own.all.front().host.length())));
    out.AddRemark(std::string(iterations::kIterationsLost), why);
    return out.MarkUncertain(&Basis::all_work, why);
  }
}

// Bounds the idle time: lost work kept the device busy, at most in proportion to recorded work.
//
// Example: 10 of 110 launches have no work, so 100 have; the device is idle for 40 %. The lost work
// would add at most 10 / 100 of the busy time: idle time is at least 40 % - 60 % * 0.1 = 34 %.
void BoundByLostLaunches(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::int64_t lost = 0, made = 0;
  for (const iterations::RankContext& rank : ranks) {
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

// At the edges of a profile without launches, the device may have been busy while the host waited
// for data.
void DoubtLoaderAtEdges(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  Ns edges = 0, whole = 0;
  for (const iterations::RankContext& rank : ranks) {
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

// Without its copies a device seems idle while it copies, and copy metrics would be 0.
void DoubtCopies(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::uint64_t calls = 0;
  for (const iterations::RankContext& rank : ranks) {
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

// Uses evidence in the profile itself: model/certificate.h.
void DoubtByCertificate(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  for (const iterations::RankContext& rank : ranks) {
    const std::string_view clock = FactOf(*rank.profile, kDeviceClock);
    if (clock.empty()) continue;
    const std::string why = fmt::format(
        "the clock of the {{{{ device.device }}}} is {}, and times of waiting are off by as much",
        clock);
    out.AddRemark("clocks-apart", out.Told(why));
    out.MarkUncertain(&Basis::all_work, out.Told(why));
    for (const MetricId id : {metric::kLaunchDelayMedian, metric::kCoverageBacklogTime}) {
      out.SetAbsent(id, out.Told(why));
    }
    break;
  }
  for (const iterations::RankContext& rank : ranks) {
    const std::string_view lost = FactOf(*rank.profile, kCollectivesLost);
    if (lost.empty()) continue;
    const std::string why =
        fmt::format("{} of collectives have no device work in the profile", lost);
    out.AddRemark("collectives-lost", why);
    out.MarkUncertain(&Basis::all_work, why);
    break;
  }
}

// Such events are excluded from all metrics: model/impossible_times.cc.
void RemarkImpossibleTimes(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  std::uint64_t count = 0;
  std::string first;
  for (const iterations::RankContext& rank : ranks) {
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

// Sums stay correct, since kernels are rounded up as well as down: no metric becomes uncertain.
void RemarkResolution(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  for (const iterations::RankContext& rank : ranks) {
    const std::string_view resolution = FactOf(*rank.profile, kTimeResolution);
    if (resolution.empty()) continue;
    return out.AddRemark("time-resolution",
                         fmt::format("times have a resolution of {}; mean times of a few "
                                     "microseconds or less are inexact",
                                     resolution));
  }
}

}  // namespace

void MarkLosses(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  DoubtByCertificate(ranks, out);
  RemarkResolution(ranks, out);
  RemarkImpossibleTimes(ranks, out);
  RemarkWithoutLaunches(ranks, out);
  RemarkSilentEnd(ranks, out);
  DoubtCopies(ranks, out);
  BoundByLostLaunches(ranks, out);
  DoubtLoaderAtEdges(ranks, out);
  std::uint64_t lost = 0, read = 0;
  // A count of 1 means that the profiler reported lost events without their number.
  bool is_unknown = false;
  for (const iterations::RankContext& rank : ranks) {
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

// Kernels with unknown names may use Tensor Cores, like undecided kernels. If most eligible kernels
// have unknown names, makes the eligible share absent.
void DoubtTensorCoreKernels(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
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

void MarkLostNames(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
  DoubtTensorCoreKernels(ranks, out);
  std::uint64_t lost = 0;
  for (const iterations::RankContext& rank : ranks)
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

namespace {

double Measured(MetricId id, const catalog::Output& out) { return AsNumber(out.ValueOf(id), 0); }

double Part(double part, double whole) { return whole > 0 ? part / whole : 0; }

// The use of devices if they were idle while only graphs recorded as one event run. Measured values
// count that time as busy, so this is the other end of the possible values. Averages the GPUs with
// work of all ranks like analysis/iterations/utilization.h.
struct WorstUse {
  std::size_t gpus = 0;
  Ns graphs = 0, observed = 0;
  double idle = 0, most_idle = 0, idle_time = 0, longest_idle = 0;
  double used = 0, least_used = 1;

  void Add(const iterations::GpuUse& use, double iterations) {
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

WorstUse WorstUseOf(std::span<const iterations::RankContext> ranks) {
  WorstUse worst;
  for (const iterations::RankContext& rank : ranks) {
    if (rank.window().length() <= 0) continue;
    const auto iterations =
        static_cast<double>(std::max<std::size_t>(rank.iterations.selected().size(), 1));
    for (const iterations::GpuUse& use : rank.gpus) worst.Add(use, iterations);
  }
  return worst;
}

// Sets the other end of the metric's possible values, with the direction in words.
void Bound(MetricId id, double other, catalog::Output& out) {
  const bool is_more = other > Measured(id, out);
  std::string bound = std::isinf(other) ? "perhaps more"
                                        : fmt::format("{} to {}", is_more ? "up" : "down",
                                                      FormatValue(other, SpecOf(id).unit));
  out.MayBe(id, other, fmt::format("{}, as {}", bound, catalog::kWholeGraphs));
}

void BoundUse(const WorstUse& worst, catalog::Output& out) {
  Bound(metric::kGpuIdleMean, worst.MeanOf(worst.idle), out);
  Bound(metric::kGpuIdleMax, worst.most_idle, out);
  Bound(metric::kGpuIdleTimeMean, worst.MeanOf(worst.idle_time), out);
  Bound(metric::kGpuIdleTimeMax, worst.longest_idle, out);
  Bound(metric::kGpuUtilizationMean, worst.MeanOf(worst.used), out);
  Bound(metric::kGpuUtilizationMin, worst.least_used, out);
  // Blocks of the graphs' kernels are unknown, and count as 0.
  constexpr MetricId kCores = metric::kGpuSmEfficiency;
  Bound(kCores, std::min(1.0, Measured(kCores, out) + worst.share()), out);
}

// A program with one device cannot communicate.
bool MayCommunicate(std::span<const iterations::RankContext> ranks, const WorstUse& worst,
                    const catalog::Output& out) {
  return ranks.size() > 1 || worst.gpus > 1 || Measured(metric::kCommunicationTime, out) > 0 ||
         std::any_of(ranks.begin(), ranks.end(), [](const iterations::RankContext& rank) {
           return rank.profile->distributed.world_size > 1;
         });
}

void BoundCommunication(const WorstUse& worst, catalog::Output& out) {
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
                                  catalog::kWholeGraphs));
  }
}

// A graph may contain any number of kernels, so counts have no upper bound.
void BoundKernels(catalog::Output& out) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  Bound(metric::kKernelCountPerIteration, kAny, out);
  Bound(metric::kTensorCoreKernelsPerIteration, kAny, out);
  Bound(metric::kKernelShortShare, 1, out);
  out.MarkUncertain(metric::kGpuOccupancy, catalog::kWholeGraphs);
}

}  // namespace

void BoundByWholeGraphs(std::span<const iterations::RankContext> ranks, catalog::Output& out) {
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

}  // namespace profgauge::analysis::trust
