// The dashboard: small panels, each with a chart and its numbers. Tables are in panel_tables.cc.
#include "render/html/view_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "render/html/panel_neuron.h"
#include "render/html/panel_tables.h"
#include "render/html/view_breakdown.h"
#include "render/html/view_parts.h"
#include "render/shared/looks.h"
#include "render/shared/template.h"
#include "render/svg/svg.h"
#include "report/labels.h"
#include "report/table_sums.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

constexpr Paint kBusy = {"k-bz", "#0072B2", "#fff"};
constexpr int kPanelWidth = 340;

struct Slice {
  Paint paint;
  std::string label;
  report::Quantity quantity;
  std::string about;
  std::string_view metric = {};
};

// For a bar of two slices: shows only the first number, if it fits.
void SayFirstAlone(std::vector<BarPart>& bar) {
  constexpr double kRoom = 0.15;
  if (bar.size() != 2) return;
  bar[1].label = bar[0].share < kRoom ? bar[0].label : "";
}

// Whether a bar's label is in each slice or only in the first.
enum class Says : bool { kEachPart, kFirstAlone };
void Fill(json::object& panel, const std::vector<Slice>& slices, Says says = Says::kEachPart) {
  double total = 0;
  for (const Slice& slice : slices) total += AsNumber(slice.quantity.value, 0);
  std::vector<BarPart> bar;
  json::array rows;
  std::string description(std::string_view(panel["title"].as_string()));
  for (const Slice& slice : slices) {
    const double value = AsNumber(slice.quantity.value, 0);
    const double share = total > 0 ? value / total : 0;
    const bool is_share = slice.quantity.unit == Unit::kShare;
    bar.push_back({slice.paint, share, is_share ? slice.quantity.text : FormatShare(share),
                   fmt::format("{} {}", slice.label, slice.quantity.text)});
    description += fmt::format(", {} {}", slice.label, slice.quantity.text);
    rows.push_back(PanelRow(SvgSwatch(slice.paint), slice.label, NumberView(slice.quantity),
                            slice.about, slice.metric));
  }
  if (says == Says::kFirstAlone) SayFirstAlone(bar);
  if (total > 0) panel["chart"] = MakeMarkup(SvgStackedBar(bar, kPanelWidth, 26, description));
  panel["has_rows"] = !rows.empty();
  panel["rows"] = std::move(rows);
}

report::Quantity Share(double share) { return {share, Unit::kShare, FormatShare(share), ""}; }
report::Quantity Time(double ns) {
  const auto whole = static_cast<std::int64_t>(ns);
  return {whole, Unit::kTime, FormatValue(whole, Unit::kTime), ""};
}

// The analysis' reason why a metric is absent.
std::string ReasonOf(const Report& report, std::string_view id, std::string_view otherwise) {
  for (const report::Metric& metric : report.metrics) {
    if (metric.id == id && !metric.quantity.absent_because.empty()) {
      return metric.quantity.absent_because;
    }
  }
  return std::string(otherwise);
}

// If there are several GPUs, adds the activity of each. Many GPUs are only in their table.
void AddEachGpu(const Report& report, json::array& rows) {
  constexpr std::size_t kMostGpusDrawn = 8;
  const Table* gpus = FindTable(report, "gpus");
  if (gpus == nullptr || gpus->rows() < 2 || gpus->rows() > kMostGpusDrawn) return;
  const bool has_ranks = report.profile.ranks > 1;
  for (std::size_t row = 0; row < gpus->rows(); ++row) {
    const Value utilization = gpus->At(row, "utilization");
    if (IsAbsent(utilization)) continue;
    Meter meter;
    meter.value = AsNumber(utilization, 0);
    meter.limit = -1;
    const std::string name = fmt::format(
        "{}{} {}",
        has_ranks ? fmt::format("Rank {}, ", FormatValue(gpus->At(row, "rank"), Unit::kCount)) : "",
        WordsOf(report, "{{ device.device }}"), FormatValue(gpus->At(row, "id"), Unit::kCount));
    meter.description = name + " " + FormatValue(utilization, Unit::kShare);
    rows.push_back(PanelRow(SvgMeter(meter), name, NumberView(utilization, Unit::kShare), ""));
  }
}

