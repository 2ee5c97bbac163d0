#include "rules/rank.h"

#include "rules/rule_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

#include "knowledge/plan.h"

namespace profgauge::rules {
namespace {

/// True if the cause's time is at least this share of the symptom's. If either is unknown, the
/// rule's `explains` is enough.
bool Explains(const Finding& cause, const Finding& symptom, knowledge::Ratio share) {
  const std::optional<double> time = cause.about_time, cost = symptom.about_time;
  return !time || !cost || *time >= share * *cost;
}

/// Makes a forest of findings from rules that explain rules, and orders the forest:
///
///     fired, with savings    input-bound 30 %    idle 35 %    small-kernels 4 %    copies 6 %
///     explains               input-bound -> idle
///     forest                 input-bound (worth 35 %: its symptom's)   copies    small-kernels
///                              idle
///     order                  input-bound, idle, copies, small-kernels
///
/// The order of the passes matters: fired causes, then families, then waived causes, which explain
/// only findings without a fired cause. Then a waiver of a cause is extended to its symptoms.
class Ranker {
 public:
  Ranker(std::span<const CompiledRule> rules, const std::vector<std::size_t>& rule_of,
         knowledge::Ratio explained, std::vector<Finding>& findings)
      : rules_(rules),
        rule_of_(rule_of),
        explained_(explained),
        findings_(findings),
        worth_(findings.size(), 0) {}

  std::vector<std::size_t> Order() {
    LinkCauses();
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      worth_[i] = findings_[i].worth;
      // Walks from each finding to the root, which is cheap because trees of causes are shallow.
      std::size_t at = i;
      while (findings_[at].cause) {
        at = *findings_[at].cause;
        worth_[at] = std::max(worth_[at], findings_[i].worth);
      }
    }
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (!findings_[i].cause) roots.push_back(i);
    }
    Sort(roots);
    std::vector<std::size_t> order;
    for (const std::size_t root : roots) Append(root, order);
    return order;
  }

