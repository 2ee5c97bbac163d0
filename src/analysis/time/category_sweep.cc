#include "analysis/time/category_sweep.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/context/loop_threads.h"
#include "analysis/time/breakdown.h"
#include "analysis/time/host_communication.h"
#include "base/activity_sweep.h"
#include "base/merge_runs.h"

namespace profgauge {
namespace {

// Where events come from.
enum : std::uint32_t { kDevice, kCalls, kHost, kOpenCommunication };

// The breakdown's category of host rows; kOther: none.
std::vector<Category> CountedCategoriesOfHost(const Profile& profile) {
  std::vector<Category> categories = CategoriesOfHost(profile);
  const std::vector<bool> in_loop = FindLoopThreads(profile);
  for (std::size_t row = 0; row < categories.size(); ++row) {
    const ThreadId thread = profile.host.thread[row];
    const bool is_ahead = thread.valid() && !in_loop[thread.value];
    // For collectives, only the result of OpenHostCommunication() counts.
    if (categories[row] == Category::kCommunication ||
        (categories[row] == Category::kDataLoader && is_ahead)) {
      categories[row] = Category::kOther;
    }
  }
  return categories;
}

template <class Table>
Span SpanOfRow(const Table& table, std::uint32_t row) {
  return {table.start[row], table.start[row] + table.duration[row]};
}

}  // namespace

void VisitCategories(const Profile& profile, const KernelClasses& classes,
                     const std::function<void(Span, CategorySet)>& visit) {
  const std::vector<Category> of_host = CountedCategoriesOfHost(profile);
  const std::vector<Span> open = OpenHostCommunication(profile);
  std::vector<Ns> open_starts;
  for (const Span span : open) open_starts.push_back(span.start);
  const std::vector<Ns>* const starts[] = {&profile.device.start, &profile.api.start,
                                           &profile.host.start, &open_starts};
  std::vector<RowRun> runs;
  for (std::uint32_t source = kDevice; source <= kOpenCommunication; ++source) {
    const auto size = static_cast<std::uint32_t>(starts[source]->size());
    AddRuns(*starts[source], source, 0, size, runs);
  }
  const auto tell = [&visit](Span stretch, CategorySet set) { visit(stretch, set); };
  ActivitySweep<kBreakdownCategories - 1, decltype(tell)> sweep(tell);
  const auto add = [&sweep](Category category, Span event) {
    sweep.Add(static_cast<std::size_t>(category), event);
  };
  MergeRuns(
      std::move(runs),
      [&](std::uint32_t source, std::uint32_t row) { return (*starts[source])[row]; },
      [&](std::uint32_t source, std::uint32_t row) {
        switch (source) {
          case kDevice:
            return add(CategoryOfDevice(profile, classes, row), SpanOfRow(profile.device, row));
          case kCalls:
            return add(Category::kRuntime, SpanOfRow(profile.api, row));
          case kHost:
            if (of_host[row] == Category::kOther) return;
            return add(of_host[row], SpanOfRow(profile.host, row));
          default:
            return add(Category::kCommunication, open[row]);
        }
      });
  sweep.Finish();
}

}  // namespace profgauge
