// Sorting the columns of a table together: one permutation, applied to each column.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace profgauge {

/// New row i comes from old row Permutation[i]. Empty if the rows are in order already.
using Permutation = std::vector<std::uint32_t>;

/// Returns rows 0..count-1 in a stable order under `less(row, row)`. The fewer rows are far from
/// their final place, the faster: O(n log n) at worst, O(n) if no row is.
///
///   threads come one after the other      | t1: 1 4 9 | t2: 2 3 8 | t3: 5 6 |   3 runs: merge
///   rows come at their end, not start     2 1 4 3 6 5 8 7 ...               n/2 runs: sort by 32
///
/// Many short runs first become runs of 32 by insertion, which is cheap if each row is only a few
/// places off. Then neighboring runs are merged in pairs until one run is left.
template <class Less>
Permutation SortedRows(std::size_t count, Less less) {
  // Starts of sorted runs. Most profiles have few runs, which are faster to merge than to sort.
  constexpr std::size_t kFewRuns = 1024;
  std::vector<std::ptrdiff_t> runs = {0};
  for (std::uint32_t i = 1; i < count && runs.size() <= kFewRuns; ++i) {
    if (less(i, i - 1)) runs.push_back(i);
  }
  if (runs.size() == 1) return {};
  Permutation rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  if (runs.size() > kFewRuns) {  // Rows that are reported at their end are a few places off.
    constexpr std::size_t kSortedAtOnce = 32;
    runs.clear();
    for (std::size_t begin = 0; begin < count; begin += kSortedAtOnce) {
      runs.push_back(static_cast<std::ptrdiff_t>(begin));
      for (std::size_t i = begin + 1; i < std::min(count, begin + kSortedAtOnce); ++i) {
        const std::uint32_t row = rows[i];
        std::size_t to = i;
        for (; to > begin && less(row, rows[to - 1]); --to) rows[to] = rows[to - 1];
        rows[to] = row;
      }
    }
  }
  // Rows that precede or follow all rows of the other run stay in place.
  const auto merge = [&](auto begin, auto middle, auto end) {
    if (!less(*middle, *(middle - 1))) return;
    std::inplace_merge(std::upper_bound(begin, middle, *middle, less), middle,
                       std::lower_bound(middle, end, *(middle - 1), less), less);
  };
  while (runs.size() > 1) {
    runs.push_back(static_cast<std::ptrdiff_t>(count));
    std::vector<std::ptrdiff_t> merged;
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      merged.push_back(runs[i]);
      if (i + 2 == runs.size()) break;
      merge(rows.begin() + runs[i], rows.begin() + runs[i + 1], rows.begin() + runs[i + 2]);
    }
    runs = std::move(merged);
  }
  return rows;
}

/// Returns rows 0..count-1 in a stable order by `key(row)`, an integer with few different values.
/// Reads each key twice and compares no rows.
///
///   keys      7 2 7 7 2        counts   2: 2, 7: 3
///   begins    2: 0, 7: 2       rows     1 4 | 0 2 3
///
/// O(n log values), nearly O(n) if few values alternate. Unlike SortedRows() it never returns an
/// empty permutation for rows that are in order.
template <class KeyOf>
Permutation GroupedRows(std::size_t count, KeyOf key) {
  std::map<std::int64_t, std::uint32_t> next;  // First the count of rows, then the place of the
                                               // next row.
  // Values often alternate between a few: the latest ones are found without a search.
  struct Found {
    std::int64_t value = 0;
    std::uint32_t* next = nullptr;
  };
  std::array<Found, 64> found;
  const auto slot = [&](std::uint32_t row) -> std::uint32_t& {
    const std::int64_t value = key(row);
    Found& of_value = found[static_cast<std::uint64_t>(value) % found.size()];
    if (of_value.next == nullptr || of_value.value != value) of_value = {value, &next[value]};
    return *of_value.next;
  };
  for (std::uint32_t i = 0; i < count; ++i) ++slot(i);
  std::uint32_t before = 0;
  for (auto& [value, rows] : next) before += std::exchange(rows, before);
  Permutation rows(count);
  for (std::uint32_t i = 0; i < count; ++i) rows[slot(i)++] = i;
  return rows;
}

/// Like Permute(), but in place, for large rows. It follows each cycle of the permutation:
///
///   rows    2 0 1      new 0 is old 2, new 2 is old 1, new 1 is old 0: one cycle, one spare value
template <class T>
void PermuteInPlace(Permutation rows, std::vector<T>& column) {
  for (std::uint32_t first = 0; first < rows.size(); ++first) {
    if (rows[first] == first) continue;
    T kept = std::move(column[first]);
    std::uint32_t to = first;
    for (std::uint32_t from = rows[to]; from != first; from = rows[to]) {
      column[to] = std::move(column[from]);
      rows[to] = to;
      to = from;
    }
    column[to] = std::move(kept);
    rows[to] = to;
  }
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
