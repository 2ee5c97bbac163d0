// Sampled call stacks as moments of the timeline.
#pragma once

#include <vector>

#include "model/profile.h"
#include "report/timeline_budget.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {

/// By thread, in order of time: one event without length for each sample that the cut keeps, named
/// by the innermost function, with the whole stack as its detail.
std::vector<std::vector<TimelineEvent>> SampleEvents(const Profile& profile, const TimelineCut& cut,
                                                     TimelineKinds& kinds);

}  // namespace profgauge::report
