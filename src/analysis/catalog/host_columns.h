// Columns of the tables of calls, threads and cores of the host. Filled by analysis/host/. Threads
// overlap, so sums over threads may exceed the profile's length; `covered_time` counts overlapping
// time once.
#pragma once

#include "analysis/catalog/shared_columns.h"

namespace profgauge::analysis::catalog::columns {

inline constexpr ColumnSpec kApiCalls[] = {
    {"name", "Call", kText, "Runtime or driver call."},
    {"kind", "Kind", kText, "launch, memcpy, memset, sync, memory or other."},
    kCalls,
    {"nested", "Nested", kCount,
     "Calls of it inside another call of their thread, such as a wait that another wait makes."},
    {"time", "Time", kTime, "Sum of the durations on the host."},
    kMean,
    kShortest,
    kLongest,
    {"share", "Share", kShare,
     "Share of the time in calls; a driver call inside a runtime call shares its time."},
    {"covered_time", "% of iterations", kTime,
     "Part of the iterations in which some thread is in such a call, each moment of a rank once."},
};

inline constexpr ColumnSpec kOsCalls[] = {
    {"name", "Call", kText, "Function of the operating system's libraries."},
    kCalls,
    {"time", "Time", kTime, "Sum of the durations, over all threads; most of it is waiting."},
    kMean,
    kShortest,
    kLongest,
};

inline constexpr ColumnSpec kThreads[] = {
    kRank,
    {"process", "Process", kText, "Process as recorded."},
    {"thread", "Thread", kCount, "Number of the thread."},
    {"on_cpu", "On a core", kTime, "Time that a core ran it."},
    {"share", "Share", kShare, "Share of the profile's length."},
};

inline constexpr ColumnSpec kHostCores[] = {
    kRank,
    {"core", "Core", kCount, "Number of the host's core, as the operating system counts them."},
    {"time", "Busy", kTime, "Time in which it ran a thread of the recorded program."},
    {"idle", "Not used", kTime, "The rest of the profile: idle, or not recorded."},
    {"share", "Share", kShare, "Busy time as a share of the profile's length."},
    {"threads", "Threads", kCount, "Threads of the program that it ran."},
    {"times", "Times", kCount, "Number of times that a thread was scheduled on it."},
};

inline constexpr ColumnSpec kThreadStates[] = {
    kRank,
    {"name", "Name", kText, "Name of the thread."},
    {"thread", "Thread", kCount, "Number of the thread."},
    {"state", "State", kText,
     "running; the reason for waiting in the profiler's words; else the call of the operating "
     "system around it; else not running."},
    {"times", "Times", kCount, "How often it was in this state."},
    {"time", "Time", kTime, "Total duration."},
    kLongest,
    {"share", "Share", kShare, "Share of the time in which the thread's state is known."},
};

inline constexpr auto kCpuSamples =
    Join(kTree, {
                    {"name", "Function", kText,
                     "Name from symbols; [library] if there is none. The top row is the thread."},
                    {"samples", "Samples", kCount, "Samples in it and its callees."},
                    {"samples_self", "Samples, self", kCount, "Samples in itself."},
                    {"share", "Share", kShare, "Samples / all samples."},
                });

}  // namespace profgauge::analysis::catalog::columns
