#include "gate/missing_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "base/metric_id.h"

namespace profgauge {
namespace {

std::optional<std::int64_t> CountOf(const Analysis& analysis, std::string_view id) {
  const Metric* metric = analysis.Find(id);
  if (metric == nullptr || IsAbsent(metric->value)) return std::nullopt;
  return static_cast<std::int64_t>(AsNumber(metric->value, 0));
}

/// Common work of ranks, and extremes over them: an iteration lasts as long as on its slowest
/// rank.
bool IsOfAllRanks(std::string_view metric) {
  for (const std::string_view of : {"rank.", "communication.", "pipeline.", "iteration."}) {
    if (metric.starts_with(of)) return true;
  }
  return metric.ends_with(".min") || metric.ends_with(".max");
}

bool DependsOnAllRanks(const Policy& policy, bool has_baseline) {
  if (policy.ranks.expect || policy.ranks.on_missing || has_baseline) return true;
  const auto depends = [](const auto& limit) {
    return limit.level != Level::kInfo && IsOfAllRanks(limit.metric);
  };
  return std::any_of(policy.thresholds.begin(), policy.thresholds.end(), depends) ||
         (policy.baseline &&
          std::any_of(policy.baseline->limits.begin(), policy.baseline->limits.end(), depends));
}

std::string NoteOf(const Analysis& analysis) {
  const Metric* missing = analysis.Find(metric::kProfileRanksMissing);
  return missing == nullptr || missing->note.empty() ? "" : fmt::format(" ({})", missing->note);
}

}  // namespace

std::optional<std::string> WhyRanksMissing(const Policy& policy, const Analysis& analysis,
                                           bool has_baseline) {
  const auto present = CountOf(analysis, metric::kProfileRanks);
  if (!present || !DependsOnAllRanks(policy, has_baseline)) return std::nullopt;
  const auto lacking = CountOf(analysis, metric::kProfileRanksMissing);
  if (!policy.ranks.expect && !lacking) return std::nullopt;
  const std::int64_t expected = policy.ranks.expect.value_or(*present + lacking.value_or(0));
  if (*present > expected) {
    return fmt::format("the run has {} ranks, the policy expects {}", FormatCount(*present),
                       FormatCount(expected));
  }
  const std::int64_t missing = expected - *present;
  if (missing <= policy.ranks.allow_missing) return std::nullopt;
  std::string sentence =
      fmt::format("{} of {} ranks {} missing{}", FormatCount(missing), FormatCount(expected),
                  missing == 1 ? "is" : "are", NoteOf(analysis));
  if (policy.ranks.allow_missing > 0) {
    sentence += fmt::format(", the policy allows {}", FormatCount(policy.ranks.allow_missing));
  }
  return sentence;
}

}  // namespace profgauge
