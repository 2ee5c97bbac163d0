#include "analysis/device/op_limits.h"

#include <algorithm>
#include <cmath>

#include "knowledge/reach.h"
#include "knowledge/traits.h"
#include "model/devices.h"

namespace profgauge::analysis::device {
namespace {

// Tiles of all matmuls of the batch, including partial ones. REQUIRES: the tile is known.
double TilesOfResult(const flops::ProductSizes& sizes, const classify::KernelTile& tile) {
  return sizes.batch * std::ceil(sizes.n / static_cast<double>(tile.first)) *
         std::ceil(sizes.m / static_cast<double>(tile.second));
}

// Whether a grid of `blocks` may be a multiple of `tiles`, due to several parts.
bool IsMultiple(double blocks, double tiles) {
  return blocks >= tiles && std::fmod(blocks, tiles) == 0;
}

// The tile with n first, by the grid. If the grid does not show the order, the tile as given.
classify::KernelTile Ordered(const flops::ProductSizes& sizes, const classify::KernelTile& tile,
                             double blocks) {
  const classify::KernelTile other{tile.second, tile.first};
  if (blocks <= 0) return tile;
  const double here = TilesOfResult(sizes, tile), there = TilesOfResult(sizes, other);
  if (blocks == here || (blocks != there && IsMultiple(blocks, here))) return tile;
  return IsMultiple(blocks, there) ? other : tile;
}

// Returns the number of parts of the inner dimension: blocks / tiles, if the grid shows it. It does
// not for a persistent kernel: fewer blocks than tiles, no multiple, or one per multiprocessor.
double PartsOf(const flops::ProductSizes& sizes, const TiledKernel& kernel, double tiles,
               std::int32_t multiprocessors) {
  const bool may_be_persistent = kernel.blocks == multiprocessors && kernel.blocks != tiles &&
                                 kernel.parts <= 1 && !kernel.unknown_parts;
  if (kernel.blocks > 0 && IsMultiple(kernel.blocks, tiles) && !may_be_persistent) {
    const double parts = kernel.blocks / tiles;
    const auto least = static_cast<double>(knowledge::kTraitsLeastPart.value());
    if (parts * least <= sizes.k) return parts;
  }
  if (kernel.parts > 1 || !kernel.unknown_parts) return static_cast<double>(kernel.parts);
  return -1;
}

// 12 tiles on 8 multiprocessors take two waves, which use 12 of 16 slots.
void FillWaves(OpTiles& tiles, std::int32_t multiprocessors) {
  if (tiles.tiles <= 0 || multiprocessors <= 0) return;
  tiles.wave_use = tiles.tiles / (multiprocessors * std::ceil(tiles.tiles / multiprocessors));
}

}  // namespace

OpTiles TilesOf(const flops::ProductSizes& sizes, const TiledKernel& kernel,
                std::int32_t multiprocessors) {
  OpTiles found;
  if (classify::SharesEvenly(kernel.name)) return found;
  const auto tile = classify::TileInName(kernel.name);
  if (tile && sizes.known()) {
    found.tile = Ordered(sizes, *tile, kernel.blocks);
    const double tiles = TilesOfResult(sizes, found.tile);
    const double covered = tiles / sizes.batch * static_cast<double>(found.tile.first) *
                           static_cast<double>(found.tile.second);
    found.tile_use = sizes.m * sizes.n / covered;
    const double parts = PartsOf(sizes, kernel, tiles, multiprocessors);
    if (parts > 0) found.tiles = tiles * parts;
  } else if (multiprocessors > 0 && kernel.blocks > 0) {
    const bool may_be_persistent =
        kernel.blocks >= multiprocessors && kernel.blocks <= 2.0 * multiprocessors;
    if (!may_be_persistent) found.tiles = kernel.blocks;
  }
  FillWaves(found, multiprocessors);
  return found;
}

namespace {

// The usual share for the manufacturer of the GPU, known from its name.
double UsualReach(std::string_view gpu_name) {
  switch (AcceleratorOfName(gpu_name)) {
    case Accelerator::kNvidia:
      return knowledge::kReachNvidia.value();
    case Accelerator::kAmd:
      return knowledge::kReachAmd.value();
    default:
      return knowledge::kReachOther.value();
  }
}

double Seconds(knowledge::Time time) { return static_cast<double>(time.ns()) / 1e9; }

}  // namespace

double BandwidthReach() { return knowledge::kReachBandwidth.value(); }

double LeastKernelTime(std::string_view gpu_name) {
  const bool is_amd = AcceleratorOfName(gpu_name) == Accelerator::kAmd;
  return Seconds(is_amd ? knowledge::kReachLeastAmd : knowledge::kReachLeastOther);
}

// Uses the best of several matmuls: the others are slower because of their shapes.
double ComputeReach(std::string_view gpu_name, std::span<const ReachedShare> products) {
  const double usual = UsualReach(gpu_name);
  std::int64_t shapes = 0;
  double best = 0;
  for (const ReachedShare& product : products) {
    if (!product.is_good || product.call_time < Seconds(knowledge::kReachLeastMatmul)) continue;
    ++shapes;
    best = std::max(best, product.share);
  }
  if (knowledge::kReachLeastShapes > shapes) return usual;
  return std::clamp(best, knowledge::kReachLeastOfUsual.value() * usual, 1.0);
}

}  // namespace profgauge::analysis::device
