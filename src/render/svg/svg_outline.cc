#include "render/svg/svg_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "render/svg/svg_text.h"

namespace profgauge::render {

// From the highest edge down, so that none is above the one that it is painted over.
std::vector<std::vector<int>> StackOutlines(std::span<const std::vector<double>> heights,
                                            int steps) {
  std::vector<std::vector<int>> edges(heights.size());
  if (heights.empty()) return edges;
  std::vector<int> above(heights.front().size(), steps);
  for (std::size_t part = heights.size(); part-- > 0;) {
    double carried = 0;
    for (std::size_t x = 0; x < above.size(); ++x) {
      double sum = 0;
      for (std::size_t k = 0; k <= part; ++k) sum += heights[k][x];
      const double wanted = sum * steps;
      const double due = wanted + (std::abs(carried) >= 1 ? carried : 0);
      above[x] = std::clamp(static_cast<int>(std::lround(due)), 0, above[x]);
      carried += wanted - above[x];
    }
    edges[part] = above;
  }
  return edges;
}

std::string OutlinePath(std::span<const int> edges, double unit) {
  std::string path;
  int height = 0;
  std::size_t run = 0;
  for (std::size_t x = 0; x < edges.size(); ++x, ++run) {
    if (edges[x] == height) continue;
    if (run > 0) path += fmt::format("h{}", run);
    path += "v" + SvgNumber((height - edges[x]) * unit);
    height = edges[x];
    run = 0;
  }
  if (path.empty()) return {};
  return fmt::format("M0 0{}h{}V0z", path, run);
}

}  // namespace profgauge::render
