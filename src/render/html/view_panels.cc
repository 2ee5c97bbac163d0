// The dashboard: small panels, each with a chart or a table of its numbers.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/format.h"
#include "render/html/palette.h"
#include "render/html/view.h"
#include "render/svg.h"
#include "render/template.h"

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
};

json::object Row(std::string swatch, std::string_view label, json::object number,
                 std::string_view about) {
  return {{"swatch", MakeMarkup(std::move(swatch))},
          {"label", label},
          {"number", std::move(number)},
          {"about", about}};
}

json::object Panel(std::string_view id, std::string_view title) {
  return {{"id", id},
          {"title", title},
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
          {"more_text", ""}};
}

// A bar over the slices' values, and a row for each.
void Fill(json::object& panel, const std::vector<Slice>& slices) {
  double total = 0;
  for (const Slice& slice : slices) total += AsNumber(slice.quantity.value, 0);
  std::vector<BarPart> bar;
  json::array rows;
  std::string description(std::string_view(panel["title"].as_string()));
  for (const Slice& slice : slices) {
    const double value = AsNumber(slice.quantity.value, 0);
    const double share = total > 0 ? value / total : 0;
    bar.push_back({slice.paint, share, FormatShare(share),
                   fmt::format("{} {}", slice.label, slice.quantity.text)});
    description += fmt::format(", {} {}", slice.label, slice.quantity.text);
    rows.push_back(
        Row(SvgSwatch(slice.paint), slice.label, NumberView(slice.quantity), slice.about));
  }
  if (total > 0) panel["chart"] = MakeMarkup(SvgStackedBar(bar, kPanelWidth, 26, description));
  panel["has_rows"] = !rows.empty();
  panel["rows"] = std::move(rows);
}

report::Quantity Share(double share) { return {share, Unit::kShare, FormatShare(share), ""}; }
report::Quantity Time(double ns) {
  const auto whole = static_cast<std::int64_t>(ns);
  return {whole, Unit::kTime, FormatValue(whole, Unit::kTime), ""};
}

// Why a metric is absent, in the analysis' words.
std::string ReasonOf(const Report& report, std::string_view id, std::string_view otherwise) {
  for (const report::Metric& metric : report.metrics) {
    if (metric.id == id && !metric.quantity.absent_because.empty()) {
      return metric.quantity.absent_because;
    }
  }
  return std::string(otherwise);
}

json::object UtilizationPanel(const Report& report) {
  json::object panel = Panel("p-utilization", "GPU utilization");
  const report::Metric* utilization = FindMetric(report, "gpu.utilization.mean");
  if (utilization == nullptr) {
    panel["note"] = ReasonOf(report, "gpu.utilization.mean", "This recording has no GPU work.");
    return panel;
  }
  const double busy = AsNumber(utilization->quantity.value, 0);
  Fill(panel, {{kBusy, "Kernels run", utilization->quantity, "mean over GPUs with work"},
               {kIdlePaint, "No kernel runs", Share(std::max(0.0, 1 - busy)), ""}});
  json::array& rows = panel["rows"].as_array();
  for (const auto& [id, label, about] :
       std::initializer_list<std::tuple<std::string_view, std::string_view, std::string_view>>{
           {"gpu.idle.mean", "Nothing at all runs", "no kernel, copy or memory set"},
           {"gpu.idle_cause.host_wait", "… host too slow", ""},
           {"gpu.idle_cause.dataloader", "… waiting for data", ""},
           {"gpu.idle_cause.sync", "… synchronization", ""},
           {"gpu.idle_cause.memory_management", "… memory management", ""},
           {"gpu.idle_cause.launch_latency", "… launch latency", ""},
           {"gpu.idle_cause.other", "… other", ""},
           {"gpu.sm_efficiency", "Estimated SM efficiency", ""},
           {"gpu.occupancy", "Estimated occupancy", ""}}) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      rows.push_back(Row("", label, NumberView(metric->quantity), about));
    }
  }
  return panel;
}

