// Breakdowns of a profile, and of events that a test makes up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "analysis/breakdown/breakdown.h"
#include "base/activity_sweep.h"

namespace profgauge::analysis {

inline std::vector<breakdown::Breakdown> BreakdownsOf(const Profile& profile,
                                                      const classify::KernelClasses& classes,
                                                      std::span<const Span> ranges) {
  breakdown::BreakdownSums sums(ranges);
  breakdown::VisitCategories(profile, classes, [&sums](Span stretch, breakdown::CategorySet set) {
    sums.Add(stretch, set);
  });
  return sums.Take();
}

using CategoryEvent = std::pair<Category, Span>;

/// Calls `visit` as VisitCategories() does, of these events.
template <class Visit>
void VisitCategoriesOf(std::vector<CategoryEvent> events, Visit visit) {
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.second.start < b.second.start; });
  ActivitySweep<kBreakdownCategories - 1, Visit> sweep(visit);
  for (const auto& [category, span] : events) sweep.Add(static_cast<std::size_t>(category), span);
  sweep.Finish();
}

}  // namespace profgauge::analysis
