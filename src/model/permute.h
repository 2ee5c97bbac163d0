// Sorting the columns of a table together: one permutation, applied to each column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace profgauge {

/// new row i comes from old row Permutation[i]. Empty when the rows are in order already.
using Permutation = std::vector<std::uint32_t>;

/// Stable order of rows 0..count-1 under `less(row, row)`.
template <class Less>
Permutation SortedRows(std::size_t count, Less less) {
  bool sorted = true;
  for (std::size_t i = 1; i < count && sorted; ++i) {
    sorted = !less(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i - 1));
  }
  if (sorted) return {};
  Permutation rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  std::stable_sort(rows.begin(), rows.end(), less);
  return rows;
}

template <class T>
void Permute(const Permutation& rows, std::vector<T>& column) {
  if (rows.empty()) return;
  std::vector<T> sorted;
  sorted.reserve(rows.size());
  for (const auto row : rows) sorted.push_back(std::move(column[row]));
  column.swap(sorted);
}

template <class... Columns>
void PermuteAll(const Permutation& rows, Columns&... columns) {
  (Permute(rows, columns), ...);
}

}  // namespace profgauge
