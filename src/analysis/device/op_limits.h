// What a device lets an operator reach: tiles that fill it, and the part of its data sheet.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/classify/kernel_name.h"
#include "analysis/work/op_shape.h"
#include "base/units.h"

namespace profgauge {

// How a product's result is cut into tiles, and how well they fill the multiprocessors.

/// The operator's longest kernel.
struct TiledKernel {
  std::string_view name;
  double blocks = -1;      ///< Blocks of its grid; -1 unknown.
  std::int64_t parts = 1;  ///< Parts of the inner dimension, by its kernels' names.
  bool unknown_parts = false;
};

/// -1: unknown.
struct OpTiles {
  KernelTile tile;       ///< first: of n, second: of m; 0 unknown.
  double tiles = -1;     ///< Blocks that have work.
  double wave_use = -1;  ///< tiles / places of the waves that they take, one a multiprocessor.
  double tile_use = -1;  ///< m·n / area of the tiles: the rest is padding.
};

/// From the tile in the kernel's name; without one, from a grid that is no persistent kernel's:
/// those launch as many blocks as run at a time. Nothing where blocks share the work evenly.
OpTiles TilesOf(const ProductSizes& sizes, const TiledKernel& kernel, std::int32_t multiprocessors);

// The part of its data sheet that a device reaches.

/// Part of the memory bandwidth.
double BandwidthReach();
/// Seconds that a kernel takes at least.
double LeastKernelTime(std::string_view gpu_name);

/// One product that was recorded.
struct ReachedShare {
  double share = 0;      ///< Share of the peak.
  double call_time = 0;  ///< Seconds.
  bool is_good = false;  ///< Bound by arithmetic, aligned, and with tiles enough.
};
/// Part of the peak that matmuls of one type reach on this device: the best of the
/// recorded ones, if there are enough, else the usual part of its maker's devices.
double ComputeReach(std::string_view gpu_name, std::span<const ReachedShare> products);

}  // namespace profgauge
