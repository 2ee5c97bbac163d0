// Which categories are active when, of all events of a rank: one walk in the order of their starts,
// which keeps no list of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "analysis/classify/kernel_class.h"
#include "base/interval.h"
#include "model/category.h"
#include "model/profile.h"

namespace profgauge {

/// Categories that are active at once: bit i is Category i. Never kOther.
using CategorySet = std::uint16_t;

template <class... Categories>
constexpr CategorySet SetOf(Categories... categories) {
  return static_cast<CategorySet>(((1u << static_cast<unsigned>(categories)) | ...));
}
/// What the breakdown counts the time as. REQUIRES: not empty.
inline Category FirstOf(CategorySet set) { return static_cast<Category>(std::countr_zero(set)); }

/// Takes events by start and calls `visit(span, categories)` with each stretch in which the same
/// categories are active, in order and apart; never with none. Stretches that touch may have the
/// same.
template <class Visit>
class CategorySweep {
 public:
  explicit CategorySweep(Visit visit) : visit_(visit) {}

  /// An event that lasts no time counts as nothing.
  void Add(Category category, Span event) {
    if (event.end <= event.start) return;
    EndBefore(event.start);
    Ns& until = until_[static_cast<std::size_t>(category)];
    if ((active_ & SetOf(category)) != 0) {
      if (event.end <= until) return;
      const bool ends_first = until == next_end_;
      until = event.end;
      if (ends_first) FindNextEnd();
      return;
    }
    Tell(event.start);
    active_ |= SetOf(category);
    until = event.end;
    next_end_ = std::min(next_end_, until);
  }
  /// No more will come.
  void Finish() { EndBefore(kNever); }

 private:
  static constexpr Ns kNever = std::numeric_limits<Ns>::max();

  // Categories that end before `time`. One that ends then may go on.
  void EndBefore(Ns time) {
    while (next_end_ < time) {
      Tell(next_end_);
      for (CategorySet left = active_; left != 0; left &= left - 1) {
        if (until_[Index(left)] <= since_) active_ ^= static_cast<CategorySet>(left & -left);
      }
      FindNextEnd();
    }
  }
  void FindNextEnd() {
    next_end_ = kNever;
    for (CategorySet left = active_; left != 0; left &= left - 1) {
      next_end_ = std::min(next_end_, until_[Index(left)]);
    }
  }
  void Tell(Ns until) {
    if (active_ != 0 && since_ < until) visit_(Span{since_, until}, active_);
    since_ = until;
  }
  static std::size_t Index(CategorySet set) { return static_cast<std::size_t>(FirstOf(set)); }

  Visit visit_;
  CategorySet active_ = 0;
  Ns since_ = 0, next_end_ = kNever;
  std::array<Ns, kBreakdownCategories - 1> until_{};
};

/// The same of all events of a rank: device work, calls and host ranges as the breakdown counts
/// them (analysis/time/breakdown.h). O(n log s) for s streams and threads.
void VisitCategories(const Profile& profile, const KernelClasses& classes,
                     const std::function<void(Span, CategorySet)>& visit);

}  // namespace profgauge
