// Steps of ProfileBuilder::Finish() that repair or question the contents of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace profgauge::mend {

// Steps of ProfileBuilder::Finish() that repair known errors of a profile and count unusable events
// in its import log. Many unusable events make a profile incomplete.

/// If exactly one GPU is listed and one is used, the listed GPU gets the number of the events;
/// otherwise nothing changes. A process that sees one of several GPUs (HIP_VISIBLE_DEVICES,
/// CUDA_VISIBLE_DEVICES) lists it by the number within the process, but a profiler may write the
/// machine's number to events.
void JoinTheOneDevice(Profile& profile);

/// Turns kernels with which ROCm's runtime copies and sets memory, if a copy engine would be
/// slower, into copies and memsets, unless the profile also has the copies of their calls.
/// REQUIRES: device work is linked to its calls.
void TellRuntimeKernels(Profile& profile);

/// Judges kernels of length zero: kernels take time, so such times are unusable. A few are a glitch
/// of a clock; many make every sum a lower bound. If times are whole microseconds, short kernels
/// are merely rounded to zero. REQUIRES: times as recorded: a start of 0 means that there is none.
void CheckLengths(Profile& profile);
/// Counts missing kernel names. Only the name shows the kind of a kernel, so "no kernel
/// communicates" is no finding if the names of a process are missing.
void CheckNames(Profile& profile);
/// Judges implausible events: a few are a glitch; many mean that the file lost data. REQUIRES: the
/// reader's counts in the log, and Source::bytes.
void CheckEvents(Profile& profile);

}  // namespace profgauge::mend

namespace profgauge {

// Events that are in a file twice, e.g. because it was merged with itself or a profiler was
// attached twice.

/// Columns of a builder's rows that the tables do not have; in the order of the rows.
struct RowNumbers {
  std::vector<std::int64_t>& host;
  std::vector<bool>& host_backward;
  NarrowColumn<std::int64_t>& api_correlation;
  OptionalColumn<std::int64_t, -1>& api_op;
  NarrowColumn<std::int64_t>& device_correlation;
  OptionalColumn<std::int64_t, -1>& device_op;
};

/// Removes duplicate events and returns how many device events were duplicates. A stream runs one
/// event at a time, so work with the times, name and launch of another event of its stream is a
/// duplicate. If at least a hundredth of the work is duplicated, other events that are equal,
/// including their recorded number, are duplicates too; below that share none is removed. REQUIRES:
/// the tables are sorted as model/tables.h says. O(rows), comparing each with at most 64 earlier
/// rows.
std::size_t DropDoubled(Profile& profile, RowNumbers numbers);

// Kernels of one stream that overlap in time. They show that times are wrong: coarse, in another
// unit, or of several profiles in one file.

/// Counts kernels that begin before an earlier one of their stream ends, if the overlap is over a
/// tenth of a GPU's kernel time; idle time and the length of iterations are unknown then. Three
/// overlaps are normal: of kernels of one launch (a graph's branches), of kernels of several
/// processes, and of a kernel and its predecessor on GPUs that start kernels early. `correlations`
/// are launch numbers by row, -1 none. REQUIRES: the device's rows are sorted and linked to their
/// calls.
void CountOverlaps(Profile& profile, const NarrowColumn<std::int64_t>& correlations);

// Profiles whose kernels ran otherwise than in the program: serialized, or several times.

/// Counts kernels in `profile.log` in two cases: nearly all long ones end before the call that
/// launched them does (CUDA_LAUNCH_BLOCKING=1, HIP_LAUNCH_BLOCKING=1), or most launches have their
/// kernel several times, one run after the other (replay for counters). Then the length of kernels
/// is valid, but their order and idle time are not the program's. One pass over the device's rows.
/// REQUIRES: the device's rows are linked to their calls.
void CountSerialized(Profile& profile);

}  // namespace profgauge
