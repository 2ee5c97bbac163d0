// The checks of a certificate that follow from unrecorded iterations and device conditions.
#pragma once

#include <span>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/context/context.h"

namespace profgauge {

/// Adds them in the certificate's order.
void CertifySteps(std::span<const RankContext> ranks, const Analysis& analysis,
                  std::vector<CertificateCheck>& checks);

}  // namespace profgauge
