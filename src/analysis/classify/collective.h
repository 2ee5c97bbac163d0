// The kind of collective that a name means, its bytes, and the factor that turns its
// bandwidth into that of the links. Whether an event is a collective at all is decided by
// communication_rules.h and kernel_class.h; which calls of several ranks belong together, by
// analysis/communication.
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

/// "all_reduce", like in patterns of rules; "other".
std::string_view CollectiveKindId(CollectiveKind kind);

/// From any spelling: "allreduce", "_all_gather_base", "nccl:all_reduce",
/// "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(...)", "cross_device_reduce_1stage". kOther where
/// no spelling is in the name up to its arguments; names that are no collectives must not be asked.
CollectiveKind CollectiveKindOf(std::string_view name);

/// Bytes as nccl-tests counts them: the bytes that each rank reduces, sends or broadcasts; for
/// gathers and scatters the whole buffer, of all ranks together. -1 when the profile does not show
/// elements or type, for barriers, and for sizes too large for a whole number.
///
///   all_reduce of 4 ranks, 1024 floats each       in 1024, out 1024     4096 B
///   all_gather of 4 ranks, 1024 floats each       in 1024, out 4096    16384 B
///   all_to_all of unequal parts                   in 1024, out 3000     4096 B: its input
std::int64_t CollectiveBytes(const Profile& profile, const Collective& collective);

/// As recorded, else by the sizes of the gathered or scattered data (a whole multiple of the part);
/// -1 unknown.
std::int64_t CollectiveGroupSize(const Profile& profile, const Collective& collective);

/// Bus bandwidth / algorithm bandwidth among `ranks` (NCCL's performance page): 2(n − 1)/n for
/// all-reduce; (n − 1)/n for gather, all-gather, scatter, reduce-scatter and all-to-all of the full
/// buffer; else 1. 0 for a group of one where it depends on n. REQUIRES: ranks >= 1.
double BusFactor(CollectiveKind kind, std::int64_t ranks);

}  // namespace profgauge::analysis::classify
