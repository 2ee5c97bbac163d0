// Size of a read from a source.
#pragma once

#include <cstddef>

namespace profgauge {

#ifdef PROFGAUGE_SMALL_BLOCKS
/// Inputs of fuzz targets are small, and values shall be cut by the ends of blocks.
inline constexpr std::size_t kReadBlock = 512;
#else
inline constexpr std::size_t kReadBlock = std::size_t{1} << 20;
#endif

}  // namespace profgauge
