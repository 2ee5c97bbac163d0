// Makes the certificate of a run: every check of a profile's quality with its state.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/context/context.h"

namespace profgauge {

/// REQUIRES: `analysis` is complete except for its certificate.
Certificate CertifyRun(std::span<const RankContext> ranks, const Analysis& analysis);

// The checks of a certificate that follow from unrecorded iterations and device conditions.

/// Adds them in the certificate's order.
void CertifySteps(std::span<const RankContext> ranks, const Analysis& analysis,
                  std::vector<CertificateCheck>& checks);

}  // namespace profgauge
