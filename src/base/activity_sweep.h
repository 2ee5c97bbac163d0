// Finds when which kinds of events are active, in one pass that stores no list of events.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/interval.h"

namespace profgauge {

/// Calls `visit(span, kinds)` for each range with a constant set of active kinds, in order; ranges
/// are disjoint and have at least one active kind. Bit i of `kinds` is kind i. Adjacent ranges may
/// have equal kinds. REQUIRES: events come by start; their ends are below the largest Ns.
///
///   kind 0   [0 ------------ 10)         [14 --- 18)
///   kind 1            [6 --------- 12)
///   kind 1              [7 - 9)                         inside an active event: no change
///   visits   [0, 6) {0}  [6, 10) {0,1}  [10, 12) {1}  [14, 18) {0}
///
/// Stores only the latest end per kind, so memory is constant. Each end that an event passes or
/// moves costs O(kKinds). For lists of spans per kind use interval.h; this is for questions about
/// combinations of kinds.
template <std::size_t kKinds, class Visit>
class ActivitySweep {
 public:
  using Kinds = std::uint32_t;
  static_assert(kKinds <= 32);

  explicit ActivitySweep(Visit visit) : visit_(visit) {}

  /// Ignores an event of length zero.
  void Add(std::size_t kind, Span event) {
    if (event.end <= event.start) return;
    EndBefore(event.start);
    Ns& until = until_[kind];
    if ((active_ & Kinds{1} << kind) != 0) {
      if (event.end <= until) return;
      const bool ends_first = until == next_end_;
      until = event.end;
      if (ends_first) FindNextEnd();
      return;
    }
    Tell(event.start);
    active_ |= Kinds{1} << kind;
    until = event.end;
    next_end_ = std::min(next_end_, until);
  }
  /// Call it after the last event.
  void Finish() { EndBefore(kNever); }

 private:
  static constexpr Ns kNever = std::numeric_limits<Ns>::max();

  // Ends kinds whose end is before `time`. A kind whose next event starts exactly at its end stays
  // active, hence `<` and not `<=`: back-to-back kernels are one range.
  void EndBefore(Ns time) {
    while (next_end_ < time) {
      Tell(next_end_);
      for (Kinds left = active_; left != 0; left &= left - 1) {
        if (UntilOf(left) <= since_) active_ ^= left & -left;
      }
      FindNextEnd();
    }
  }
  void FindNextEnd() {
    next_end_ = kNever;
    for (Kinds left = active_; left != 0; left &= left - 1) {
      next_end_ = std::min(next_end_, UntilOf(left));
    }
  }
  // Reports the range from the last change until `until`. Ranges of length zero, which occur if
  // several kinds change at one time, are not reported.
  void Tell(Ns until) {
    if (active_ != 0 && since_ < until) visit_(Span{since_, until}, active_);
    since_ = until;
  }
  /// The latest end of the lowest of `kinds`.
  Ns UntilOf(Kinds kinds) const {
    return until_[static_cast<std::size_t>(std::countr_zero(kinds))];
  }

  Visit visit_;
  Kinds active_ = 0;
  Ns since_ = 0, next_end_ = kNever;
  std::array<Ns, kKinds> until_{};
};

}  // namespace profgauge
