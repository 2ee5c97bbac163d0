// The names of ranges that mark iterations: the table of
// rules/knowledge/markers.yaml.
#pragma once

#include <string_view>

#include "model/iteration_source.h"

namespace profgauge {

/// One family of names. At least one of `starts` and `matches` is given.
struct MarkerName {
  std::string_view family;
  std::string_view starts = {};   ///< The name starts with it; empty: `matches` decides.
  std::string_view matches = {};  ///< RE2 that the name must contain; empty: `starts` decides.
  std::string_view domain = {};   ///< Only NVTX ranges of this domain; empty: of any.
};
inline constexpr MarkerName kMarkerNames[] = {
#include "knowledge/markers.inc"
};

static_assert(kMarkerNames[0].family == "profiler_step" && kMarkerNames[0].starts == kProfilerStep);

}  // namespace profgauge
