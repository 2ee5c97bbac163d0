// Tables that are trees: the order of their rows, and their columns `node`, `parent` and `depth`.
#pragma once

#include <cstdint>
#include <vector>

#include "base/table.h"

namespace profgauge {

inline constexpr std::uint32_t kNoNode = 0xffff'ffff;

/// Nodes in the order of the tree: each before its children, siblings as they are numbered.
/// REQUIRES: a parent's number is below its children's, or kNoNode.
std::vector<std::uint32_t> TreeOrder(const std::vector<std::uint32_t>& parents);

/// Writes `node`, `parent` and `depth` of a row for each of `order`: nodes are numbered anew in
/// this order, from `first`.
void AppendTreeColumns(const std::vector<std::uint32_t>& parents,
                       const std::vector<std::uint32_t>& order, std::int64_t first, Table& table);

}  // namespace profgauge