 private:
  void LinkCauses() {
    for (std::size_t cause = 0; cause < findings_.size(); ++cause) {
      if (Fired(findings_[cause].status)) LinkSymptoms(cause, false);
    }
    LinkFamilies();
    for (std::size_t cause = 0; cause < findings_.size(); ++cause) {
      if (findings_[cause].status == FindingStatus::kWaived) LinkSymptoms(cause, true);
    }
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (findings_[i].cause) findings_[*findings_[i].cause].symptoms.push_back(i);
    }
    std::vector<bool> roots(findings_.size());
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      roots[i] = findings_[i].status == FindingStatus::kWaived;
    }
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (roots[i]) WaiveSymptoms(i);
    }
  }

  /// Links the findings of a family that have no cause to the family's finding with the largest
  /// saving, unless they are more severe than it.
  void LinkFamilies() {
    std::map<std::string_view, std::size_t> roots;
    const auto is_free = [this](std::size_t i) {
      return Fired(findings_[i].status) && !findings_[i].cause &&
             !findings_[i].rule->family.empty();
    };
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      if (!is_free(i)) continue;
      std::size_t& root = roots.try_emplace(findings_[i].rule->family, i).first->second;
      if (findings_[i].worth > findings_[root].worth) root = i;
    }
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const auto root = is_free(i) ? roots.find(findings_[i].rule->family) : roots.end();
      if (root == roots.end() || root->second == i) continue;
      const Finding& cause = findings_[root->second];
      if (cause.rule != findings_[i].rule && findings_[i].status >= cause.status) {
        findings_[i].cause = root->second;
      }
    }
  }

  /// Links the fired symptoms of a cause to it. A waived cause gets only findings that have no
  /// fired cause and are not more severe.
  void LinkSymptoms(std::size_t cause, bool is_waived) {
    const std::vector<std::size_t>& always = rules_[rule_of_[cause]].symptoms;
    const std::vector<std::size_t> by_condition = SymptomsByCondition(cause);
    const auto has = [](const std::vector<std::size_t>& some, std::size_t rule) {
      return std::find(some.begin(), some.end(), rule) != some.end();
    };
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      Finding& symptom = findings_[i];
      if (!Fired(symptom.status)) continue;
      const bool may_be =
          has(always, rule_of_[i]) && Explains(findings_[cause], symptom, explained_);
      if (!may_be && !has(by_condition, rule_of_[i])) continue;
      if (symptom.cause) {
        const Finding& other = findings_[*symptom.cause];
        if (is_waived && Fired(other.status)) continue;
        if (other.worth >= findings_[cause].worth) continue;
      }
      if (is_waived && symptom.status < findings_[cause].unwaived) continue;
      symptom.cause = cause;
    }
  }

  /// Extends the waiver of a cause to its direct and indirect symptoms, except more severe ones.
  void WaiveSymptoms(std::size_t cause) {
    std::vector<std::size_t> kept;
    for (const std::size_t i : findings_[cause].symptoms) {
      Finding& symptom = findings_[i];
      if (symptom.status < findings_[cause].unwaived) {
        symptom.cause.reset();
        continue;
      }
      kept.push_back(i);
      symptom.unwaived = findings_[cause].unwaived;
      symptom.status = FindingStatus::kWaived;
      symptom.waiver = findings_[cause].waiver;
      symptom.reason = fmt::format("`{}` explains it, and is waived", findings_[cause].rule->id);
      WaiveSymptoms(i);
    }
    findings_[cause].symptoms = std::move(kept);
  }

  /// The symptoms whose condition is true. The condition decides, not the share of the cost.
  std::vector<std::size_t> SymptomsByCondition(std::size_t cause) const {
    const std::vector<bool>& holds = findings_[cause].explains_when;
    std::vector<std::size_t> symptoms;
    for (const auto& [symptom, condition] : rules_[rule_of_[cause]].symptoms_when) {
      if (condition < holds.size() && holds[condition]) symptoms.push_back(symptom);
    }
    return symptoms;
  }

  static int StatusPlace(FindingStatus status) {
    switch (status) {
      case FindingStatus::kBroken:
        return 0;
      case FindingStatus::kError:
      case FindingStatus::kWarn:
      case FindingStatus::kInfo:
        return 1;
      case FindingStatus::kWaived:
        return 2;
      case FindingStatus::kGood:
      case FindingStatus::kNotFound:
        return 3;
      case FindingStatus::kNotApplicable:
        return 4;
    }
    return 5;
  }

  /// Sorts: broken; fired (errors and warnings about the profile first, then by worth, then by
  /// severity); waived; passed; not applicable. Equal findings keep the order of rules, so that the
  /// output never varies.
  void Sort(std::vector<std::size_t>& some) const {
    const auto key = [this](std::size_t i) {
      const Finding& finding = findings_[i];
      const bool about_recording =
          finding.rule->category == kAboutRecording && finding.status != FindingStatus::kInfo;
      return std::tuple(StatusPlace(finding.status), about_recording ? 0 : 1, -worth_[i],
                        finding.status, rule_of_[i], i);
    };
    std::sort(some.begin(), some.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  }

  void Append(std::size_t at, std::vector<std::size_t>& order) const {
    order.push_back(at);
    std::vector<std::size_t> symptoms = findings_[at].symptoms;
    Sort(symptoms);
    for (const std::size_t symptom : symptoms) Append(symptom, order);
  }

  std::span<const CompiledRule> rules_;
  const std::vector<std::size_t>& rule_of_;
  knowledge::Ratio explained_;
  std::vector<Finding>& findings_;
  std::vector<double> worth_;  ///< For each finding, the largest worth among it and its symptoms.
};

bool Informs(const Finding& finding) {
  return finding.status == FindingStatus::kInfo && finding.rule->level == Level::kInfo;
}

}  // namespace

void RankFindings(std::span<const CompiledRule> rules, std::vector<std::size_t> rule_of,
                  knowledge::Ratio explained, std::vector<Finding>& findings) {
  const std::vector<std::size_t> order = Ranker(rules, rule_of, explained, findings).Order();
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<Finding> sorted;
  sorted.reserve(order.size());
  for (const std::size_t from : order) {
    Finding& finding = findings[from];
    if (finding.cause) finding.cause = place[*finding.cause];
    for (std::size_t& symptom : finding.symptoms) symptom = place[symptom];
    std::sort(finding.symptoms.begin(), finding.symptoms.end());
    sorted.push_back(std::move(finding));
  }
  findings = std::move(sorted);
}

bool MayPromote(std::span<const Finding> findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return Informs(finding) && finding.rule->gain.has_value();
  });
}

void PromoteLargeSavings(std::span<const CompiledRule> rules, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (!Informs(finding) || finding.cause || !finding.claim.is_simulated()) continue;
    if (finding.worth < knowledge::kPlanPromotedShare.value()) continue;
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const auto& some) { return some.rule == finding.rule; });
    const bool is_free =
        rule != rules.end() && rule->active.choice == RuleSetting::Choice::kDefault;
    if (!is_free) continue;
    finding.status = FindingStatus::kWarn;
    finding.most = std::max(finding.most, Level::kWarn);
  }
}

}  // namespace profgauge::rules
