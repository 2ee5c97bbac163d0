// Dashboard panels that are tables or texts: top operators, the system, further reading.
#include "render/html/panel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <initializer_list>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "render/html/view_panels.h"
#include "render/html/view_parts.h"
#include "render/html/view_tables.h"
#include "render/shared/words.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

// A table with some columns and the ten rows that have most of column `by`. Rows without a value
// above 0 are omitted, but not the first row.
Table TopRows(const Table& table, std::string_view by, std::span<const std::string_view> columns) {
  Table top("top", "", "Top 10", std::make_shared<StringPool>());
  std::vector<std::size_t> order(table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return AsNumber(table.At(a, by), -1) > AsNumber(table.At(b, by), -1);
  });
  order.resize(std::min<std::size_t>(order.size(), 10));
  while (order.size() > 1 && !(AsNumber(table.At(order.back(), by), 0) > 0)) order.pop_back();
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

// Shortens types to one line.
void ShortenTypes(Table& top) {
  constexpr std::size_t kMostCharacters = 14;
  Column* type = top.Find("type");
  if (type == nullptr) return;
  for (std::size_t row = 0; row < top.rows(); ++row) {
    if (type->IsAbsentAt(row)) continue;
    const std::string text(top.strings()[type->TextAt(row)]);
    type->SetText(row, top.strings().Intern(ElideMiddle(text, kMostCharacters)));
  }
}

// Enough bytes for the ten rows of a panel.
constexpr std::size_t kTopBytes = 100'000;

void FillTop(json::object& panel, const Report& report, const Table& table, std::string_view by,
             std::span<const std::string_view> columns, std::size_t fold) {
  Table top = TopRows(table, by, columns);
  ShortenTypes(top);
  TableLimits limits{10, 0, false, kTopBytes, table.id()};
  limits.accelerator = report.profile.accelerator;
  limits.fold = fold;
  json::object view = TableView(top, limits);
  panel["columns"] = std::move(view["columns"]);
  panel["body"] = std::move(view["rows"]);
  panel["has_table"] = true;
  panel["more"] = "#t-ops";
  panel["more_text"] = "all operators";
}

// The first of two columns that the operators have; empty if they have neither.
std::string_view KnownColumn(const Table* ops, std::string_view first, std::string_view second) {
  for (const std::string_view id : {first, second}) {
    const Column* column = ops == nullptr ? nullptr : ops->Find(id);
    if (column != nullptr && column->absent_because().empty()) return id;
  }
  return {};
}

// Adds columns for the part outside of the selected iterations, because operators cover the whole
// profile but all other numbers only the selection.
void AddOutside(const Table& ops, std::string_view id, std::vector<std::string_view>& columns) {
  const Column* outside = ops.Find(id);
  for (std::size_t row = 0; outside != nullptr && row < ops.rows(); ++row) {
    if (AsNumber(ops.At(row, *outside), 0) <= 0) continue;
    columns.insert(columns.begin() + 2, id);
    return;
  }
}

// A link to guidance that DLProf Viewer shows for every run, for the profiled framework.
struct GuidanceLink {
  std::string_view accelerators, text, href;  ///< `accelerators`, by spaces; empty: all.
};
constexpr GuidanceLink kGuidance[] = {
    {"nvidia amd intel", "Mixed precision: half the bytes, and matrix units",
     "https://pytorch.org/docs/stable/amp.html"},
    {"nvidia", "Tensor Cores: data types, and sizes in multiples of 8 (FP16, BF16) or 4 (TF32)",
     "https://docs.nvidia.com/deeplearning/performance/mixed-precision-training/"},
    {"amd", "Optimizing workloads for AMD Instinct",
     "https://rocm.docs.amd.com/en/latest/how-to/rocm-for-ai/inference-optimization/workload.html"},
    {"neuron", "Neuron: performance guides and meaning of the profiler's numbers",
     "https://awsdocs-neuron.readthedocs-hosted.com/"},
    {"npu", "Ascend: performance tuning of PyTorch models", "https://www.hiascend.com/document"},
    {"tpu", "TPU: performance guide", "https://cloud.google.com/tpu/docs/performance-guide"},
    {"nvidia amd intel npu", "Input data, launches, memory: a tuning guide",
     "https://pytorch.org/tutorials/recipes/recipes/tuning_guide.html"},
    {"nvidia amd intel npu", "Profiler options: shapes, stacks, memory, modules",
     "https://pytorch.org/docs/stable/profiler.html"}};

}  // namespace

