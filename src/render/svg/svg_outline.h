// Areas of several parts over time. Each is an outline of whole steps, for charts in which the
// painted area is a number.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace profgauge::render {

/// The full height of an outline, in steps.
inline constexpr int kOutlineSteps = 30;

/// The upper edge of each part by column, in steps, with parts stacked in order. `heights`: 0..1
/// for each column, by part; all parts have equally many columns. Rounding errors are carried until
/// they make a step, so the area of an outline is the sum of its heights, up to one step.
///
///   heights   0.5 0.5 0.5 0.5 0.5   of 3 steps: 7.5 together
///   edges     2   2   1   2   1     8 together
std::vector<std::vector<int>> StackOutlines(std::span<const std::vector<double>> heights,
                                            int steps = kOutlineSteps);

/// The outline of edges over columns of width 1, from the lower left corner: "M0 0v-12h3v2h1V0z".
/// Empty if no edge is above 0. `unit`: the height of a step.
std::string OutlinePath(std::span<const int> edges, double unit = 1);

}  // namespace profgauge::render
