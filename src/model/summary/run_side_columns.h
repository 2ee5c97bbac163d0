// The columns of summaries for data from outside the profile: the times of unrecorded iterations,
// and values to judge them.
#pragma once

#include <memory>

#include "model/run_side.h"
#include "model/summary/summary.h"

namespace profgauge {

/// Adds nothing if the profile has neither a document nor conditions of devices.
void AddRunSide(const Profile& profile, Summary& summary);
/// Returns the data; with devices but no document, only the devices. Null if the summary has no
/// such columns, or if they contradict each other. A length of 0 or over a day, or a negative
/// iteration number, means that the summary is damaged: then it is null even if there are devices.
std::shared_ptr<const RunSide> RunSideOf(const Summary& summary);

}  // namespace profgauge
