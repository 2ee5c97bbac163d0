#include "analysis/recording/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/loss.h"
#include "model/lost_launches.h"

namespace profgauge::analysis::recording {
namespace {

// 1 where nothing was launched in the captures and nothing ran either.
double CapturedShare(const EdgeFacts& facts) {
  const std::int64_t all = facts.captured + facts.ran;
  return all > 0 ? static_cast<double>(facts.captured) / static_cast<double>(all) : 1;
}

// Launches that are captured into graphs run nothing.
//
//   calls     BeginCapture  launch  launch  EndCapture  GraphLaunch
//   counted   captures      captured twice              its kernels count as `ran`
//
// A launch within a capture that has device work ran all the same.
void CountCaptures(const Profile& profile, EdgeFacts& counts) {
  const ApiTable& api = profile.api;
  std::vector<bool> ran(api.size(), false);
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    if (launch.valid()) ran[launch.value] = true;
    counts.ran += profile.device.kind[row] == DeviceKind::kKernel ? 1 : 0;
  }
  const GraphCaptures captures(profile);
  counts.captures += captures.count();
  for (std::uint32_t call = 0; call < api.size(); ++call) {
    if (api.kind[call] != ApiKind::kLaunch || ran[call]) continue;
    if (captures.Has(ApiId{call})) ++counts.captured;
  }
}

// What the host does after the window of a profile without iterations, which ends with its last
// device work.
void SetTail(std::span<const context::RankContext> ranks, std::span<const EdgeFacts> facts,
             tables::Output& out) {
  std::optional<Ns> tail;
  bool has_device = false;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const context::Iterations& iterations = ranks[i].iterations;
    has_device |= facts[i].has_device;
    if (!facts[i].has_device || iterations.source.by != IterationsBy::kUndivided) continue;
    const context::Iteration& whole = iterations.all.front();
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

EdgeFacts EdgeFactsOf(const context::RankContext& rank) {
  EdgeFacts facts;
  facts.has_device = rank.has_device();
  facts.backlog = rank.iterations.all.front().lead_in;
  CountCaptures(*rank.profile, facts);
  return facts;
}

void AddEdges(std::span<const context::RankContext> ranks, std::span<const EdgeFacts> facts,
              tables::Output& out) {
  Ns unobserved = 0;
  for (const context::RankContext& rank : ranks)
    unobserved = std::max(unobserved, Length(rank.unobserved));
  EdgeFacts run;
  for (const EdgeFacts& rank : facts) {
    run.has_device |= rank.has_device;
    run.backlog = std::max(run.backlog, rank.backlog);
    run.captures += rank.captures;
    run.captured += rank.captured;
    run.ran += rank.ran;
  }
  if (run.has_device) {
    out.Set(metric::kCoverageBacklogTime, run.backlog);
  } else {
    out.SetAbsent(metric::kCoverageBacklogTime, out.Gap(Capability::kDeviceEvents));
  }
  SetTail(ranks, facts, out);
  if (unobserved > 0) {
    out.AddRemark(
        "edges",
        fmt::format(
            "{} at the edges and pauses of the profile count as neither busy nor idle: the program "
            "and the {} were not recorded then (earlier work, or pauses and work of the profiler)",
            FormatDuration(static_cast<double>(unobserved)), out.Told("{{ device.device }}")));
  }
  if (run.captures == 0) {
    out.SetAbsent(metric::kLaunchCapturedShare, "no graph was captured");
    return;
  }
  out.Set(metric::kLaunchCapturedShare, CapturedShare(run));
  if (CapturedShare(run) > knowledge::kLossCapturedShare) {
    out.SetLacking(&Basis::execution,
                   "the profile is of a graph capture, in which launched work does not run; record "
                   "the runs of the graph");
  }
}

}  // namespace profgauge::analysis::recording