std::string OverGpus(const Report& report) {
  const Table* gpus = FindTable(report, "gpus");
  if (gpus == nullptr || gpus->rows() < 2) return {};
  return fmt::format("mean over {} {}", gpus->rows(), WordsOf(report, "{{ device.device }}s"));
}

// Busy and idle time as a bar, then causes of idle time, estimates of efficiency, each device.
json::object UtilizationPanel(const Report& report) {
  json::object panel = MakePanel(report, "p-utilization", "{{ device.device }} utilization");
  const report::Metric* utilization = FindMetric(report, metric::kGpuUtilizationMean);
  if (utilization == nullptr) {
    LeaveEmpty(panel,
               ReasonOf(report, metric::kGpuUtilizationMean, "this profile has no device work"));
    return panel;
  }
  const double busy = AsNumber(utilization->quantity.value, 0);
  Fill(panel,
       {{kBusy, "Busy", utilization->quantity, OverGpus(report), utilization->id},
        {kIdlePaint, "No kernel", Share(std::max(0.0, 1 - busy)), ""}},
       Says::kFirstAlone);
  json::array& rows = panel["rows"].as_array();
  const auto add = [&](MetricId id, std::string_view label, std::string_view about) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      rows.push_back(PanelRow("", WordsOf(report, label), NumberView(metric->quantity), about, id));
    }
  };
  add(metric::kGpuIdleMean, "Idle", "no kernel, copy or memset");
  for (const IdleCauseInfo& cause : kIdleCauseInfo) {
    const report::Metric* metric = FindMetric(report, cause.metric);
    if (metric == nullptr || AsNumber(metric->quantity.value, 0) == 0) continue;
    add(cause.metric, fmt::format("… {}", cause.title), "");
  }
  for (const auto& [id, label, about] :
       std::initializer_list<std::tuple<MetricId, std::string_view, std::string_view>>{
           {metric::kGpuSmEfficiency, "Estimated {{ device.core }} efficiency", ""},
           {metric::kGpuOccupancy, "Estimated occupancy", ""},
           {metric::kFlopsAchieved, "Achieved", "of operators with known shapes"},
           {metric::kFlopsMfu, "Model FLOPs utilization (MFU)", ""},
           {metric::kFlopsHfu, "Hardware FLOPs utilization (HFU)", "with recomputation"}}) {
    add(id, label, about);
  }
  AddEachGpu(report, rows);
  return panel;
}

// The parts of an iteration that have time, and I/O if the file separates it.
json::object ResourcePanel(const Report& report) {
  json::object panel = MakePanel(report, "p-resources", "Resource usage breakdown");
  std::vector<Slice> slices;
  for (const Category category : BreakdownCategories()) {
    const report::Metric* metric = FindMetric(report, BreakdownMetricsOf(category).share);
    if (metric == nullptr || !(AsNumber(metric->quantity.value, 0) > 0)) continue;
    slices.push_back({PaintOf(category), WordsOf(report, InfoOf(category).title), metric->quantity,
                      "", metric->id});
  }
  // Only a summary in a file separates I/O; with events, it is part of host work.
  const report::Metric* io = FindMetric(report, metric::kBreakdownIo);
  if (io != nullptr && AsNumber(io->quantity.value, 0) > 0) {
    slices.push_back({PaintOf(Category::kPython), "I/O", io->quantity, "", io->id});
  }
  Fill(panel, slices);
  if (slices.empty()) {
    LeaveEmpty(panel, ReasonOf(report, metric::kBreakdownOther, "no iteration to break down"));
  }
  return panel;
}

// The analysis' reason why a table is absent.
std::string AbsentTable(const Report& report, std::string_view id, std::string_view otherwise) {
  for (const auto& [table, reason] : report.absent_tables) {
    if (table == id) return reason;
  }
  return std::string(otherwise);
}

