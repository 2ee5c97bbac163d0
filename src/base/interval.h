// Interval algebra: half-open spans of time [start, end) and lists of them.
//
// A *span list* is sorted by start; its spans are disjoint and not empty; touching spans are
// merged. Merge() makes one from any spans. All other functions take and return span lists, in one
// linear sweep and exact integer arithmetic. A span whose end is not after its start is empty, and
// Merge() drops it.
//
//   a             [0 ----- 4)      [6 ------- 10)
//   b                  [3 ------ 7)      [9 ---- 12)
//   Intersect          [3, 4)    [6, 7)  [9, 10)
//   Subtract      [0, 3)             [7, 9)
//   Merge(a + b)  [0 ---------------------------- 12)
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/units.h"

namespace profgauge {

struct Span {
  Ns start = 0;
  Ns end = 0;
  Ns length() const { return end - start; }
  friend bool operator==(const Span&, const Span&) = default;
};

/// The union of `spans`, in any order, as a span list. O(n) if they are already sorted by start,
/// else O(n log n).
std::vector<Span> Merge(std::vector<Span> spans);

/// The parts of `a` that are also in `b`. REQUIRES: span lists.
std::vector<Span> Intersect(std::span<const Span> a, std::span<const Span> b);

/// The parts of `a` that are not in `b`. REQUIRES: span lists.
std::vector<Span> Subtract(std::span<const Span> a, std::span<const Span> b);

/// The parts of `a` inside `window`. REQUIRES: a span list.
std::vector<Span> Clip(std::span<const Span> a, Span window);

/// Sum of the lengths; for a span list, the time it covers.
Ns Length(std::span<const Span> spans);

/// Length of the overlap of `a` and `b`, without building it. REQUIRES: span lists.
Ns OverlapLength(std::span<const Span> a, std::span<const Span> b);

/// Returns the spans that overlap `range`, as a part of `spans`. For an empty range inside a span,
/// that span. O(log n). REQUIRES: a span list.
std::span<const Span> Near(std::span<const Span> spans, Span range);

/// Computes the covered time of a window, like Length(Clip(Merge(spans), window)) but without a
/// list: overlapping spans count once. REQUIRES: spans come by start.
class CoveredTime {
 public:
  explicit CoveredTime(Span window) : until_(window.start), end_(window.end) {}
  void Add(Ns start, Ns duration) {
    const Ns from = std::max(start, until_);
    const Ns to = std::min(start + duration, end_);
    if (from >= to) return;
    sum_ += to - from;
    until_ = to;
  }
  Ns sum() const { return sum_; }

 private:
  Ns until_, end_, sum_ = 0;
};

/// Collects spans that are mostly in order (one stream, one thread) and merges overlapping ones
/// immediately, so that a million nested ranges leave only the top level. Memory: one span per
/// contiguous range of activity, not one per event.
class SpanCollector {
 public:
  /// Reserves memory for this many spans that do not touch; memory is used only by such spans.
  void Reserve(std::size_t spans) { spans_.reserve(spans); }
  /// Adds [start, start + duration); does nothing if the duration is not positive.
  void Add(Ns start, Ns duration);
  /// Returns the union of all spans as a span list, and empties the collector.
  std::vector<Span> Take();

 private:
  std::vector<Span> spans_;
};

}  // namespace profgauge
