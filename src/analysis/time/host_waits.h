// What holds the host up between launches: waiting for data, in synchronizing calls, for memory and
// for code, thread by thread.
#pragma once

#include <string_view>
#include <vector>

#include "base/interval.h"
#include "model/profile.h"

namespace profgauge {

/// What can hold a launching thread up. Span lists.
struct ThreadWaits {
  std::vector<Span> sync;
  std::vector<Span> memory;
  std::vector<Span> loading;
  bool has_ranges = false;  ///< Ranges that say what it does between its calls.
};

struct HostWaits {
  std::vector<Span> data_loader;     ///< Of the loop's threads.
  std::vector<ThreadWaits> threads;  ///< By ThreadId.
  std::vector<Span> allocator;       ///< Ranges of an allocator, of all threads.
  std::vector<Span> ready;           ///< Ranges that wait for results, of all threads.
  bool knows_launches = false;       ///< Without them nothing shows what the host was late with.
};

HostWaits CollectWaits(const Profile& profile);

/// Whether a call of that kind and name returns only when what it waits for is done.
bool BlocksHost(ApiKind kind, std::string_view name);

/// Whether the call that launched it is recorded of any work.
bool HasLaunches(const Profile& profile);

}  // namespace profgauge
