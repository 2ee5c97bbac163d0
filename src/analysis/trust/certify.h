// Makes the certificate of a run: the state of every check of the profile's quality.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::trust {

/// Runs the checks in their fixed order. Each has an id, a title for the good case, the kinds of
/// numbers that it affects, and a state: ok, unknown (the profile cannot answer), doubt or lost. A
/// single lost check means no trust, a single doubt limited trust. Checks use the readers'
/// counters, facts of the profiles, and the analysis; only `synchronized` walks over the calls.
/// REQUIRES: `analysis` is complete except for its certificate.
Certificate CertifyRun(std::span<const iterations::RankContext> ranks, const Analysis& analysis);

// Checks of unrecorded iterations, and of the conditions of devices.

/// Adds these checks in the certificate's order.
void CertifySteps(std::span<const iterations::RankContext> ranks, const Analysis& analysis,
                  std::vector<CertificateCheck>& checks);

}  // namespace profgauge::analysis::trust
