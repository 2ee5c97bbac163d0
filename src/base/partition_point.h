// A binary search over numbers: rows of a table, steps of a graph.
#pragma once

namespace profgauge {

/// The first number of [begin, end) for which `is_before` does not hold, else `end`. O(log n).
/// REQUIRES: it holds for none behind the first for which it does not.
template <class Number, class IsBefore>
Number PartitionPoint(Number begin, Number end, IsBefore is_before) {
  while (begin < end) {
    const Number middle = begin + (end - begin) / 2;
    if (is_before(middle)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// The first number of [begin, end) for which `is` holds, else `end`. O(n).
template <class Number, class Is>
Number FirstWhere(Number begin, Number end, Is is) {
  while (begin < end && !is(begin)) ++begin;
  return begin;
}

}  // namespace profgauge
