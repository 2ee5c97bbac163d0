#include "analysis/recording/losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "analysis/time/iteration_remarks.h"
#include "base/format.h"

namespace profgauge {
namespace {

constexpr std::uint64_t kLostOneOf = 500;

constexpr std::string_view kSeemWorse[] = {
    "breakdown.runtime",
    "breakdown.dataloader",
    "breakdown.cpu",
    "breakdown.other",
    "dataloader.",
    "gpu.idle",
    "gpu.utilization",
    "gpu.sm_efficiency",
    "launch.queue_empty_share",
    "sync.time_share",
    "communication.exposed_share",
};

void MarkAll(const std::string& why, Output& out) {
  for (const MetricSpec& spec : MetricCatalogue()) {
    const bool seems_worse =
        std::any_of(std::begin(kSeemWorse), std::end(kSeemWorse),
                    [&](std::string_view prefix) { return spec.id.starts_with(prefix); });
    if (seems_worse) out.MarkUncertain(spec.id, why);
  }
}

}  // namespace

void MarkLosses(std::span<const RankContext> ranks, Output& out) {
  if (LackLaunches(ranks)) {
    MarkAll("iterations without any work count, whose work may be lost", out);
  }
  std::uint64_t lost = 0, read = 0;
  for (const RankContext& rank : ranks) {
    const ImportLog& log = rank.profile->log;
    lost += log[Counter::events_dropped] + log[Counter::rows_missing];
    read += log[Counter::events_read];
  }
  if (lost == 0 || lost * kLostOneOf < read) return;
  MarkAll(fmt::format("{} events were lost, and where work is missing the device seems to wait",
                      FormatCount(static_cast<std::int64_t>(lost))),
          out);
}

}  // namespace profgauge
