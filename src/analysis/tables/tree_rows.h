// Tables that are trees: the order of their rows, and their columns `node`, `parent` and `depth`.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tables/row_writer.h"
#include "base/no_index.h"

namespace profgauge {

inline constexpr std::uint32_t kNoNode = kNoIndex;

/// Nodes in the order of the tree: each before its children, siblings as they are numbered.
/// REQUIRES: a parent's number is below its children's, or kNoNode.
std::vector<std::uint32_t> TreeOrder(const std::vector<std::uint32_t>& parents);

/// Writes the cells of columns::kTree, with which such a row begins.
class TreeCells {
 public:
  /// `parents` must outlive this. Nodes are numbered anew as they are written, from `first`.
  TreeCells(const std::vector<std::uint32_t>& parents, std::int64_t first)
      : parents_(parents), next_(first), numbers_(parents.size()), depths_(parents.size()) {}

  /// REQUIRES: nodes come in the order of the tree.
  template <class Writer>
  void Append(std::uint32_t node, Writer& write) {
    const std::uint32_t above = parents_[node];
    const bool is_top = above == kNoNode;
    numbers_[node] = next_++;
    if (!is_top) depths_[node] = depths_[above] + 1;
    write.Integer("node"_col, numbers_[node])
        .IntegerIf("parent"_col, !is_top, is_top ? 0 : numbers_[above])
        .Integer("depth"_col, depths_[node]);
  }

 private:
  const std::vector<std::uint32_t>& parents_;
  std::int64_t next_;
  std::vector<std::int64_t> numbers_, depths_;
};

}  // namespace profgauge
