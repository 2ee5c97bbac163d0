// Iterations: where each begins and ends, which are selected, and the window that follows.
//
// Definition: metrics, "Time, window, iterations"; the interval rule is the TensorBoard plug-in's
// (formats/kineto, b3), without its counting of markers that were copied onto the GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/interval.h"
#include "model/profile.h"

namespace profgauge {

struct Iteration {
  std::string name;  ///< "5" of ProfilerStep#5; the position when the marker has no number.
  Span host;         ///< What the marker says.
  Span time;         ///< From max(previous end, host start) to the end of its last device event.
  std::int64_t device_events = 0;  ///< Launched in it.
};

struct Iterations {
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  std::vector<Iteration> all;            ///< In time order; `time` never overlaps. At least one.
  std::size_t first = 0, last = 0;       ///< Selected: [first, last).
  bool everything = true;                ///< Nothing was left out: tables cover the whole trace.
  Span window;                           ///< [start of the first selected, end of the last).
  std::string source;                    ///< "ProfilerStep#N", "key op aten::mm", "whole profile".
  std::int64_t dropped_at_end = 0;       ///< Trailing iterations without (enough) device events.
  std::vector<std::uint32_t> of_device;  ///< Per device row: iteration that launched it, or kNone.

  std::span<const Iteration> selected() const {
    return std::span(all).subspan(first, last - first);
  }
  bool SelectsIteration(std::uint32_t index) const { return index >= first && index < last; }
  bool SelectsDevice(std::uint32_t row) const {
    return everything || (of_device[row] != kNone && SelectsIteration(of_device[row]));
  }
  bool SelectsHostTime(Ns at) const { return everything || SelectsIteration(AtHostTime(at)); }
  /// The iteration whose host range contains `at`, or kNone. O(log n).
  std::uint32_t AtHostTime(Ns at) const;
  /// The iteration whose interval `time` contains `at`, or kNone. O(log n).
  std::uint32_t AtTime(Ns at) const;
  /// Sum of the selected iterations' lengths; at most window.length().
  Ns SelectedTime() const;
};

/// Errors: kUsage when the selection matches no iteration or a marker is not a regular expression.
Result<Iterations> FindIterations(const Profile& profile, const Selection& selection);

/// What marks iterations on the host, in order of time, with the last even if it is incomplete;
/// empty when nothing does. Errors: as FindIterations.
Result<std::vector<Span>> MarkedIterations(const Profile& profile, const Selection& selection);

}  // namespace profgauge
