#include "base/in_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

namespace profgauge {
namespace {

struct Piece {
  Piece() { most = std::max(most.load(), ++alive); }
  ~Piece() { --alive; }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  int number = -1, made = -1;
  static inline std::atomic<int> alive = 0, most = 0;
};

class InOrderTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override { LimitThreads(GetParam()); }
  void TearDown() override { LimitThreads(0); }
  // Numbers 0 to count - 1, each made with a pause that differs.
  void Run(int count, const std::function<bool(Piece&)>& take, int failing = -1) {
    int next = 0;
    MakeInOrder<Piece>(
        GetParam(),
        [&](Piece& piece) {
          piece.number = next++;
          return piece.number < count;
        },
        [&](std::size_t worker, Piece& piece) {
          EXPECT_LT(worker, GetParam());
          if (piece.number == failing) throw std::runtime_error("failing");
          std::this_thread::sleep_for(std::chrono::microseconds(piece.number * 7919 % 100));
          piece.made = piece.number * piece.number;
        },
        take);
  }
};

TEST_P(InOrderTest, TakesAllInTheirOrder) {
  std::vector<int> taken;
  Run(500, [&](Piece& piece) {
    EXPECT_EQ(piece.made, piece.number * piece.number);
    taken.push_back(piece.number);
    return true;
  });
  ASSERT_EQ(taken.size(), 500U);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(taken[static_cast<std::size_t>(i)], i);
}

// They hold the memory of a reader: a piece that takes long must not let others gather after it.
TEST_P(InOrderTest, KeepsFewPieces) {
  Piece::most = 0;
  Run(300, [](Piece& piece) {
    if (piece.number % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return true;
  });
  EXPECT_LE(Piece::most, static_cast<int>(2 * GetParam()));
  EXPECT_EQ(Piece::alive, 0);
}

TEST_P(InOrderTest, NothingGivesNothing) {
  Run(0, [](Piece&) -> bool { throw std::logic_error("taken"); });
}

TEST_P(InOrderTest, StopsAfterRunningPieces) {
  std::vector<int> taken;
  Run(100'000, [&](Piece& piece) {
    taken.push_back(piece.number);
    return piece.number < 50;
  });
  ASSERT_GE(taken.size(), 51U);
  EXPECT_LE(taken.size(), 51U + 4 * GetParam());
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], static_cast<int>(i));
}

TEST_P(InOrderTest, RethrowsFromMakingAndTaking) {
  const auto any = [](Piece&) { return true; };
  EXPECT_THROW(Run(500, any, 300), std::runtime_error);
  int taken = 0;
  EXPECT_THROW(Run(500,
                   [&](Piece& piece) -> bool {
                     ++taken;
                     if (piece.number == 100) throw std::logic_error("full");
                     return true;
                   }),
               std::logic_error);
  EXPECT_EQ(taken, 101);
}

INSTANTIATE_TEST_SUITE_P(Threads, InOrderTest, ::testing::Values(1, 2, 7));

}  // namespace
}  // namespace profgauge
