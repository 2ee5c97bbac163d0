#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
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

TEST(Parallel, ThrowsTheFirstExceptionWhenAllAreDone) {
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

}  // namespace
}  // namespace profgauge