// Kernel time by use of matrix units. If the use is unknown, all kernels are one part, because
// "without matrix units" would be a claim.
json::object KernelTimePanel(const Report& report) {
  json::object panel = MakePanel(report, "p-kernel-time", "Total kernel {{ device.device }} time");
  std::vector<Slice> slices;
  if (const auto times = report::KernelTimesOf(report)) {
    const bool has_units =
        times->on_matrix_units > 0 || FindMetric(report, metric::kTensorCoreShare) != nullptr;
    if (has_units) {
      slices.push_back({PaintOf(Category::kTensorCoreKernel),
                        WordsOf(report, "On {{ device.matrix_units }}"),
                        Time(times->on_matrix_units), ""});
    }
    slices.push_back({PaintOf(Category::kOtherKernel),
                      has_units ? WordsOf(report, "Not on {{ device.matrix_units }}") : "Kernels",
                      Time(times->off), ""});
    if (times->undecided > 0) {
      slices.push_back(
          {kIdlePaint, "Undetermined (ambiguous kernel name)", Time(times->undecided), ""});
    }
  }
  if (const std::optional<double> copies = report::CopyTimeOf(report)) {
    slices.push_back({PaintOf(Category::kMemcpy), "Copies and memsets", Time(*copies), ""});
  }
  Fill(panel, slices);
  panel["note"] = "Overlapping kernels count separately.";
  if (FindTable(report, "kernels") != nullptr) {
    panel["more"] = "#t-kernels";
    panel["more_text"] = "all kernels";
  }
  if (slices.empty()) LeaveEmpty(panel, AbsentTable(report, "kernels", "no kernel was recorded"));
  return panel;
}

// The bar shows only eligible time. The rows below show shares of all kernel time.
json::object TensorCorePanel(const Report& report) {
  json::object panel = MakePanel(report, "p-tensor-cores", "{{ device.matrix_unit }} efficiency");
  const report::Metric* efficiency = FindMetric(report, metric::kTensorCoreEfficiency);
  if (efficiency == nullptr) {
    LeaveEmpty(panel, ReasonOf(report, metric::kTensorCoreEfficiency,
                               "no eligible operators, or no such units"));
    return panel;
  }
  const double used = AsNumber(efficiency->quantity.value, 0);
  const double unknown =
      std::min(MetricOr(report, metric::kTensorCoreUnknownShare, 0), std::max(0.0, 1 - used));
  Fill(panel,
       {{PaintOf(Category::kTensorCoreKernel),
         WordsOf(report, "Eligible time on {{ device.matrix_units }}"), efficiency->quantity, "",
         efficiency->id},
        {PaintOf(Category::kOtherKernel), "Eligible time not on them",
         Share(std::max(0.0, 1 - used)), unknown > 0 ? "or unknown" : ""}},
       Says::kFirstAlone);
  json::array& rows = panel["rows"].as_array();
  for (const auto& [id, label] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {metric::kTensorCoreShare, "Share of kernel time"},
           {metric::kTensorCoreEligibleShare, "Kernel time of eligible operators"},
           {metric::kTensorCoreUnknownShare, "Undetermined (ambiguous kernel name)"}}) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      rows.push_back(PanelRow("", label, NumberView(metric->quantity), "", id));
    }
  }
  return panel;
}

json::object SummaryPanel(const Report& report) {
  json::object panel = MakePanel(report, "p-summary", "Performance summary");
  json::array& rows = panel["rows"].as_array();
  const auto add = [&](MetricId id, std::string_view label) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      rows.push_back(
          PanelRow("", WordsOf(report, label), NumberView(metric->quantity), metric->note, id));
    }
  };
  add(metric::kProfileWallTime, "Wall clock time");
  add(metric::kTensorCoreEfficiency, "{{ device.matrix_unit }} efficiency");
  add(metric::kGpuUtilizationMean, "{{ device.device }} utilization");
  add(metric::kGpuUtilizationMin, "Lowest {{ device.device }} utilization");
  add(metric::kProfileKernelTime, "Total kernel time");
  add(metric::kKernelCountPerIteration, "Kernels per iteration");
  add(metric::kIterationTimeMean, "Mean iteration");
  add(metric::kIterationTimeRobustCv, "Iteration variation (robust)");
  add(metric::kCommunicationExposedShare, "Exposed communication");
  add(metric::kMemoryPeakAllocated, "Peak memory allocated");
  add(metric::kFlopsMfu, "Model FLOPs utilization");
  add(metric::kCoverageLinkedShare, "{{ device.device }} time attributed to operators");
  panel["has_rows"] = !rows.empty();
  if (rows.empty()) LeaveEmpty(panel, "the file has no such numbers");
  return panel;
}

