#include "analysis/recording/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/context/observed.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/loss.h"

namespace profgauge::analysis::recording {
namespace {

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

namespace {

// The tail of a part that was recorded, and is no iteration, is from before the iterations but not
// from before the profile: its launches are there.
Ns BacklogOf(const context::RankContext& rank) {
  const context::Iteration& first = rank.iterations.all.front();
  if (first.lead_in == 0 || rank.iterations.is_whole) return first.lead_in;
  const Ns begin = first.time.start - first.lead_in;
  const ApiTable& api = rank.profile->api;
  for (std::size_t call = 0; call < api.size(); ++call) {
    if (api.kind[call] == ApiKind::kLaunch && api.start[call] < begin) return 0;
  }
  return first.lead_in;
}

}  // namespace

EdgeFacts EdgeFactsOf(const context::RankContext& rank) {
  EdgeFacts facts;
  facts.has_device = rank.has_device();
  facts.backlog = BacklogOf(rank);
  facts.capture = rank.captured;
  facts.counts = CountCaptures(*rank.profile);
  if (rank.EndsWithWork()) facts.start_up = context::SetupTimes(*rank.profile).start_up();
  return facts;
}

void AddEdges(std::span<const context::RankContext> ranks, std::span<const EdgeFacts> facts,
              tables::Output& out) {
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

}  // namespace profgauge::analysis::recording
