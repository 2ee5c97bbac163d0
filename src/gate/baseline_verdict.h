// What a comparison with a baseline adds to a verdict.
#pragma once

#include "gate/compare.h"
#include "gate/verdict.h"

namespace profgauge {

/// Counts every limit of the comparison in `verdict` and gives its reasons. Runs that are not
/// comparable get no verdict, unless `allow_incomparable`; a failure that was found before stands.
void AddComparison(const RunComparison& comparison, const Policy& policy, bool allow_incomparable,
                   Verdict& verdict);

}  // namespace profgauge
