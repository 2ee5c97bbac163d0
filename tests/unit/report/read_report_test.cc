// report.json read back: the same report again, and every wrong document refused with its place.
#include "report/read_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../render/fixture.h"
#include "render/shared/renderer.h"
#include "report/build_plan.h"
#include "report/build_sections.h"

namespace profgauge::report {
namespace {

using render::RenderJson;
using render::testing::AddMetric;
using render::testing::Q;
using render::testing::SampleReport;

Comparison SampleComparison() {
  Comparison comparison;
  comparison.baseline = "main";
  comparison.baseline_runs = 3;
  comparison.comparable = false;
  comparison.differences = {{"gpu", "Tesla V100", "A100", true}};
  comparison.metrics = {
      {"iteration.time.median", "Median iteration", Q(std::int64_t{9}, Unit::kTime),
       Q(std::int64_t{10}, Unit::kTime), Q(0.111, Unit::kShare), Q(0.1, Unit::kShare),
       Q(0.12, Unit::kShare), Q(0.08, Unit::kShare), Q(0.05, Unit::kShare), Q(0.01, Unit::kShare),
       Q(0.02, Unit::kShare), "≤ +5 %", State::kError, State::kFail, "few iterations"}};
  comparison.base = 9;
  comparison.current = 10;
  comparison.delta = 1;
  comparison.waterfall = {
      {gate::PartLevel::kCategory, "cpu", -1, gate::PartChange::kChanged, 4, 5, 1, 0, 1, true},
      {gate::PartLevel::kOpType, "copy", 0, gate::PartChange::kAdded, 0, 1, 1, 1, 0, false}};
  return comparison;
}

TEST(ReadReport, GivesTheSameBytesAgain) {
  Report report = SampleReport(3);
  report.gate[0].max = 0.3;
  report.gate[0].baseline = Q(0.2, Unit::kShare);
  report.metrics[0].note = "low confidence";
  report.comparison = SampleComparison();
  report.findings.push_back(report.findings.front());
  report.findings.back().saves = BuildSaving({.basis = rules::Basis::kUnknown, .why = "no end"});
  report.left_out = {{"launches", "Launches", 12}};
  AddMetric(report, "third", "A third", 1.0 / 3, Unit::kNumber);
  AddMetric(report, "huge", "Huge", 2.2250738585072014e-308, Unit::kNumber);
  AddMetric(report, "whole", "Whole", 3.0, Unit::kNumber);
  AddMetric(report, "text", "Text", std::string("rank 3"), Unit::kText);
  const std::string text = RenderJson(report);
  const auto read = ReadReport(text, "report.json");
  ASSERT_TRUE(read) << read.error().message << " " << read.error().where.path;
  EXPECT_EQ(RenderJson(*read), text);
}

TEST(ReadReport, GivesTheSamePage) {
  const Report report = SampleReport();
  const auto read = ReadReport(RenderJson(report), "report.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(render::RenderHtml(*read), render::RenderHtml(report));
}

TEST(ReadReport, ReadsLaterVersions) {
  const auto read = ReadReport(
      R"({"schema": 1, "new": [1], "profile": {"name": "x", "more": {}}, "verdict": {}})",
      "r.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->profile.name, "x");
}

TEST(ReadReport, StepsOfOlderPlansNameRules) {
  const auto read = ReadReport(
      R"({"schema": 1, "profile": {}, "verdict": {}, "plan": {"steps": [
          {"findings": ["gpu/idle"], "rules": ["gpu/idle"]},
          {"findings": ["comm/exposed@rank=3"], "rules": ["comm/exposed"]}]}})",
      "r.json");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->plan->steps.size(), 2u);
  EXPECT_EQ(read->plan->steps[0].rules, std::vector<std::string>{"gpu/idle"});
  EXPECT_EQ(read->plan->steps[1].rules, std::vector<std::string>{"comm/exposed"});
  EXPECT_EQ(read->plan->steps[1].findings, std::vector<std::string>{"comm/exposed@rank=3"});
}

TEST(ReadReport, RefusesOtherFiles) {
  struct Row {
    std::string text;
    std::string_view code, message, path;
  };
  const std::string head = R"({"schema": 1, "profile": {}, "verdict": {}, )";
  const Row kRows[] = {
      {"", "report/not-json", "the report ends early", ""},
      {R"({"schema": 1, "prof)", "report/not-json", "the report ends early", ""},
      {"<html>", "report/not-json", "expected a report.json, found a text that is not JSON", ""},
      {std::string(40, '['), "report/not-json",
       "expected a report.json, found values nested deeper than 32", ""},
      {"{} {}", "report/not-json", "expected the end of the report, found more text", ""},
      {R"({"traceEvents": []})", "report/not-a-report",
       "expected a report.json with `schema`, `profile` and `verdict`", ""},
      {R"({"schema": 2, "profile": {}, "verdict": {}})", "report/newer-schema",
       "expected schema 1, found 2", "schema"},
      {R"({"schema": 0, "profile": {}, "verdict": {}})", "report/old-schema",
       "expected schema 1, found 0", "schema"},
      {R"({"schema": 1, "profile": [], "verdict": {}})", "report/bad-field",
       "expected an object, found a list", "profile"},
      {head + R"("gate": {}})", "report/bad-field", "expected a list, found an object", "gate"},
      {head + R"("gate": [{"unit": "parsec"}]})", "report/bad-field",
       "expected a unit, found `parsec`", "gate[0].unit"},
      {R"({"schema": 1, "profile": {}, "verdict": {"status": "passed"}})", "report/bad-field",
       "expected one of `pass`, `fail`, `no_verdict`, `not_judged`, found `passed`",
       "verdict.status"},
      {head + R"("metrics": {"a.b": {"unit": "ns", "value": 1, "better": "less"}}})",
       "report/bad-field", "expected one of `neutral`, `higher`, `lower`, found `less`",
       "metrics.a.b.better"},
      {head + R"("metrics": {"a.b": {"unit": "ns", "value": []}}})", "report/bad-field",
       "expected a text, a number, true or false, found a list", "metrics.a.b.value"},
      {head +
           R"("tables": {"ops": {"columns": [{"id": "n", "unit": "ns"}], "rows": [[1], [1, 2]]}}})",
       "report/bad-field", "expected 1 cells, found 2", "tables.ops.rows[1]"},
      {head + R"("tables": {"ops": {"columns": [{"id": "n", "unit": "ns"}], "rows": [["x"]]}}})",
       "report/bad-field", "expected a value in `ns` for `n`, found a text", "tables.ops.rows[0]"},
      {head + R"("comparison": {"waterfall": [{"parent": 0}]}})", "report/bad-field",
       "expected the index of an earlier step, found a number", "comparison.waterfall[0].parent"},
      {head + R"("tool": 1e999})", "report/not-json",
       "expected a report.json, found a text that is not JSON", ""},
  };
  for (const Row& row : kRows) {
    const auto read = ReadReport(row.text, "r.json");
    ASSERT_FALSE(read) << row.text;
    EXPECT_EQ(read.error().code, row.code) << row.text;
    EXPECT_EQ(read.error().message, row.message) << row.text;
    EXPECT_EQ(read.error().where.path, row.path) << row.text;
    EXPECT_EQ(read.error().where.file, "r.json");
  }
}

}  // namespace
}  // namespace profgauge::report
