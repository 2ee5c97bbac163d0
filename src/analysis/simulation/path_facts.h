// The part of a rank's critical path that is kept without its events: the awaited work of
// iterations, added up by kind, and collectives one by one, since only the run separates their
// transfer from waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "analysis/simulation/critical_path.h"

namespace profgauge::analysis::simulation {

/// Texts are those of the profile, or of the summaries.
struct PathPart {
  PathKind kind = PathKind::kUnknown;
  std::string_view name, op, module, tensor_core;
  std::int64_t segments = 0;
  Ns time = 0;
};

/// A collective on the path. The run divides it into waiting and transfer after all ranks are read.
struct PathCollective {
  std::uint32_t part = 0;   ///< Position in PathFacts::parts, which does not count it.
  Span time;                ///< The time of the segment.
  Ns end = 0;               ///< The end of the collective in the simulation.
  std::uint32_t event = 0;  ///< Row of the device table; not to be kept.
  std::int64_t call = -1;   ///< Position among the rank's calls; -1: not a call.
};

/// Kernels, copies and sets of one name on one stream.
struct SlackRow {
  std::int32_t gpu = -1;
  std::int64_t stream = -1;
  std::string_view name;  ///< As PathPart's.
  std::int64_t calls = 0;
  Ns time = 0, on_path = 0, least = 0;
};

/// The path of one rank by kind of work. Without a path all lists are empty and `why_not` gives the
/// reason.
struct PathFacts {
  std::string why_not;  ///< Why there is no path; empty: there is.
  std::vector<PathPart> parts;
  std::vector<PathCollective> collectives;
  std::vector<SlackRow> slacks;  ///< By GPU, stream and name; as if there were no other rank.
  /// Positions among the rank's calls of those that ran on its device.
  std::vector<std::int64_t> device_calls;
};

/// `slacks`: by step, those of a replay of all ranks; empty: as if there were no other rank; null:
/// there are no rows of slacks. `is_named` false: there is one part for each kind, without texts.
/// `call` of the collectives is -1, and device_calls is empty. O(steps + edges).
PathFacts PathFactsOf(const PathGraph& graph, const std::vector<Ns>* slacks, bool is_named = true);
/// The same only of a rank; `events` are the device rows of its calls, kNoRow where there is none.
/// Builds the graph for it. Without one why_not has the reason, and all else is empty.
PathFacts PathFactsOf(const iterations::RankContext& rank, std::span<const std::uint32_t> events);

/// Sets critical.* and adds the table critical_path. `ranks`: their numbers. `transfer_of`: of a
/// rank's collective, -1 unknown.
/// REQUIRES: as many `facts` as `ranks`, all with a path.
void AddPath(std::span<const std::int64_t> ranks, std::span<const PathFacts> facts,
             bool knows_waiting,
             const std::function<Ns(std::size_t, const PathCollective&)>& transfer_of,
             catalog::Output& out);
/// Adds the table slack.
void AddSlack(std::span<const std::int64_t> ranks, std::span<const PathFacts> facts,
              catalog::Output& out);
/// For a run without a path.
void SetPathAbsent(const std::string& why, catalog::Output& out);

}  // namespace profgauge::analysis::simulation
