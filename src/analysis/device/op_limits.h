// Limits of a device for an operator: how well its tiles fill the device, and the achievable share
// of the data sheet's peak. Used to explain slow operators (op_traits.h) and for roofline targets.
//
// Example: a matmul of m = 300 by n = 500 in tiles of 128 by 128, on 8 multiprocessors:
//
//   along n     |--128--|--128--|--128--|--116|     4 tiles
//   along m     |--128--|--128--|-44|               3 tiles: a total of 12
//   wave_use    8 and 4 tiles in two waves of 8     12 / 16 = 0.75
//   tile_use    300 · 500 of the area 384 · 512     0.76
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/classify/kernel_name.h"
#include "analysis/flops/op_shape.h"
#include "base/units.h"

namespace profgauge::analysis::device {

// Tiles of a matmul's result, and how well they fill the multiprocessors.

/// The operator's longest kernel.
struct TiledKernel {
  std::string_view name;
  double blocks = -1;      ///< Blocks of its grid; -1 unknown.
  std::int64_t parts = 1;  ///< Parts of the inner dimension, from the kernels' names.
  bool unknown_parts = false;
};

/// Tiles of one matmul. -1: unknown.
struct OpTiles {
  classify::KernelTile tile;  ///< first: along n, second: along m; 0 unknown.
  double tiles = -1;          ///< Number of blocks with work.
  double wave_use = -1;       ///< tiles / slots in their waves, one slot per multiprocessor.
  double tile_use = -1;       ///< m·n / area of the tiles; the rest is padding.
};

/// Returns the tiles by the size in the kernel's name, if it and `sizes` are known; else by the
/// grid, unless the kernel is persistent and launches only as many blocks as run simultaneously.
/// Unknown if blocks share the work evenly. multiprocessors <= 0: unknown.
OpTiles TilesOf(const flops::ProductSizes& sizes, const TiledKernel& kernel,
                std::int32_t multiprocessors);

// The share of the data sheet's peak that a device reaches.

/// The share of the memory bandwidth that operators are assumed to reach, 0.8.
double BandwidthReach();
/// The minimum duration of a kernel in seconds: 5 us on AMD devices, 3 us on others.
double LeastKernelTime(std::string_view gpu_name);

/// A recorded matmul, compared with the peak.
struct ReachedShare {
  double share = 0;      ///< Share of the peak.
  double call_time = 0;  ///< Seconds.
  bool is_good = false;  ///< Compute-bound, aligned, and with enough tiles.
};
/// Returns the share of the peak that matmuls of one type reach on this device. If there are at
/// least three good matmuls of at least 50 us, it is that of the best, but at least half of the
/// usual share of the manufacturer's devices; otherwise this usual share.
double ComputeReach(std::string_view gpu_name, std::span<const ReachedShare> products);

}  // namespace profgauge::analysis::device
