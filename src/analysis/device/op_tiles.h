// How a product's result is cut into tiles, and how well they fill the multiprocessors.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/classify/kernel_tile.h"
#include "analysis/work/op_shape.h"

namespace profgauge {

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

}  // namespace profgauge
