// The kind of collective that a name means, its bytes, and the factor that turns its
// bandwidth into that of the links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/profile.h"

namespace profgauge {

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

/// "all_reduce", like in communication.all_reduce.busbw; "other".
std::string_view CollectiveKindId(CollectiveKind kind);

/// From any spelling: "allreduce", "_all_gather_base", "nccl:all_reduce",
/// "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(...)", "cross_device_reduce_1stage".
CollectiveKind CollectiveKindOf(std::string_view name);

/// Bytes as nccl-tests counts them: the bytes that each rank reduces, sends or broadcasts; for
/// gathers and scatters the whole buffer, of all ranks together. -1 when the profile does not show
/// elements or type, and for barriers.
std::int64_t CollectiveBytes(const Profile& profile, const Collective& collective);

/// As recorded, else by the sizes of the gathered or scattered data; -1 unknown.
std::int64_t CollectiveGroupSize(const Profile& profile, const Collective& collective);

/// Bus bandwidth / algorithm bandwidth among `ranks` (NCCL's performance page): 2(n − 1)/n for
/// all-reduce, (n − 1)/n for gather, scatter and all-to-all of the full buffer, else 1.
/// REQUIRES: ranks >= 1.
double BusFactor(CollectiveKind kind, std::int64_t ranks);

}  // namespace profgauge
