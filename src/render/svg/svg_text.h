// The parts that charts share: numbers, axes and the opening tag.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render {

/// A coordinate with at most one decimal and no trailing zero.
std::string SvgNumber(double value);
/// `<svg …>` as an image. `description` is for screen readers; `name` is its class.
std::string SvgOpen(int width, int height, std::string_view description, std::string_view name,
                    std::string_view more = {});
/// A round step (1, 2, 2.5 or 5 times a power of ten) that divides `top` into two to four parts.
/// REQUIRES: top > 0.
double SvgAxisStep(double top);

}  // namespace profgauge::render
