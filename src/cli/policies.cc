#include "cli/policies.h"

#include <span>
#include <utility>

#include "api/default_policy.h"
#include "cli/console.h"
#include "cli/reading.h"

namespace profgauge::cli {
namespace {

/// Reads the policy and its rules; nullopt after their errors were reported.
std::optional<Judging> ReadJudging(const Options& options, const rules::SelectOptions& select,
                                   Console& console) {
  auto policy = ReadPolicy(options, console);
  if (!policy) return std::nullopt;
  auto book = rules::LoadRulebook(*policy, select);
  if (book) return Judging{*std::move(policy), *std::move(book)};
  console.Report(book.error());
  return std::nullopt;
}

}  // namespace

const Judging* Policies::For(bool is_cpu_only) {
  const bool by_name = is_cpu_only && options_.policy.empty();
  const auto known = judgings_.find(by_name);
  if (known != judgings_.end()) return &known->second;
  Options options = options_;
  if (by_name) options.policy = kCpuPolicy;
  auto judging = ReadJudging(options, select_, console_);
  if (!judging) return nullptr;
  return &judgings_.emplace(by_name, *std::move(judging)).first->second;
}

analysis::Remark Policies::RemarkOn(const RunToJudge& run) const {
  return options_.policy.empty() ? DefaultPolicyOf(std::span(&run, 1)).remark : analysis::Remark{};
}

}  // namespace profgauge::cli
