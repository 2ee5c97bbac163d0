// The timeline section of the report: the events of each rank as lanes, within a budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "analysis/knowledge.h"
#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

struct TimelineOptions {
  enum class Mode : std::uint8_t { kOff, kAuto, kFull };
  Mode mode = Mode::kAuto;
  /// Events of all ranks together that kAuto keeps; ranks share it evenly. Device events go first,
  /// then host events from the longest down; what had to go is said in Timeline::left_out.
  std::size_t budget = 300'000;
  /// Those of the analysis, so that both colour a kernel alike.
  Knowledge knowledge;
};

/// Tracks of a rank in this order: the GPUs' streams, threads (busiest first), Python stacks.
Timeline BuildTimeline(std::span<const Profile> ranks, const TimelineOptions& options);

}  // namespace profgauge::report
