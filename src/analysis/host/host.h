// The host: its calls, the operating system, and the times of its threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::host {

// Runtime and driver calls on the host.

/// Calls of one name in the selected iterations.
struct CallSum {
  std::string name;
  ApiKind kind = ApiKind::kOther;
  std::int64_t calls = 0;
  std::int64_t nested = 0;  ///< Number inside another call on their thread.
  Ns time = 0, min = 0, max = 0;
  Ns covered = 0;  ///< Time in iterations with at least one such call on any thread.
};

/// Calls of one rank.
struct CallFacts {
  std::vector<CallSum> calls;  ///< Unique names, in the order of their first calls.
  Ns in_calls = 0;             ///< Time in calls; nested calls count once.
  /// Iteration time with any thread blocked in a synchronizing call; total iteration time.
  Ns blocked = 0, iterations = 0;
  bool any_call = false;  ///< Whether the whole profile has any call.
};
/// By row of the calls: whether it counts. Calls count if they start in the selected iterations. In
/// a profile without iterations, all calls count, except those that launch nothing before the
/// window, or begin after the last device work. O(calls).
std::vector<bool> CountedCalls(const iterations::RankContext& rank);
/// Returns the calls of one rank, summed by name. Empty if calls were not recorded. O(calls log
/// calls) if calls of several threads overlap, else O(calls).
CallFacts CallFactsOf(const iterations::RankContext& rank);

/// Adds api_calls (by name, longest first, summed over ranks) and sets sync.time_share. `ranks`:
/// CallFactsOf() for each rank, also from summaries. O(names).
void AddHostCalls(std::span<const CallFacts> ranks, catalog::Output& out);

// Calls of the operating system, and the running time of threads.

/// Returns "; Nsight Systems records it with --cpuctxsw=…", if that tool supports the run's
/// devices; else an empty text. `what`: the text from "it" on.
std::string WithNsight(const catalog::Output& out, std::string_view what);

/// Returns positions in Profile::threads, sorted by process and thread number, because the order in
/// files is arbitrary. O(threads log threads).
std::vector<std::uint32_t> ThreadsInOrder(const Profile& profile);

/// Adds the tables os_calls and threads for the whole profile, from the OS runtime and scheduling.
/// A table without data is absent, with a hint how to record it.
void AddOsRuntime(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// The times of the host's threads, from scheduling and sampled call stacks.

/// Adds the tables thread_states and host_cores if the profile has scheduling, and cpu_samples if
/// it has samples. The state of a thread that does not run is the reason recorded by the profiler,
/// else its call of the operating system at that time, e.g. "in poll". Shares in thread_states
/// refer to the time with a known state. Samples with equal stacks are one path from the thread
/// downward.
void AddCpuActivity(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::host
