// The ranges and calls of each thread in the order in which they begin. Internal to the graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "analysis/path/graph.h"
#include "model/profile.h"

namespace profgauge::analysis::path {

/// A range or a call of the current thread, ns from the profile's start.
struct ThreadEvent {
  Ns start = 0, end = 0;
  PathTable table = PathTable::kHost;
  std::uint32_t row = 0;
};

/// Threads come one after the other, as the tables have them.
class ThreadEvents {
 public:
  /// The events that begin in `during`, its end too. `profile` must outlive it.
  ThreadEvents(const Profile& profile, Span during)
      : ranges_(profile.host, PathTable::kHost, during),
        calls_(profile.api, PathTable::kApi, during) {}

  void BeginThread(std::uint32_t thread) {
    thread_ = thread;
    ranges_.Advance(thread);
    calls_.Advance(thread);
  }

  /// The next of the thread in the order of starts, the longer first, ranges before calls.
  std::optional<ThreadEvent> Next() {
    const std::optional<ThreadEvent> range = ranges_.next(), call = calls_.next();
    const bool takes_range = range && (!call || range->start < call->start ||
                                       (range->start == call->start && range->end >= call->end));
    if (takes_range) {
      ranges_.Advance(thread_);
      return range;
    }
    if (call) calls_.Advance(thread_);
    return call;
  }

 private:
  template <class Table>
  class OneTable {
   public:
    OneTable(const Table& table, PathTable which, Span during)
        : table_(table), which_(which), during_(during) {}

    const std::optional<ThreadEvent>& next() const { return next_; }
    void Advance(std::uint32_t thread) {
      next_.reset();
      for (; row_ < table_.size() && table_.thread[row_].value == thread; ++row_) {
        const Ns start = table_.start[row_];
        if (start < during_.start || start > during_.end) continue;
        next_ = {start, start + std::max<Ns>(table_.duration[row_], 0), which_, row_};
        ++row_;
        return;
      }
    }

   private:
    const Table& table_;
    PathTable which_;
    Span during_;
    std::uint32_t row_ = 0;
    std::optional<ThreadEvent> next_;
  };

  OneTable<HostTable> ranges_;
  OneTable<ApiTable> calls_;
  std::uint32_t thread_ = 0;
};

}  // namespace profgauge::analysis::path
