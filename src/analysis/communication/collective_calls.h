#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/classify/collective.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::communication {

/// One collective on one rank: a kernel on a GPU, or (where no GPU communicates) a gloo range.
/// A value with copies of its texts, so that it outlives its profile. The profile states only some
/// of the fields: sizes come from the profiler's record, from the operator's shapes, or not at all.
struct CollectiveCall {
  classify::CollectiveKind kind = classify::CollectiveKind::kOther;
  std::string name;               ///< The kind's id; the recorded name for kOther.
  std::string group;              ///< Process group's name; empty when not recorded.
  std::string group_description;  ///< Its purpose; groups may share it.
  std::string dtype;              ///< Canonical; empty when not recorded.
  std::int64_t group_size = -1;
  std::int64_t bytes = -1;  ///< Size of the full buffer.
  std::int64_t chunk = -1;  ///< One rank's part of it, where the whole needs the group's size.
  bool is_uneven = false;   ///< Ranks send different amounts: no bus bandwidth is defined.
  std::int64_t in_elements = -1, out_elements = -1;
  std::int64_t sequence = -1;                  ///< Number in its group; -1 when not recorded.
  std::int64_t source = -1, destination = -1;  ///< Global ranks of point-to-point calls.
  /// Number of the iteration that launched it, as recorded, else its position; -1 for none.
  std::int64_t iteration = -1;
  Span time;
  Ns exposed = 0;    ///< Part in which its GPU computes nothing.
  Ns transfer = -1;  ///< Without waiting, see matching.h; -1 when its ranks were not matched.
  /// Of a matched call with a root, which has no `transfer`: from its first start to its last end
  /// on all ranks, on aligned clocks; -1 where these are unknown.
  Ns whole = -1;
  bool has_root = false;      ///< It is a matched call with a root.
  bool in_iterations = true;  ///< In the selected iterations.
  std::uint32_t event =
      catalog::Output::kNoRow;  ///< Row of the device table; kNoRow for a gloo range.
};

/// The calls of one rank, by start. The profiler's data about a collective has priority,
/// then the communication operator around the launch, then the kernel's name.
/// `transfer` is -1 in all of them: MatchRanks() sets it. Empty if nothing communicates. O(device
/// rows + calls log calls).
std::vector<CollectiveCall> CollectCollectives(const iterations::RankContext& rank);

/// The recorded number of an iteration, else its position; -1 for Iterations::kNone.
std::int64_t NumberOfIteration(const iterations::RankContext& rank, std::uint32_t iteration);

// Sizes of collectives from the operators that PyTorch records around them, for recordings whose
// kernels carry none (PyTorch up to 2.2).

/// The size of a collective as its operator states it.
struct OpSize {
  std::int64_t bytes = -1;  ///< Size of the whole buffer, as CollectiveBytes() counts; -1 unknown.
  std::int64_t chunk = -1;  ///< One rank's part, where the whole needs the group's size.
  std::int64_t group_size = -1;  ///< As far as the shapes, or an argument, say.
};

/// Sizes by the arguments of an operator, by its signature: the operators of process groups take
/// (output, input, …) for gathers, scatters and exchanges and (tensor, …) else; the functional ones
/// (input, …, group size, group); the backend's own ranges ("nccl:all_reduce") only their inputs.
/// The texts are those of HostTable.
/// All parts are -1 for barriers and for unknown kinds; bytes and chunk are where shapes or types
/// are missing.
OpSize SizeOfOp(std::string_view name, classify::CollectiveKind kind, std::string_view shapes,
                std::string_view dtypes, std::string_view values);

}  // namespace profgauge::analysis::communication
