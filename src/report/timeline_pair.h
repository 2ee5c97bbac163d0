// The timelines of two runs on one axis.
#pragma once

#include <string_view>

#include "base/units.h"
#include "report/report.h"

namespace profgauge::report {

/// One of them. `anchor`: its moment that is aligned with the other's.
struct TimelineOfRun {
  Timeline timeline;
  Ns anchor = 0;
  std::string_view name;  ///< Groups of tracks begin with it.
};

/// All tracks of `base`, then those of `current`. Nothing of either is changed but when it was: the
/// one whose anchor is earlier is moved. Facets and peaks stay where both have the same.
Timeline StackTimelines(TimelineOfRun base, TimelineOfRun current);

}  // namespace profgauge::report
