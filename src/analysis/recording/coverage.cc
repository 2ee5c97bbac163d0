#include "analysis/recording/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/context/markers.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/coverage.h"
#include "model/certificate.h"

namespace profgauge::analysis::recording {

namespace {

// Ranges of the user's are no operators, wherever they lie.
bool HasOps(const Profile& profile) {
  const auto& kinds = profile.host.kind;
  return std::find(kinds.begin(), kinds.end(), HostKind::kOp) != kinds.end();
}

// A host that runs ahead ends its iterations long before the device does; without the launches
// nothing shows which work is whose, and lengths would be the host's.
void RemarkWorkOutside(std::span<const context::RankContext> contexts,
                       std::span<const CoverageFacts> ranks, tables::Output& out) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const context::Iterations& iterations = contexts[i].iterations;
    const CoverageFacts& facts = ranks[i];
    if (iterations.is_whole || iterations.source.by == IterationsBy::kRange || facts.total == 0)
      continue;
    const auto share = [](Ns part, Ns whole) {
      return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    const double outside = share(facts.total - facts.in_any, facts.total);
    if (outside < knowledge::kCoverageOutsideShare ||
        share(facts.with_launch, facts.in_window) > knowledge::kCoverageWithLaunchShare)
      continue;
    const std::string help =
        out.HowToRecord(Capability::kLaunchLinks, "record the launching calls");
    out.AddRemark(
        std::string(context::kWorkOutside),
        FormatShare(outside) +
            out.Told(" of the {{ device.device }} time is outside the iterations, and its launches "
                     "were not recorded, so the iteration time is unknown; ") +
            help);
    return;
  }
}

// A filtered trace: what the ranks compute is not in it.
bool HoldsCollectivesOnly(const context::RankContext& rank) {
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

// By what shows that a device was used; of the machine's list of devices alone that is not sure.
std::string WhyNoDeviceEvents(std::span<const context::RankContext> contexts,
                              const tables::Output& out) {
  bool is_listed = false;
  for (const context::RankContext& rank : contexts) {
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

void RemarkNothingToJudge(std::span<const context::RankContext> contexts,
                          std::span<const CoverageFacts> ranks, tables::Output& out) {
  // Contexts of summaries have no rows, but their facts.
  const bool has_device = std::any_of(contexts.begin(), contexts.end(),
                                      [](const auto& rank) { return rank.has_device(); }) ||
                          std::any_of(ranks.begin(), ranks.end(), [](const CoverageFacts& rank) {
                            return rank.kernels_seen + rank.copies_seen + rank.memsets_seen > 0;
                          });
  if (!has_device) {
    if (std::string why = WhyNoDeviceEvents(contexts, out); !why.empty()) {
      out.AddRemark(std::string(context::kNoDeviceEvents), std::move(why));
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
    out.AddRemark(std::string(context::kNoKernels), why);
  } else if (collectives_only) {
    why = out.Told(
        "the profile holds collectives only: how busy the {{ device.device }}s are is "
        "unknown; waiting between ranks is shown");
    out.AddRemark(std::string(context::kCollectivesOnly), why);
  }
}

}  // namespace

// `in_any` is by iteration, `in_window` by time, so neither contains the other: work of iterations
// that are not selected is mostly in the first only, work that starts in the window and is of no
// iteration in the second only.
CoverageFacts CoverageFactsOf(const context::RankContext& rank) {
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
    if (rank.iterations.of_device[i] != context::Iterations::kNone) facts.in_any += time;
    // By its time: work without a launch is of no iteration.
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

void AddCoverage(std::span<const context::RankContext> contexts,
                 std::span<const CoverageFacts> ranks, tables::Output& out) {
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
  // Work launched before the profile began has no launch in it, which is no fault of the profile.
  const auto share = [&](Ns part) {
    return static_cast<double>(part) / static_cast<double>(sum.in_window);
  };
  // Where no operator was recorded, a share of 0 would be a fault of the recorded program.
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

}  // namespace profgauge::analysis::recording
