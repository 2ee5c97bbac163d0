// When which of several kinds of events are active: one walk that keeps no list of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/interval.h"

namespace profgauge {

/// Calls `visit(span, kinds)` with each range in which the same kinds are active, in order and
/// apart; never with none. Bit i of `kinds` is kind i. Adjacent ranges may have the same kinds.
/// REQUIRES: events come by start, and end before the largest number.
///
///   kind 0   [0 ------------ 10)         [14 --- 18)
///   kind 1            [6 --------- 12)
///   kind 1              [7 - 9)                         within the one that is active: no change
///   visits   [0, 6) {0}  [6, 10) {0,1}  [10, 12) {1}  [14, 18) {0}
///
/// Per kind only the latest end is kept, so memory is constant. Each end that an event passes or
/// moves costs O(kKinds). Lists of spans per kind are interval.h's matter; this is for questions
/// about combinations of kinds.
template <std::size_t kKinds, class Visit>
class ActivitySweep {
 public:
  using Kinds = std::uint32_t;
  static_assert(kKinds <= 32);

  explicit ActivitySweep(Visit visit) : visit_(visit) {}

  /// An event that lasts no time counts as nothing.
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
  /// No more will come.
  void Finish() { EndBefore(kNever); }

 private:
  static constexpr Ns kNever = std::numeric_limits<Ns>::max();

  // Kinds that end before `time`. One that ends then may go on.
  // A kind whose next event starts exactly at its end stays active, hence `<` and not `<=`: back to
  // back kernels are one range.
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
  // Reports the range from the last change until `until`. Ranges of no length occur where several
  // kinds change at one time; they are not reported.
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
