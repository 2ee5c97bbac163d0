#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace profgauge {
namespace {

TEST(Parallel, DoesEachPieceOnce) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<int> done(count);
    ForEachAtOnce(count, [&](std::size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(count, 1));
  }
}

TEST(Parallel, ThrowsFirstExceptionAtTheEnd) {
  std::atomic<int> done = 0;
  std::string thrown;
  try {
    ForEachAtOnce(100, [&](std::size_t i) {
      ++done;
      if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
    });
  } catch (const std::runtime_error& error) {
    thrown = error.what();
  }
  EXPECT_EQ(thrown, "7");
  EXPECT_EQ(done, 100);
}

TEST(Parallel, CallsWithinCallsShareTheThreads) {
  for (const std::size_t most : {1U, 3U}) {
    LimitThreads(most);
    std::atomic<std::size_t> running = 0, highest = 0;
    ForEachAtOnce(6, [&](std::size_t) {
      ForEachAtOnce(6, [&](std::size_t) {
        const std::size_t now = ++running;
        std::size_t before = highest;
        while (before < now && !highest.compare_exchange_weak(before, now)) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --running;
      });
    });
    EXPECT_LE(highest, most);
    EXPECT_GE(highest, 1U);
  }
  LimitThreads(0);
}

}  // namespace
}  // namespace profgauge
