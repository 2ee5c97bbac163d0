#include "analysis/tables/tree_rows.h"

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

}  // namespace profgauge
