// Makes the certificate of a run: every check of a profile's quality with its state.
#pragma once

#include <span>

#include "analysis/analysis.h"
#include "analysis/context/context.h"

namespace profgauge {

/// REQUIRES: `analysis` is complete except for its certificate.
Certificate CertifyRun(std::span<const RankContext> ranks, const Analysis& analysis);

}  // namespace profgauge
