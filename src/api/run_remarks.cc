#include "api/run_remarks.h"

#include <fmt/format.h>

#include "base/format.h"
#include "knowledge/thresholds.h"
#include "readers/ranks.h"

namespace profgauge {

std::vector<std::string> ThresholdChanges(const rules::Policy& policy) {
  std::vector<std::string> changes;
  for (const knowledge::ThresholdRow& row : knowledge::Thresholds()) {
    if (!row.IsChanged(policy.knowledge.thresholds)) continue;
    const auto text = [&row](double value) { return FormatLimit(value, row.unit); };
    changes.push_back(fmt::format("{} = {} (default {})", row.id,
                                  text(row.get(policy.knowledge.thresholds)), text(row.value)));
  }
  return changes;
}

void AddRemarkOnThresholds(const rules::Policy& policy, analysis::Analysis& analysis) {
  const std::vector<std::string> changes = ThresholdChanges(policy);
  if (changes.empty()) return;
  analysis.remarks.push_back(
      {"thresholds-set",
       fmt::format("the policy sets thresholds of the analysis: {}", fmt::join(changes, ", "))});
}

void AddRemarkOnRanks(std::span<const Profile> ranks, analysis::Analysis& analysis) {
  if (ranks.size() < 2) return;
  for (const auto& [key, value] : ranks.front().facts) {
    if (key != readers::kRanksGivenBy) continue;
    analysis.remarks.push_back(
        {"ranks-given", "the files record no ranks: they are numbered by " + value});
  }
}

}  // namespace profgauge
