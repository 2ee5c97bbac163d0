// The library as an embedder uses it, on the traces in examples/.
#include "profgauge/profgauge.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace profgauge {
namespace {

std::string Example(const std::string& name) {
  return std::string(PROFGAUGE_SOURCE_DIR) + "/examples/" + name;
}

TEST(Library, LoadsEvaluatesAndRenders) {
  const auto recording = Load({Example("slow.pt.trace.json.gz")}, {});
  ASSERT_TRUE(recording) << recording.error().message;
  EXPECT_EQ(recording->ranks(), 1u);
  EvaluateOptions options;
  options.iter_start = 2;
  const auto judged = Evaluate(*recording, options);
  ASSERT_TRUE(judged) << judged.error().front().message;
  EXPECT_EQ(judged->status(), "fail");
  EXPECT_FALSE(judged->passed());
  EXPECT_EQ(judged->exit_code(), 1);
  EXPECT_EQ(judged->Metric("profile.iterations"), 10);
  EXPECT_EQ(judged->Metric("no.such.metric"), std::nullopt);
  EXPECT_EQ(judged->Metric("memory.peak_allocated"), std::nullopt) << "absent is not 0";
  for (const Format format :
       {Format::kHtml, Format::kMarkdown, Format::kXlsx, Format::kJson, Format::kText}) {
    const auto first = Render(*judged, format);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_FALSE(first->empty());
    EXPECT_TRUE(*first == *Render(*judged, format));
  }
}

TEST(Library, ReportsHaveTheTables) {
  const auto recording = Load({Example("slow.pt.trace.json.gz")}, {});
  ASSERT_TRUE(recording) << recording.error().message;
  // Judged twice: the tables of the first report were not taken from the profile.
  for (int i = 0; i < 2; ++i) {
    const auto judged = Evaluate(*recording, {});
    ASSERT_TRUE(judged) << judged.error().front().message;
    const auto json = Render(*judged, Format::kJson);
    ASSERT_TRUE(json) << json.error().message;
    for (const char* table : {"\"iterations\": {", "\"kernels\": {", "\"ops\": {"}) {
      EXPECT_NE(json->find(table), std::string::npos) << table;
    }
  }
}

TEST(Library, FailsWithPlaceAndKind) {
  const auto missing = Load({"no/such/file"}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kInput);
  const auto nothing = Load({}, {});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, "input/no-profiles");
  const auto recording = Load({Example("healthy.pt.trace.json.gz")}, {});
  ASSERT_TRUE(recording);
  EvaluateOptions options;
  options.policy = "no/such/policy.yaml";
  const auto judged = Evaluate(*recording, options);
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().front().kind, ErrorKind::kConfig);
}

TEST(Library, ListsMetricsTablesAndFindings) {
  const auto recording = Load({Example("slow.pt.trace.json.gz")}, {});
  ASSERT_TRUE(recording) << recording.error().message;
  const auto judged = Evaluate(*recording, {});
  ASSERT_TRUE(judged) << judged.error().front().message;
  bool has_median = false;
  for (const api::Metric& metric : judged->metrics()) {
    EXPECT_EQ(metric.value, judged->Metric(metric.id)) << metric.id;
    EXPECT_EQ(metric.value.has_value(), metric.absent_because.empty()) << metric.id;
    EXPECT_FALSE(metric.unit.empty() || metric.title.empty()) << metric.id;
    has_median |= metric.id == "iteration.time.median" && metric.unit == "ns";
  }
  EXPECT_TRUE(has_median);
  ASSERT_FALSE(judged->tables().empty());
  for (const std::string& id : judged->tables()) {
    const auto table = judged->Table(id);
    ASSERT_TRUE(table) << id;
    ASSERT_FALSE(table->columns.empty()) << id;
    for (const auto& row : table->rows) ASSERT_EQ(row.size(), table->columns.size()) << id;
  }
  EXPECT_EQ(judged->Table("no_such_table"), std::nullopt);
  ASSERT_FALSE(judged->findings().empty());
  EXPECT_EQ(judged->findings().front().status, judged->findings().front().level) << "one fired";
}

TEST(Library, ReportsAllMistakesOfAPolicy) {
  const std::string policy = ::testing::TempDir() + "/two_mistakes.yaml";
  std::ofstream(policy) << "schema: 1\nfial_on: error\nthresholds:\n  no.such.metric: {max: 1}\n";
  const auto recording = Load({Example("healthy.pt.trace.json.gz")}, {});
  ASSERT_TRUE(recording);
  EvaluateOptions options;
  options.policy = policy;
  const auto judged = Evaluate(*recording, options);
  ASSERT_FALSE(judged);
  EXPECT_GE(judged.error().size(), 2u);
}

TEST(Library, ReadsAFolderAsRanks) {
  const auto recording = Load({Example("ddp")}, {});
  ASSERT_TRUE(recording) << recording.error().message;
  EXPECT_EQ(recording->ranks(), 4u);
}

}  // namespace
}  // namespace profgauge
