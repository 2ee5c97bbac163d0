// Traces of several ranks merged into one file, and traces whose launches are not numbered.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kineto_text.h"
#include "model/processes.h"
#include "readers/kineto/document.h"

namespace profgauge::readers {
namespace {

using ::testing::ElementsAre;

// A rank with twenty launches; both ranks count from 1 and know one GPU each.
std::string Rank(const std::string& label, int process, int device, int later = 0) {
  std::string events;
  for (int i = 1; i <= 20; ++i) {
    events += fmt::format(
        R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":"{0}{1}","tid":{1},)"
        R"("ts":{2},"dur":5,"args":{{"correlation":{3},"External id":{3}}}}},)"
        R"({{"ph":"X","cat":"kernel","name":"k","pid":"{0}{4}","tid":7,"ts":{5},"dur":50,)"
        R"("args":{{"correlation":{3},"device":{4},"stream":7}}}},)",
        label, process, i * 100 + later, i, device, i * 100 + later + 20);
  }
  return events;
}

std::set<std::int32_t> GpusOf(const Profile& profile) {
  return {profile.device.gpu.begin(), profile.device.gpu.end()};
}

// As SGLang's profile merger writes them.
TEST(KinetoMerged, ALabelDistinguishesRanks) {
  for (const int second : {0, 1}) {
    const auto profile =
        ReadText("{\"traceEvents\": [" + Rank("[TP00] ", 100, 0) + Rank("[TP01] ", 200, second) +
                 R"({"ph":"M","name":"x"}], "deviceProperties": [)"
                 R"({"id": 0, "name": "NVIDIA A100"}]})");
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_THAT(GpusOf(*profile), ElementsAre(0, 1));
    EXPECT_EQ(GpusOfProcesses(*profile).size(), 2u);
    for (const auto& [process, gpus] : GpusOfProcesses(*profile)) EXPECT_EQ(gpus.size(), 1u);
    EXPECT_EQ(profile->log[Counter::work_overlapping], 0u);
    EXPECT_EQ(profile->gpus.size(), second == 0 ? 2u : 1u);
  }
}

// Chunks are cut at each MiB: those of labeled and of unlabeled ranks may be one or two.
TEST(KinetoMerged, GpusDoNotDependOnWhereChunksAreCut) {
  const std::string labeled = Rank("[TP00] ", 100, 0), plain = Rank("", 200, 0, 7);
  std::string apart;
  while (apart.size() < 4 * readers::kineto::kChunkBytes) apart += Op("a") + ",";
  for (const std::string& between : {std::string(), apart}) {
    for (const bool labeled_first : {true, false}) {
      const auto profile = ReadText(Trace((labeled_first ? labeled : plain) + between +
                                          (labeled_first ? plain : labeled) + Op("a")));
      ASSERT_TRUE(profile) << profile.error().message;
      EXPECT_THAT(GpusOf(*profile), ElementsAre(0, 1));
      EXPECT_EQ(profile->log[Counter::work_overlapping], 0u);
    }
  }
}

TEST(KinetoMerged, WithoutLabelsTheyMayShareAGpu) {
  auto profile = ReadText(Trace(Rank("", 100, 0) + Rank("", 200, 0, 7) + Op("a")));
  ASSERT_TRUE(profile) << profile.error().message;
  const auto parts = SplitProcesses(*std::move(profile));
  EXPECT_EQ(parts.front().log[Counter::gpus_unknown], 1u);
}

constexpr const char* kUnnumbered =
    R"({{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":{0},"dur":5)"
    R"({1}}},{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{2},"dur":50{1}}},)";

TEST(KinetoUnnumbered, ExternalIdsLinkWork) {
  std::string events;
  for (int i = 1; i <= 30; ++i) {
    events += fmt::format(fmt::runtime(kUnnumbered), i * 100,
                          fmt::format(R"(,"args":{{"External id":{}}})", i), i * 100 + 20);
  }
  const auto profile = ReadText(Trace(events + Op("a")));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->log[Counter::kernels_without_launch], 0u);
  EXPECT_EQ(profile->log[Counter::events_dropped], 0u);
}

TEST(KinetoUnnumbered, ArrowsLinkWorkToItsLaunch) {
  std::string events;
  for (int i = 1; i <= 30; ++i) {
    events += fmt::format(fmt::runtime(kUnnumbered), i * 100, "", i * 100 + 20);
    events += fmt::format(
        R"({{"ph":"s","cat":"ac2g","name":"ac2g","id":{0},"pid":1,"tid":1,"ts":{1}}},)"
        R"({{"ph":"f","cat":"ac2g","name":"ac2g","id":{0},"pid":0,"tid":7,"ts":{2},"bp":"e"}},)",
        i, i * 100, i * 100 + 20);
  }
  const auto profile = ReadText(Trace(events + Op("a")));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->log[Counter::kernels_without_launch], 0u);
  EXPECT_EQ(profile->log[Counter::events_ignored_kind], 0u);
  // Beside numbered launches they are of no use, wherever the first of those is.
  for (const bool numbered_first : {true, false}) {
    const std::string numbered = Rank("", 3, 1);
    const auto both =
        ReadText(Trace(numbered_first ? numbered + events + Op("a") : events + numbered + Op("a")));
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_EQ(both->log[Counter::events_ignored_kind], 60u);
  }
}

// Many labels, and numbers beyond those of any trace.
TEST(KinetoMerged, HostileLabelsAndIdsAreRead) {
  std::string events;
  for (int i = 0; i < 4'000; ++i) {
    events += fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"k","pid":"[{0}] 0","tid":7,"ts":{0},"dur":1,)"
        R"("args":{{"correlation":9223372036854775807,"device":2147483647,"stream":7}}}},)",
        i);
  }
  const auto profile = ReadText(Trace(events + Op("a")));
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->device.size(), 4'000u);
}

// Events of further ranks would be mixed with those that have no label.
TEST(KinetoMerged, RefusesMoreRanksThanItKeepsApart) {
  const auto read = [](int ranks) {
    std::string events;
    for (int i = 0; i < ranks; ++i) {
      events += fmt::format(
          R"({{"ph":"X","cat":"kernel","name":"k","pid":"[R{}] 0","tid":7,"ts":{},"dur":5,)"
          R"("args":{{"device":0,"stream":7}}}},)",
          i, i * 10 + 1);
    }
    return ReadText(Trace(events + Op("a")));
  };
  EXPECT_TRUE(read(4096));
  const auto refused = read(4097);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "kineto/too-many-ranks");
}

}  // namespace
}  // namespace profgauge::readers
