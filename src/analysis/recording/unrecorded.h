// Numbers that come out as 0 because the recording has nothing that could make them more: they are
// unknown, not 0.
#pragma once

#include <span>
#include <string>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Of one rank.
struct UnrecordedFacts {
  std::string copies_unknown;  ///< Why copies between host and device are; empty: they are known.
  bool has_copies = false;
};
UnrecordedFacts UnrecordedFactsOf(const RankContext& rank);

/// Takes back copies between host and device that were not traced.
void AddUnrecorded(std::span<const RankContext> ranks, Output& out);
void AddUnrecorded(std::span<const UnrecordedFacts> ranks, Output& out);

}  // namespace profgauge
