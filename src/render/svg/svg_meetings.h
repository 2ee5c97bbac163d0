// Calls of several ranks on one time axis, joined where they are one call, as SVG text. As all
// charts (render/svg/svg.h), it carries its colors twice and is beside its table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "render/svg/svg.h"

namespace profgauge::render {

struct MeetingCall {
  std::int64_t call = -1;  ///< The same on all lanes that have it; -1: of no other lane.
  Ns start = 0, waiting = 0, transfer = 0;
  std::string title;  ///< Shown on hover.
};
struct MeetingLane {
  std::string name;
  Ns begin = 0, end = 0;  ///< Ends of the iteration.
  std::vector<MeetingCall> calls;
};
struct MeetingChart {
  std::vector<MeetingLane> lanes;
  Paint waiting, transfer, other;  ///< `other` is the iteration around the calls.
  std::string (*time_text)(double) = nullptr;
  std::string description;
  int width = 1190;
};
/// A line joins the starts of a call on neighboring lanes: the more it slants, the later one came.
/// Empty without lanes or time.
std::string SvgMeetings(const MeetingChart& chart);

}  // namespace profgauge::render
