#include "analysis/tables/tree_rows.h"

#include <cstddef>

namespace profgauge {

std::vector<std::uint32_t> TreeOrder(const std::vector<std::uint32_t>& parents) {
  std::vector<std::vector<std::uint32_t>> children(parents.size());
  std::vector<std::uint32_t> open;
  for (auto node = static_cast<std::uint32_t>(parents.size()); node-- > 0;) {
    if (parents[node] == kNoNode) {
      open.push_back(node);
    } else {
      children[parents[node]].push_back(node);  // The last child first, as `open` needs them.
    }
  }
  std::vector<std::uint32_t> order;
  order.reserve(parents.size());
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    order.push_back(node);
    open.insert(open.end(), children[node].begin(), children[node].end());
  }
  return order;
}

void AppendTreeColumns(const std::vector<std::uint32_t>& parents,
                       const std::vector<std::uint32_t>& order, std::int64_t first, Table& table) {
  std::vector<std::int64_t> numbers(parents.size()), depths(parents.size());
  Column& node = *table.Find("node");
  Column& parent = *table.Find("parent");
  Column& depth = *table.Find("depth");
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t row = order[i];
    const std::uint32_t above = parents[row];
    numbers[row] = first + static_cast<std::int64_t>(i);
    node.AddInteger(numbers[row]);
    if (above == kNoNode) {
      parent.AddAbsent();
    } else {
      depths[row] = depths[above] + 1;
      parent.AddInteger(numbers[above]);
    }
    depth.AddInteger(depths[row]);
  }
}

}  // namespace profgauge
