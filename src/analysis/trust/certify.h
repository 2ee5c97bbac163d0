// Makes the certificate of a run: every check of a profile's quality with its state.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::trust {

/// The checks in their fixed order. Each has an id, a title that states the good case, the kinds of
/// numbers that it affects, and a state: ok, unknown (the profile cannot answer), doubt or lost.
/// One lost check leaves no trust, one doubt a limited trust. Checks read the counters of the
/// readers, facts of the profiles, and the analysis; only `synchronized` walks over the calls.
/// REQUIRES: `analysis` is complete except for its certificate.
Certificate CertifyRun(std::span<const iterations::RankContext> ranks, const Analysis& analysis);

// The checks of a certificate that follow from unrecorded iterations and device conditions.

/// Adds them in the certificate's order.
void CertifySteps(std::span<const iterations::RankContext> ranks, const Analysis& analysis,
                  std::vector<CertificateCheck>& checks);

}  // namespace profgauge::analysis::trust
