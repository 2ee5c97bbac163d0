// Number of bytes in one read from a source.
#pragma once

#include <cstddef>

namespace profgauge {

#ifdef PROFGAUGE_SMALL_BLOCKS
/// Inputs of fuzz targets are small; ends of blocks must still cut values.
inline constexpr std::size_t kReadBlock = 512;
#else
inline constexpr std::size_t kReadBlock = std::size_t{1} << 20;
#endif

}  // namespace profgauge
