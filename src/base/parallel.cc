#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <thread>
#include <vector>

#include "base/cgroup.h"

namespace profgauge {
namespace {

std::atomic<std::size_t> limit = 0;    // 0: one per core.
std::atomic<std::size_t> helping = 0;  // Threads of all calls besides those that called.
std::atomic<bool> shares_heap = false;

std::size_t CoresAllowed() {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const auto quota = ReadCgroupLimits().cores;
  if (!quota || *quota >= static_cast<double>(cores)) return cores;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(*quota)));
}

/// Whether one more thread may help. The one that does says so at its end.
bool MayHelp(std::size_t threads) {
  std::size_t now = helping;
  while (now + 1 < threads) {
    if (helping.compare_exchange_weak(now, now + 1)) return true;
  }
  return false;
}

}  // namespace

std::size_t Cores() {
  static const std::size_t cores = CoresAllowed();
  const std::size_t most = limit;
  return most == 0 ? cores : most;
}

void LimitThreads(std::size_t most) { limit = most; }

void ShareOneHeap() { shares_heap = true; }

std::size_t ThreadsForAllocation() { return shares_heap ? 1 : 0; }

void ForEachAtOnce(std::size_t count, const std::function<void(std::size_t)>& work,
                   std::size_t most) {
  constexpr std::size_t kMostThreads = 32;
  const std::size_t threads = std::min(Cores(), kMostThreads);
  const std::size_t wanted = std::min({count, threads, most == 0 ? threads : most});
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  const auto help = [&run] {
    run();
    --helping;
  };
  std::vector<std::thread> others;
  others.reserve(wanted);
  for (std::size_t i = 1; i < wanted && MayHelp(threads); ++i) {
    try {
      others.emplace_back(help);
    } catch (const std::exception&) {
      --helping;
      break;
    }
  }
  run();
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace profgauge
