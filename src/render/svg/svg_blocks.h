// Ranges of addresses over time as SVG text: which data is in which part of a memory, and when.
// Colors and tables are described in svg.h.
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

struct Block {
  Ns start = 0, end = 0;
  std::int64_t address = 0, bytes = 0;
  Paint paint;
  std::string title;  ///< Shown on hover.
};
struct BlockChart {
  Ns begin = 0, end = 0;      ///< The time axis, which contains all blocks.
  std::vector<Block> blocks;  ///< Later ones are drawn over earlier ones.
  std::string description;
  int width = 1190, height = 260;
};
/// Draws blocks: time goes from left to right, addresses go from the bottom up. Empty if there are
/// no blocks or no time. The size grows with the number of blocks.
std::string SvgBlocks(const BlockChart& chart);

}  // namespace profgauge::render
