// Rows of kernels by op are found by hash: that must spread whatever recordings number.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "analysis/device/kernel_sums.h"

namespace profgauge::analysis {
namespace {

constexpr std::uint32_t kCount = 10'000;

template <class Key>
std::size_t DifferentHashes(Key key_of) {
  std::set<std::size_t> hashes;
  for (std::uint32_t i = 0; i < kCount; ++i) hashes.insert(hash_value(key_of(i)));
  return hashes.size();
}

TEST(KernelKey, CountedNamesDoNotCollide) {
  EXPECT_EQ(DifferentHashes([](std::uint32_t i) {
              return device::KernelKey{StringId{2 * i}, StringId{2 * i + 1}, 0, 0, 0};
            }),
            kCount);
  EXPECT_EQ(
      DifferentHashes([](std::uint32_t i) {
        return device::KernelKey{StringId{i}, StringId{i}, i, i, static_cast<std::int32_t>(i)};
      }),
      kCount);
}

TEST(KernelKey, DevicesAndRanksDoNotCollide) {
  EXPECT_EQ(DifferentHashes([](std::uint32_t i) {
              return device::KernelKey{StringId{7}, StringId{8}, 0, i / 100,
                                       static_cast<std::int32_t>(i % 100)};
            }),
            kCount);
}

}  // namespace
}  // namespace profgauge::analysis
