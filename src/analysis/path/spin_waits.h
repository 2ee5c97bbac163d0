// Where a thread spins until its kernel is done, without a call: it reads memory that the kernel
// writes last (a counter, a flag). Internal to the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/path/graph.h"
#include "model/profile.h"

namespace profgauge {

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

}  // namespace profgauge
