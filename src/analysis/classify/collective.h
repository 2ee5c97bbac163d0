// The kind of a collective by its name, its bytes, and the factor by which its bus bandwidth
// exceeds its algorithm bandwidth. communication_rules.h and kernel_class.h decide whether an event
// is a collective; analysis/communication matches the calls of several ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/profile.h"

namespace profgauge::analysis::classify {

/// The kinds of collectives, independent of a library's names for them.
enum class CollectiveKind : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kSendRecv,
  kGather,   ///< To one rank.
  kScatter,  ///< From one rank.
  kBarrier,  ///< Moves nothing.
  kOther,
};
inline constexpr std::size_t kCollectiveKinds =
    static_cast<std::size_t>(CollectiveKind::kOther) + 1;

/// E.g. "all_reduce", as patterns of rules write it; or "other".
std::string_view CollectiveKindId(CollectiveKind kind);

/// Finds the kind in any spelling: "allreduce", "_all_gather_base", "nccl:all_reduce",
/// "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(...)", "cross_device_reduce_1stage". kOther if the
/// name before its arguments contains no spelling. REQUIRES: the name is that of a collective.
CollectiveKind CollectiveKindOf(std::string_view name);

/// Bytes as defined by nccl-tests: the bytes that each rank reduces, sends or broadcasts; for
/// gathers and scatters, the whole buffer of all ranks. -1 if elements or type are unknown, for
/// barriers, and for sizes that do not fit into an integer.
///
///   all_reduce of 4 ranks, 1024 floats each       in 1024, out 1024     4096 B
///   all_gather of 4 ranks, 1024 floats each       in 1024, out 4096    16384 B
///   all_to_all of unequal parts                   in 1024, out 3000     4096 B: its input
std::int64_t CollectiveBytes(const Profile& profile, const Collective& collective);

/// Returns the recorded number of ranks, or else the ratio of the gathered or scattered data to one
/// rank's part; -1 if both are unknown.
std::int64_t CollectiveGroupSize(const Profile& profile, const Collective& collective);

/// Bus bandwidth / algorithm bandwidth for `ranks` (NCCL's performance page): 2(n − 1)/n for
/// all-reduce; (n − 1)/n of the full buffer for gather, all-gather, scatter, reduce-scatter and
/// all-to-all; otherwise 1. 0 for a group of one if it depends on n. REQUIRES: ranks >= 1.
double BusFactor(CollectiveKind kind, std::int64_t ranks);

}  // namespace profgauge::analysis::classify
