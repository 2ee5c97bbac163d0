// The breakdown of one iteration laid out in time: what each of many equal columns of it is spent
// on. A picture of it integrates to the numbers of the breakdown, since both are sums of one walk.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "base/interval.h"
#include "model/category.h"
#include "model/profile.h"

namespace profgauge::analysis::breakdown {

/// What to lay out.
struct LaidOutPart {
  Span time;                         ///< The iteration; not empty.
  std::size_t columns = 1;           ///< At most as many as it has nanoseconds.
  std::span<const Span> unobserved;  ///< A span list: in no part.
  /// A span list: when collectives wait for other ranks. Communication then is kWait.
  std::span<const Span> waits;
};

/// Nanoseconds of a column by category, as the breakdown counts them, and kWait. Exclusive: they
/// add up to the column's observed time.
using LaidOutColumn = std::array<Ns, kAllCategories>;

/// The columns, from the left, of equal lengths but for the rounding to whole nanoseconds. O(events
/// within), and a look at each of the others. REQUIRES: `classes` are those of the profile.
///
///   columns    |=======|=======|=======|
///   kernels       |###########|             most of the first two
///   operator   |-------------------|        the rest of them, and most of the third
std::vector<LaidOutColumn> LayOut(const Profile& profile, const classify::KernelClasses& classes,
                                  const LaidOutPart& part);

}  // namespace profgauge::analysis::breakdown
