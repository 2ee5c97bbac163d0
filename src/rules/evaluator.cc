#include "rules/evaluator.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "rules/bindings.h"
#include "rules/rank.h"
#include "rules/rule_run.h"

namespace profgauge::rules {
namespace {

std::vector<WaiverUse> CountWaivers(std::span<const CompiledRule> rules,
                                    const std::vector<Finding>& findings,
                                    const RuleRunOptions& options) {
  std::vector<WaiverUse> out;
  for (const CompiledRule& rule : rules) {
    for (const CompiledRule::Waived& waived : rule.waivers) {
      const auto known = std::find_if(out.begin(), out.end(), [&](const WaiverUse& use) {
        return use.waiver == waived.waiver;
      });
      if (known == out.end()) {
        const bool expired = options.today && HasExpired(*waived.waiver, *options.today);
        out.push_back({waived.waiver, expired, 0});
      }
    }
  }
  for (const Finding& finding : findings) {
    for (WaiverUse& use : out) {
      // Only the first finding of a rule has all groups; with `report: each`, others have none.
      const bool counts = finding.groups.empty() && finding.group.empty();
      if (counts && finding.waiver == use.waiver) ++use.findings;
      for (const GroupResult& group : finding.groups) {
        if (group.waiver == use.waiver) ++use.findings;
      }
    }
  }
  return out;
}

}  // namespace

std::string_view FindingStatusName(FindingStatus status) {
  switch (status) {
    case FindingStatus::kError:
      return "error";
    case FindingStatus::kWarn:
      return "warn";
    case FindingStatus::kInfo:
      return "info";
    case FindingStatus::kGood:
      return "good";
    case FindingStatus::kNotFound:
      return "not_found";
    case FindingStatus::kWaived:
      return "waived";
    case FindingStatus::kNotApplicable:
      return "not_applicable";
    case FindingStatus::kBroken:
      return "broken";
  }
  return "broken";
}

Evaluation EvaluateRules(std::span<const CompiledRule> rules, const analysis::Analysis& analysis,
                         const Facts& facts, const RuleRunOptions& options) {
  RunData run(analysis, facts, options.simulations);
  std::vector<std::vector<Finding>> found(rules.size());
  std::vector<std::size_t> order(rules.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto scales = [&](std::size_t i) {
    return rules[i].scenario ? rules[i].scenario->scales.size() : 0;
  };
  // Rules whose scenarios have most changes start first, because their simulations take longest.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scales(a) > scales(b); });
  ForEachAtOnce(
      1 + rules.size(),
      [&](std::size_t i) {
        if (i > 0) {
          found[order[i - 1]] = RunRule(rules[order[i - 1]], run, options);
        } else if (options.beside) {
          options.beside();
        }
      },
      kMostSimulatedAtOnce);
  Evaluation out;
  std::vector<std::size_t> rule_of;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (Finding& finding : found[i]) {
      out.findings.push_back(std::move(finding));
      rule_of.push_back(i);
    }
  }
  out.waivers = CountWaivers(rules, out.findings, options);
  RankFindings(rules, std::move(rule_of), options.thresholds.findings_explained_share,
               out.findings);
  PromoteLargeSavings(rules, out.findings);
  return out;
}

}  // namespace profgauge::rules
