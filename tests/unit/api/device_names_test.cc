// Words for devices are only ours: names of a profile and of a user's rules are printed unchanged,
// on every device.
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "profgauge/profgauge.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKernel = "my GPU warmup SM kernel";
constexpr std::string_view kTitle = "Our GPU warms its SM and Tensor Cores up";

struct Row {
  std::string_view device, word;
};
constexpr Row kRows[] = {
    {"NVIDIA H100", "GPU"},          {"AMD Instinct MI300X", "GPU"},
    {"Ascend910B2", "NPU"},          {"TPU v4", "TPU"},
    {"NeuronCore-v2", "NeuronCore"}, {"Intel(R) Data Center GPU Max 1550", "XPU"},
    {"something else", "device"}};

// One kernel that idles most of the time; its name is in tables, evidence and messages.
std::string Trace(std::string_view device) {
  std::string events;
  for (int i = 0; i < 12; ++i) {
    events += fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{0}","pid":1,"tid":1,"ts":{1},"dur":100}},
{{"ph":"X","cat":"kernel","name":"{2}","pid":0,"tid":7,"ts":{3},"dur":10,"args":{{"device":0,"stream":7,"correlation":{0}}}}},
)",
        i, i * 100, kKernel, i * 100 + 10);
  }
  return fmt::format(
      R"({{"schemaVersion":1,"deviceProperties":[{{"id":0,"name":"{}"}}],"traceEvents":[{}
{{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":5}}]}})",
      device, events);
}

class DeviceNames : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("device_names_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    Write("rules.yaml", fmt::format(R"(schema: 2
namespace: own
rules:
  - id: warmup
    title: "{0}"
    category: kernels
    for_each: kernel_name
    level: error
    message: "{0}: {{{{ at_max(kernel_name.name, kernel_name.time) }}}} on a {{{{ device.device }}}}"
    evidence:
      columns:
        - {{head: "GPU kernel", value: kernel_name.name}}
)",
                                    kTitle));
    Write("policy.yaml", "schema: 1\nextends: builtin:recommended\nrule_files: [rules.yaml]\n");
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  fs::path folder_;
};

TEST_F(DeviceNames, UserNamesStayOnEveryDevice) {
  for (const Row& row : kRows) {
    Write("run.json", Trace(row.device));
    const auto recording = Load({(folder_ / "run.json").string()}, {});
    ASSERT_TRUE(recording) << recording.error().message;
    EvaluateOptions options;
    options.policy = (folder_ / "policy.yaml").string();
    const auto judged = Evaluate(*recording, options);
    ASSERT_TRUE(judged) << judged.error().front().message;
    const auto table = judged->Table("kernels");
    ASSERT_TRUE(table && table->rows.size() == 1) << row.device;
    EXPECT_EQ(table->rows[0][0], api::Cell(std::string(kKernel))) << row.device;
    const auto findings = judged->findings();
    const auto own = std::find_if(findings.begin(), findings.end(),
                                  [](const auto& finding) { return finding.rule == "own/warmup"; });
    ASSERT_NE(own, findings.end()) << row.device;
    EXPECT_EQ(own->title, kTitle);
    EXPECT_EQ(own->message, fmt::format("{}: {} on a {}", kTitle, kKernel, row.word));
    for (const Format format : {Format::kHtml, Format::kMarkdown, Format::kJson, Format::kText}) {
      const std::string text = *Render(*judged, format);
      EXPECT_EQ(text.find("{{ device."), std::string::npos) << row.device;
      if (format == Format::kText) continue;  // It elides.
      EXPECT_NE(text.find(kTitle), std::string::npos) << row.device;
      EXPECT_NE(text.find("GPU kernel"), std::string::npos) << row.device;
    }
    // Our own words are the device's.
    for (const api::Metric& metric : judged->metrics()) {
      if (metric.id == "gpu.utilization.mean") {
        std::string expected = fmt::format("{} utilization", row.word);
        expected[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(expected[0])));
        EXPECT_EQ(metric.title, expected);
      }
    }
  }
}

}  // namespace
}  // namespace profgauge
