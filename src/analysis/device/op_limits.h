// What a device lets an operator reach: tiles that fill it, and the part of its data sheet. Used by
// op_traits.h to say why an operator is slow, and by the roofline's target.
//
// A product of m = 300 by n = 500 in tiles of 128 by 128, on 8 multiprocessors:
//
//   along n     |--128--|--128--|--128--|--116|     4 tiles
//   along m     |--128--|--128--|-44|               3 tiles: 12 in all
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
  classify::KernelTile tile;  ///< first: of n, second: of m; 0 unknown.
  double tiles = -1;          ///< Blocks that have work.
  double wave_use = -1;       ///< tiles / places of the waves that they take, one a multiprocessor.
  double tile_use = -1;       ///< m·n / area of the tiles: the rest is padding.
};

/// From the tile in the kernel's name; without one, from a grid that is no persistent kernel's:
/// those launch as many blocks as run at a time. Nothing where blocks share the work evenly.
/// `sizes` may be unknown: then only the grid counts. multiprocessors <= 0: unknown.
OpTiles TilesOf(const flops::ProductSizes& sizes, const TiledKernel& kernel,
                std::int32_t multiprocessors);

// The part of its data sheet that a device reaches.

/// Part of the memory bandwidth that operators are taken to reach, 0.8.
double BandwidthReach();
/// Seconds that a kernel takes at least, from its start to its end: 5 us on AMD's, 3 us on others.
double LeastKernelTime(std::string_view gpu_name);

/// One product that was recorded.
struct ReachedShare {
  double share = 0;      ///< Share of the peak.
  double call_time = 0;  ///< Seconds.
  bool is_good = false;  ///< Bound by arithmetic, aligned, and with tiles enough.
};
/// Part of the peak that matmuls of one type reach on this device: the best of the
/// recorded ones, if there are at least three good ones of 50 us and more, else the usual part of
/// its maker's devices. Between half of the usual part and 1: slow matmuls are no slow device.
double ComputeReach(std::string_view gpu_name, std::span<const ReachedShare> products);

}  // namespace profgauge::analysis::device
