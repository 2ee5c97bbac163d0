// What the critical path consists of: a part of the metric catalogue, two metrics for each kind.
#include <fmt/format.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "analysis/tables/catalogue_parts.h"
#include "model/path_kind.h"

namespace profgauge {
namespace {

/// Texts that entries of the catalogue refer to; none ever moves.
std::string_view KeptText(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

MetricSpec PathMetric(const PathKindInfo& kind, Unit unit) {
  const bool is_share = unit == Unit::kShare;
  std::string title(kind.title);
  title.front() = static_cast<char>(title.front() - 'A' + 'a');
  return {is_share ? kind.metrics.share : kind.metrics.time,
          KeptText(fmt::format("Critical path: {}{}", title, is_share ? "" : ", time")),
          unit,
          is_share ? catalogue::kUpToOne : catalogue::kFromZero,
          Direction::kLowerIsBetter,
          Pooling::kOther,
          catalogue::kOfAllWork,
          1,
          KeptText(fmt::format("{} of the critical path in {}.", is_share ? "Share" : "Time",
                               kind.part)),
          catalogue::kPathParts,
          catalogue::kOurs};
}

}  // namespace

std::span<const MetricSpec> PathMetrics() {
  static const std::vector<MetricSpec> kAll = [] {
    std::vector<MetricSpec> all;
    for (const PathKindInfo& kind : kPathKindInfo) {
      all.push_back(PathMetric(kind, Unit::kShare));
      all.push_back(PathMetric(kind, Unit::kTime));
    }
    return all;
  }();
  return kAll;
}

}  // namespace profgauge
