// Runtime and driver calls on the host.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Calls of one name in the selected iterations.
struct CallSum {
  std::string name;
  ApiKind kind = ApiKind::kOther;
  std::int64_t calls = 0;
  Ns time = 0, min = 0, max = 0;
  Ns covered = 0;  ///< Time of iterations in which any thread is in one.
};

/// For one rank.
struct CallFacts {
  std::vector<CallSum> calls;  ///< Each name once, in the order of their first calls.
  Ns in_calls = 0;             ///< Time in calls, a driver call inside a runtime call once.
  /// Time in which any thread is blocked in a synchronizing call, in the iterations; their length.
  Ns blocked = 0, iterations = 0;
  bool any_call = false;  ///< In the whole profile.
};
/// The calls of one rank, added up by name. Empty if calls were not recorded.
CallFacts CallFactsOf(const RankContext& rank);

/// Adds api_calls (by name, longest first, all ranks together) and sets sync.time_share.
void AddHostCalls(std::span<const CallFacts> ranks, Output& out);

}  // namespace profgauge
