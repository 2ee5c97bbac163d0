#include "gate/not_kept.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace profgauge {

std::optional<std::string> WhyNotKept(const Analysis& analysis, std::span<const GateResult> gate,
                                      std::span<const Finding> findings, FailOn fail_on) {
  if (analysis.not_kept.empty()) return std::nullopt;
  const auto is_not_kept = [&](std::string_view reason) {
    return reason.find(analysis.not_kept) != std::string_view::npos;
  };
  const auto limits = std::count_if(gate.begin(), gate.end(), [&](const GateResult& limit) {
    const bool is_left_out =
        limit.status == GateStatus::kSkipped || limit.status == GateStatus::kNotApplicable;
    return is_left_out && is_not_kept(limit.reason) && Fails(limit.threshold.level, fail_on);
  });
  std::string rules;
  int count = 0;
  for (const Finding& finding : findings) {
    if (finding.status != FindingStatus::kNotApplicable || !is_not_kept(finding.reason)) continue;
    if (!Fails(finding.most, fail_on)) continue;
    ++count;
    constexpr int kNamed = 3;
    if (count <= kNamed) rules += (count == 1 ? "" : ", ") + finding.rule->id;
    if (count == kNamed + 1) rules += ", …";
  }
  if (limits + count == 0) return std::nullopt;
  std::string who;
  if (limits > 0) who = fmt::format("{} limit{}", limits, limits == 1 ? "" : "s");
  if (count > 0) {
    who += fmt::format("{}{} rule{} ({})", who.empty() ? "" : " and ", count, count == 1 ? "" : "s",
                       rules);
  }
  return fmt::format(
      "{} that could fail the run need{} what summaries do not keep: check the profiles of the "
      "ranks, or leave out of the policy what summaries cannot tell",
      who, limits + count == 1 ? "s" : "");
}

}  // namespace profgauge
