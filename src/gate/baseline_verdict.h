// What a comparison with a baseline adds to a verdict.
#pragma once

#include "gate/compare.h"
#include "gate/verdict.h"

namespace profgauge {

/// Counts every limit of the comparison in `verdict` and gives its reasons. Where the comparison is
/// not judged (runs that are not comparable), its limits do not apply and there is no verdict; a
/// failure that was found before stands.
void AddComparison(const RunComparison& comparison, const Policy& policy, Verdict& verdict);

}  // namespace profgauge
