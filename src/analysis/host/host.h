// The host: its calls, the operating system, and where its threads spent their time.
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
  std::int64_t nested = 0;  ///< Of them inside another call of their thread.
  Ns time = 0, min = 0, max = 0;
  Ns covered = 0;  ///< Time of iterations in which any thread is in one.
};

/// For one rank.
struct CallFacts {
  std::vector<CallSum> calls;  ///< Each name once, in the order of their first calls.
  Ns in_calls = 0;             ///< Time in calls, a driver call inside a runtime call once.
  /// Time in which any thread is blocked in a synchronizing call, in the iterations; their length.
  Ns blocked = 0, iterations = 0;
  bool any_call = false;  ///< In the whole profile.
};
/// By row of the calls: whether it counts. Of the selected iterations, by its start on the host; of
/// a profile without iterations unless it launches nothing before the window, or begins after the
/// device's last work. O(calls).
std::vector<bool> CountedCalls(const iterations::RankContext& rank);
/// The calls of one rank, added up by name. Empty if calls were not recorded.
/// O(calls log calls) where calls of several threads overlap, else O(calls).
CallFacts CallFactsOf(const iterations::RankContext& rank);

/// Adds api_calls (by name, longest first, all ranks together) and sets sync.time_share.
/// `ranks`: CallFactsOf() each rank, or as summaries keep them. O(names).
void AddHostCalls(std::span<const CallFacts> ranks, catalog::Output& out);

// Calls of the operating system, and how long it let threads run.

/// "; Nsight Systems records it with --cpuctxsw=…", where it can record the run's devices; else
/// empty. `what`: from "it" on.
std::string WithNsight(const catalog::Output& out, std::string_view what);

/// A profile's threads by process and number: in which order a file names them is its writer's.
/// Positions in Profile::threads. O(threads log threads).
std::vector<std::uint32_t> ThreadsInOrder(const Profile& profile);

/// Adds the tables os_calls and threads, where the profile has the OS runtime and scheduling.
/// Both are of the whole profile. A table without data is absent, with a hint for the recorder.
void AddOsRuntime(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// Where the host's threads spent their time, by scheduling and by sampled call stacks.

/// Adds the tables thread_states and host_cores, where the profile has scheduling, and
/// cpu_samples, where it has samples.
/// A thread that did not run waited for the reason that the profiler names; else it is in the call
/// of the operating system that it made then, "in poll".
/// In thread_states a share is of the time in which the thread's state is known. Samples with one
/// stack are one path from the thread down.
void AddCpuActivity(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::host
