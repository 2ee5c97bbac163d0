// Collectives on the host (gloo's), and their exposed part.
#pragma once

#include <string_view>
#include <vector>

#include "base/interval.h"
#include "model/profile.h"

namespace profgauge {

/// When the host communicates and nothing on the host hides it; a span list. Computation of a
/// device does not count as overlap here.
///
/// Without device work, operators of the loop's threads hide a collective. With it they launch the
/// overlapping work, and hide no collective on their threads. A collective of another thread
/// (the coordination of a checkpoint) delays the loop only at its end, where the loop's threads
/// wait for it: since they last ran an operator or a call.
std::vector<Span> OpenHostCommunication(const Profile& profile);

/// Whether a range of that name is such a collective.
bool IsHostCollective(std::string_view name);

}  // namespace profgauge
