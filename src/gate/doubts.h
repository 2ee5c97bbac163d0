// What a profile's analysis says of it that leaves its verdict open, whatever its numbers are.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "rules/policy.h"

namespace profgauge {

/// One sentence each: iterations that the profile lost, work of which it cannot tell the
/// iteration, ranks without markers or without device work, ranks of several runs. Missing ranks
/// are missing_ranks.h's. `allow_incomplete` accepts all but the last; `ranks.allow_missing` of the
/// policy so many ranks without device work.
std::vector<std::string> DoubtsOf(const Policy& policy, const Analysis& analysis,
                                  bool allow_incomplete);

}  // namespace profgauge
