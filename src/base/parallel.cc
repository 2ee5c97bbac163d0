#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace profgauge {

std::size_t Cores() { return std::max(1U, std::thread::hardware_concurrency()); }

void ForEachAtOnce(std::size_t count, const std::function<void(std::size_t)>& work,
                   std::size_t most) {
  constexpr std::size_t kMostThreads = 32;
  const std::size_t allowed = most == 0 ? kMostThreads : most;
  const std::size_t wanted = std::min({count, Cores(), kMostThreads, allowed});
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
  std::vector<std::thread> others;
  others.reserve(wanted);
  for (std::size_t i = 1; i < wanted; ++i) {
    try {
      others.emplace_back(run);
    } catch (const std::exception&) {
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
