// Areas of several parts over time, each an outline of whole steps: shared by charts whose painted
// area is a number.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace profgauge::render {

/// Steps of an outline's whole height.
inline constexpr int kOutlineSteps = 30;

/// The upper edge of each part in steps, by column, if the parts are stacked in their order.
/// `heights`: 0..1 of each column, by part; equally many columns each. What rounding leaves is
/// carried until it is a step: the area of an outline is the sum of its heights, to a step.
///
///   heights   0.5 0.5 0.5 0.5 0.5   of 3 steps: 7.5 together
///   edges     2   2   1   2   1     8 together
std::vector<std::vector<int>> StackOutlines(std::span<const std::vector<double>> heights,
                                            int steps = kOutlineSteps);

/// The outline of edges over columns of one unit, from the lower left corner: "M0 0v-12h3v2h1V0z".
/// Empty where nothing is above 0. `unit`: the height of a step.
std::string OutlinePath(std::span<const int> edges, double unit = 1);

}  // namespace profgauge::render