// Number, first, last and length of iterations; for a file without events, its recorded range.
json::object IterationPanel(const Report& report) {
  json::object panel = MakePanel(report, "p-iterations", "Iteration summary");
  json::array& rows = panel["rows"].as_array();
  const auto count = [&](std::string_view label, std::int64_t value) {
    rows.push_back(PanelRow("", label, NumberView(Value(value), Unit::kCount), ""));
  };
  if (report.profile.iterations_total == 0) {
    LeaveEmpty(panel, ReasonOf(report, metric::kProfileIterations, "no iteration was recorded"));
    return panel;
  }
  count("Iterations recorded", report.profile.iterations_total);
  count("Iterations used", report.profile.iterations_selected);
  if (const Table* table = FindTable(report, "iterations"); table != nullptr && table->rows() > 0) {
    panel["chart"] = MakeMarkup(IterationSketch(report));
    const std::map<std::int64_t, std::string> labels = report::IterationLabels(report);
    for (const auto& [label, row] :
         {std::pair("First used", std::size_t{0}), std::pair("Last used", table->rows() - 1)}) {
      const Value index = table->At(row, "index");
      if (IsAbsent(index)) continue;
      json::object number = NumberView(index, Unit::kCount);
      const auto name = labels.find(std::get<std::int64_t>(index));
      if (name != labels.end()) number["text"] = name->second;
      rows.push_back(PanelRow("", label, std::move(number), ""));
    }
  } else {
    // A file without events may name the iterations that its numbers cover.
    for (const auto& [key, label] :
         {std::pair("iteration_start", "First used"), std::pair("iteration_stop", "Last used")}) {
      for (const auto& [name, text] : report.environment) {
        if (name != key) continue;
        rows.push_back(PanelRow("", label, {{"text", text}, {"exact", ""}, {"absent", ""}}, ""));
      }
    }
  }
  for (const auto& [id, label] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {metric::kIterationTimeMin, "Shortest"},
           {metric::kIterationTimeMedian, "Median"},
           {metric::kIterationTimeP95, "95th percentile"},
           {metric::kIterationTimeMax, "Longest"},
           {metric::kIterationOutliers, "Outliers"}}) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      rows.push_back(PanelRow("", label, NumberView(metric->quantity), "", id));
    }
  }
  panel["has_rows"] = true;
  const bool has_others = FindTable(report, "other_iterations") != nullptr;
  panel["note"] = report.profile.selection + (has_others ? "; gray: not selected" : "");
  panel["more"] = "#iterations";
  panel["more_text"] = "all iterations";
  return panel;
}

}  // namespace

boost::json::object MakePanel(const Report& report, std::string_view id, std::string_view title) {
  return {{"id", id},
          {"title", WordsOf(report, title)},
          {"chart", MakeMarkup("")},
          {"rows", json::array()},
          {"has_rows", false},
          {"columns", json::array()},
          {"body", MakeMarkup("")},
          {"has_table", false},
          {"wide", false},
          {"links", json::array()},
          {"has_links", false},
          {"note", ""},
          {"more", ""},
          {"more_text", ""},
          {"empty", ""}};
}

boost::json::object PanelRow(std::string swatch, std::string_view label, boost::json::object number,
                             std::string_view about, std::string_view metric) {
  return {{"swatch", MakeMarkup(std::move(swatch))},
          {"label", label},
          {"metric", metric},
          {"number", std::move(number)},
          {"about", about}};
}

void LeaveEmpty(boost::json::object& panel, std::string_view reason) { panel["empty"] = reason; }
bool IsEmptyPanel(const boost::json::object& panel) {
  return !panel.at("empty").as_string().empty();
}

// The dashboard. Panels of similar height are neighbors.
Panels PanelsView(const Report& report) {
  std::vector<json::object> all = {UtilizationPanel(report), SummaryPanel(report)};
  for (json::object& panel : NeuronPanels(report)) all.push_back(std::move(panel));
  for (json::object& panel : std::vector<json::object>{
           ResourcePanel(report), TopOpsPanel(report), SystemPanel(report), TopHostOpsPanel(report),
           IterationPanel(report), KernelTimePanel(report), TensorCorePanel(report),
           GuidancePanel(report)}) {
    all.push_back(std::move(panel));
  }
  Panels panels;
  for (json::object& panel : all) {
    if (IsEmptyPanel(panel)) {
      panels.absent.emplace_back(panel.at("title").as_string(), panel.at("empty").as_string());
    } else {
      panels.shown.push_back(std::move(panel));
    }
  }
  return panels;
}

}  // namespace profgauge::render::html
