// Collectives on the host (gloo's), and what of them the program does not hide.
#pragma once

#include <string_view>
#include <vector>

#include "base/interval.h"
#include "model/profile.h"

namespace profgauge {

/// When the host communicates and nothing on the host hides it; a span list. What a device computes
/// meanwhile is not left out.
///
/// Without device work, operators of the loop's threads hide a collective. With it they launch what
/// does, and hide none of their own threads. A collective of another thread (the coordination of a
/// checkpoint) delays the loop only at its end, where the loop's threads wait for it: since they
/// last ran an operator or a call.
std::vector<Span> OpenHostCommunication(const Profile& profile);

/// Whether a range of that name is such a collective.
bool IsHostCollective(std::string_view name);

}  // namespace profgauge
