#include "analysis/breakdown/breakdown.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/breakdown/host_waits.h"
#include "analysis/classify/device_spans.h"
#include "analysis/flops/op_tree.h"
#include "analysis/iterations/observed.h"
#include "base/activity_sweep.h"
#include "base/merge_runs.h"

namespace profgauge::analysis::breakdown {
namespace {

// The source of an event.
enum : std::uint32_t { kDevice, kCalls, kHost, kOpenCommunication, kShortGaps };

// The time of a row, as recorded; a negative length makes an empty span, which the sweep ignores.
template <class Table>
Span SpanOfRow(const Table& table, std::uint32_t row) {
  return {table.start[row], table.start[row] + table.duration[row]};
}

// Adds the runs of rows that overlap `within`: usually one range of each sorted list, after a few
// long rows that begin earlier.
template <class Starts, class IsIn>
void AddRunsOf(const Starts& starts, std::uint32_t source, const IsIn& is_in,
               std::vector<RowRun>& runs) {
  const auto size = static_cast<std::uint32_t>(starts.size());
  for (std::uint32_t row = 0; row < size;) {
    if (!is_in(row)) {
      ++row;
      continue;
    }
    std::uint32_t end = row + 1;
    while (end < size && is_in(end)) ++end;
    AddRuns(starts, source, row, end, runs);
    row = end;
  }
}

}  // namespace

// One sweep over five lists that are already sorted by start. Each range between two changes is
// reported with the set of categories that are active in it:
//
//   device          |#####kernel######|             |##copy###|
//   calls      |--launch--|                     |-------sync-------|
//   host    |--------op---------|
//   set     |o | ol | olk | ok  |  k  |         | s |   sc    | s  |
//
// Only active events are in memory, so profiles may have any length.
void VisitCategories(const Profile& profile, const classify::KernelClasses& classes,
                     const std::function<void(Span, CategorySet)>& visit, Span within) {
  const std::vector<Category> of_host = CountedCategoriesOfHost(profile);
  const std::vector<Span> open = OpenHostCommunication(profile);
  std::vector<Ns> open_starts;
  for (const Span span : open) open_starts.push_back(span.start);
  const std::vector<classify::ShortGap> gaps = classify::FindShortGaps(profile.device);
  std::vector<Ns> gap_starts;
  for (const classify::ShortGap& gap : gaps) gap_starts.push_back(gap.time.start);
  const std::vector<Ns>* const starts[] = {&profile.device.start, &profile.api.start,
                                           &profile.host.start, &open_starts, &gap_starts};
  const auto overlaps = [within](Span event) {
    return event.start < within.end && event.end > within.start;
  };
  std::vector<RowRun> runs;
  AddRunsOf(
      profile.device.start, kDevice,
      [&](std::uint32_t row) { return overlaps(SpanOfRow(profile.device, row)); }, runs);
  AddRunsOf(
      profile.api.start, kCalls,
      [&](std::uint32_t row) { return overlaps(SpanOfRow(profile.api, row)); }, runs);
  AddRunsOf(
      profile.host.start, kHost,
      [&](std::uint32_t row) { return overlaps(SpanOfRow(profile.host, row)); }, runs);
  AddRunsOf(
      open_starts, kOpenCommunication, [&](std::uint32_t row) { return overlaps(open[row]); },
      runs);
  AddRunsOf(
      gap_starts, kShortGaps, [&](std::uint32_t row) { return overlaps(gaps[row].time); }, runs);
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
            // For collectives, only OpenHostCommunication() counts.
            if (of_host[row] == Category::kOther || of_host[row] == Category::kCommunication)
              return;
            return add(of_host[row], SpanOfRow(profile.host, row));
          case kOpenCommunication:
            return add(Category::kCommunication, open[row]);
          default:
            return add(CategoryOfDevice(profile, classes, gaps[row].row), gaps[row].time);
        }
      });
  sweep.Finish();
}

namespace {

std::size_t Index(Category category) { return static_cast<std::size_t>(category); }

// The category of a host range, found once per distinct name.
enum class HostRole : std::uint8_t { kUnknown, kPlain, kDataLoader, kCommunication };

// Judges a host range by its name; device rows are judged by their kernel (CategoryOfDevice()).
HostRole RoleOfName(std::string_view name) {
  if (flops::IsDataLoaderRange(name)) return HostRole::kDataLoader;
  if (IsHostCollective(name)) return HostRole::kCommunication;
  return HostRole::kPlain;
}

// Annotations are kOther: users put them around whole programs, where they would hide idle hosts.
Category CategoryOfRole(HostRole role, HostKind kind) {
  switch (role) {
    case HostRole::kDataLoader:
      return Category::kDataLoader;
    case HostRole::kCommunication:
      return Category::kCommunication;
    default:
      return kind == HostKind::kAnnotation ? Category::kOther : Category::kCpu;
  }
}

}  // namespace

