// Divides the gaps of a device by the causes that delayed the work at their ends. The picture is in
// idle.h. It is fed one gap after the other and keeps none: idle.cc sums up or lists them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/breakdown/host_waits.h"
#include "analysis/breakdown/idle.h"
#include "knowledge/launches.h"

namespace profgauge::analysis::breakdown {

/// Finds spans of a list near ranges whose starts ascend: together one walk over the list.
/// REQUIRES: `list` is a span list and outlives this; each range starts no earlier than the last.
class NearInOrder {
 public:
  explicit NearInOrder(std::span<const Span> list) : list_(list) {}

  /// Those that overlap the range; whole, not cut to it.
  std::span<const Span> operator()(Span range) {
    while (next_ < list_.size() && list_[next_].end <= range.start) ++next_;
    std::size_t end = next_;
    while (end < list_.size() && list_[end].start < range.end) ++end;
    return list_.subspan(next_, end - next_);
  }
  /// For how long one had lasted when the gap began, as a call that holds a thread; 0 without one.
  Ns HeldAt(Ns at) {
    const auto near = (*this)({at, at + 1});
    return near.empty() ? 0 : std::max<Ns>(0, at - near.front().start);
  }

 private:
  std::span<const Span> list_;
  std::size_t next_ = 0;
};

/// A part of a range without work, and the cause that delayed the work at its end.
struct CausedPart {
  Span time;
  IdleCause cause = IdleCause::kOther;
};

/// Takes the gaps of one GPU apart, which come in order. The whole time without work around a gap
/// is explained, so that a call before or after the window explains the same part of it whatever is
/// selected. One object serves one GPU: the lists are walked forwards only. `profile` and `waits`
/// must outlive it.
class GapExplainer {
 public:
  GapExplainer(const Profile& profile, const HostWaits& waits)
      : profile_(profile),
        knows_launches_(waits.knows_launches),
        data_loader_(waits.data_loader),
        allocator_(waits.allocator),
        ready_(waits.ready) {
    for (const ThreadWaits& thread : waits.threads) {
      threads_.push_back({NearInOrder(thread.sync), NearInOrder(thread.memory),
                          NearInOrder(thread.loading), NearInOrder(thread.capture),
                          thread.has_ranges});
    }
  }

  /// Fills `causes` of a gap, which add up to its length. REQUIRES: gaps come in order of time.
  /// O(1) amortized: each list of waits is walked once.
  void Explain(IdleGap& gap);

 private:
  struct Thread {
    NearInOrder sync, memory, loading, capture;
    bool has_ranges = false;
  };
  // The call that launched the work which ends a gap.
  struct LaunchCall {
    Span time;
    ApiKind kind = ApiKind::kOther;
    Thread* thread = nullptr;
  };

  // Fills parts_, which add up to the range as far as the profile reaches.
  void TakeApart(const IdleGap& gap);

  Thread* ThreadOf(ThreadId thread) {
    return thread.value < threads_.size() ? &threads_[thread.value] : nullptr;
  }

  void Add(Span part, IdleCause cause) {
    if (part.end > part.start) parts_.push_back({part, cause});
  }

  // Moves the part that `list` covers out of the rest.
  void Take(NearInOrder& list, IdleCause cause);
  void TakeOf(std::span<const Span> near, IdleCause cause);
  // Takes the first part of the rest, at most `length` of it, and then the remainder.
  void TakeFirst(Ns length, IdleCause cause, IdleCause remainder);

  // Waits that end before the launch have drained the queue; one that goes on waits for the launch.
  std::vector<Span> ReadyIn(Span part);
  /// The part before the launch call began. First match wins: data loader, graph capture, module
  /// loading, memory, a sync call, then the time that such a call had held the host; what is left
  /// is the host's own. `launching`: nullptr if the thread is unknown; then only the loader and
  /// ranges that wait for results explain anything.
  void SplitHostPart(Span part, Thread* launching);

  // Moves out of the rest what the launching thread does that holds the device, too.
  void TakeHeld(Thread* launching);
  // The part after the launch call began. `has_before`: other work ended where the gap begins.
  void SplitDevicePart(Span part, const LaunchCall& launch, bool has_before);

  const Profile& profile_;
  bool knows_launches_;
  NearInOrder data_loader_, allocator_, ready_;
  std::vector<Thread> threads_;
  Span explained_;                 // The time without work that parts_ divides.
  std::vector<CausedPart> parts_;  // Apart, in no order.
  std::vector<Span> rest_;         // The rest of a part that has no cause yet.
};

}  // namespace profgauge::analysis::breakdown
