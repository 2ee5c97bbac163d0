// The breakdown of one iteration over time, in many equal columns. Pictures of it agree with the
// numbers of the breakdown, since both are sums of the same walk.
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

/// The iteration, and the columns into which it is divided.
struct LaidOutPart {
  Span time;                         ///< The iteration; not empty.
  std::size_t columns = 1;           ///< At most its length in nanoseconds.
  std::span<const Span> unobserved;  ///< A span list; excluded from all parts.
  /// A span list: when collectives wait for other ranks. Communication then is kWait.
  std::span<const Span> waits;
};

/// Nanoseconds of a column by category, as the breakdown counts, plus kWait. Exclusive: they add up
/// to the column's observed time.
using LaidOutColumn = std::array<Ns, kAllCategories>;

/// Returns the columns in order of time, of equal length up to rounding to whole nanoseconds.
/// O(events inside), plus O(1) for each other event. REQUIRES: `classes` are those of the profile.
///
///   columns    |=======|=======|=======|
///   kernels       |###########|             most of the first two
///   operator   |-------------------|        the rest of them, and most of the third
std::vector<LaidOutColumn> LayOut(const Profile& profile, const classify::KernelClasses& classes,
                                  const LaidOutPart& part);

}  // namespace profgauge::analysis::breakdown
