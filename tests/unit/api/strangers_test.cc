// Kinds of profiles that were once answered wrongly, as the run's owner would answer them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <string>

#include "profgauge/profgauge.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using ::testing::HasSubstr;

class Strangers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kFolder)) GTEST_SKIP() << "no profiles in " << kFolder;
  }
  static json::value ReportOf(const std::string& file) {
    const auto recording = Load({kFolder + file}, {});
    EXPECT_TRUE(recording) << recording.error().message;
    if (!recording) return {};
    const auto judged = Evaluate(*recording, {});
    EXPECT_TRUE(judged) << judged.error().front().message;
    if (!judged) return {};
    return json::parse(Render(*judged, Format::kJson).value_or("{}"));
  }
  static double Metric(const json::value& report, std::string_view id) {
    return report.at("metrics").at(id).at("value").to_number<double>();
  }
  static std::string StatusOf(const json::value& report) {
    return std::string(report.at("verdict").at("status").as_string());
  }
  inline static const std::string kFolder = std::string(PROFGAUGE_SHARED_DIR) + "/data/strangers/";
};

TEST_F(Strangers, SharedNumberIsNotOneGpu) {
  const json::value report = ReportOf("merged-two-ranks-same-dev.json.gz");
  EXPECT_EQ(StatusOf(report), "no_verdict");
  EXPECT_THAT(json::serialize(report.at("verdict").at("reasons")), HasSubstr("several processes"));
}

TEST_F(Strangers, LabeledRanksHaveAGpuEach) {
  const json::value report = ReportOf("sglang-merged-dev0.json.gz");
  EXPECT_EQ(report.at("profile").at("ranks").to_number<int>(), 2);
  EXPECT_EQ(report.at("profile").at("devices").as_array().size(), 2U);
  EXPECT_THAT(json::serialize(report.at("verdict").at("reasons")),
              ::testing::Not(HasSubstr("no GPU work")));
}

TEST_F(Strangers, SeparateDevicesUseTheirSteps) {
  for (const char* file : {"aligned.xplane.pb", "apart.xplane.pb"}) {
    const json::value report = ReportOf(file);
    EXPECT_NEAR(Metric(report, "gpu.idle.mean"), 0.1, 1e-6) << file;
    EXPECT_NE(StatusOf(report), "fail") << file;
  }
}

TEST_F(Strangers, ClipsAndReportsOverflows) {
  const json::value report = ReportOf("rocm-dur-overflow.json.gz");
  EXPECT_EQ(report.at("import").at("events_clipped").at("count").to_number<int>(), 2);
  EXPECT_EQ(report.at("import").as_object().if_contains("work_overlapping"), nullptr);
}

}  // namespace
}  // namespace profgauge