json::object ResourcePanel(const Report& report) {
  json::object panel = Panel("p-resources", "Resource usage breakdown");
  std::vector<Slice> slices;
  for (const Category& category : kCategories) {
    const report::Metric* metric = FindMetric(report, fmt::format("breakdown.{}", category.id));
    if (metric == nullptr || !(AsNumber(metric->quantity.value, 0) > 0)) continue;
    slices.push_back({category.paint, std::string(category.label), metric->quantity, ""});
  }
  Fill(panel, slices);
  if (slices.empty()) {
    panel["note"] = ReasonOf(report, "breakdown.other", "Nothing to break down.");
  }
  return panel;
}

double SumColumn(const Table& table, std::string_view column, std::string_view where,
                 std::string_view equals) {
  double sum = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Value cell = where.empty() ? Value() : table.At(row, where);
    const auto* text = std::get_if<std::string>(&cell);
    if (where.empty() || (text != nullptr && *text == equals)) {
      sum += AsNumber(table.At(row, column), 0);
    }
  }
  return sum;
}

json::object KernelTimePanel(const Report& report) {
  json::object panel = Panel("p-kernel-time", "Total kernel GPU time");
  std::vector<Slice> slices;
  if (const Table* kernels = FindTable(report, "kernels")) {
    const double yes = SumColumn(*kernels, "time", "uses_tensor_core", "yes");
    const double unknown = SumColumn(*kernels, "time", "uses_tensor_core", "unknown");
    const double all = SumColumn(*kernels, "time", "", "");
    slices.push_back({kCategories[0].paint, "On Tensor Cores", Time(yes), ""});
    slices.push_back({kCategories[1].paint, "Not on Tensor Cores", Time(all - yes - unknown), ""});
    if (unknown > 0) {
      slices.push_back({kIdlePaint, "Name does not tell", Time(unknown), ""});
    }
  }
  if (const Table* copies = FindTable(report, "memcpys")) {
    for (const std::string_view column : {"time", "duration"}) {
      if (copies->Find(column) == nullptr) continue;
      slices.push_back({kCategories[2].paint, "Memory copies and sets",
                        Time(SumColumn(*copies, column, "", "")), ""});
      break;
    }
  }
  Fill(panel, slices);
  panel["note"] = slices.empty() ? "No kernel was recorded."
                                 : "Sums of durations: what overlaps is counted each time.";
  return panel;
}

json::object TensorCorePanel(const Report& report) {
  json::object panel = Panel("p-tensor-cores", "Tensor Core efficiency");
  const report::Metric* efficiency = FindMetric(report, "tensor_core.efficiency");
  if (efficiency != nullptr) {
    const double used = AsNumber(efficiency->quantity.value, 0);
    const double unknown =
        std::min(MetricOr(report, "tensor_core.unknown_share", 0), std::max(0.0, 1 - used));
    std::vector<Slice> slices = {
        {kCategories[0].paint, "Eligible time on Tensor Cores", efficiency->quantity, ""}};
    slices.push_back({kCategories[1].paint, "Eligible time off them",
                      Share(std::max(0.0, 1 - used)), unknown > 0 ? "or not known" : ""});
    Fill(panel, slices);
  } else {
    panel["note"] = ReasonOf(report, "tensor_core.efficiency",
                             "No op of this run could use Tensor Cores, or the GPU has none.");
  }
  json::array& rows = panel["rows"].as_array();
  for (const auto& [id, label] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"tensor_core.share", "Of all kernel time"},
           {"tensor_core.eligible_share", "Kernel time of eligible ops"},
           {"tensor_core.unknown_share", "Name does not tell"}}) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      rows.push_back(Row("", label, NumberView(metric->quantity), ""));
    }
  }
  panel["has_rows"] = !rows.empty();
  return panel;
}