// The ten operators with most GPU time, in the columns of DLProf Viewer.
boost::json::object TopOpsPanel(const Report& report) {
  json::object panel = MakePanel(report, "p-top-ops", "Top 10 {{ device.device }} operators");
  panel["wide"] = true;
  const Table* ops = FindTable(report, "ops");
  const std::string_view time = KnownColumn(ops, "device_self", "device_total");
  if (time.empty()) {
    LeaveEmpty(panel, "no operator is known to have launched device work");
    return panel;
  }
  std::vector<std::string_view> columns = {
      "name", time, "calls", "direction", "tensor_core_eligible", "uses_tensor_core", "type"};
  AddOutside(*ops, "outside", columns);
  FillTop(panel, report, *ops, time, columns, 28);
  return panel;
}

boost::json::object TopHostOpsPanel(const Report& report) {
  json::object panel = MakePanel(report, "p-top-host-ops", "Top 10 host operators");
  panel["wide"] = true;
  const Table* ops = FindTable(report, "ops");
  const std::string_view time = KnownColumn(ops, "host_self", "host_total");
  if (time.empty()) {
    LeaveEmpty(panel, "no operator was recorded on the host");
    return panel;
  }
  std::vector<std::string_view> columns = {"name", "host_self", "host_total", "calls",
                                           "device_total"};
  AddOutside(*ops, time == "host_self" ? "outside_host_self" : "outside_host", columns);
  FillTop(panel, report, *ops, time, columns, 40);
  return panel;
}

boost::json::object SystemPanel(const Report& report) {
  json::object panel = MakePanel(report, "p-system", "System configuration");
  json::array& rows = panel["rows"].as_array();
  const auto add = [&](std::string_view label, std::string_view text) {
    if (text.empty()) return;
    rows.push_back(PanelRow("", label, {{"text", text}, {"exact", ""}, {"absent", ""}}, ""));
  };
  const report::ProfileInfo& profile = report.profile;
  add("Profile name", profile.name);
  // Like the PyTorch Profiler plug-in, shows the number and kind of profiles.
  add("Workers", FormatCount(profile.ranks));
  if (!profile.accelerator.empty() || !profile.devices.empty()) {
    add("Device type", WordsOf(report, "{{ device.device }}"));
  }
  // Like DLProf Viewer, shows all devices of the computer, also those without work.
  const report::Metric* listed = report::FindMetricById(report, metric::kProfileGpusListed);
  if (listed != nullptr && !IsAbsent(listed->quantity.value)) {
    add(WordsOf(report, "{{ device.device }} count"), listed->quantity.text);
  } else if (!profile.devices.empty()) {
    add(WordsOf(report, "{{ device.device }} count"),
        FormatCount(static_cast<std::int64_t>(profile.devices.size()) + profile.more_devices));
  }
  std::set<std::string_view> names;
  constexpr std::size_t kMostNames = 16;
  for (const report::Device& device : profile.devices) {
    if (!names.insert(device.name).second || names.size() > kMostNames) continue;
    add(names.size() == 1 ? WordsOf(report, "{{ device.device }}") : "and", device.name);
  }
  if (names.size() > kMostNames) {
    add("and", fmt::format("{} more models",
                           FormatCount(static_cast<std::int64_t>(names.size() - kMostNames))));
  }
  add("Framework", profile.framework);
  for (const auto& [name, version] : profile.versions) add(name, version);
  add("Recorded", DateText(profile.captured));
  // Additional fields of DLProf Viewer's panels.
  for (const auto& [key, label] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"cpu_model", "CPU"},
           {"framework", "Framework"},
           {"nvidia_driver_version", "Driver"},
           {"cuda_version", "CUDA"},
           {"cudnn_version", "cuDNN"},
           {"nsight_systems_version", "Nsight Systems"},
           {"dlprof_version", "DLProf"},
           {"dlprof_database_version", "DLProf database"}}) {
    for (const auto& [name, text] : report.environment) {
      if (name == key) add(label, text);
    }
  }
  panel["has_rows"] = !rows.empty();
  panel["more"] = "#environment";
  panel["more_text"] = "all of the environment";
  return panel;
}

boost::json::object GuidancePanel(const Report& report) {
  json::object panel = MakePanel(report, "p-guidance", "Guidance");
  json::array& links = panel["links"].as_array();
  const std::string_view named = report.profile.accelerator;
  const std::string_view accelerator = named.empty() ? "nvidia" : named;
  for (const GuidanceLink& link : kGuidance) {
    if (link.accelerators.find(accelerator) == link.accelerators.npos) continue;
    links.push_back(json::object{{"text", link.text}, {"href", link.href}});
  }
  panel["has_links"] = !links.empty();
  return panel;
}

}  // namespace profgauge::render::html