Category CategoryOfDevice(const Profile& profile, const classify::KernelClasses& classes,
                          std::size_t row) {
  switch (profile.device.kind[row]) {
    case DeviceKind::kMemcpy:
      return Category::kMemcpy;
    case DeviceKind::kMemset:
      return Category::kMemset;
    case DeviceKind::kKernel:
      break;
  }
  if (classes[row].collective) return Category::kCommunication;
  return classes[row].tensor_core == classify::Tri::kYes ? Category::kTensorCoreKernel
                                                         : Category::kOtherKernel;
}

std::vector<Category> CategoriesOfHost(const Profile& profile) {
  const HostTable& host = profile.host;
  std::vector<HostRole> roles(profile.strings.size(), HostRole::kUnknown);
  std::vector<Category> categories(host.size(), Category::kOther);
  for (std::size_t row = 0; row < host.size(); ++row) {
    const HostKind kind = host.kind[row];
    if (kind == HostKind::kIterationMarker || kind == HostKind::kOverhead) continue;
    HostRole role = HostRole::kPlain;
    if (host.name[row].valid()) {
      HostRole& known = roles[host.name[row].value];
      if (known == HostRole::kUnknown) known = RoleOfName(profile.strings[host.name[row]]);
      role = known;
    }
    categories[row] = CategoryOfRole(role, kind);
  }
  return categories;
}

std::vector<Category> CountedCategoriesOfHost(const Profile& profile) {
  std::vector<Category> categories = CategoriesOfHost(profile);
  const std::vector<bool> in_loop = iterations::FindLoopThreads(profile);
  for (std::size_t row = 0; row < categories.size(); ++row) {
    const ThreadId thread = profile.host.thread[row];
    const bool is_ahead = thread.valid() && !in_loop[thread.value];
    if (categories[row] == Category::kDataLoader && is_ahead) categories[row] = Category::kOther;
  }
  return categories;
}

Roles CollectRoles(const Profile& profile, const classify::KernelClasses& classes) {
  std::array<SpanCollector, kBreakdownCategories - 1> collectors;
  VisitCategories(profile, classes, [&collectors](Span stretch, CategorySet set) {
    for (; set != 0; set &= set - 1) {
      collectors[Index(FirstOf(set))].Add(stretch.start, stretch.length());
    }
  });
  Roles roles;
  for (std::size_t i = 0; i < roles.size(); ++i) roles[i] = collectors[i].Take();
  return roles;
}

// Two iterations, the second with an unobserved part; Add([4, 10), kCpu) moves 2 of each:
//
//   ranges   [0, 6)   [8, 16), hidden [12, 13)
//   pieces   [0, 6)   [8, 12)   [13, 16)            all other: 6 of the first, 7 of the second
//   added    [4, 10)                                other 4, cpu 2        other 5, cpu 2
BreakdownSums::BreakdownSums(std::span<const Span> ranges, std::span<const Span> hidden)
    : sums_(ranges.size(), Breakdown{}) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    for (const Span piece : Subtract(ranges.subspan(i, 1), hidden)) {
      pieces_.push_back(piece);
      range_of_.push_back(i);
      sums_[i][Index(Category::kOther)] += piece.length();
    }
  }
}

// `next_` only moves forward, past pieces that have ended. A piece that ends after this span is
// checked again by the next call.
void BreakdownSums::Add(Span stretch, CategorySet categories) {
  while (next_ < pieces_.size() && pieces_[next_].end <= stretch.start) ++next_;
  for (std::size_t i = next_; i < pieces_.size() && pieces_[i].start < stretch.end; ++i) {
    const Ns common =
        std::min(stretch.end, pieces_[i].end) - std::max(stretch.start, pieces_[i].start);
    Breakdown& sum = sums_[range_of_[i]];
    sum[Index(FirstOf(categories))] += common;
    sum[Index(Category::kOther)] -= common;
  }
}

std::vector<Breakdown> BreakdownSums::Take() { return std::move(sums_); }

}  // namespace profgauge::analysis::breakdown
