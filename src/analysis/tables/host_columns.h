// Columns of the tables of calls, threads and cores of the host.
#pragma once

#include "analysis/tables/shared_columns.h"

namespace profgauge::columns {

inline constexpr ColumnSpec kApiCalls[] = {
    {"name", "Call", kText, "Runtime or driver call."},
    {"kind", "Kind", kText, "launch, memcpy, memset, sync, memory or other."},
    kCalls,
    {"time", "Time", kTime, "Sum of the durations on the host."},
    kMean,
    kShortest,
    kLongest,
    {"share", "Share", kShare,
     "Share of the time in calls; a driver call inside a runtime call shares its time."},
    {"covered_time", "Of iterations", kTime,
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
    {"share", "Share", kShare, "Of the length of the recording."},
};

inline constexpr ColumnSpec kHostCores[] = {
    kRank,
    {"core", "Core", kCount, "Number of the host's core, as the operating system counts them."},
    {"time", "Busy", kTime, "Time in which it ran a thread of the recorded program."},
    {"idle", "Not used", kTime,
     "The rest of the recording: it idled or ran what was not recorded."},
    {"share", "Share", kShare, "Busy, of the length of the recording."},
    {"threads", "Threads", kCount, "Threads of the program that it ran."},
    {"times", "Times", kCount, "How often one came to it."},
};

inline constexpr ColumnSpec kThreadStates[] = {
    kRank,
    {"name", "Name", kText, "What the thread is called."},
    {"thread", "Thread", kCount, "Number of the thread."},
    {"state", "State", kText,
     "running; what it waited for, as the profiler names it; else the call of the operating system "
     "that it was in; else not running."},
    {"times", "Times", kCount, "How often it was in this state."},
    {"time", "Time", kTime, "How long, in all."},
    kLongest,
    {"share", "Share", kShare, "Of the time in which the thread's state is known."},
};

inline constexpr auto kCpuSamples =
    Join(kTree, {
                    {"name", "Function", kText,
                     "As its symbols name it; [library] where it has none. At the top the thread."},
                    {"samples", "Samples", kCount, "Samples in it and in what it called."},
                    {"samples_self", "Samples, self", kCount, "Samples in itself."},
                    {"share", "Share", kShare, "Samples / all samples."},
                });

}  // namespace profgauge::columns
