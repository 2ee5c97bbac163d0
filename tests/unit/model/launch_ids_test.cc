// Launches of profiles that do not number them: by arrows, else by ids that both sides have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "built_rows.h"

namespace profgauge {
namespace {

using ::testing::ElementsAre;

// For each work the call that launched it, -1 none.
std::vector<int> LaunchesOf(const Profile& profile) {
  std::vector<int> calls;
  for (const ApiId call : profile.device.launch) {
    calls.push_back(call.valid() ? static_cast<int>(call.value) : -1);
  }
  return calls;
}

struct Pair {
  std::int64_t call_id, work_id;
};

// Calls 1 us apart, their works 100 us later; correlations as given.
ProfileBuilder Build(const std::vector<Pair>& pairs, std::int64_t correlation = -1) {
  ProfileBuilder builder;
  const ThreadId thread = builder.AddThread("1", "1");
  Ns at = 0;
  for (const Pair& pair : pairs) {
    at += 1'000;
    builder.AddApi(Launch(builder, at, 500, thread, correlation, pair.call_id));
    DeviceRow kernel = Kernel(builder, at + 100'000, correlation);
    kernel.op_id = pair.work_id;
    builder.AddDevice(kernel);
  }
  return builder;
}

TEST(LaunchIds, UniqueIdJoinsCallAndWork) {
  EXPECT_THAT(LaunchesOf(*Build({{21, 21}, {22, 22}, {23, 99}}).Finish()), ElementsAre(0, 1, -1));
}

TEST(LaunchIds, EqualCountsJoinInTimeOrder) {
  EXPECT_THAT(LaunchesOf(*Build({{21, 21}, {21, 21}}).Finish()), ElementsAre(0, 1));
  EXPECT_THAT(LaunchesOf(*Build({{21, 21}, {22, 21}}).Finish()), ElementsAre(-1, -1));
}

TEST(LaunchIds, IgnoredWhereLaunchesHaveNumbers) {
  ProfileBuilder builder = Build({{21, 21}, {22, 22}});
  builder.AddDevice(Kernel(builder, 500'000, 77));
  EXPECT_THAT(LaunchesOf(*builder.Finish()), ElementsAre(-1, -1, -1));
}

TEST(LaunchIds, ArrowsComeFirst) {
  ProfileBuilder builder = Build({{21, 22}, {22, 21}});
  const ThreadId thread = builder.AddThread("1", "1");
  for (const Ns at : {1'000, 2'000}) {
    builder.AddLaunchArrow({.id = at, .is_start = true, .time = at, .thread = thread});
    builder.AddLaunchArrow({.id = at, .time = at + 100'000, .thread = {}, .gpu = 0, .stream = 7});
  }
  EXPECT_THAT(LaunchesOf(*builder.Finish()), ElementsAre(0, 1));
}

// Nothing was lost: the work is there, but its launches are unknown.
TEST(LaunchIds, LaunchesWithoutNumbersLoseNothing) {
  std::vector<Pair> pairs(100, {-1, -1});
  const Profile profile = *Build(pairs).Finish();
  EXPECT_EQ(profile.log[Counter::events_dropped], 0u);
  EXPECT_EQ(profile.log[Counter::launches_without_device_event], 0u);
}

}  // namespace
}  // namespace profgauge
