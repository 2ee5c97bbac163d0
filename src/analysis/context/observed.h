// Where a profile's edges and pauses show neither the program nor the device, and where the
// profiler held up both: what they would have done then is unknown, so no one is judged for it.
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
///     work. What they wait for was launched before the profile and is not in it. Calls that set
///     the device up are none (analysis/context/setup_calls.h).
///   - Stretches of at least 1 ms in which no device works while the profiler starts or stops, as
///     its own calls and frames show, wherever they lie. What no call covers is the program's: a
///     stall counts in the last iteration as in any other.
///   - Between iterations whose numbers jump: stretches of at least 1 ms in which nothing at all
///     was recorded. A profiler that pauses leaves them.
///   - Stretches of at least 1 ms in which no device works while the profiler itself, as it says,
///     holds up a thread that launches (Nsight Systems flushes its buffers there). Where it does
///     not say which thread (Kineto), while all that launch neither begin nor end anything.
std::vector<Span> UnobservedParts(const Profile& profile, const Iterations& iterations);

/// `unobserved`, and what is between marked iterations and after the last: copies that none
/// waits for may run there.
std::vector<Span> UncountedParts(std::span<const Span> unobserved, const Iterations& iterations);

}  // namespace profgauge
