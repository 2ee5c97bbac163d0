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

/// One collective on one rank: a kernel on a GPU, or a gloo range if no GPU communicates. It owns
/// its texts, so that it outlives its profile. Profiles contain only some of the fields. Sizes come
/// from the profiler's record or from the operator's shapes, or are unknown.
struct CollectiveCall {
  classify::CollectiveKind kind = classify::CollectiveKind::kOther;
  std::string name;               ///< The kind's id; the recorded name for kOther.
  std::string group;              ///< Name of the process group; empty if not recorded.
  std::string group_description;  ///< Its purpose, not unique.
  std::string dtype;              ///< Canonical; empty if not recorded.
  std::int64_t group_size = -1;
  std::int64_t bytes = -1;  ///< Size of the full buffer.
  std::int64_t chunk = -1;  ///< One rank's part, if the group's size is needed for the whole.
  bool is_uneven = false;   ///< Ranks send different amounts: no bus bandwidth is defined.
  std::int64_t in_elements = -1, out_elements = -1;
  std::int64_t sequence = -1;                  ///< Number in its group; -1 if not recorded.
  std::int64_t source = -1, destination = -1;  ///< Global ranks of point-to-point calls.
  /// Number (if recorded) or position of the iteration that launched it; -1 for none.
  std::int64_t iteration = -1;
  Span time;
  Ns exposed = 0;    ///< The part without computation on its GPU.
  Ns transfer = -1;  ///< Without waiting, see matching.h; -1 if unmatched.
  /// Time from the first start to the last end over all ranks, on aligned clocks, of a matched call
  /// with a root, which has no `transfer`; -1 if unknown.
  Ns whole = -1;
  bool has_root = false;      ///< It is a matched call with a root.
  bool in_iterations = true;  ///< Whether it is in the selected iterations.
  std::uint32_t event =
      catalog::Output::kNoRow;  ///< Row of the device table; kNoRow for a gloo range.
};

/// Returns the calls of one rank by start. The profiler's data about a collective has priority,
/// then the communication operator around the launch, then the kernel's name. `transfer` is -1
/// until MatchRanks() sets it. Empty without communication. O(device rows + calls log calls).
std::vector<CollectiveCall> CollectCollectives(const iterations::RankContext& rank);

/// The recorded number of an iteration, or its position; -1 for Iterations::kNone.
std::int64_t NumberOfIteration(const iterations::RankContext& rank, std::uint32_t iteration);

// Sizes of collectives, from the operators that PyTorch records around them. Needed for profiles
// whose kernels have no sizes (PyTorch up to 2.2).

/// The size of a collective according to its operator.
struct OpSize {
  std::int64_t bytes = -1;  ///< Size of the whole buffer, as CollectiveBytes() counts; -1 unknown.
  std::int64_t chunk = -1;  ///< One rank's part, if the group's size is needed for the whole.
  std::int64_t group_size = -1;  ///< As far as shapes or an argument show it.
};

/// Computes sizes from the arguments of an operator, by its signature. Operators of process groups
/// take (output, input, …) for gathers, scatters and all-to-alls, and (tensor, …) otherwise;
/// functional ones take (input, …, group size, group); the backend's own ranges ("nccl:all_reduce")
/// only have inputs. The texts are those of HostTable. All members are -1 for barriers and unknown
/// kinds; bytes and chunk are -1 without shapes or types.
OpSize SizeOfOp(std::string_view name, classify::CollectiveKind kind, std::string_view shapes,
                std::string_view dtypes, std::string_view values);

}  // namespace profgauge::analysis::communication
