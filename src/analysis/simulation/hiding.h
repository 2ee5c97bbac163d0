// How much of its transfers a rank could hide beside its own computation.
//
// A transfer is hidden while a kernel computes beside it. So a rank hides at most the time x in
// which it only transfers, and at most the time H in which it only computes. Idle time hides
// nothing: it waits for the host, which starts the transfers, too.
//
//   computes     |######|        |####|            H = 4: a computes alone
//   transfers       |===========|   |=======|      x = 14: transfers alone
//                aaa    xxxxxxxxx a    xxxxxx      hidden at most min(x, H) = 4
//
// A change that hides transfers shortens each by its own exposed time, times min(x, H) / x.
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
    Ns exposed = 0;    ///< x: it only transfers; without the waiting for other ranks.
    Ns computing = 0;  ///< H: it only computes.
  };
  std::vector<Gpu> gpus;
  /// By device row: the part of x that is its own. Empty without transfers.
  std::vector<Ns> exposed;

  /// The part of its exposed time that each transfer of the GPU could hide, where computing takes
  /// `computing` of its recorded time: min(x, H) / x.
  double HiddenShare(std::int32_t gpu, double computing) const;
};

/// `transfers`: per device row how long its collective takes without waiting, -1 unknown; may be
/// empty. O(rows log streams).
HidingRoom RoomToHide(const iterations::RankContext& rank, std::span<const Ns> transfers,
                      Hidden hidden);

}  // namespace profgauge::analysis::simulation
