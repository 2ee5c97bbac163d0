// Which categories are active when, of all events of a rank: one walk in the order of their starts,
// which keeps no list of them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

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
///. O(n log s) for s streams and threads.
void VisitCategories(const Profile& profile, const KernelClasses& classes,
                     const std::function<void(Span, CategorySet)>& visit);

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
// (analysis/time/host_waits.h); annotations and Python frames are no cpu time,
// since they hide idle hosts; the categories never start over when the free time is used up.

/// When each category but kOther was active, as span lists; they may overlap each other.
using Roles = std::array<std::vector<Span>, kBreakdownCategories - 1>;

/// Nanoseconds per category.
using Breakdown = std::array<Ns, kBreakdownCategories>;

/// The category of each device row.
Category CategoryOfDevice(const Profile& profile, const KernelClasses& classes, std::size_t row);

/// The category of each host row; kOther for rows that count as nothing (annotations, markers).
/// One pass over the table; each distinct name is checked once.
std::vector<Category> CategoriesOfHost(const Profile& profile);

/// The same as iterations count it: kOther also for loading by threads that fetch data ahead, for
/// which no iteration waits (FindLoopThreads()).
std::vector<Category> CountedCategoriesOfHost(const Profile& profile);

/// The times of each role over the whole profile, as merged span lists.
Roles CollectRoles(const Profile& profile, const KernelClasses& classes);

/// Breakdowns of ranges, from the ranges that VisitCategories() visits: each adds up to the
/// range's length without its `hidden` part.
/// REQUIRES: `ranges` are in order and do not overlap (they may be empty); `hidden` is a span list.
class BreakdownSums {
 public:
  explicit BreakdownSums(std::span<const Span> ranges, std::span<const Span> hidden = {});

  /// REQUIRES: ranges come in order.
  void Add(Span stretch, CategorySet categories);
  /// One per range.
  std::vector<Breakdown> Take();

 private:
  std::vector<Span> pieces_;           // Pieces of the ranges, in order.
  std::vector<std::size_t> range_of_;  // By piece.
  std::size_t next_ = 0;               // The first piece that has not ended.
  std::vector<Breakdown> sums_;        // By range.
};

}  // namespace profgauge
