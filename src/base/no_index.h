// The place in a column or list that is none.
#pragma once

#include <cstdint>

namespace profgauge {

inline constexpr std::uint32_t kNoIndex = 0xffff'ffff;

}  // namespace profgauge