json::object SummaryPanel(const Report& report) {
  json::object panel = Panel("p-summary", "Performance summary");
  json::array& rows = panel["rows"].as_array();
  const auto add = [&](std::string_view id, std::string_view label) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      rows.push_back(Row("", label, NumberView(metric->quantity), metric->note));
    }
  };
  add("profile.wall_time", "Wall clock time");
  add("tensor_core.efficiency", "Tensor Core efficiency");
  add("gpu.utilization.mean", "GPU utilization");
  add("gpu.utilization.min", "… of the least busy GPU");
  add("profile.kernel_time", "Kernel time, summed");
  add("kernel.count_per_iteration", "Kernels per iteration");
  add("iteration.time.mean", "Average iteration");
  add("iteration.time.robust_cv", "Iteration variation");
  add("communication.exposed_share", "Exposed communication");
  add("memory.peak_allocated", "Peak memory allocated");
  add("flops.mfu", "Model FLOPs utilization");
  add("coverage.linked_share", "GPU time with a known op");
  panel["has_rows"] = !rows.empty();
  if (rows.empty()) panel["note"] = "The file has none of these numbers.";
  return panel;
}

json::object IterationPanel(const Report& report) {
  json::object panel = Panel("p-iterations", "Iteration summary");
  json::array& rows = panel["rows"].as_array();
  const auto count = [&](std::string_view label, std::int64_t value) {
    rows.push_back(Row("", label, NumberView(Value(value), Unit::kCount), ""));
  };
  if (report.profile.iterations_total == 0) {
    panel["note"] = ReasonOf(report, "profile.iterations", "No iteration was recorded.");
    return panel;
  }
  count("Iterations recorded", report.profile.iterations_total);
  count("Iterations used", report.profile.iterations_selected);
  if (const Table* table = FindTable(report, "iterations"); table != nullptr && table->rows() > 0) {
    panel["chart"] = MakeMarkup(IterationSketch(report));
    for (const auto& [label, row] :
         {std::pair("First used", std::size_t{0}), std::pair("Last used", table->rows() - 1)}) {
      const Value index = table->At(row, "index");
      if (!IsAbsent(index)) rows.push_back(Row("", label, NumberView(index, Unit::kCount), ""));
    }
  }
  for (const auto& [id, label] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"iteration.time.min", "Shortest"},
           {"iteration.time.median", "Median"},
           {"iteration.time.p95", "95th percentile"},
           {"iteration.time.max", "Longest"},
           {"iteration.outliers", "Outliers"}}) {
    if (const report::Metric* metric = FindMetric(report, id)) {
      rows.push_back(Row("", label, NumberView(metric->quantity), ""));
    }
  }
  panel["has_rows"] = true;
  panel["note"] = report.profile.selection;
  panel["more"] = "#iterations";
  panel["more_text"] = "all iterations";
  return panel;
}

// The ten rows of a table with the most of a column, and of these rows some columns.
Table TopRows(const Table& table, std::string_view by, std::span<const std::string_view> columns) {
  Table top("top", "", "Top 10", std::make_shared<StringPool>());
  std::vector<std::size_t> order(table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return AsNumber(table.At(a, by), -1) > AsNumber(table.At(b, by), -1);
  });
  order.resize(std::min<std::size_t>(order.size(), 10));
  for (const std::string_view id : columns) {
    const Column* from = table.Find(id);
    if (from == nullptr || !from->absent_because().empty()) continue;
    Column& to = top.AddColumn({from->id(), from->title(), from->unit(), ""});
    for (const std::size_t row : order) {
      if (from->IsAbsentAt(row)) {
        to.AddAbsent();
      } else if (from->type() == CellType::kText) {
        to.AddText(top.strings().Intern(table.strings()[from->TextAt(row)]));
      } else if (from->type() == CellType::kReal) {
        to.AddReal(from->RealAt(row));
      } else {
        to.AddInteger(from->IntegerAt(row));
      }
    }
  }
  return top;
}

void FillTop(json::object& panel, const Table& table, std::string_view by,
             std::span<const std::string_view> columns) {
  json::object view = TableView(TopRows(table, by, columns), {10, 0});
  panel["columns"] = std::move(view["columns"]);
  panel["body"] = std::move(view["rows"]);
  panel["has_table"] = true;
  panel["more"] = "#t-ops";
  panel["more_text"] = "all ops";
}

