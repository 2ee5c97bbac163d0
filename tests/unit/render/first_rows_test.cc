// The first rows of the outputs: a plan whose rows name their level and end where it ends, what
// decides a run without a verdict, and columns that have values.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/metric_id.h"
#include "documents.h"
#include "fixture.h"
#include "render/html/view.h"
#include "render/html/view_evidence.h"
#include "render/html/view_first.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/report_text.h"
#include "render/shared/words.h"
#include "report/build_plan.h"
#include "report/build_sections.h"
#include "report/diagnosis.h"

namespace profgauge::render {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

report::Quantity Ms(double ms) {
  return {Value(ms * 1e6), Unit::kTime, fmt::format("{} ms", ms), ""};
}

report::Finding& AddFired(report::Report& report, std::string rule, report::State level) {
  report::Finding& finding = report.findings.emplace_back();
  finding.rule = finding.title = std::move(rule);
  finding.level = finding.status = level;
  return finding;
}

// Six steps of 10 ms each from 100 ms on; the second is no finding yet.
report::Report Planned() {
  report::Report report;
  AddFired(report, "test/a", report::State::kError);
  AddFired(report, "test/c", report::State::kWarn);
  AddFired(report, "test/d", report::State::kInfo);
  report::Plan& plan = report.plan.emplace();
  plan.start = Ms(100);
  plan.end = Ms(40);
  plan.without_profiler = Ms(70);
  for (int i = 0; i < 6; ++i) {
    report::PlanStep& step = plan.steps.emplace_back();
    step.rules = {fmt::format("test/{:c}", 'a' + i)};
    step.title = "Fault of " + step.rules.front();
    step.change = "Do " + step.rules.front() + ".";
    step.time = Ms(90 - 10 * i);
    step.saves = report::BuildSaving({rules::Basis::kSimulated, 1e7, {}, {}});
    step.time_text = step.time.text;
    step.fired = i != 1;
    step.needs_earlier = i == 1;
  }
  return report;
}

TEST(FirstRows, PlanNamesLevelsActionsAndItsEnd) {
  const boost::json::object view = html::FirstView(Planned());
  const boost::json::array& rows = view.at("rows").as_array();
  ASSERT_EQ(rows.size(), 6u);
  std::vector<std::string> signs;
  for (const boost::json::value& row : rows) {
    const bool has = row.at("has_status").as_bool();
    signs.emplace_back(has ? row.at("status").at("name").as_string().c_str() : "");
  }
  EXPECT_THAT(signs, ElementsAre("bad", "", "warn", "", "", ""));
  EXPECT_EQ(rows[1].at("pieces").at(0).at("text").as_string(),
            "Next bottleneck. Do test/b. Saves nothing until the steps above are done.");
  EXPECT_EQ(rows[5].at("after").as_string(), "40 ms");
  EXPECT_EQ(rows[5].at("saves").as_string(), "10.0\u202fms (−10.0\u202f%)");
}

std::string PictureOf(const boost::json::value& row) {
  return row.at("picture").at("markup").as_string().c_str();
}

// 520 pixels are 100 ms: step k goes from 100 - 10 k ms to 10 ms more.
TEST(FirstRows, StepsAreAWaterfallFromNowToAfter) {
  report::Report report = Planned();
  report.plan->steps[2].saves.low = Value(5e6);
  report.plan->floor.time = Ms(20);
  const boost::json::object view = html::FirstView(report);
  const boost::json::array& rows = view.at("rows").as_array();
  EXPECT_THAT(PictureOf(rows[0]), HasSubstr("x=\"468\" y=\"5\" width=\"52\""));
  EXPECT_THAT(PictureOf(rows[1]), HasSubstr("opacity=\".55\" x=\"416\"")) << "no finding yet";
  EXPECT_THAT(PictureOf(rows[2]), HasSubstr("x=\"390\" y=\"5\" width=\"26\"")) << "the low end";
  EXPECT_THAT(PictureOf(rows[2]), HasSubstr("reach\" stroke=\"#1F8A58\" d=\"M364 12H390\""));
  const std::string after = PictureOf(view.at("after"));
  EXPECT_THAT(after, HasSubstr("x=\"0\" y=\"5\" width=\"208\""));
  EXPECT_THAT(after, HasSubstr("class=\"floor\"")) << "the floor is a line";
  EXPECT_EQ(view.at("after").at("saves").as_string(),
            "55.0 to 60.0\u202fms (−55.0\u202f% to −60.0\u202f%)");
}

// The end of a plan is as uncertain as its last step. A saving may be smaller because the start is,
// without the profiler: then the end is as simulated.
TEST(FirstRows, TheEndOfARangeIsARange) {
  report::Report report = Planned();
  report.plan->steps[2].saves.low = Value(5e6);
  EXPECT_EQ(html::FirstView(report).at("after").at("after").as_string(), "40 ms");
  report.plan->steps.back().time_text = "40.0 to 45.0\u202fms";
  const boost::json::object ranged = html::FirstView(report);
  const boost::json::object& after = ranged.at("after").as_object();
  EXPECT_EQ(after.at("after").as_string(), "40.0 to 45.0\u202fms");
  EXPECT_EQ(after.at("saves").as_string(), "55.0 to 60.0\u202fms (−55.0\u202f% to −60.0\u202f%)");
  EXPECT_THAT(RenderMarkdown(report), HasSubstr("→ 40.0 to 45.0\u202fms per iteration"));
  report.plan->steps.front().saves.text = "saves up to 10 ms";
  report.plan->steps.front().saves.low = Value(0.0);
  report.plan->steps.back().high = Value(55e6);
  const boost::json::object best = html::FirstView(report);
  EXPECT_EQ(best.at("after").at("saves").as_string(),
            "45.0 to 60.0\u202fms (−45.0\u202f% to −60.0\u202f%)");
  EXPECT_EQ(best.at("rows").at(0).at("saves").as_string(), "up to 10 ms (−10.0\u202f%)");
  EXPECT_THAT(PictureOf(best.at("rows").at(0)), HasSubstr("x=\"520\" y=\"5\" width=\"0\""));
  EXPECT_THAT(PictureOf(best.at("after")), HasSubstr("reach\" stroke=")) << "it may stay longer";
}

TEST(FirstRows, WhatIsNotSimulatedIsNotDrawn) {
  report::Report report = Planned();
  report.plan->steps[0].saves = report::BuildSaving({rules::Basis::kAtMost, 1e7, {}, {}});
  EXPECT_EQ(PictureOf(html::FirstView(report).at("rows").at(0)), "");
  report.plan.reset();
  report.findings[0].saves = report::BuildSaving({rules::Basis::kAtMost, 1e7, {}, {}});
  const boost::json::object view = html::FirstView(report);
  EXPECT_EQ(PictureOf(view.at("rows").at(0)), "");
  EXPECT_EQ(view.at("rows").at(0).at("saves").as_string(), "at most 10.0\u202fms");
}

TEST(FirstRows, FirstCallsAreNoStep) {
  report::Report report = Planned();
  report.plan->first_calls = Ms(100);
  const boost::json::object view = html::FirstView(report);
  EXPECT_THAT(PictureOf(view.at("first_calls")), HasSubstr("x=\"260\" y=\"5\" width=\"260\""));
  EXPECT_THAT(PictureOf(view.at("rows").at(0)), HasSubstr("x=\"234\" y=\"5\" width=\"26\""));
  EXPECT_EQ(view.at("first_calls").at("time").as_string(), "100 ms");
  EXPECT_EQ(view.at("after").at("text").as_string(),
            "of 100 ms without first calls; simulated, one step after the other");
}

TEST(FirstRows, AStepNamesAllItsFindings) {
  report::Report report = Planned();
  report.findings[1].title = "Title of c";
  report.findings[2].title = "Title of d";
  report.plan->steps[0].rules = {"test/a", "test/c", "test/d"};
  EXPECT_EQ(html::FirstView(report).at("rows").at(0).at("title").as_string(),
            "Fault of test/a; Title of c; Title of d");
}

// Categories that the page paints as the cause, of a run whose only finding is of that rule.
std::vector<Category> CausesOf(std::string rule, double unattributed_share = 0) {
  report::Report report;
  report::Finding& finding = AddFired(report, std::move(rule), report::State::kError);
  finding.saves = report::BuildSaving({rules::Basis::kSimulated, 1e7, {}, {}});
  report::Metric& on_units = report.metrics.emplace_back();
  on_units.id = metric::kBreakdownTensorCoreKernel.text();
  on_units.quantity.value = Value(0.9);
  report::Metric& unattributed = report.metrics.emplace_back();
  unattributed.id = metric::kBreakdownOther.text();
  unattributed.quantity.value = Value(unattributed_share);
  report::Metric& host = report.metrics.emplace_back();
  host.id = metric::kBreakdownCpu.text();
  host.quantity.value = Value(0.05);
  std::vector<Category> causes;
  for (std::size_t i = 0; i < kAllCategories; ++i) {
    const auto category = static_cast<Category>(i);
    if (html::PaintIn(report, category).fill != PaintOf(category).fill) causes.push_back(category);
  }
  return causes;
}

TEST(FirstRows, TheCauseIsWhatTheHeadlineIsAbout) {
  EXPECT_THAT(CausesOf("compute/unfused-elementwise"), ElementsAre(Category::kOtherKernel));
  EXPECT_THAT(CausesOf("tensorcore/eligible-not-used@1"), ElementsAre(Category::kOtherKernel));
  EXPECT_THAT(CausesOf("compute/few-tiles"), ElementsAre(Category::kTensorCoreKernel));
  EXPECT_THAT(CausesOf("comm/straggler"), ElementsAre(Category::kCommunication, Category::kWait));
  EXPECT_THAT(CausesOf("launch/bound"), ElementsAre(Category::kRuntime, Category::kCpu));
  // Of a host that records little, the time that it does not tell.
  EXPECT_THAT(CausesOf("launch/bound", 0.06),
              ElementsAre(Category::kRuntime, Category::kCpu, Category::kOther));
}

TEST(FirstRows, WhatIsAboutTheProfileComesLastInAllOutputs) {
  report::Report report;
  AddFired(report, "recording/truncated", report::State::kError);
  AddFired(report, "recording/empty", report::State::kWarn).explains = {"gpu/idle"};
  AddFired(report, "gpu/idle", report::State::kGood);
  AddFired(report, "io/stalls", report::State::kWarn);
  std::vector<std::string> order;
  for (const report::Finding* finding : FindingsInOrder(report)) order.push_back(finding->rule);
  EXPECT_THAT(order,
              ElementsAre("recording/empty", "io/stalls", "recording/truncated", "gpu/idle"));
}

TEST(FirstRows, PageHasAllReasons) {
  report::Report report = Planned();
  report.verdict.status = report::State::kFail;
  report.verdict.errors = 1;
  const std::string html = RenderHtml(report);
  const std::size_t reasons = report::Diagnose(report).reasons.size();
  ASSERT_GT(reasons, 0u);
  std::size_t count = 0;
  for (std::size_t at = html.find("data-reason"); at != html.npos;
       at = html.find("data-reason", at + 1))
    ++count;
  EXPECT_EQ(count, reasons);
  EXPECT_THAT(html, HasSubstr("Fails for"));
}

TEST(FirstRows, MarkdownEndsAtThePlansEnd) {
  const std::string text = RenderMarkdown(Planned());
  EXPECT_THAT(text, HasSubstr("6. **→ 40 ms**, saves 10.0"));
  EXPECT_THAT(text, HasSubstr("an iteration takes 70.0 to 100\u202fms without the profiler"));
  EXPECT_THAT(text, HasSubstr("✗ `test/a`: Do test/a."));
}

// Its reasons stand beside the verdict, once.
TEST(FirstRows, WhatLeavesTheVerdictUndecidedIsNoRow) {
  report::Report report;
  report.verdict.status = report::State::kNoVerdict;
  report.verdict.reasons = {"Median iteration time: Record it again."};
  report::GateRow& row = report.gate.emplace_back();
  row.metric = "iteration.time.median";
  row.title = "Median iteration time";
  row.level = report::State::kError;
  row.status = report::State::kOpen;
  row.reason = "Record it again.";
  EXPECT_TRUE(html::FirstView(report).at("rows").as_array().empty());
}

TEST(FirstRows, BothEndsOfASavingHaveTheirShare) {
  report::Plan plan;
  plan.start.value = 20e6;
  report::PlanStep step;
  step.saves.value.value = 8e6;
  step.saves.low = 4e6;
  step.saves.text = "saves 4.00 to 8.00 ms";
  EXPECT_EQ(PlanSavingText(plan, step), "saves 4.00 to 8.00 ms (−20.0\u202f% to −40.0\u202f%)");
  step.saves.low = {};
  step.saves.text = "saves 8.00 ms";
  EXPECT_EQ(PlanSavingText(plan, step), "saves 8.00 ms (−40.0\u202f%)");
}

TEST(FirstRows, AProfileWithoutWorkHasOneRow) {
  report::Report report;
  AddFired(report, "neuron/transposes", report::State::kWarn);
  report::Finding& empty = AddFired(report, "neuron/empty-capture", report::State::kWarn);
  empty.explains = {"gpu/idle"};
  AddFired(report, "gpu/idle", report::State::kWarn);
  EXPECT_EQ(FlawOfProfile(report), nullptr);
  report.verdict.status = report::State::kNoVerdict;
  EXPECT_EQ(FlawOfProfile(report), &report.findings[1]);
  EXPECT_EQ(html::FirstView(report).at("rows").as_array().size(), 1u);
}

TEST(FirstRows, EvidenceHasColumnsWithValues) {
  report::Finding finding;
  finding.evidence_heads = {"Operator", "Time", "Calls"};
  finding.evidence_units = {Unit::kText, Unit::kTime, Unit::kCount};
  finding.evidence = {{Value(std::string("a")), Value(), Value(std::int64_t{1})},
                      {Value(std::string("b")), Value(), Value()}};
  EXPECT_THAT(html::EvidenceColumns(finding), ElementsAre(0u, 2u));
}

TEST(FirstRows, EvidenceSaysOfHowManyRows) {
  report::Finding finding;
  finding.evidence = {{Value(std::int64_t{1})}, {Value(std::int64_t{2})}};
  EXPECT_EQ(RowsShown(finding, 2), "2 rows");  // An old report does not say.
  EXPECT_EQ(RowsShown(finding, 1), "1 of 2 rows");
  finding.evidence_of = 30;
  EXPECT_EQ(RowsShown(finding, 2), "2 of 30 rows");
  finding.evidence_of = 2;
  EXPECT_EQ(RowsShown(finding, 2), "2 rows");
}

}  // namespace
}  // namespace profgauge::render
