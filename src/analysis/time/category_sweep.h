// Which categories are active when, of all events of a rank: one walk in the order of their starts,
// which keeps no list of them.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>

#include "analysis/classify/kernel_class.h"
#include "base/interval.h"
#include "model/category.h"
#include "model/profile.h"

namespace profgauge {

/// Concurrently active categories: bit i is Category i. Never kOther.
using CategorySet = std::uint32_t;

template <class... Categories>
constexpr CategorySet SetOf(Categories... categories) {
  return ((CategorySet{1} << static_cast<unsigned>(categories)) | ...);
}
/// The breakdown's category of the time. REQUIRES: not empty.
inline Category FirstOf(CategorySet set) { return static_cast<Category>(std::countr_zero(set)); }

/// Calls `visit(span, categories)` with each range in which the same categories are active, in
/// order and apart; never with none. Adjacent ranges may have the same. For all events of a
/// rank: device work, calls and host ranges as the breakdown counts them
/// (analysis/time/breakdown.h). O(n log s) for s streams and threads.
void VisitCategories(const Profile& profile, const KernelClasses& classes,
                     const std::function<void(Span, CategorySet)>& visit);

}  // namespace profgauge
