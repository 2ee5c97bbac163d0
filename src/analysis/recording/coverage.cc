#include "analysis/recording/coverage.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/context/markers.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/coverage.h"

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
  for (std::size_t i = 0; i < device.size(); ++i) {
    const Ns time = device.duration[i];
    facts.total += time;
    if (device.kind[i] == DeviceKind::kKernel) facts.kernels += time;
    if (rank.profile->IsWholeGraph(i)) facts.whole_graphs += time;
    if (rank.iterations.of_device[i] != context::Iterations::kNone) facts.in_any += time;
    // By its time: work without a launch is of no iteration.
    if (device.start[i] < window.start || device.start[i] >= window.end) continue;
    facts.in_window += time;
    if (device.op[i].valid()) facts.with_op += time;
    if (device.launch[i].valid()) facts.with_launch += time;
  }
  return facts;
}

void AddCoverage(std::span<const context::RankContext> contexts,
                 std::span<const CoverageFacts> ranks, tables::Output& out) {
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
