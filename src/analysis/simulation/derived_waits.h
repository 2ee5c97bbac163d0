// Waits that no call states: by events of streams, and where a thread spins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/simulation/graph.h"
#include "analysis/simulation/waits.h"
#include "model/profile.h"

namespace profgauge::analysis::simulation {

// Which device work its thread made wait for another stream (`cudaStreamWaitEvent`), whether that
// delayed it or not. Internal to the graph.
//
// No record of a call names both streams. The one that waits is taken to be that of the thread's
// next launch. It waits for the stream that the thread used last, if it recorded an event since
// (`cudaEventRecord`, as `Stream.wait_stream` does); else for the only other stream of its device,
// where there is one other. A wait that the profile contradicts is left out.

/// `row` starts when `other`, of another stream, has ended. Rows of the profile's device table.
struct EventWait {
  std::uint32_t row = 0, other = 0;
};

/// Takes the calls of one thread after the other. BeginThread() starts the next thread.
class EventWaits {
 public:
  /// `waits` must outlive it.
  explicit EventWaits(WaitFinder& waits) : waits_(waits) {}

  void BeginThread() { last_launch_ = recorded_ = WaitFinder::kNone, asked_.reset(); }
  /// The call's effect: the next of its thread in the order of starts.
  std::optional<EventWait> Take(std::uint32_t call);

 private:
  WaitFinder& waits_;
  std::uint32_t last_launch_ = WaitFinder::kNone;  // The thread's last launch, like the next ones.
  std::uint32_t recorded_ = WaitFinder::kNone;     // The work before an event since then.
  std::optional<Ns> asked_;                        // When it made a stream wait since then.
};

// Where a thread spins until its kernel is done, without a call: it reads memory that the kernel
// writes last (a counter, a flag). Internal to the graph.

/// A thread's time between two steps, in no call.
struct SilentStretch {
  PathGraph::StepId step = 0;  ///< The one that ends it.
  Span time;
  std::uint32_t launched = 0;  ///< Row of the device table: the thread's last launch.
  StringId range;              ///< The innermost range around; invalid: none.
};

/// Whether a range between two steps is long enough to be asked about.
bool MayBeSpin(Ns length);

/// Those of `stretches`, all of one thread, that are such waits: long ones (by `usual`, the
/// thread's median range) through which the device is busy, at whose end the thread's last kernel
/// ends, and not by chance: launches there, in that range, do so again and again.
std::vector<SilentStretch> SpinWaits(const Profile& profile, std::vector<SilentStretch> stretches,
                                     Ns usual);

}  // namespace profgauge::analysis::simulation
