// Steps of ProfileBuilder::Finish() that repair or question what a file says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace profgauge::mend {

// Steps of ProfileBuilder::Finish(): they repair known misstatements of a profile and count
// unusable events in its import log. Separately they leave a profile incomplete.

/// A process that sees one GPU of several (HIP_VISIBLE_DEVICES, CUDA_VISIBLE_DEVICES) lists it by
/// the number that it has for the process; a profiler may write the machine's number to the events.
/// One listed and one used are the same one.
/// The listed device takes the number of the events. With two listed or two used nothing is joined.
void JoinTheOneDevice(Profile& profile);

/// ROCm's runtime copies and sets memory with its own kernels where a copy engine would be
/// slower. Those are copies and sets, unless the profile has the copies that their calls made as
/// well.
/// REQUIRES: device work is linked to its calls.
void TellRuntimeKernels(Profile& profile);

/// Kernels take time: kernels without a length had unusable times, if such
/// times were found. A few are a glitch of a clock; many make every sum a lower bound. If times are
/// whole microseconds, short kernels are rounded to length zero.
/// REQUIRES: times as they were recorded: a start of 0 means that there is none.
void CheckLengths(Profile& profile);
/// Only its name shows the kind of a kernel: "no kernel communicates" is no finding if
/// the names of a process are missing.
void CheckNames(Profile& profile);
/// A few events that make no sense are a glitch; many are a hole in the file.
/// REQUIRES: the log's counts of the reader, and Source::bytes.
void CheckEvents(Profile& profile);

}  // namespace profgauge::mend

namespace profgauge {

// Events that are in a file twice, as after it was put together with itself or a profiler was
// attached twice.

/// Columns of a builder's rows that the tables do not have, in the order of the rows.
struct RowNumbers {
  std::vector<std::int64_t>& host;
  std::vector<bool>& host_backward;
  NarrowColumn<std::int64_t>& api_correlation;
  OptionalColumn<std::int64_t, -1>& api_op;
  NarrowColumn<std::int64_t>& device_correlation;
  OptionalColumn<std::int64_t, -1>& device_op;
};

/// Keeps each event once and returns how many of the device's were copies. A stream does one thing
/// at a time, so work of it with the times, name and launch of another is that other. Where a
/// hundredth of the work is doubled, so are other events that are equal down to their recorded
/// number; below that no event is taken for a copy.
/// REQUIRES: the tables are sorted as model/tables.h says.
/// O(rows), with at most 64 earlier rows looked at for each.
std::size_t DropDoubled(Profile& profile, RowNumbers numbers);

// Kernels of one stream that run at the same time, which shows that their times are
// wrong: coarse, in another unit, or of several profiles in one file.

/// Counts the kernels that begin before an earlier one on their stream has ended, if the time
/// they share is over a tenth of the time that a GPU's kernels cover; idle time and the length of
/// iterations are unknown then. Kernels of one launch (a graph's branches) and of several
/// processes may run concurrently, as may, on GPUs that start a kernel early, one that ends
/// after the one before it. `correlations` are numbers of launches by row, -1 none.
/// REQUIRES: the device's rows are sorted and linked to their calls.
void CountOverlaps(Profile& profile, const NarrowColumn<std::int64_t>& correlations);

// Recordings whose kernels did not run as the program would run them: one by one, or again.

/// Counts kernels in `profile.log` where nearly all long ones end before the call that launched
/// them does (CUDA_LAUNCH_BLOCKING=1, HIP_LAUNCH_BLOCKING=1), or most launches have their kernel
/// several times, one run after the other (replay for counters). How long such a kernel takes is
/// measured, when it runs is not the program's. Cost: one pass over the device's rows.
/// REQUIRES: the device's rows are linked to their calls.
void CountSerialized(Profile& profile);

}  // namespace profgauge
