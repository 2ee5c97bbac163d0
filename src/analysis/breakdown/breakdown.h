// Finds when each set of categories is active, in one walk over the events of a rank that stores no
// list of them. From this follows the exclusive breakdown: time by category, which adds up to the
// length of each iteration. This file knows only the time ranges that it is given, not ranks or
// iterations; category_times.h calls it for a rank.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "analysis/classify/kernel_class.h"
#include "base/interval.h"
#include "model/category.h"
#include "model/profile.h"

namespace profgauge::analysis::breakdown {

/// Concurrently active categories: bit i is Category i. Never kOther.
using CategorySet = std::uint32_t;

/// The set of the given categories. REQUIRES: none is kOther or used only by the timeline.
template <class... Categories>
constexpr CategorySet SetOf(Categories... categories) {
  return ((CategorySet{1} << static_cast<unsigned>(categories)) | ...);
}
/// The category to which the breakdown assigns the time of a set: the lowest bit, as Category is
/// ordered by priority. REQUIRES: not empty.
inline Category FirstOf(CategorySet set) { return static_cast<Category>(std::countr_zero(set)); }

/// Calls `visit(span, categories)` with each range in which the same categories are active. Ranges
/// are disjoint and in order; adjacent ones may have equal categories. Ranges without any category
/// are skipped. Covers all events of the rank that the breakdown counts: device work, calls and
/// host ranges, inside of iterations or not. REQUIRES: `classes` are those of the profile. O(n log
/// s) for s streams and threads; memory for the host table's categories and the sorted runs.
///
/// `within`: visits only events that overlap it, without clipping. Skipping an event is O(1).
void VisitCategories(const Profile& profile, const classify::KernelClasses& classes,
                     const std::function<void(Span, CategorySet)>& visit,
                     Span within = {std::numeric_limits<Ns>::min(),
                                    std::numeric_limits<Ns>::max()});

// The exclusive breakdown: a partition of the wall time of each iteration by category.
//
// Every nanosecond belongs to the first category in the order below that is active anywhere at that
// time (on any thread, stream or GPU); `other` is time without any category. The parts of an
// iteration add up exactly to its length.
//
// The categories are those of the TensorBoard plug-in (its overall_parser.py), with kernels split
// into Tensor Core and other kernels. Real traces required these corrections. Communication comes
// before copies, since copies do not hide it (the plug-in counts collectives under copies as
// copies). It is recognized by kernel, not by operator name. Host ranges of nccl are launch cost
// and belong to cpu; only gloo's are communication, as far as they are exposed
// (analysis/breakdown/host_waits.h). Annotations and Python frames are not cpu time, since they
// would hide an idle host.

/// By Category, when each category except kOther was active, as span lists. Different lists may
/// overlap.
using Roles = std::array<std::vector<Span>, kBreakdownCategories - 1>;

/// Nanoseconds by Category. Exclusive: each nanosecond belongs to one category.
using Breakdown = std::array<Ns, kBreakdownCategories>;

/// The category of a device row. Kernels that may use Tensor Cores (Tri::kUnknown) are
/// kOtherKernel; collectives are kCommunication, whatever they compute.
Category CategoryOfDevice(const Profile& profile, const classify::KernelClasses& classes,
                          std::size_t row);

/// The category of each host row; kOther for rows that do not count (annotations, markers, the
/// profiler's overhead). Annotations that wait for data or communicate have those categories. One
/// pass over the table; each distinct name is checked once.
std::vector<Category> CategoriesOfHost(const Profile& profile);

/// Like CategoriesOfHost(), but data loading by threads that only prefetch is kOther, since it
/// delays no iteration (FindLoopThreads()). A row without a thread counts as one of the loop.
std::vector<Category> CountedCategoriesOfHost(const Profile& profile);

/// When each category is active in the whole profile, as merged span lists. Unlike
/// VisitCategories() it stores lists, because the attribution processes one category after another.
Roles CollectRoles(const Profile& profile, const classify::KernelClasses& classes);

/// Sums breakdowns of ranges from the calls of VisitCategories(): each adds up to the range's
/// length without its `hidden` part. All time starts as kOther and moves to the first active
/// category, so the sum is always right.
/// REQUIRES: `ranges` are in order and do not overlap (they may be empty); `hidden` is a span list.
class BreakdownSums {
 public:
  explicit BreakdownSums(std::span<const Span> ranges, std::span<const Span> hidden = {});

  /// Moves the part of the span that is in ranges to the first category of the set.
  /// REQUIRES: spans are disjoint and in order of time; `categories` is not empty. O(1) amortized.
  void Add(Span stretch, CategorySet categories);
  /// One breakdown per range, in their order. No Add() may follow.
  std::vector<Breakdown> Take();

 private:
  std::vector<Span> pieces_;           // Pieces of the ranges, in order.
  std::vector<std::size_t> range_of_;  // By piece: its range.
  std::size_t next_ = 0;               // The first piece that has not ended.
  std::vector<Breakdown> sums_;        // By range.
};

}  // namespace profgauge::analysis::breakdown
