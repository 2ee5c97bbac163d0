// Waits that no call records: for events of other streams, and of a thread that spins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/simulation/graph.h"
#include "analysis/simulation/waits.h"
#include "model/profile.h"

namespace profgauge::analysis::simulation {

// Finds device work that a thread made wait for another stream (`cudaStreamWaitEvent`), whether
// this delayed the work or not. Internal to the graph.
//
// The record of such a call does not name the two streams. The waiting stream is assumed to be that
// of the thread's next launch. It waits for the stream that the thread used last, if the thread
// recorded an event since then (`cudaEventRecord`, like `Stream.wait_stream`); otherwise for the
// only other stream of its device, if there is exactly one. Contradicted waits are ignored.

/// `row` waits for the end of `other`, on another stream. Both are rows of the device table.
struct EventWait {
  std::uint32_t row = 0, other = 0;
};

/// Takes all calls of one thread, then BeginThread(), and the calls of the next thread.
class EventWaits {
 public:
  /// `waits` must outlive it.
  explicit EventWaits(WaitFinder& waits) : waits_(waits) {}

  void BeginThread() { last_launch_ = recorded_ = WaitFinder::kNone, asked_.reset(); }
  /// Returns the wait that the call causes. Calls of a thread must come by start.
  std::optional<EventWait> Take(std::uint32_t call);

 private:
  WaitFinder& waits_;
  std::uint32_t last_launch_ = WaitFinder::kNone;  // The last work that the thread launched.
  std::uint32_t recorded_ = WaitFinder::kNone;     // The last work before a recorded event.
  std::optional<Ns> asked_;                        // When it made a stream wait, if it did.
};

// Periods in which a thread spins until its kernel ends, without a call: it polls memory that the
// kernel writes last (a counter, a flag). Other long periods without any event, in which the device
// works, are silent: they may be waits, too. Internal to the graph.

/// Time between two steps of a thread in which it is in no call.
struct SilentStretch {
  PathGraph::StepId step = 0;  ///< The step that ends the period.
  Span time;
  std::uint32_t launched = 0;  ///< Row of the device table: the thread's last launch.
  StringId range;              ///< The innermost range around it; invalid: none.
};

/// Whether a period between two steps is long enough to be such a wait.
bool MayBeSpin(Ns length);

/// Returns those of `stretches`, all of one thread, that are such waits. They are long compared
/// with `usual`, the thread's median period; the device is busy during them; and the thread's last
/// kernel ends when they end. Launches in the same range must do so repeatedly, not by chance.
std::vector<SilentStretch> SpinWaits(const Profile& profile, std::vector<SilentStretch> stretches,
                                     Ns usual);

/// Returns the steps before which a thread is in no operator, call or data loader for at least
/// spin.least, while a device works for nearly all of that time. In order. REQUIRES: all edges,
/// moves and loader ranges of the graph are known. O(steps), and O(n log n) in the device work if a
/// thread is in nothing for that long.
std::vector<PathGraph::StepId> SilentSteps(const PathGraph& graph);

}  // namespace profgauge::analysis::simulation
