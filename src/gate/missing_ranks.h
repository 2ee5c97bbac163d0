// Whether the ranks that a policy's limits depend on are in the run.
#pragma once

#include <optional>
#include <string>

#include "analysis/analysis.h"
#include "rules/policy.h"

namespace profgauge {

/// In words, which ranks are missing or too many: "2 of 8 ranks are missing: …". Nothing when they
/// are as `policy` demands, and, without a demand, when no limit is on common work of ranks or
/// the profiles do not show how many there are. A baseline limits the length of iterations, which
/// all ranks make.
std::optional<std::string> WhyRanksMissing(const Policy& policy, const Analysis& analysis,
                                           bool has_baseline);

}  // namespace profgauge
