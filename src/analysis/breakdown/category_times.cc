#include "analysis/breakdown/category_times.h"

#include <optional>
#include <string>
#include <utility>

#include "base/interval.h"
#include "base/metric_id.h"

namespace profgauge::analysis::breakdown {
namespace {

constexpr CategorySet kComputing = SetOf(Category::kTensorCoreKernel, Category::kOtherKernel);
constexpr CategorySet kCommunicating = SetOf(Category::kCommunication);
constexpr CategorySet kLoading = SetOf(Category::kDataLoader);

// The times between each selected iteration and its direct successor.
std::vector<Span> BetweenIterations(const iterations::Iterations& iterations) {
  const std::vector<bool> follows = iterations::FollowsDirectly(iterations);
  std::vector<Span> between;
  for (std::size_t i = iterations.first; i + 1 < iterations.last; ++i) {
    const Span gap{iterations.all[i].time.end, iterations.all[i + 1].time.start};
    if (follows[i] && gap.length() > 0) between.push_back(gap);
  }
  return between;
}

// `loading`: when data is loaded and no higher category is active. `stalled`: when data is loaded
// and no kernel computes. The breakdown already has the loading inside of iterations, so `between`
// only sums the time between them.
LoaderTimes LoaderTimesOf(const iterations::RankContext& rank, std::span<const Span> loading,
                          std::span<const Span> stalled) {
  const std::vector<Span> between = BetweenIterations(rank.iterations);
  LoaderTimes times;
  times.between = OverlapLength(Subtract(Merge(between), rank.unobserved), loading);
  std::vector<Span> inside = between;
  for (const iterations::Iteration& iteration : rank.iterations.selected())
    inside.push_back(iteration.time);
  times.stalled = OverlapLength(Subtract(Merge(std::move(inside)), rank.unobserved), stalled);
  return times;
}

// The overlap of a span list with each iteration. Near() finds the few spans of each, so the cost
// is not iterations × spans.
std::vector<Ns> OverlapWithEach(std::span<const iterations::Iteration> iterations,
                                std::span<const Span> list) {
  std::vector<Ns> times;
  for (const iterations::Iteration& iteration : iterations) {
    times.push_back(OverlapLength(std::span(&iteration.time, 1), Near(list, iteration.time)));
  }
  return times;
}

}  // namespace

// The walk, and the sums to which each combination of active categories contributes:
//
//   active             iterations, ranges    stalled   loading   both   exposed
//   loader             dataloader            yes       yes
//   loader, copy       memcpy                yes
//   loader, kernel     other_kernel
//   collective         communication                                     yes
//   collective, kernel other_kernel                              yes
CategoryTimes CategoryTimesOf(const iterations::RankContext& rank, std::span<const Span> ranges) {
  std::vector<Span> iterations;
  for (const iterations::Iteration& iteration : rank.iterations.selected()) {
    iterations.push_back(iteration.time);
  }
  BreakdownSums of_iterations(iterations, rank.unobserved), of_ranges(ranges);
  SpanCollector loading, stalled, both, exposed;
  const auto add = [](SpanCollector& to, Span stretch) { to.Add(stretch.start, stretch.length()); };
  VisitCategories(*rank.profile, rank.classes, [&](Span stretch, CategorySet active) {
    of_iterations.Add(stretch, active);
    of_ranges.Add(stretch, active);
    const bool computes = (active & kComputing) != 0;
    if ((active & kLoading) != 0 && !computes) {
      add(stalled, stretch);
      if (FirstOf(active) == Category::kDataLoader) add(loading, stretch);
    }
    if ((active & kCommunicating) == 0) return;
    add(computes ? both : exposed, stretch);
  });
  CategoryTimes times;
  times.iterations = of_iterations.Take();
  times.overlapped = OverlapWithEach(rank.iterations.selected(), both.Take());
  times.loader = LoaderTimesOf(rank, loading.Take(), stalled.Take());
  times.exposed_communication = exposed.Take();
  times.ranges = of_ranges.Take();
  return times;
}

// Exposed loading by iteration, for the gate. Time between two iterations counts for the first.
std::vector<Ns> LoadingByIteration(const iterations::RankContext& rank) {
  SpanCollector collector;
  VisitCategories(*rank.profile, rank.classes, [&](Span stretch, CategorySet active) {
    if (FirstOf(active) == Category::kDataLoader) collector.Add(stretch.start, stretch.length());
  });
  const std::vector<Span> loading = collector.Take();
  if (loading.empty()) return {};
  const auto shown_in = [&](Span part) {
    const std::vector<Span> shown = Subtract(std::vector<Span>{part}, Near(rank.unobserved, part));
    return OverlapLength(shown, Near(loading, part));
  };
  const std::vector<bool> follows = iterations::FollowsDirectly(rank.iterations);
  std::vector<Ns> times;
  for (std::size_t i = rank.iterations.first; i < rank.iterations.last; ++i) {
    const Span own = rank.iterations.all[i].time;
    times.push_back(own.length() > 0 ? shown_in(own) : 0);
    if (i + 1 == rank.iterations.last || !follows[i]) continue;
    const Span gap{own.end, rank.iterations.all[i + 1].time.start};
    if (gap.length() > 0) times.back() += shown_in(gap);
  }
  return times;
}

std::vector<NameWork> IterationSumsOf(const iterations::RankContext& rank) {
  const DeviceTable& device = rank.profile->device;
  if (rank.iterations.is_whole) return {};
  NamedWork sums(rank);
  for (std::size_t row = 0; row < device.size(); ++row) {
    if (device.kind[row] != DeviceKind::kKernel) continue;
    sums.Add(std::string(metric::kProfileKernelTime.text()), rank.iterations.of_device[row],
             device.duration[row]);
  }
  return sums.Take();
}

}  // namespace profgauge::analysis::breakdown
