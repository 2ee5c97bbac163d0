// The dashboard of a NeuronCore: the profiler's summary as cards, in the order of its groups.
#include "render/html/panel_neuron.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/metric_id.h"
#include "render/html/view_panels.h"
#include "render/html/view_parts.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

struct Line {
  std::string_view id;
  std::string_view label = {};  ///< If empty, the metric's title.
};

void AddLine(const Report& report, const Line& line, json::array& rows) {
  const report::Metric* metric = FindMetric(report, line.id);
  if (metric == nullptr) return;
  rows.push_back(PanelRow("", line.label.empty() ? std::string_view(metric->title) : line.label,
                          NumberView(metric->quantity), metric->note, metric->id));
}

// If several rows have the same remark, moves it below them.
void JoinRemarks(json::object& panel) {
  json::string shared;
  std::size_t times = 0;
  for (const json::value& row : panel["rows"].as_array()) {
    const json::string& about = row.at("about").as_string();
    if (about.empty()) continue;
    if (times > 0 && about != shared) return;
    shared = about;
    ++times;
  }
  if (times < 2) return;
  for (json::value& row : panel["rows"].as_array()) row.at("about") = "";
  panel["note"] = std::move(shared);
}

// A card with the values that exist. If there are none, the reason of the first one.
json::object Card(const Report& report, std::string_view id, std::string_view title,
                  std::initializer_list<Line> lines) {
  json::object panel = MakePanel(report, id, title);
  json::array& rows = panel["rows"].as_array();
  for (const Line& line : lines) AddLine(report, line, rows);
  JoinRemarks(panel);
  panel["has_rows"] = !rows.empty();
  if (rows.empty()) {
    const report::Metric* first = report::FindMetricById(report, lines.begin()->id);
    const bool is_told = first != nullptr && !first->quantity.absent_because.empty();
    LeaveEmpty(panel, is_told ? first->quantity.absent_because : "the file has no data for it");
  }
  return panel;
}

// A card with the lines that all engines have, then the engine's own lines. Empty if the engine has
// no data.
json::object EngineCard(const Report& report, std::string_view engine, std::string_view title,
                        std::initializer_list<Line> own) {
  const auto id = [&](std::string_view what) { return fmt::format("engine.{}.{}", engine, what); };
  const std::string active = id("active_time"), share = id("active_share");
  const std::string time = id("instruction_time"), count = id("instructions");
  const std::string median = id("median_time"), wait = id("wait_time"), nki = id("nki_share");
  json::object panel = Card(report, fmt::format("p-engine-{}", engine), title,
                            {{active, "Active"},
                             {share, "Active, share"},
                             {count, "Instructions"},
                             {time, "Instruction time"},
                             {median, "Median instruction"},
                             {wait, "Semaphore waits"},
                             {nki, "Instructions with source"}});
  if (IsEmptyPanel(panel)) return panel;
  for (const Line& line : own) AddLine(report, line, panel["rows"].as_array());
  return panel;
}

bool IsOfNeuron(const Report& report) {
  return std::any_of(report.metrics.begin(), report.metrics.end(), [](const auto& metric) {
    return !IsAbsent(metric.quantity.value) &&
           (metric.id.starts_with("neuron.") || metric.id.starts_with("engine."));
  });
}

// Makes the cards. A line without a title has its metric's title. A card without data shows the
// reason of its first metric.
std::vector<json::object> CoreCards(const Report& report) {
  return {
      Card(report, "p-neuron-peaks", "Use of the peaks",
           {{metric::kNeuronMfu},
            {metric::kNeuronMfuMaxAchievable},
            {metric::kNeuronHfu},
            {metric::kNeuronMbu},
            {metric::kNeuronMbuMinRead},
            {metric::kNeuronMmArithmeticIntensity},
            {metric::kNeuronPeakFlopsBandwidthRatio},
            {metric::kNeuronModelFlops},
            {metric::kNeuronHardwareFlops},
            {metric::kNeuronTransposeShare},
            {metric::kNeuronPeakFlops},
            {metric::kNeuronPeakBandwidth}}),
      Card(report, "p-neuron-overall", "Overall",
           {{metric::kNeuronTotalTime},
            {metric::kNeuronExecTime},
            {metric::kNeuronActiveTime},
            {metric::kNeuronActiveShare},
            {metric::kNeuronCycles},
            {metric::kNeuronCores},
            {metric::kNeuronCoreImbalance},
            {metric::kNeuronTraceCount},
            {metric::kNeuronEventCount},
            {metric::kNeuronWarnings},
            {metric::kNeuronErrors}}),
      Card(report, "p-neuron-dma", "DMA",
           {{metric::kDmaActiveTime},
            {metric::kDmaActiveShare},
            {metric::kDmaBytes},
            {metric::kDmaPackets},
            {metric::kDmaMeanBytes},
            {metric::kDmaSmallShare},
            {metric::kDmaStaticByteShare},
            {metric::kDmaSoftwareByteShare},
            {metric::kDmaHardwareByteShare},
            {metric::kDmaTransfers},
            {metric::kDmaQueues},
            {metric::kDmaEnginesUsed},
            {metric::kDmaEngineImbalance}}),
      Card(report, "p-neuron-memory", "HBM, SBUF and PSUM",
           {{metric::kHbmReadBytes},
            {metric::kHbmWriteBytes},
            {metric::kHbmUsefulReadShare},
            {metric::kSbufReadBytes},
            {metric::kSbufWriteBytes},
            {metric::kPsumReadBytes},
            {metric::kPsumWriteBytes},
            {metric::kPsumReadSbufWriteBytes},
            {metric::kSpillSaveBytes},
            {metric::kSpillReloadBytes},
            {metric::kNeuronWeightBytes},
            {metric::kNeuronInputsOutputsWeightsBytes}}),
  };
}

std::vector<json::object> EngineCards(const Report& report) {
  return {
      EngineCard(
          report, "tensor", "Tensor Engine",
          {{metric::kEngineTensorMatmuls}, {metric::kEngineTensorDmaWaitTime, "Waits for DMA"}}),
      EngineCard(report, "vector", "Vector Engine", {}),
      EngineCard(report, "scalar", "Scalar Engine",
                 {{metric::kEngineScalarActivates}, {metric::kEngineScalarActivateTime}}),
      EngineCard(report, "sync", "Sync Engine", {}),
      EngineCard(report, "gpsimd", "GpSimd Engine", {}),
  };
}

std::vector<json::object> OtherCards(const Report& report) {
  return {
      Card(report, "p-neuron-collectives", "Collectives",
           {{metric::kCcOps},
            {metric::kCcTime},
            {metric::kCcActiveTime},
            {metric::kCcActiveShare},
            {metric::kCcTriggerDelay},
            {metric::kEngineCcCoreActiveTime},
            {metric::kEngineCcCoreActiveShare},
            {metric::kEngineCcCoreInstructions},
            {metric::kEngineCcCoreInstructionTime}}),
      Card(report, "p-neuron-throttling", "Throttling",
           {{metric::kThrottleLimitedTime},
            {metric::kThrottleLimitedShare},
            {metric::kThrottleTensorLimitedTime},
            {metric::kThrottleTensorLimitedShare},
            {metric::kThrottleUtilizationLimit}}),
  };
}

}  // namespace

std::vector<json::object> NeuronPanels(const Report& report) {
  if (!IsOfNeuron(report)) return {};
  std::vector<json::object> all;
  for (const auto cards : {CoreCards, EngineCards, OtherCards}) {
    for (json::object& card : cards(report)) all.push_back(std::move(card));
  }
  return all;
}

}  // namespace profgauge::render::html
