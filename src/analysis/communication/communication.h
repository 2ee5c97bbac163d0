// Communication between ranks: every collective call, how much of it computation hides, how fast it
// is, and who waits for whom.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/classify/collective.h"
#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// One collective on one rank: a kernel on a GPU, or (where no GPU communicates) a gloo range.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::kOther;
  std::string name;   ///< The kind's id; what is recorded for kOther.
  std::string group;  ///< Process group; empty when not recorded.
  std::string dtype;  ///< Canonical; empty when not recorded.
  std::int64_t group_size = -1;
  std::int64_t bytes = -1;  ///< Of the full buffer.
  Span time;
  Ns exposed = 0;    ///< Part in which its GPU computes nothing.
  Ns transfer = -1;  ///< Length on the fastest rank; -1 when its ranks could not be matched.
  bool in_tables = true;
};

/// The calls of one rank, by start. What the profiler recorded about a collective counts first,
/// then the communication operator around the launch, then the kernel's name.
std::vector<CollectiveCall> CollectCollectives(const RankContext& rank);

/// Sets `transfer`: the n-th call of a kind in a group is the same collective on every rank that
/// has that group, provided that they all recorded equally many. Calls of a group whose other ranks
/// are not in this run stay unmatched.
void MatchRanks(std::span<std::vector<CollectiveCall>> ranks);

/// Adds collectives and ranks; sets communication.* and rank.*.
void AddCommunication(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
