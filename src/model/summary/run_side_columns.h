// The columns of summaries for data beside a profile: the times of unrecorded iterations and
// the values that judge them.
#pragma once

#include <memory>

#include "model/run_side.h"
#include "model/summary/summary.h"

namespace profgauge {

/// Adds nothing where the profile has neither a document nor conditions of devices.
void AddRunSide(const Profile& profile, Summary& summary);
/// Null where the summary has none, or columns that disagree.
/// Devices may be there without a document. Lengths of 0 or over a day, or a negative number of an
/// iteration, mean damage: then nothing is taken, not even the devices.
std::shared_ptr<const RunSide> RunSideOf(const Summary& summary);

}  // namespace profgauge
