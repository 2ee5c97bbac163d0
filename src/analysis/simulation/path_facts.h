// Data of a rank's critical path that summaries store without events: its time by kind of work, and
// each collective on it, because only the run can separate its transfer from waiting.
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

/// One part of the path. Texts are those of the profile or of the summaries.
struct PathPart {
  PathKind kind = PathKind::kUnknown;
  std::string_view name, op, module, tensor_core;
  std::int64_t segments = 0;
  Ns time = 0;
};

/// A collective on the path. The run splits it into waiting and transfer after reading all ranks.
struct PathCollective {
  std::uint32_t part = 0;   ///< Position in PathFacts::parts, whose sums do not include it.
  Span time;                ///< The time of the segment.
  Ns end = 0;               ///< The end of the collective in the simulation.
  std::uint32_t event = 0;  ///< Row of the device table; summaries do not store it.
  std::int64_t call = -1;   ///< Position among the rank's calls; -1: unmatched.
};

/// Slack of kernels, copies and memsets of one name on one stream.
struct SlackRow {
  std::int32_t gpu = -1;
  std::int64_t stream = -1;
  std::string_view name;  ///< Like in PathPart.
  std::int64_t calls = 0;
  Ns time = 0, on_path = 0, least = 0;
};

/// The path of one rank by kind of work. Without a path, all lists are empty and `why_not` has the
/// reason.
struct PathFacts {
  std::string why_not;  ///< Why there is no path; empty if there is one.
  std::vector<PathPart> parts;
  std::vector<PathCollective> collectives;
  std::vector<SlackRow> slacks;  ///< By GPU, stream and name; other ranks are ignored.
  /// Positions of the calls that ran on the rank's device, among all its calls.
  std::vector<std::int64_t> device_calls;
};

/// `slacks`: by step, from a replay of all ranks; if empty, other ranks are ignored; if null, no
/// slack rows are added. `is_named` false: one part for each kind, without texts. `call` of the
/// collectives is -1, and device_calls is empty. O(steps + edges).
PathFacts PathFactsOf(const PathGraph& graph, const std::vector<Ns>* slacks, bool is_named = true);
/// Builds the graph of a single rank and takes the facts from it. `events`: by call of the rank,
/// its device row, or kNoRow. Without a graph, why_not has the reason and all else is empty.
PathFacts PathFactsOf(const iterations::RankContext& rank, std::span<const std::uint32_t> events);

/// Sets critical.* and adds the table critical_path. `ranks`: the rank numbers. `transfer_of`: the
/// transfer time of a collective, given the position of its rank; -1 unknown.
/// REQUIRES: as many `facts` as `ranks`, all with a path.
void AddPath(std::span<const std::int64_t> ranks, std::span<const PathFacts> facts,
             bool knows_waiting,
             const std::function<Ns(std::size_t, const PathCollective&)>& transfer_of,
             catalog::Output& out);
/// Adds the table slack.
void AddSlack(std::span<const std::int64_t> ranks, std::span<const PathFacts> facts,
              catalog::Output& out);
/// Marks the metrics and tables of the path as missing, with the reason.
void SetPathAbsent(const std::string& why, catalog::Output& out);

}  // namespace profgauge::analysis::simulation
