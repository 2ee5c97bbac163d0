#include "gate/not_kept.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "analysis/summary/kept_tables.h"
#include "rules/builtin_files.h"

namespace profgauge {
namespace {

bool IsCut(const Analysis& analysis, std::string_view row_name) {
  return std::any_of(analysis.remarks.begin(), analysis.remarks.end(), [&](const Remark& remark) {
    if (!remark.id.starts_with(kCutRemark)) return false;
    const TableSpec* table = FindTable(std::string_view(remark.id).substr(kCutRemark.size()));
    return table != nullptr && table->row_name == row_name;
  });
}

/// Whether the policy sets a parameter on which it depends which rows the rule chooses.
bool ChoosesByPolicy(const Rule& rule, const Policy& policy) {
  if (!rule.where) return false;
  return std::any_of(policy.rules.begin(), policy.rules.end(), [&](const RuleSetting& setting) {
    const bool concerns = setting.pattern == rule.id ||
                          setting.pattern.find_first_of("*?[") != std::string::npos ||
                          std::find(rule.formerly.begin(), rule.formerly.end(), setting.pattern) !=
                              rule.formerly.end();
    return concerns && std::any_of(setting.params.begin(), setting.params.end(), [&](auto& param) {
             return rule.where->text.find("$" + param.first) != std::string::npos;
           });
  });
}

/// A pass that rows may have failed which were not kept.
bool MayMissRows(const Analysis& analysis, const Finding& finding, const Policy& policy) {
  if (finding.status != FindingStatus::kPass) return false;
  const Rule& rule = *finding.rule;
  if (!IsCut(analysis, rule.for_each.text)) return false;
  return !rule.for_each.file.starts_with(kBuiltinPrefix) || ChoosesByPolicy(rule, policy);
}

}  // namespace

std::optional<std::string> WhyNotKept(const Analysis& analysis, std::span<const GateResult> gate,
                                      std::span<const Finding> findings, const Policy& policy) {
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
  for (const Finding& finding : findings) {
    const bool is_open =
        finding.status == FindingStatus::kNotApplicable && is_not_kept(finding.reason);
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
      "{} need{} data that summaries do not contain; check the full profiles, or drop the limit",
      who, limits + count == 1 ? "s" : "");
}

}  // namespace profgauge
