// Events on lanes over a range of time, as SVG text: for readers without scripts instead
// of the timeline. Like all charts (render/svg/svg.h), it has its colors twice and is beside
// its table.
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
  std::string name;         ///< Drawn where it fits.
};
struct OverviewLane {
  std::string name;                   ///< At the left; empty: goes on with the lane above.
  std::vector<OverviewEvent> events;  ///< By start; they do not overlap.
};
struct OverviewChart {
  Ns begin = 0, end = 0;
  std::vector<OverviewLane> lanes;
  std::vector<Paint> paints;
  std::string description;
  int width = 1190;
};
/// Empty when the range or the lanes are. Its size is bounded, however many events there are: of
/// every three pixels each color has the height that it has of their time. REQUIRES: `paint` of
/// every event is an index into `paints`.
std::string SvgOverview(const OverviewChart& chart);

}  // namespace profgauge::render
