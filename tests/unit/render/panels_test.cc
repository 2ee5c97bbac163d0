// The dashboard's cards of a NeuronCore: the cards, their words, and the omitted ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <utility>

#include "fixture.h"
#include "render/html/page_assets.h"
#include "render/html/view.h"
#include "render/html/view_notes.h"
#include "render/shared/renderer.h"
#include "render/shared/template.h"

namespace profgauge::render {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

void Add(report::Report& report, std::string id, std::string title, Value value, Unit unit,
         std::string note = {}) {
  testing::AddMetric(report, id, std::move(title), std::move(value), unit);
  report.metrics.back().definition = "What " + id + " \"is\".";
  report.metrics.back().note = std::move(note);
}

report::Report NeuronReport() {
  report::Report report;
  report.profile.accelerator = "neuron";
  Add(report, "neuron.mfu", "Model FLOPs utilization", 0.25, Unit::kShare, "a short capture");
  Add(report, "neuron.hfu", "Hardware FLOPs utilization", 0.5, Unit::kShare, "a short capture");
  Add(report, "neuron.mbu", "Memory bandwidth utilization", {}, Unit::kShare);
  Add(report, "engine.tensor.active_time", "Tensor Engine active", std::int64_t{1'234'567},
      Unit::kTime);
  Add(report, "throttle.limited_time", "Throttled", {}, Unit::kTime);
  report.metrics.back().quantity.absent_because = "the file has no throttling";
  return report;
}

const boost::json::object* Find(const html::Panels& panels, std::string_view id) {
  const auto found = std::find_if(panels.shown.begin(), panels.shown.end(), [&](const auto& panel) {
    return panel.at("id").as_string() == id;
  });
  return found == panels.shown.end() ? nullptr : &found->as_object();
}

TEST(NeuronPanels, RowForEachPresentNumber) {
  const html::Panels panels = html::PanelsView(NeuronReport());
  const auto* peaks = Find(panels, "p-neuron-peaks");
  ASSERT_NE(peaks, nullptr);
  const auto& rows = peaks->at("rows").as_array();
  ASSERT_EQ(rows.size(), 2U);  // mbu is absent
  EXPECT_EQ(rows[0].at("label").as_string(), "Model FLOPs utilization");
  EXPECT_EQ(rows[0].at("metric").as_string(), "neuron.mfu");
  EXPECT_EQ(rows[0].at("number").at("text").as_string(), "25.0\u202f%");
  // A common text appears once.
  EXPECT_EQ(rows[0].at("about").as_string(), "");
  EXPECT_EQ(peaks->at("note").as_string(), "a short capture");
}

TEST(NeuronPanels, EnginesAreCardsWithDefinitions) {
  const std::string page = RenderHtml(NeuronReport());
  EXPECT_THAT(page, HasSubstr("id=p-engine-tensor"));
  EXPECT_THAT(page, HasSubstr("data-metric=engine.tensor.active_time> Active<"));
  EXPECT_THAT(RenderTemplate(html::kPages, "packed", html::PackedView(NeuronReport())),
              HasSubstr("What engine.tensor.active_time &quot;is&quot;."));
  EXPECT_THAT(page, HasSubstr("title=\"1234567 ns\">1.23\u202fms<"));
}

TEST(NeuronPanels, ACardOfNothingSaysWhy) {
  const html::Panels panels = html::PanelsView(NeuronReport());
  EXPECT_EQ(Find(panels, "p-neuron-throttling"), nullptr);
  EXPECT_THAT(panels.absent, Contains(std::pair<std::string, std::string>(
                                 "Throttling", "the file has no throttling")));
}

TEST(NeuronPanels, OtherDevicesHaveNone) {
  const std::string page = RenderHtml(testing::SampleReport());
  EXPECT_THAT(page, Not(HasSubstr("p-neuron")));
  EXPECT_THAT(page, Not(HasSubstr("Throttling")));
}

// The text beside a row's label; "-": there is no such row.
std::string RowText(const report::Report& report, std::string_view id, std::string_view label) {
  const html::Panels panels = html::PanelsView(report);
  const auto* panel = Find(panels, id);
  if (panel == nullptr) return "no panel";
  for (const auto& row : panel->at("rows").as_array()) {
    if (row.at("label").as_string() == label) {
      return std::string(row.at("number").at("text").as_string());
    }
  }
  return "-";
}

std::string MarkupOf(const boost::json::object& panel, std::string_view field) {
  return std::string(panel.at(field).at("markup").as_string());
}

TEST(SystemPanel, ShowsWorkersAndDevices) {
  report::Report report = testing::SampleReport();
  report.profile.ranks = 8;
  EXPECT_EQ(RowText(report, "p-system", "Workers"), "8");
  EXPECT_EQ(RowText(report, "p-system", "Device type"), "GPU");
  report.profile.accelerator = "npu";
  EXPECT_EQ(RowText(report, "p-system", "Device type"), "NPU");
  // A profile without any device has no such sentence.
  report.profile.accelerator.clear();
  report.profile.devices.clear();
  EXPECT_EQ(RowText(report, "p-system", "Device type"), "-");
}

TEST(IterationPanel, DrawsUnselectedOnesInGray) {
  report::Report report = testing::SampleReport();
  const auto chart = [&] {
    const html::Panels panels = html::PanelsView(report);
    return MarkupOf(*Find(panels, "p-iterations"), "chart");
  };
  EXPECT_THAT(chart(), Not(HasSubstr("opacity=\"0.35\"")));
  report.tables.push_back(testing::MakeTable(
      "other_iterations", "", "Others",
      {{"index", "Iteration", Unit::kCount, ""},
       {"name", "Name", Unit::kText, ""},
       {"start", "Start", Unit::kTime, ""},
       {"duration", "Duration", Unit::kTime, ""}},
      {{std::int64_t{77}, std::string("77"), std::int64_t{0}, std::int64_t{9'000'000}}}));
  EXPECT_THAT(chart(), HasSubstr("opacity=\"0.35\""));
  const html::Panels panels = html::PanelsView(report);
  EXPECT_EQ(Find(panels, "p-iterations")->at("note").as_string(),
            "all 6 iterations; gray: not selected");
}

TEST(IterationPanel, NamesIterationsOfStatedSummary) {
  report::Report report = testing::SampleReport();
  std::erase_if(report.tables, [](const Table& table) { return table.id() == "iterations"; });
  EXPECT_EQ(RowText(report, "p-iterations", "First used"), "-");
  report.environment = {{"iteration_start", "200"}, {"iteration_stop", "400"}};
  EXPECT_EQ(RowText(report, "p-iterations", "First used"), "200");
  EXPECT_EQ(RowText(report, "p-iterations", "Last used"), "400");
}

TEST(ResourcePanel, StatedInputOutputIsAPart) {
  report::Report report = testing::SampleReport();
  EXPECT_EQ(RowText(report, "p-resources", "I/O"), "-");
  Add(report, "breakdown.io", "I/O", 0.0, Unit::kShare);
  EXPECT_EQ(RowText(report, "p-resources", "I/O"), "-");
  report.metrics.back().quantity = testing::Q(0.125, Unit::kShare);
  EXPECT_EQ(RowText(report, "p-resources", "I/O"), "12.5\u202f%");
}

TEST(TopOpsPanel, TypesAreAlwaysOnOneLine) {
  report::Report report = testing::SampleReport();
  const std::string_view kLong = "torch::autograd::CppNode<SplitLookupFunction_adagrad_Op>";
  report.tables.push_back(testing::MakeTable(
      "ops", "op", "Operators",
      {{"name", "Operator", Unit::kText, ""},
       {"type", "Type", Unit::kText, ""},
       {"calls", "Calls", Unit::kCount, ""},
       {"device_self", "Device self", Unit::kTime, ""}},
      {{std::string("aten::mm"), std::string("mm"), std::int64_t{1}, std::int64_t{9}},
       {std::string(kLong), std::string(kLong), std::int64_t{1}, std::int64_t{8}}}));
  std::erase_if(report.tables, [seen = false](const Table& table) mutable {
    return table.id() == "ops" && !std::exchange(seen, true);
  });
  const html::Panels panels = html::PanelsView(report);
  const std::string body = MarkupOf(*Find(panels, "p-top-ops"), "body");
  EXPECT_THAT(body, HasSubstr("<td align=left>mm"));
  EXPECT_THAT(body, HasSubstr("<td align=left>torch::…ad_Op&gt;"));
}

}  // namespace
}  // namespace profgauge::render
