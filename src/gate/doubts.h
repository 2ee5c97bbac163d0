// Doubts from a profile's analysis that make its verdict undecided, whatever its numbers are.
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "rules/policy.h"

namespace profgauge {

/// One sentence each: iterations that the profile lost, work of unknown
/// iteration, ranks without markers or without device work, ranks of several runs. Missing ranks
/// are missing_ranks.h's. `allow_incomplete` accepts all but the last; `ranks.allow_missing` of the
/// policy this many ranks without device work.
std::vector<std::string> DoubtsOf(const Policy& policy, const Analysis& analysis,
                                  bool allow_incomplete);

}  // namespace profgauge
