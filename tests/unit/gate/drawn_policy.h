// Policies, rules, runs and baselines that are drawn, to compare verdicts with a second judge.
// Numbers are eighths, so that a number on a limit is exactly on it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "gate/change.h"
#include "gate/snapshot.h"
#include "rules/policy.h"

namespace profgauge::gate::drawn {

inline constexpr std::array<std::string_view, 6> kIds = {
    "gpu.idle.mean",     "gpu.utilization.mean",       "gpu.occupancy", "dataloader.exposed_share",
    "gpu.sm_efficiency", "communication.exposed_share"};
inline constexpr std::size_t kOfAllRanks = 5;  // The one of these that needs all ranks.
inline constexpr std::chrono::sys_days kToday = std::chrono::year(2026) / 11 / 21;

struct Measured {
  std::optional<double> now, other, base;  // `other`: its other possible value.
  bool is_uncertain = false, base_is_uncertain = false, base_is_of_old = false;
};

struct Condition {
  std::size_t metric = 0;
  bool above = true;
  double than = 0;
};

struct Limit {
  std::size_t metric = 0;
  std::optional<double> min, max;
  rules::Level level = rules::Level::kError;
  std::optional<rules::OnMissing> on_missing;
  std::optional<Condition> when;
};

// A rule on a metric, or on the metric's difference to 1.
struct DrawnRule {
  std::size_t metric = 0;
  bool is_rest = false, is_below = false, is_required = false;
  std::optional<double> warn, error;  // Neither: it has a fixed level, and no metric.
  // The limit is the value of this metric, in place of the number.
  std::optional<std::size_t> warn_of, error_of;
  rules::Level level = rules::Level::kWarn;
  std::optional<Condition> when;
  std::optional<std::size_t> explains;  // A metric.
  rules::RuleSetting::Choice choice = rules::RuleSetting::Choice::kDefault;
  struct Waived {
    std::optional<Condition> where;
    bool has_expired = false;
  };
  std::vector<Waived> waivers;
};

struct Change {
  std::size_t metric = 0;
  std::optional<double> increase, decrease, min_abs;  // Shares of the baseline's, except min_abs.
  rules::Level level = rules::Level::kError;
  // The answer of the statistics, in place of the two numbers; `over`: probably over the limit.
  struct Answer {
    stats::Change change = stats::Change::kPass;
    bool over = false;
  };
  std::optional<Answer> answer;
};

struct Case {
  std::array<Measured, kIds.size()> metrics;
  rules::FailOn fail_on = rules::FailOn::kError;
  rules::OnMissing on_missing = rules::OnMissing::kNoVerdict;
  rules::OnInconclusive on_inconclusive = rules::OnInconclusive::kWarn;
  std::vector<Limit> limits;
  std::vector<DrawnRule> rules;
  std::vector<Change> changes;
  bool has_baseline = false, has_other_gpu = false;
  std::optional<std::int64_t> least_iterations, ranks, lacking, expected, allowed;
  std::optional<rules::OnMissingRanks> on_missing_ranks;
  std::int64_t iterations = 0, unreadable = 0;
  bool is_truncated = false, lost_iterations = false, is_of_two_runs = false;
  bool allow_incomplete = false;
};

/// The same seed, the same case.
Case DrawCase(std::uint64_t seed);

// The case as the program is given it.
std::string PolicyText(const Case& drawn);
std::string RulesText(const Case& drawn);  ///< A file without rules where there are none.
analysis::Analysis AnalysisOf(const Case& drawn);
Snapshot RunOf(const Case& drawn, bool is_base);

std::string Described(const Case& drawn);  ///< For who looks into a difference.

/// "pass", "fail" or "no_verdict", as a person would say who reads no text and merges nothing.
std::string_view NaiveVerdict(const Case& drawn);

}  // namespace profgauge::gate::drawn
