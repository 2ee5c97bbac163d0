// Which categories are active when, of all events of a rank: one walk in the order of their starts,
// which keeps no list of them. On top of it the exclusive breakdown: sums of time by category that
// add up to the length of each iteration. It knows nothing of ranks or iterations but the ranges
// that it is given; category_times.h makes it for a rank.
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

/// The set of these categories. REQUIRES: none is kOther or one of the timeline's own categories.
template <class... Categories>
constexpr CategorySet SetOf(Categories... categories) {
  return ((CategorySet{1} << static_cast<unsigned>(categories)) | ...);
}
/// The breakdown's category of the time: the lowest bit, as Category is in the order of priority.
/// REQUIRES: not empty.
inline Category FirstOf(CategorySet set) { return static_cast<Category>(std::countr_zero(set)); }

/// Calls `visit(span, categories)` with each range in which the same categories are active, in
/// order and apart; never with none. Adjacent ranges may have the same. It covers all events of
/// the rank, inside of iterations or not: device work, calls and host ranges as the breakdown
/// counts them. REQUIRES: `classes` are those of the profile. O(n log s) for s streams and
/// threads; memory for the categories of the host table and the runs of sorted rows.
///
/// `within`: only events that overlap it are visited, whole. The others cost a look each.
void VisitCategories(const Profile& profile, const classify::KernelClasses& classes,
                     const std::function<void(Span, CategorySet)>& visit,
                     Span within = {std::numeric_limits<Ns>::min(),
                                    std::numeric_limits<Ns>::max()});

// Where the time of each iteration went: an exclusive partition of its wall time.
//
// Every nanosecond belongs to the first category in the order below that is active anywhere at that
// moment (on any thread, stream or GPU); `other` is time without any category. The parts of an
// iteration add up to its length exactly.
//
// The categories are the TensorBoard plug-in's (its overall_parser.py) with kernels split into
// Tensor Core and other, and with corrections that real traces asked for: communication comes
// before copies, as no copy hides it (the plug-in counts collectives under copies as copies); it is
// recognized by kernel, not by the op's name; host ranges of nccl are the cost of launching and
// belong to cpu, only gloo's are communication, as far as they are exposed
// (analysis/breakdown/host_waits.h); annotations and Python frames are no cpu time,
// since they hide idle hosts; the categories never start over when the free time is used up.

/// When each category but kOther was active, as span lists, indexed by Category. The lists may
/// overlap each other: they are not exclusive.
using Roles = std::array<std::vector<Span>, kBreakdownCategories - 1>;

/// Nanoseconds per category, indexed by Category. Exclusive: each nanosecond is in one of them.
using Breakdown = std::array<Ns, kBreakdownCategories>;

/// The category of a device row. Kernels that may use Tensor Cores (Tri::kUnknown) are
/// kOtherKernel; collectives are kCommunication, whatever they compute.
Category CategoryOfDevice(const Profile& profile, const classify::KernelClasses& classes,
                          std::size_t row);

/// The category of each host row; kOther for rows that count as nothing (annotations, markers,
/// the profiler's overhead). Annotations that wait for data or communicate are those categories.
/// One pass over the table; each distinct name is checked once.
std::vector<Category> CategoriesOfHost(const Profile& profile);

/// The same as iterations count it: kOther also for loading by threads that fetch data ahead, for
/// which no iteration waits (FindLoopThreads()). Rows without a thread count as the loop's.
std::vector<Category> CountedCategoriesOfHost(const Profile& profile);

/// The times of each role over the whole profile, as merged span lists. Unlike VisitCategories() it
/// keeps a list: the attribution needs to look at one category after the other.
Roles CollectRoles(const Profile& profile, const classify::KernelClasses& classes);

/// Breakdowns of ranges, from the ranges that VisitCategories() visits: each adds up to the
/// range's length without its `hidden` part. All time starts as kOther and moves to the first
/// active category, so that the sum is right whatever is added.
/// REQUIRES: `ranges` are in order and do not overlap (they may be empty); `hidden` is a span list.
class BreakdownSums {
 public:
  explicit BreakdownSums(std::span<const Span> ranges, std::span<const Span> hidden = {});

  /// Moves the part of these nanoseconds that is in ranges to the category that comes first.
  /// REQUIRES: calls come in order of time, apart; `categories` is not empty. O(1) amortized.
  void Add(Span stretch, CategorySet categories);
  /// One per range, in their order. Nothing may be added afterwards.
  std::vector<Breakdown> Take();

 private:
  std::vector<Span> pieces_;           // Pieces of the ranges, in order.
  std::vector<std::size_t> range_of_;  // By piece.
  std::size_t next_ = 0;               // The first piece that has not ended.
  std::vector<Breakdown> sums_;        // By range.
};

}  // namespace profgauge::analysis::breakdown
