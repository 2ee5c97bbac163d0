// The length of a stream's launch queue over time. `Items` have size() and, in the order of the
// stream, a QueueItem for each [i].
//
// Example: three launches (L) on one stream. Work starts (S) when the previous work has ended:
//
//   host     L1  L2      L3
//   device          S1######S2####S3###
//   length   1   2  1    2  1     0        after each event: ForEachEvent(), SumQueue()
//   found    0   1       1                 other launches at each launch: ForEachLength()
//
// A launch that finds 0 cannot overlap with earlier work: the stream is idle until it arrives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/partition_point.h"
#include "model/profile.h"

namespace profgauge::analysis::device {

/// One launch on a stream: when its call began, and when its work began on the device.
struct QueueItem {
  Ns launched = 0;
  Ns started = 0;
};

/// How long the work of a row waited after its call returned; 0 if it started during the call.
/// REQUIRES: the row has a launch.
inline Ns LaunchDelay(const Profile& profile, std::size_t row) {
  const std::uint32_t call = profile.device.launch[row].value;
  const Ns end = profile.api.start[call] + profile.api.duration[call];
  return std::max<Ns>(0, profile.device.start[row] - end);
}

/// Events of one stream's queue: +1 at each launch, −1 at each start (HTA).
struct QueueEvent {
  Ns time = 0;
  std::int64_t length = 0;  ///< Queue length after the event; never negative.
};

/// Sums over a queue's events.
struct QueueSums {
  std::int64_t events = 0, length = 0, longest = 0;  ///< `length`: sum of lengths after the events.
  Ns full_time = 0;  ///< Time with at least `full` launches in the queue.
  Ns first = 0, last = 0;
};

// When the item enters the queue. Clocks of host and device can differ slightly, so an item never
// leaves before that: the queue length is never negative.
inline Ns LaunchedAt(const QueueItem& item) { return item.launched; }
/// When the item leaves the queue; not before its launch, since clocks may differ.
inline Ns StartedAt(const QueueItem& item) { return std::max(item.launched, item.started); }

/// Sorted launch or start times of the items, which are usually sorted already.
template <Ns (*kTimeOf)(const QueueItem&), class Items>
class SortedTimes {
 public:
  explicit SortedTimes(const Items& items) : items_(items) {
    bool is_sorted = true;
    for (std::size_t i = 1; i < items.size() && is_sorted; ++i) {
      is_sorted = kTimeOf(items[i - 1]) <= kTimeOf(items[i]);
    }
    if (is_sorted) return;
    sorted_.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) sorted_.push_back(kTimeOf(items[i]));
    std::sort(sorted_.begin(), sorted_.end());
  }
  std::size_t size() const { return items_.size(); }
  Ns operator[](std::size_t i) const { return sorted_.empty() ? kTimeOf(items_[i]) : sorted_[i]; }

 private:
  const Items& items_;
  std::vector<Ns> sorted_;
};

/// Returns the index of the first of `times`, from `from` on, that is not before `at`. Tries a few
/// indices, then bisects.
template <class Times>
std::size_t AdvanceTo(const Times& times, std::size_t from, Ns at) {
  for (int step = 0; step < 8; ++step, ++from) {
    if (from == times.size() || times[from] >= at) return from;
  }
  return PartitionPoint(from, times.size(), [&](std::size_t i) { return times[i] < at; });
}

/// Calls `visit` for each item, in order, with its queue length: the number of other items launched
/// before it that have not started when it is launched. O(n log n).
template <class Items, class Visit>
void ForEachLength(const Items& items, Visit visit) {
  const SortedTimes<LaunchedAt, Items> launched(items);
  const SortedTimes<StartedAt, Items> started(items);
  std::size_t before = 0, gone = 0;
  Ns last = std::numeric_limits<Ns>::min();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Ns at = items[i].launched;
    if (at < last) before = gone = 0;  // Rare: launched by another thread.
    last = at;
    before = AdvanceTo(launched, before, at);
    gone = AdvanceTo(started, gone, at);
    visit(static_cast<std::int64_t>(before) - static_cast<std::int64_t>(gone));
  }
}

/// Calls `visit` for the queue's events in time order. At equal times, launches precede starts. O(n
/// log n).
template <class Items, class Visit>
void ForEachEvent(const Items& items, Visit visit) {
  const SortedTimes<LaunchedAt, Items> launches(items);
  const SortedTimes<StartedAt, Items> starts(items);
  std::size_t launched = 0, started = 0;
  while (started < items.size()) {
    // No item starts before its own launch, so launches never run out first.
    const bool launch = launched < items.size() && launches[launched] <= starts[started];
    const Ns time = launch ? launches[launched++] : starts[started++];
    visit(QueueEvent{time, static_cast<std::int64_t>(launched - started)});
  }
}

template <class Items>
QueueSums SumQueue(const Items& items, std::int64_t full) {
  QueueSums sums;
  QueueEvent before;
  ForEachEvent(items, [&](QueueEvent event) {
    if (sums.events++ == 0) {
      sums.first = event.time;
    } else if (before.length >= full) {
      sums.full_time += event.time - before.time;
    }
    sums.length += event.length;
    sums.longest = std::max(sums.longest, event.length);
    sums.last = event.time;
    before = event;
  });
  return sums;
}

/// Rows of a table, ascending. Stored as a list only if they have gaps, because a long stream has
/// tens of millions of rows.
class ChosenRows {
 public:
  /// REQUIRES: the row is after all added ones.
  void Add(std::uint32_t row) {
    if (size_ == 0) first_ = row;
    if (list_.empty() && row != first_ + size_) {
      list_.resize(size_);
      std::iota(list_.begin(), list_.end(), first_);
    }
    if (!list_.empty()) list_.push_back(row);
    ++size_;
  }
  std::size_t size() const { return size_; }
  std::uint32_t operator[](std::size_t i) const {
    return list_.empty() ? first_ + static_cast<std::uint32_t>(i) : list_[i];
  }

 private:
  std::uint32_t first_ = 0, size_ = 0;
  std::vector<std::uint32_t> list_;
};

/// The queue items for rows of one stream. REQUIRES: all rows have a launch.
class StreamItems {
 public:
  StreamItems(const Profile& profile, ChosenRows rows)
      : profile_(profile), rows_(std::move(rows)) {}
  std::size_t size() const { return rows_.size(); }
  std::uint32_t RowOf(std::size_t item) const { return rows_[item]; }
  QueueItem operator[](std::size_t item) const {
    const std::uint32_t row = rows_[item];
    return {profile_.api.start[profile_.device.launch[row].value], profile_.device.start[row]};
  }

 private:
  const Profile& profile_;
  ChosenRows rows_;
};

}  // namespace profgauge::analysis::device
