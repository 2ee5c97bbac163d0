#include "gate/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/communication/clocks.h"
#include "analysis/iterations/markers.h"
#include "analysis/ranks/kept_tables.h"
#include "analysis/trust/unrecorded.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/whole.h"
#include "gate/reasons.h"
#include "rules/builtin_files.h"

namespace profgauge::gate {
namespace {

bool MayLackRanks(const rules::Policy& policy, const analysis::Analysis& analysis) {
  const analysis::Metric* without = analysis.Find(metric::kProfileRanksWithoutWork);
  return without != nullptr && !IsAbsent(without->value) &&
         AsNumber(without->value, 0) <= static_cast<double>(policy.ranks.allow_missing);
}

/// True if a limit of the policy needs measurements of a device.
bool JudgesDevice(const rules::Policy& policy) {
  const auto does = [](const auto& limit) {
    if (limit.level == rules::Level::kInfo) return false;
    const std::string_view metric = limit.metric;
    for (const std::string_view of : {"gpu.", "kernel.", "tensor_core.", "launch.", "occupancy."}) {
      if (metric.starts_with(of)) return true;
    }
    return false;
  };
  return std::any_of(policy.thresholds.begin(), policy.thresholds.end(), does);
}

// Texts of those remarks of the analysis that are reasons and were not overruled.
std::vector<std::string> TextsOf(bool leave_nothing, const rules::Policy& policy,
                                 const analysis::Analysis& analysis, bool allow_incomplete) {
  std::vector<std::string> doubts;
  for (const analysis::Remark& remark : analysis.remarks) {
    const Reason* reason = FindReasonOfRemark(remark.id);
    if (reason == nullptr || reason->leaves_nothing != leave_nothing) continue;
    const bool is_accepted = reason->by != Overrule::kNever &&
                             (allow_incomplete || (reason->by == Overrule::kMissingRanks &&
                                                   MayLackRanks(policy, analysis)));
    if (!is_accepted) doubts.push_back(WithReason(remark.text, reason->id));
  }
  return doubts;
}

}  // namespace

std::vector<std::string> DoubtsOf(const rules::Policy& policy, const analysis::Analysis& analysis,
                                  bool allow_incomplete) {
  return TextsOf(false, policy, analysis, allow_incomplete);
}

std::vector<std::string> WhyNothingToJudge(const rules::Policy& policy,
                                           const analysis::Analysis& analysis,
                                           bool allow_incomplete) {
  if (!JudgesDevice(policy)) return {};
  return TextsOf(true, policy, analysis, allow_incomplete);
}

namespace {

std::optional<std::int64_t> CountOf(const analysis::Analysis& analysis, std::string_view id) {
  const analysis::Metric* metric = analysis.Find(id);
  if (metric == nullptr || IsAbsent(metric->value)) return std::nullopt;
  return AsWhole(metric->value, 0);
}

/// True if the metric depends on all ranks: it is of common work, or an extreme. An iteration takes
/// as long as its slowest rank.
bool IsOfAllRanks(std::string_view metric) {
  for (const std::string_view of : {"rank.", "communication.", "pipeline.", "iteration."}) {
    if (metric.starts_with(of)) return true;
  }
  return metric.ends_with(".min") || metric.ends_with(".max");
}

bool DependsOnAllRanks(const rules::Policy& policy, bool has_baseline) {
  if (policy.ranks.expect || policy.ranks.on_missing || has_baseline) return true;
  const auto depends = [](const auto& limit) {
    return limit.level != rules::Level::kInfo && IsOfAllRanks(limit.metric);
  };
  return std::any_of(policy.thresholds.begin(), policy.thresholds.end(), depends) ||
         (policy.baseline &&
          std::any_of(policy.baseline->limits.begin(), policy.baseline->limits.end(), depends));
}

std::string NoteOf(const analysis::Analysis& analysis) {
  const analysis::Metric* missing = analysis.Find(metric::kProfileRanksMissing);
  return missing == nullptr || missing->note.empty() ? "" : fmt::format(" ({})", missing->note);
}

}  // namespace

std::optional<std::string> WhyRanksMissing(const rules::Policy& policy,
                                           const analysis::Analysis& analysis, bool has_baseline) {
  const auto present = CountOf(analysis, metric::kProfileRanks);
  if (!present || !DependsOnAllRanks(policy, has_baseline)) return std::nullopt;
  const auto lacking = CountOf(analysis, metric::kProfileRanksMissing);
  if (!policy.ranks.expect && !lacking) return std::nullopt;
  const std::int64_t expected = policy.ranks.expect.value_or(*present + lacking.value_or(0));
  if (*present > expected) {
    return fmt::format("the run has {} ranks, the policy expects {} [ranks/too-many]",
                       FormatCount(*present), FormatCount(expected));
  }
  const std::int64_t missing = expected - *present;
  if (missing <= policy.ranks.allow_missing) return std::nullopt;
  std::string sentence =
      fmt::format("{} of {} ranks {} missing{}", FormatCount(missing), FormatCount(expected),
                  missing == 1 ? "is" : "are", NoteOf(analysis));
  if (policy.ranks.allow_missing > 0) {
    sentence += fmt::format(", the policy allows {}", FormatCount(policy.ranks.allow_missing));
  }
  return sentence + " [ranks/missing]";
}

namespace {

bool IsCut(const analysis::Analysis& analysis, std::string_view row_name) {
  return std::any_of(analysis.remarks.begin(), analysis.remarks.end(),
                     [&](const analysis::Remark& remark) {
                       if (!remark.id.starts_with(analysis::ranks::kCutRemark)) return false;
                       const analysis::TableSpec* table = analysis::FindTable(
                           std::string_view(remark.id).substr(analysis::ranks::kCutRemark.size()));
                       return table != nullptr && table->row_name == row_name;
                     });
}

/// True if the policy sets a parameter that the rule's `where` uses to choose rows.
bool ChoosesByPolicy(const rules::Rule& rule, const rules::Policy& policy) {
  if (!rule.where) return false;
  return std::any_of(
      policy.rules.begin(), policy.rules.end(), [&](const rules::RuleSetting& setting) {
        const bool concerns = setting.pattern == rule.id ||
                              setting.pattern.find_first_of("*?[") != std::string::npos ||
                              std::find(rule.formerly.begin(), rule.formerly.end(),
                                        setting.pattern) != rule.formerly.end();
        return concerns &&
               std::any_of(setting.params.begin(), setting.params.end(), [&](auto& param) {
                 return rule.where->text.find("$" + param.first) != std::string::npos;
               });
      });
}

/// True if a rule passed only because rows were discarded that might have failed it.
bool MayMissRows(const analysis::Analysis& analysis, const rules::Finding& finding,
                 const rules::Policy& policy) {
  if (!rules::Passed(finding.status) && !finding.is_left_out) return false;
  const rules::Rule& rule = *finding.rule;
  if (!IsCut(analysis, rule.for_each.text)) return false;
  return !rule.for_each.file.starts_with(rules::kBuiltinPrefix) || ChoosesByPolicy(rule, policy);
}

}  // namespace

std::optional<std::string> WhyNotKept(const analysis::Analysis& analysis,
                                      std::span<const GateResult> gate,
                                      std::span<const rules::Finding> findings,
                                      const rules::Policy& policy) {
  if (analysis.not_kept.empty()) return std::nullopt;
  const auto is_not_kept = [&](std::string_view reason) {
    return reason.find(analysis.not_kept) != std::string_view::npos;
  };
  const auto limits = std::count_if(gate.begin(), gate.end(), [&](const GateResult& limit) {
    const bool is_left_out =
        limit.status == GateStatus::kSkipped || limit.status == GateStatus::kNotApplicable;
    return is_left_out && is_not_kept(limit.reason) && Fails(limit.threshold.level, policy.fail_on);
  });
  std::string rules;
  int count = 0;
  for (const rules::Finding& finding : findings) {
    const bool is_open =
        finding.status == rules::FindingStatus::kNotApplicable && is_not_kept(finding.reason);
    if (!is_open && !MayMissRows(analysis, finding, policy)) continue;
    if (!Fails(finding.most, policy.fail_on)) continue;
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
      "{} need{} data that summaries do not contain; check the full profiles, or drop the limit "
      "[summary/not-kept]",
      who, limits + count == 1 ? "s" : "");
}

}  // namespace profgauge::gate
