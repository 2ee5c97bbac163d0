// Pairs begins and ends: a Perfetto trace has both as separate packets, and an end
// names only its track.
//
// PyTorch writes groups: all begins, then as many ends in the same order; within a group the k-th
// end is that of the k-th begin, also where slices of one track overlap without nesting, which they
// do (94 of 35 569 slices of a ResNet-50 would get another's end). All others write in the order of
// time: there an end closes the slice that began last on its track.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge::readers::pftrace {

/// A begin or an end, in file order.
struct SliceMark {
  Ns time = 0;
  std::uint64_t track = 0;
  std::uint32_t sequence = 0;  ///< Number of the writer.
  bool is_begin = false;
};

/// The pairs of a trace. Marks without a counterpart are counted and left out.
struct Paired {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t>
      end_of;  ///< For each mark that begins: the place of its end, or kNone.
  std::size_t begins_alone = 0, ends_alone = 0;
};

/// Pairs marks in the file's order. O(n log n). REQUIRES: fewer than 2^32 - 1.
Paired Pair(std::span<const SliceMark> marks);

}  // namespace profgauge::readers::pftrace
