// Finds the sender and receiver of transfers in the profile of one rank.
//
// PyTorch records only the other rank of a transfer ("Dst Rank" of a send, "Src Rank" of a
// receive); older versions name both, by position in the group, in the range around the launch
// ("nccl:send 0->1"). The single kernel of a batch (batch_isend_irecv) has no such data: its
// transfers are recorded before its launch. A batch with one other rank is one call of both; the
// lower rank is called the source, so that both ranks name it equally.
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

/// Sets the sender and the receiver of transfers. Keeps a reference to the rank, which must outlive
/// it.
class Peers {
 public:
  explicit Peers(const iterations::RankContext& rank);

  /// For a send or receive of which only the other end is recorded: sets this rank as its end.
  void SetOwn(std::string_view recorded, CollectiveCall& call) const;
  /// Sets both ends from a range's name, if it contains them.
  void SetByName(std::string_view range, CollectiveCall& call) const;
  /// For a kernel of the device table: sets both ends from its batch, if it is one.
  void SetByBatch(std::size_t row, CollectiveCall& call) const;

 private:
  std::int64_t GlobalRank(const CollectiveCall& call, std::int64_t own, std::int64_t place) const;

  const iterations::RankContext& rank_;
  /// By thread, ascending: times of communication launches; host rows that record transfers.
  std::map<std::uint32_t, std::vector<Ns>> launches_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> records_;
};

}  // namespace profgauge::analysis::communication
