// Delays of the host between launches, thread by thread: waiting for data, in synchronizing calls,
// for memory and for code, and while graphs are captured. Input of the explanation of gaps
// (gap_explainer.h); the rooms of host calls and of collectives ask single questions. It decides
// nothing about a device.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/iterations/context.h"
#include "base/interval.h"
#include "model/profile.h"

namespace profgauge::analysis::breakdown {

/// Possible delays of a launching thread. Span lists, which may overlap each other: a call that
/// sets the device up is in `loading` for that time, and may be in another list as well.
struct ThreadWaits {
  std::vector<Span> sync;
  std::vector<Span> memory;
  std::vector<Span> loading;
  /// When its process captures a graph, whose launches run nothing then, and what the thread does
  /// from there until it has instantiated or uploaded the graph.
  std::vector<Span> capture;
  bool has_ranges = false;  ///< Whether ranges show its work between its calls.
};

/// All delays of a profile. Span lists are sorted and disjoint; ns from the profile's start.
struct HostWaits {
  std::vector<Span> data_loader;     ///< Waits of the loop's threads.
  std::vector<ThreadWaits> threads;  ///< By ThreadId.
  std::vector<Span> allocator;       ///< Ranges of an allocator, of all threads.
  std::vector<Span> ready;           ///< Ranges that wait for results, of all threads.
  bool knows_launches = false;       ///< Without them nothing shows why the host was late.
};

/// Reads the host and the call tables once. O(n log n). Calls with a thread that the profile does
/// not list are left out.
HostWaits CollectWaits(const Profile& profile);
/// Those of the rank's profile, kept with it: idle time and graphs both need them.
const HostWaits& WaitsOf(const iterations::RankContext& rank);

/// Whether a call of that kind and name returns only when the awaited work is done: synchronizing
/// calls except queries, and copies that are not named asynchronous.
bool BlocksHost(ApiKind kind, std::string_view name);

/// Whether any device work is linked to the call that launched it. O(device rows).
bool HasLaunches(const Profile& profile);

// Collectives on the host (gloo's), and their exposed part.

/// When the host communicates and nothing on the host hides it; a span list. Computation of a
/// device does not count as overlap here. Empty for a profile without gloo's ranges.
///
/// Without device work, operators of the loop's threads hide a collective. With it they launch the
/// overlapping work, and hide no collective on their threads. A collective of another thread
/// (the coordination of a checkpoint) delays the loop only at its end, where the loop's threads
/// wait for it: since they last ran an operator or a call.
///
///   other thread     |-------- gloo:broadcast ---------|
///   loop's thread   |--op--| |--op--|
///   exposed                          |==================|
std::vector<Span> OpenHostCommunication(const Profile& profile);

/// Whether a range of that name is such a collective.
bool IsHostCollective(std::string_view name);

}  // namespace profgauge::analysis::breakdown
