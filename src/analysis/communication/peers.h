// Senders and receivers, as the profile of one rank shows them.
//
// PyTorch records only the other rank of a transfer ("Dst Rank" of a send, "Src Rank" of a
// receive); older versions name both in the range around the launch ("nccl:send 0->1", places in
// the group). The one kernel of a batch (batch_isend_irecv) has no such data: its transfers are
// in the records before its launch. A batch with one other rank is one call of these two, of
// which the lower is called the source, as both must call it alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::communication {

/// Fills in the sender and the receiver of transfers. Keeps a reference to the rank, which must
/// outlive it.
class Peers {
 public:
  explicit Peers(const iterations::RankContext& rank);

  /// For a send or receive the end that is this rank, where only the other is recorded.
  void SetOwn(std::string_view recorded, CollectiveCall& call) const;
  /// Both ends from a range's name, if it has them.
  void SetByName(std::string_view range, CollectiveCall& call) const;
  /// For a kernel of the device table: the parts of its batch, if it is one.
  void SetByBatch(std::size_t row, CollectiveCall& call) const;

 private:
  std::int64_t GlobalRank(const CollectiveCall& call, std::int64_t own, std::int64_t place) const;

  const iterations::RankContext& rank_;
  /// By thread, ascending: launches of communication; rows of the host table that record a
  /// transfer.
  std::map<std::uint32_t, std::vector<Ns>> launches_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> records_;
};

}  // namespace profgauge::analysis::communication