// The first of two columns that the ops have; empty: neither.
std::string_view KnownColumn(const Table* ops, std::string_view first, std::string_view second) {
  for (const std::string_view id : {first, second}) {
    const Column* column = ops == nullptr ? nullptr : ops->Find(id);
    if (column != nullptr && column->absent_because().empty()) return id;
  }
  return {};
}

// The ten ops with the most GPU time, with DLProf Viewer's columns.
json::object TopOpsPanel(const Report& report) {
  json::object panel = Panel("p-top-ops", "Top 10 GPU ops");
  panel["wide"] = true;
  const Table* ops = FindTable(report, "ops");
  const std::string_view time = KnownColumn(ops, "device_self", "device_total");
  if (time.empty()) {
    panel["note"] = "No op launched GPU work.";
    return panel;
  }
  const std::string_view kColumns[] = {
      "name", time, "direction", "type", "calls", "tensor_core_eligible", "uses_tensor_core"};
  FillTop(panel, *ops, time, kColumns);
  return panel;
}

json::object TopHostOpsPanel(const Report& report) {
  json::object panel = Panel("p-top-host-ops", "Top 10 host ops");
  panel["wide"] = true;
  const Table* ops = FindTable(report, "ops");
  const std::string_view time = KnownColumn(ops, "host_self", "host_total");
  if (time.empty()) {
    panel["note"] = "No op was recorded on the host.";
    return panel;
  }
  constexpr std::string_view kColumns[] = {"name", "host_self", "host_total", "calls",
                                           "device_total"};
  FillTop(panel, *ops, time, kColumns);
  return panel;
}

// Where to read on, whatever the run: DLProf Viewer's guidance.
json::object GuidancePanel() {
  json::object panel = Panel("p-guidance", "Guidance");
  json::array& links = panel["links"].as_array();
  for (const auto& [text, href] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"Mixed precision: half the bytes, and matrix units instead of plain cores",
            "https://pytorch.org/docs/stable/amp.html"},
           {"Tensor Cores: data types, and sizes in multiples of 8 (FP16, BF16) or 4 (TF32)",
            "https://docs.nvidia.com/deeplearning/performance/mixed-precision-training/"},
           {"Input data, launches, memory: a tuning guide",
            "https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html"},
           {"What to record: shapes, stacks, memory, modules",
            "https://pytorch.org/docs/stable/profiler.html"}}) {
    links.push_back(json::object{{"text", text}, {"href", href}});
  }
  panel["has_links"] = true;
  return panel;
}

json::object SystemPanel(const Report& report) {
  json::object panel = Panel("p-system", "System configuration");
  json::array& rows = panel["rows"].as_array();
  const auto add = [&](std::string_view label, std::string_view text) {
    if (text.empty()) return;
    rows.push_back(Row("", label, {{"text", text}, {"exact", ""}, {"absent", ""}}, ""));
  };
  const report::ProfileInfo& profile = report.profile;
  add("Profile name", profile.name);
  if (!profile.devices.empty()) {
    add("GPU count", FormatCount(static_cast<std::int64_t>(profile.devices.size())));
  }
  std::vector<std::string_view> names;
  for (const report::Device& device : profile.devices) {
    if (std::find(names.begin(), names.end(), device.name) == names.end()) {
      names.push_back(device.name);
      add(names.size() == 1 ? "GPU" : "and", device.name);
    }
  }
  add("Framework", profile.framework);
  for (const auto& [name, version] : profile.versions) add(name, version);
  add("Recorded", profile.captured);
  add("Dialect", profile.dialect);
  panel["has_rows"] = !rows.empty();
  panel["more"] = "#environment";
  panel["more_text"] = "all of the environment";
  return panel;
}

}  // namespace

boost::json::array PanelsView(const Report& report) {
  return {UtilizationPanel(report), ResourcePanel(report), KernelTimePanel(report),
          TensorCorePanel(report),  SummaryPanel(report),  IterationPanel(report),
          TopOpsPanel(report),      SystemPanel(report),   TopHostOpsPanel(report),
          GuidancePanel()};
}

}  // namespace profgauge::render::html
