// The dashboard's cards of a NeuronCore: what is there, in whose words, and what is left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>

#include "fixture.h"
#include "render/html/view.h"
#include "render/shared/renderer.h"

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

TEST(NeuronPanels, ARowForEachNumberThatIsThere) {
  const html::Panels panels = html::PanelsView(NeuronReport());
  const auto* peaks = Find(panels, "p-neuron-peaks");
  ASSERT_NE(peaks, nullptr);
  const auto& rows = peaks->at("rows").as_array();
  ASSERT_EQ(rows.size(), 2U);  // mbu is absent
  EXPECT_EQ(rows[0].at("label").as_string(), "Model FLOPs utilization");
  EXPECT_EQ(rows[0].at("metric").as_string(), "neuron.mfu");
  EXPECT_EQ(rows[0].at("number").at("text").as_string(), "25.0\u202f%");
  // What both say is said once.
  EXPECT_EQ(rows[0].at("about").as_string(), "");
  EXPECT_EQ(peaks->at("note").as_string(), "a short capture");
}

TEST(NeuronPanels, AnEngineIsACardWithExactValuesAndDefinitions) {
  const auto page = RenderHtml(NeuronReport(), {});
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("id=\"p-engine-tensor\""));
  EXPECT_THAT(*page, HasSubstr("data-metric=\"engine.tensor.active_time\"> Active<"));
  EXPECT_THAT(*page, HasSubstr("What engine.tensor.active_time &quot;is&quot;."));
  EXPECT_THAT(*page, HasSubstr("title=\"1234567 ns\">1.23\u202fms<"));
}

TEST(NeuronPanels, ACardOfNothingSaysWhy) {
  const html::Panels panels = html::PanelsView(NeuronReport());
  EXPECT_EQ(Find(panels, "p-neuron-throttling"), nullptr);
  EXPECT_THAT(panels.absent, Contains(std::pair<std::string, std::string>(
                                 "Throttling", "the file has no throttling")));
}

TEST(NeuronPanels, OtherDevicesHaveNone) {
  const auto page = RenderHtml(testing::SampleReport(), {});
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, Not(HasSubstr("p-neuron")));
  EXPECT_THAT(*page, Not(HasSubstr("Throttling")));
}

}  // namespace
}  // namespace profgauge::render
