// Interval algebra: half-open spans of time [start, end) and lists of them.
//
// A *span list* is sorted by start, its spans are disjoint and not empty; touching spans are
// merged. Merge() makes one from anything; every other function takes and returns span lists, in
// one linear sweep and exact integer arithmetic. A span whose end is not after its start is empty
// and is dropped by Merge().
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

/// The union of `spans`, in any order, as a span list. O(n) when they are already sorted by start,
/// O(n log n) otherwise.
std::vector<Span> Merge(std::vector<Span> spans);

/// The parts of `a` that are also in `b`. REQUIRES: span lists.
std::vector<Span> Intersect(std::span<const Span> a, std::span<const Span> b);

/// The parts of `a` that are not in `b`. REQUIRES: span lists.
std::vector<Span> Subtract(std::span<const Span> a, std::span<const Span> b);

/// The parts of `a` inside `window`. REQUIRES: a span list.
std::vector<Span> Clip(std::span<const Span> a, Span window);

/// Sum of the lengths; of a span list, the time it covers.
Ns Length(std::span<const Span> spans);

/// Length of the overlap of `a` and `b`, without building it. REQUIRES: span lists.
Ns OverlapLength(std::span<const Span> a, std::span<const Span> b);

/// Those of `spans` that overlap `range`. O(log n). REQUIRES: a span list.
/// An empty range that is inside of a span gives that span. The result points into `spans`.
std::span<const Span> Near(std::span<const Span> spans, Span range);

/// How much of a window is covered. REQUIRES: spans come by start.
/// As Length(Clip(Merge(spans), window)) without a list: overlapping spans count once.
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
/// immediately, so that a nested column of a million ranges leaves only its top level.
/// Memory: one span per range of activity that does not touch the one before, not one per event.
class SpanCollector {
 public:
  /// Reserves room for this many spans; only those that do not touch use any.
  void Reserve(std::size_t spans) { spans_.reserve(spans); }
  /// Adds [start, start + duration); nothing when the duration is not positive.
  void Add(Ns start, Ns duration);
  /// The union of all that was added, as a span list; the collector is empty afterwards.
  std::vector<Span> Take();

 private:
  std::vector<Span> spans_;
};

}  // namespace profgauge
