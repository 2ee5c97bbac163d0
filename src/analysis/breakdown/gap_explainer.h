// Divides the gaps of a device by the causes that delayed the work at their ends (see the picture
// in idle.h). It takes one gap after another and stores none; idle.cc sums or lists them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/breakdown/host_waits.h"
#include "analysis/breakdown/idle.h"
#include "knowledge/launches.h"
#include "model/certificate.h"

namespace profgauge::analysis::breakdown {

/// Finds the spans of a list that overlap ranges. All queries together are one walk over the list.
/// REQUIRES: `list` is a span list and outlives this; starts of queried ranges never decrease.
class NearInOrder {
 public:
  explicit NearInOrder(std::span<const Span> list) : list_(list) {}

  /// The spans that overlap the range, not clipped to it.
  std::span<const Span> operator()(Span range) {
    while (next_ < list_.size() && list_[next_].end <= range.start) ++next_;
    std::size_t end = next_;
    while (end < list_.size() && list_[end].start < range.end) ++end;
    return list_.subspan(next_, end - next_);
  }
  /// How long the span that contains `at` has lasted by then; 0 without one.
  Ns HeldAt(Ns at) {
    const auto near = (*this)({at, at + 1});
    return near.empty() ? 0 : std::max<Ns>(0, at - near.front().start);
  }

 private:
  std::span<const Span> list_;
  std::size_t next_ = 0;
};

/// A part of an idle range, and the cause that delayed the work at its end.
struct CausedPart {
  Span time;
  IdleCause cause = IdleCause::kOther;
};

/// Divides the gaps of one GPU, which must come in order. It explains the whole idle time around a
/// gap, so that calls outside of the window explain the same part for every selection. One object
/// serves one GPU, because lists are only walked forward. `profile` and `waits` must outlive it.
class GapExplainer {
 public:
  GapExplainer(const Profile& profile, const HostWaits& waits)
      : profile_(profile),
        knows_launches_(waits.knows_launches),
        knows_order_(FactOf(profile, kDeviceClock).empty()),
        data_loader_(waits.data_loader),
        allocator_(waits.allocator),
        ready_(waits.ready) {
    for (const ThreadWaits& thread : waits.threads) {
      threads_.push_back({NearInOrder(thread.sync), NearInOrder(thread.memory),
                          NearInOrder(thread.loading), NearInOrder(thread.capture),
                          thread.has_ranges});
    }
  }

  /// Sets `causes` of a gap, which add up to its length. REQUIRES: gaps come in order of time. O(1)
  /// amortized: each list of waits is walked once.
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

  // Fills parts_, which add up to the range within the extent of the profile.
  void TakeApart(const IdleGap& gap);

  Thread* ThreadOf(ThreadId thread) {
    return thread.value < threads_.size() ? &threads_[thread.value] : nullptr;
  }

  void Add(Span part, IdleCause cause) {
    if (part.end > part.start) parts_.push_back({part, cause});
  }

  // Moves the part that `list` covers from rest_ to the cause.
  void Take(NearInOrder& list, IdleCause cause);
  void TakeOf(std::span<const Span> near, IdleCause cause);
  // Assigns the first `length` of the rest to `cause`, and the remainder to `remainder`.
  void TakeFirst(Ns length, IdleCause cause, IdleCause remainder);

  // Returns waits for results in `part` that end before the launch: they drained the queue.
  std::vector<Span> ReadyIn(Span part);
  /// Divides the part of a gap before the launch call began. The first match wins: data loader,
  /// graph capture, module loading, memory, a sync call, then the time that such a call had held
  /// the host. The remainder is host_wait. `launching`: nullptr if the thread is unknown; then only
  /// the loader and ranges that wait for results explain anything.
  void SplitHostPart(Span part, Thread* launching);

  // Moves work of the launching thread that also holds the device out of the rest.
  void TakeHeld(Thread* launching);
  // Divides the gap's part after the launch call began. `has_before`: work ended at its start.
  void SplitDevicePart(Span part, const LaunchCall& launch, bool has_before);

  const Profile& profile_;
  bool knows_launches_;
  bool knows_order_ = true;  // False if the device's clock is known to be off.
  NearInOrder data_loader_, allocator_, ready_;
  std::vector<Thread> threads_;
  Span explained_;                 // The idle time that parts_ divides.
  std::vector<CausedPart> parts_;  // Disjoint, unordered.
  std::vector<Span> rest_;         // The part without a cause so far.
};

}  // namespace profgauge::analysis::breakdown
