// Delays of the host between launches, by thread: waiting for data, synchronizing calls, memory
// management, code loading, and graph capture. Used to explain gaps (gap_explainer.h); the analyses
// of host calls and collectives use single functions. It concerns only the host, not devices.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/iterations/context.h"
#include "base/interval.h"
#include "model/profile.h"

namespace profgauge::analysis::breakdown {

/// Possible delays of a launching thread, as span lists. The lists may overlap: a call that sets up
/// the device is in `loading` for that time, and may also be in another list.
struct ThreadWaits {
  std::vector<Span> sync;
  std::vector<Span> memory;
  std::vector<Span> loading;
  /// Times in which its process captures a graph, whose launches do not run then; and the thread's
  /// work from then until it has instantiated or uploaded the graph.
  std::vector<Span> capture;
  bool has_ranges = false;  ///< Whether it has ranges, which show its work between calls.
};

/// All delays in a profile. Span lists are sorted and disjoint, in ns from the profile's start.
struct HostWaits {
  std::vector<Span> data_loader;     ///< Waits of the loop's threads.
  std::vector<ThreadWaits> threads;  ///< By ThreadId.
  std::vector<Span> allocator;       ///< Ranges of an allocator, of all threads.
  std::vector<Span> ready;           ///< Ranges that wait for results, of all threads.
  bool knows_launches = false;       ///< Without launches the reason of a late host is unknown.
};

/// Reads the host table and the call table once. O(n log n). Ignores calls on threads that the
/// profile does not list.
HostWaits CollectWaits(const Profile& profile);
/// The delays of the rank's profile, cached in it: idle time and graphs both need them.
const HostWaits& WaitsOf(const iterations::RankContext& rank);

/// Whether a call of this kind and name returns only after the awaited work: synchronizing calls
/// except queries, and copies whose name is not asynchronous.
bool BlocksHost(ApiKind kind, std::string_view name);

/// Whether any device work is linked to the call that launched it. O(device rows).
bool HasLaunches(const Profile& profile);

// Collectives on the host (gloo), and their exposed part.

/// When the host communicates and no host work overlaps, as a span list. Computation on a device
/// does not count as overlap here. Empty for a profile without gloo ranges.
///
/// Without device work, operators on the loop's threads hide a collective. With device work, they
/// only launch it, and hide no collective on their own threads. A collective on another thread
/// (coordination of a checkpoint) delays the loop only after the last operator or call of the
/// loop's threads before its end, when they wait for it.
///
///   other thread     |-------- gloo:broadcast ---------|
///   loop's thread   |--op--| |--op--|
///   exposed                          |==================|
std::vector<Span> OpenHostCommunication(const Profile& profile);

/// Whether a range of that name is a collective on the host.
bool IsHostCollective(std::string_view name);

}  // namespace profgauge::analysis::breakdown
