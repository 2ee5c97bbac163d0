// A profiler's view of the host's processors: which thread each core ran, why a thread did not
// run, call stacks that were sampled while threads ran, and when the profiler itself held them up.
#pragma once

#include <cstdint>
#include <vector>

#include "base/string_pool.h"
#include "base/units.h"
#include "model/tables.h"

namespace profgauge {

/// A time span of a thread: on a core, or off all of them.
struct CpuSpan {
  Ns start = 0, duration = 0;
  ThreadId thread;
  std::int32_t core = -1;  ///< -1: it did not run.
  /// If it ran: the name of its thread. If it did not: the awaited object, by the profiler's name;
  /// invalid where that is not recorded.
  StringId name;
};

struct CpuSample {
  Ns time = 0;
  ThreadId thread;
  StringId stack;  ///< Functions from the outermost on, one a line.
};

struct CpuActivity {
  std::vector<CpuSpan> spans;      ///< Sorted by (thread, start).
  std::vector<CpuSample> samples;  ///< Sorted by time.
  /// Time that the profiler itself spent on threads of the program, which waited; on no core.
  std::vector<CpuSpan> overhead;
};

}  // namespace profgauge
