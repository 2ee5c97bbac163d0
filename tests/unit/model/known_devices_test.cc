#include "model/devices.h"

#include <gtest/gtest.h>

namespace profgauge {
namespace {

Gpu Recorded(std::int32_t id, std::string name) {
  Gpu gpu;
  gpu.id = id;
  gpu.name = std::move(name);
  return gpu;
}

Gpu WithMemory(std::int64_t bytes) {
  Gpu gpu;
  gpu.memory = bytes;
  return gpu;
}

TEST(CompleteGpus, GivesOnlyMissingProperties) {
  Profile profile;
  profile.gpus = {Recorded(0, "NVIDIA H100 80GB HBM3"), Recorded(1, "Tesla V100")};
  profile.gpus[1].memory = 16;
  const KnownDevice known[] = {{"*H100*", WithMemory(80)}, {"*", WithMemory(32)}};
  const std::vector<Gpu> gpus = CompleteGpus(profile, known);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].memory, 80);
  EXPECT_EQ(gpus[1].memory, 16);
  EXPECT_EQ(gpus[1].name, "Tesla V100");
  EXPECT_EQ(gpus[1].sms, -1);
}

TEST(CompleteGpus, ListsUsedGpusWithKnownProperties) {
  Profile profile;
  profile.device.gpu = {-1, 2, 2, 3};
  EXPECT_TRUE(CompleteGpus(profile, {}).empty());
  const KnownDevice named[] = {{"?*", WithMemory(80)}};
  EXPECT_TRUE(CompleteGpus(profile, named).empty());
  const KnownDevice all[] = {{"*", WithMemory(80)}};
  const std::vector<Gpu> gpus = CompleteGpus(profile, all);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].id, 2);
  EXPECT_EQ(gpus[1].id, 3);
  EXPECT_EQ(gpus[1].memory, 80);
}

}  // namespace
}  // namespace profgauge
