// Where a profile's edges and pauses show neither the program nor the device, and where the
// profiler held up both: their work at that time is unknown, so it is not judged.
// The iterations keep their length.
#pragma once

#include <span>
#include <vector>

#include "analysis/context/iterations.h"
#include "base/interval.h"
#include "model/profile.h"

namespace profgauge {

/// Parts of the window, in order and apart; mostly none. Only of profiles whose iterations are
/// marked.
///
///   - At the beginning: calls that wait for at least 1 ms for the device before its first recorded
/// work. They wait for work launched before the profile, which is not in it. Calls that set
///     the device up are none (analysis/context/setup_calls.h).
/// - Times of at least 1 ms in which no device works while the profiler starts or stops, as
/// its own calls and frames show, wherever they are. Time without such a call is the program's: a
/// stall counts in the last iteration like in any other.
/// - Between iterations whose numbers jump: times of at least 1 ms in which nothing
///     was recorded. A profiler that pauses leaves them.
/// - Times of at least 1 ms in which no device works while the profiler itself, by its own record,
///     holds up a thread that launches (Nsight Systems flushes its buffers there). Where it does
///     not say which thread (Kineto), while all that launch neither begin nor end anything.
std::vector<Span> UnobservedParts(const Profile& profile, const Iterations& iterations);

/// `unobserved`, the time between marked iterations and after the last: copies that none
/// waits for may run there.
std::vector<Span> UncountedParts(std::span<const Span> unobserved, const Iterations& iterations);

}  // namespace profgauge
