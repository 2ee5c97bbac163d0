// How much of its transfers a rank could overlap with its own computation.
//
// A transfer is hidden while a kernel runs on the same device. So a rank can hide at most the time
// x in which it only transfers, and at most the time H in which it only computes. Idle time hides
// nothing: the device then waits for the host, which also starts the transfers.
//
//   computes     |######|        |####|            H = 4: a only computes
//   transfers       |===========|   |=======|      x = 14: transfers alone
//                aaa    xxxxxxxxx a    xxxxxx      hidden at most min(x, H) = 4
//
// A change that hides transfers shortens each by its exposed time, multiplied by min(x, H) / x.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/iterations/context.h"
#include "base/units.h"

namespace profgauge::analysis::simulation {

/// The transfers that a change hides.
enum class Hidden : std::uint8_t { kCollectives, kCopies };

/// The transfers of one rank in its selected iterations.
struct HidingRoom {
  struct Gpu {
    std::int32_t gpu = -1;
    Ns exposed = 0;    ///< x: time with only transfers, without waiting for other ranks.
    Ns computing = 0;  ///< H: time with only computation.
  };
  std::vector<Gpu> gpus;
  /// By device row: its part of x. Empty without transfers.
  std::vector<Ns> exposed;

  /// Returns the share of its exposed time that each transfer of the GPU could hide: min(x, H) / x.
  /// `computing`: a factor for computation time.
  double HiddenShare(std::int32_t gpu, double computing) const;
};

/// `transfers`: by device row, the duration of its collective without waiting, -1 unknown; may be
/// empty. O(rows log streams).
HidingRoom RoomToHide(const iterations::RankContext& rank, std::span<const Ns> transfers,
                      Hidden hidden);

}  // namespace profgauge::analysis::simulation
