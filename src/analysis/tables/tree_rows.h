// Tables that are trees: the order of their rows, and their columns `node`, `parent` and `depth`.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tables/row_writer.h"

namespace profgauge {

inline constexpr std::uint32_t kNoNode = 0xffff'ffff;

/// Nodes in the order of the tree: each before its children, siblings as they are numbered.
/// REQUIRES: a parent's number is below its children's, or kNoNode.
std::vector<std::uint32_t> TreeOrder(const std::vector<std::uint32_t>& parents);

/// Writes the cells `node`, `parent` and `depth`, with which such a row begins.
class TreeCells {
 public:
  /// `parents` must outlive this. Nodes are numbered anew as they are written, from `first`.
  TreeCells(const std::vector<std::uint32_t>& parents, std::int64_t first)
      : parents_(parents), next_(first), numbers_(parents.size()), depths_(parents.size()) {}

  /// REQUIRES: nodes come in the order of the tree.
  void Append(std::uint32_t node, RowWriter& write);

 private:
  const std::vector<std::uint32_t>& parents_;
  std::int64_t next_;
  std::vector<std::int64_t> numbers_, depths_;
};

}  // namespace profgauge
