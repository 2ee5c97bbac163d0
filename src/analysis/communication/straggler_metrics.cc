// Metrics of late ranks: matched calls, the straggler, and its cost.
#include <fmt/format.h>

#include <utility>

#include "analysis/communication/blame.h"
#include "analysis/communication/communication.h"
#include "analysis/communication/matching.h"
#include "analysis/communication/rank_facts.h"
#include "analysis/communication/rank_parts.h"
#include "analysis/communication/rank_tables.h"
#include "analysis/communication/run_metrics.h"
#include "base/format.h"
#include "base/metric_id.h"

namespace profgauge::analysis::communication {

// Sets the share of collectives that could be compared between ranks, and their waiting.
void SetMatching(const Matching& matching, std::span<const RankParts> parts, catalog::Output& out) {
  const auto absent = [&](const std::string& reason) {
    for (const MetricId id :
         {metric::kCommunicationMatchedShare, metric::kCommunicationMatchedTimeShare,
          metric::kCommunicationWaitingShare}) {
      out.SetAbsent(id, reason);
    }
  };
  if (parts.size() < 2) return absent(std::string(kNeedsRanks));
  std::int64_t calls = 0, matched_calls = 0;
  Ns time = 0, matched_time = 0;
  for (const GroupMatch& group : matching.groups) {
    calls += group.calls;
    matched_calls += group.matched_calls;
    time += group.time;
    matched_time += group.matched_time;
  }
  if (calls == 0 || time <= 0) return absent("no collective was recorded");
  const bool are_of_roots =
      !matching.calls.empty() && std::ranges::all_of(matching.calls, [](const MatchedCall& call) {
        return call.transfer < 0;
      });
  if (are_of_roots) {
    return absent("all matched collectives have a root: who waits in them is unknown");
  }
  out.Set(metric::kCommunicationMatchedShare,
          static_cast<double>(matched_calls) / static_cast<double>(calls));
  out.Set(metric::kCommunicationMatchedTimeShare,
          static_cast<double>(matched_time) / static_cast<double>(time));
  Ns waiting = 0, whole = 0;
  for (const RankParts& rank : parts) {
    waiting += rank.waiting_exposed;
    whole += rank.sum();
  }
  if (matched_calls == 0 || whole <= 0) {
    return out.SetAbsent(metric::kCommunicationWaitingShare,
                         "no collective could be matched on all of its ranks");
  }
  out.Set(metric::kCommunicationWaitingShare,
          static_cast<double>(waiting) / static_cast<double>(whole));
}

namespace {

// The share of the straggler's iteration time in which it waits for input data.
void SetStragglersLoader(const RankParts& parts, catalog::Output& out) {
  constexpr MetricId kId = metric::kRankStragglerDataloader;
  if (parts.sum() <= 0) return out.SetAbsent(kId, "its iterations have no length");
  out.Set(kId, static_cast<double>(parts.dataloader) / static_cast<double>(parts.sum()));
}

}  // namespace

void SetStraggler(const Blame& blame, std::span<const RankFacts> ranks,
                  std::span<const RankParts> parts, catalog::Output& out) {
  if (!blame.straggler) {
    out.SetAbsent(metric::kRankStragglerDataloader, NobodyBlamed(blame));
    return out.SetAbsent(metric::kRankStraggler, NobodyBlamed(blame));
  }
  SetStragglersLoader(parts[*blame.straggler], out);
  const RankLateness& worst = blame.ranks[*blame.straggler];
  out.Set(metric::kRankStraggler, static_cast<double>(ranks[*blame.straggler].rank));
  std::string note =
      fmt::format("it is last in {} collectives; the other ranks lose {}",
                  FormatCount(worst.last_calls), FormatDuration(static_cast<double>(worst.cost)));
  if (!blame.cause.empty()) note += "; longer there: " + out.Told(blame.cause);
  if (blame.judged_groups < blame.groups) {
    note +=
        fmt::format("; {} of {} process groups could be judged", blame.judged_groups, blame.groups);
  }
  out.SetNote(metric::kRankStraggler, std::move(note));
}

}  // namespace profgauge::analysis::communication
