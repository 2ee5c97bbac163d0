// Events on lanes over a range of time as SVG text. It replaces the timeline for readers without
// scripts. Colors and tables are described in svg.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/units.h"
#include "render/svg/svg.h"
#include "report/runs.h"

namespace profgauge::render {

struct OverviewEvent {
  Ns start = 0, end = 0;
  std::uint32_t paint = 0;  ///< Index into OverviewChart::paints.
  std::string name;         ///< Drawn if it fits.
};
struct OverviewLane {
  std::string name;                   ///< At the left; empty: continues the lane above.
  std::vector<OverviewEvent> events;  ///< By start; they do not overlap.
};
struct OverviewChart {
  Ns begin = 0, end = 0;
  std::vector<OverviewLane> lanes;
  std::vector<Paint> paints;
  std::string description;
  int width = 1190;
};
/// Draws the lanes; empty if there are no lanes or no time. The size is bounded for any number of
/// events: in each column of three pixels, the height of a color is its share of the time.
/// REQUIRES: `paint` of every event is an index into `paints`.
std::string SvgOverview(const OverviewChart& chart);

}  // namespace profgauge::render
