#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"
#include "model/profile_builder.h"
#include "readers/kineto/event_sink.h"
#include "readers/kineto/paired.h"
#include "readers/kineto/pftrace/annotations.h"
#include "readers/kineto/pftrace/foreign.h"
#include "readers/kineto/pftrace/state.h"
#include "readers/kineto/rows.h"

namespace profgauge::readers::pftrace {

/// The begin or end of a slice; marks are in file order.
struct SliceMark {
  Ns time = 0;
  std::uint64_t track = 0;
  std::uint32_t sequence = 0;  ///< Number of the writer.
  bool is_begin = false;
};

/// The pairs of a trace. Marks without a counterpart are counted and left out.
struct Paired {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> end_of;  ///< For each begin mark: the index of its end, or kNone.
  std::size_t begins_alone = 0, ends_alone = 0;
};

/// Pairs begins with ends, by groups or by the stack. A run of begins and ends is no group if an
/// end would precede its begin. O(n log n). REQUIRES: marks in file order, fewer than 2^32 - 1.
Paired Pair(std::span<const SliceMark> marks);

}  // namespace profgauge::readers::pftrace
