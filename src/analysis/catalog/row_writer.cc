#include "analysis/catalog/row_writer.h"

#include <stdexcept>
#include <string>

namespace profgauge::analysis::catalog {

// Compares only ids, because titles contain words of the run's devices.
void RequireColumns(const Table& table, std::span<const ColumnSpec> columns) {
  const bool are_these =
      std::equal(table.columns().begin(), table.columns().end(), columns.begin(), columns.end(),
                 [](const Column& has, const ColumnSpec& is) { return has.id() == is.id; });
  if (are_these) return;
  throw std::logic_error("table " + table.id() + ": its rows are written by another's columns");
}

void RefuseCell(const Table& table, std::string_view given, std::string_view expected) {
  throw std::logic_error("table " + table.id() + ": a cell of column " + std::string(given) +
                         " where that of " + std::string(expected) + " comes");
}

// Without recursion, since the depth of operator trees comes from a file.
std::vector<std::uint32_t> TreeOrder(const std::vector<std::uint32_t>& parents) {
  std::vector<std::vector<std::uint32_t>> children(parents.size());
  std::vector<std::uint32_t> open;
  for (auto node = static_cast<std::uint32_t>(parents.size()); node-- > 0;) {
    if (parents[node] == kNoNode) {
      open.push_back(node);
    } else {
      children[parents[node]].push_back(node);  // Reversed, since `open` is a stack.
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

}  // namespace profgauge::analysis::catalog
