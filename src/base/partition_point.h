// A binary search over numbers: rows of a table, steps of a graph.
#pragma once

namespace profgauge {

/// The first number in [begin, end) for which `is_before` is false, else `end`. O(log n). REQUIRES:
/// `is_before` is false for all numbers after that one.
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

/// The first number in [begin, end) for which `is` is true, else `end`. O(n).
template <class Number, class Is>
Number FirstWhere(Number begin, Number end, Is is) {
  while (begin < end && !is(begin)) ++begin;
  return begin;
}

}  // namespace profgauge
