// A small, complete report for the renderers' tests: one of everything, and names that try to break
// out of every output format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "report/build_plan.h"
#include "report/build_sections.h"
#include "report/labels.h"
#include "report/report.h"

namespace profgauge::render::testing {

/// Names that a renderer must show as text and nothing else. The last two are 4 KB long and not
/// UTF-8.
inline const std::vector<std::string>& HostileNames() {
  static const std::vector<std::string> names = {
      "</script><img src=x onerror=alert(1)>",
      "a|b",
      "=cmd()",
      "{{x}} {{{y}}}",
      "`code` *bold* @user #123",
      "line one\nline two",
      "void at::native::elementwise_kernel<4, at::native::Mul<float> >(int, \"quoted\", 'it''s')",
      std::string(4096, 'k'),
      "bad \xff\xfe utf-8 \xc3",
  };
  return names;
}

inline report::Quantity Q(Value value, Unit unit) {
  report::Quantity quantity{std::move(value), unit, "", ""};
  quantity.text = FormatValue(quantity.value, unit);
  if (IsAbsent(quantity.value)) quantity.absent_because = "the recording has no such events";
  return quantity;
}

inline void AddMetric(report::Report& report, std::string id, std::string title, Value value,
                      Unit unit, report::Better better = report::Better::kNeutral) {
  report::Metric metric;
  metric.id = std::move(id);
  metric.title = std::move(title);
  metric.definition = "What " + metric.title + " is, in one sentence.";
  metric.formula = "U(kernels) / window";
  metric.source = "ours";
  metric.better = better;
  metric.quantity = Q(std::move(value), unit);
  report.metrics.push_back(std::move(metric));
}

/// Adds a cell of any type; std::monostate adds an absent one.
inline void AddCell(Table& table, Column& column, const Value& value) {
  if (IsAbsent(value)) {
    column.AddAbsent();
  } else if (column.type() == CellType::kText) {
    column.AddText(table.strings().Intern(std::get<std::string>(value)));
  } else if (column.type() == CellType::kReal) {
    column.AddReal(AsNumber(value, 0));
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    column.AddInteger(*integer);
  } else {
    column.AddInteger(static_cast<std::int64_t>(AsNumber(value, 0)));
  }
}

inline Table MakeTable(std::string_view id, std::string_view row_name, std::string_view title,
                       std::initializer_list<ColumnSpec> columns,
                       const std::vector<std::vector<Value>>& rows) {
  Table table(id, row_name, title, std::make_shared<StringPool>());
  for (const ColumnSpec& spec : columns) table.AddColumn(spec);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) AddCell(table, table.columns()[i], row[i]);
  }
  return table;
}

using I = std::int64_t;

inline void AddBreakdown(report::Report& report) {
  // Six iterations of 10 ms; the parts add up to the whole in integer ns.
  const std::pair<std::string_view, I> parts[] = {{"tensor_core_kernel", 21'600'000},
                                                  {"other_kernel", 11'400'000},
                                                  {"memcpy", 1'800'000},
                                                  {"memset", 600'000},
                                                  {"communication", 9'000'000},
                                                  {"runtime", 4'200'000},
                                                  {"dataloader", 7'200'000},
                                                  {"cpu", 2'400'000},
                                                  {"other", 1'800'000}};
  for (const auto& [name, time] : parts) {
    const std::string title = report::TextFor(report.profile, InfoOf(*FindCategory(name)).title);
    AddMetric(report, "breakdown." + std::string(name), title, static_cast<double>(time) / 6e7,
              Unit::kShare);
    AddMetric(report, "breakdown." + std::string(name) + ".time", title + ", time", time,
              Unit::kTime);
  }
}

inline Table IterationsTable() {
  std::vector<std::vector<Value>> rows;
  for (I i = 0; i < 6; ++i) {
    const I extra = i == 0 ? 2'500'000 : i == 4 ? 500'000 : 0;  // moved from or to other_kernel
    rows.push_back({i, std::to_string(i), i * 10'000'000, I{9'500'000} + extra, I{3'600'000},
                    I{1'400'000} + extra, I{300'000}, I{100'000}, I{1'500'000}, I{700'000},
                    I{1'200'000}, I{400'000}, I{300'000}, I{412}, I{96}, I{5'400'000} + extra});
  }
  return MakeTable("iterations", "iteration", "Iterations",
                   {{"index", "Iteration", Unit::kCount, "Position in the recording."},
                    {"name", "Name", Unit::kText, "As marked."},
                    {"start", "Start", Unit::kTime, ""},
                    {"duration", "Duration", Unit::kTime, "Length of its interval."},
                    {"tensor_core_kernel", "Tensor Core kernels", Unit::kTime, ""},
                    {"other_kernel", "Other kernels", Unit::kTime, ""},
                    {"memcpy", "Memcpy", Unit::kTime, ""},
                    {"memset", "Memset", Unit::kTime, ""},
                    {"communication", "Communication", Unit::kTime, ""},
                    {"runtime", "Runtime", Unit::kTime, ""},
                    {"dataloader", "DataLoader", Unit::kTime, ""},
                    {"cpu", "CPU", Unit::kTime, ""},
                    {"other", "Other", Unit::kTime, ""},
                    {"kernels", "Kernels", Unit::kCount, ""},
                    {"tensor_core_kernels", "Tensor Core kernels", Unit::kCount, ""},
                    {"gpu_time", "GPU time", Unit::kTime, ""}},
                   rows);
}

/// Ops and kernels with hostile names first; `extra` plain kernels follow.
inline void AddNamedTables(report::Report& report, int extra) {
  std::vector<std::vector<Value>> ops, kernels;
  I rank = 20;
  for (const std::string& name : HostileNames()) {
    ops.push_back({name, std::string("MatMul"), rank * 3, rank * 412'345, rank * 1'000'001,
                   rank * 7, true, std::string("yes"), std::monostate{}});
    kernels.push_back({name, std::string(rank % 2 == 0 ? "yes" : "unknown"), rank * 3,
                       rank * 1'000'001, 0.5, std::monostate{}});
    --rank;
  }
  for (int i = 0; i < extra; ++i) {
    kernels.push_back(
        {"kernel_" + std::to_string(i), std::string("no"), I{1}, I{100'000} - i, 0.125, I{4096}});
  }
  report.tables.push_back(
      MakeTable("ops", "op", "Operators",
                {{"name", "Op", Unit::kText, "Name of the operator."},
                 {"type", "Type", Unit::kText, ""},
                 {"calls", "Calls", Unit::kCount, ""},
                 {"host_self", "Host self time", Unit::kTime, "Without its children."},
                 {"device_self", "Device self time", Unit::kTime, ""},
                 {"kernels", "Kernels", Unit::kCount, ""},
                 {"tensor_core_eligible", "TC eligible", Unit::kBool, ""},
                 {"uses_tensor_core", "Uses TC", Unit::kText, ""},
                 {"flops", "FLOPs", Unit::kFlops, ""}},
                ops));
  report.tables.back().Find("flops")->MarkAbsent("needs shapes; record with record_shapes=True");
  report.tables.push_back(MakeTable("kernels", "", "Kernels",
                                    {{"name", "Kernel", Unit::kText, ""},
                                     {"uses_tensor_core", "Uses TC", Unit::kText, ""},
                                     {"calls", "Calls", Unit::kCount, ""},
                                     {"time", "GPU time", Unit::kTime, "Sum over its launches."},
                                     {"occupancy", "Occupancy", Unit::kShare, ""},
                                     {"bytes", "Bytes", Unit::kBytes, ""}},
                                    kernels));
}

inline void AddGate(report::Report& report) {
  report::GateRow row;
  row.metric = "gpu.idle.mean";
  row.title = "GPU idle";
  row.measured = Q(0.314, Unit::kShare);
  row.limit = "≤ 30 %";
  row.margin = Q(-0.014, Unit::kShare);
  row.level = report::State::kError;
  row.status = report::State::kError;
  report.gate.push_back(row);
  row = {};
  row.metric = "tensor_core.efficiency";
  row.title = "Tensor Core efficiency";
  row.measured = Q(0.655, Unit::kShare);
  row.limit = "≥ 60 %";
  row.margin = Q(0.055, Unit::kShare);
  row.level = report::State::kWarn;
  row.status = report::State::kPass;
  report.gate.push_back(row);
  row = {};
  row.metric = "memory.peak_share";
  row.title = "Peak memory share";
  row.measured = Q(std::monostate{}, Unit::kShare);
  row.limit = "≤ 90 %";
  row.margin = Q(std::monostate{}, Unit::kShare);
  row.level = report::State::kWarn;
  row.status = report::State::kSkipped;
  row.reason = "needs memory events; record with profile_memory=True";
  report.gate.push_back(row);
}

inline void AddFinding(report::Report& report) {
  report::Finding finding;
  finding.rule = finding.key = "dataloader/exposed";
  finding.level = report::State::kError;
  finding.status = report::State::kError;
  finding.title = "The data loader holds up the GPU";
  finding.message = "12.0 % of an iteration waits for data, limit 10 %";
  finding.metric = Q(0.12, Unit::kShare);
  finding.saves = report::BuildSaving({rules::Basis::kAtMost, 1'200'000, {}, {}});
  finding.explains = {"gpu.idle.mean"};
  finding.advice = "Raise num_workers, or move decoding to the GPU.";
  finding.message_parts = PartsOf(finding.message);
  finding.advice_parts = PointsOf(finding.advice);
  finding.docs = "https://pytorch.org/docs/stable/data.html";
  finding.evidence_heads = {"Iteration", "Waiting"};
  finding.evidence_units = {Unit::kCount, Unit::kTime};
  finding.evidence = {{I{3}, I{1'200'000}}, {I{4}, I{1'180'000}}};
  report.findings.push_back(finding);
  finding = {};
  finding.rule = finding.key = "memory/small-batch";
  finding.level = report::State::kWarn;
  finding.status = report::State::kNotApplicable;
  finding.title = "Most of the GPU's memory is unused";
  finding.reason = "needs memory events; record with profile_memory=True";
  report.findings.push_back(finding);
}

/// A failing run of one GPU. `extra_kernels` plain rows follow the hostile ones.
inline report::Report SampleReport(int extra_kernels = 0) {
  report::Report report;
  report.tool = "profgauge 0.1.0";
  report.profile.name = "resnet50 <&> \"ddp\"";
  report.profile.sources = {"run7.pt.trace.json.gz"};
  report.profile.format = "kineto";
  report.profile.dialect = "2024, nanoseconds";
  report.profile.ranks = 1;
  report.profile.devices = {{0, 0, "Tesla V100-SXM2-16GB"}};
  report.profile.accelerator = "nvidia";
  report.profile.framework = "PyTorch 2.1";
  report.profile.versions = {{"CUDA", "12.1"}};
  report.profile.captured = "2024-03-01T12:00:00Z";
  report.profile.iteration_source = {IterationsBy::kProfilerSteps};
  report.profile.iterations_total = 6;
  report.profile.iterations_selected = 6;
  report.profile.selection = "all 6 iterations";
  report.verdict.status = report::State::kFail;
  report.verdict.errors = 2;
  report.verdict.passed = 1;
  report.verdict.missing = 1;
  report.verdict.reasons = {"GPU idle is 31.4 %, limit ≤ 30 %"};
  report.verdict.policy = "recommended";
  AddGate(report);
  AddMetric(report, "profile.wall_time", "Wall time", I{60'000'000}, Unit::kTime);
  AddMetric(report, "profile.iterations", "Iterations", I{6}, Unit::kCount);
  AddMetric(report, "profile.gpus", "GPUs", I{1}, Unit::kCount);
  AddMetric(report, "iteration.time.mean", "Mean iteration", I{10'000'000}, Unit::kTime,
            report::Better::kLower);
  AddMetric(report, "iteration.time.median", "Median iteration", I{9'500'000}, Unit::kTime,
            report::Better::kLower);
  AddMetric(report, "iteration.time.robust_cv", "Iteration variation", 0.02, Unit::kShare,
            report::Better::kLower);
  AddMetric(report, "gpu.utilization.mean", "GPU utilization", 0.55, Unit::kShare,
            report::Better::kHigher);
  AddMetric(report, "gpu.idle.mean", "GPU idle", 0.314, Unit::kShare, report::Better::kLower);
  AddMetric(report, "gpu.idle_cause.dataloader", "idle: data loader", 0.2, Unit::kShare,
            report::Better::kLower);
  AddMetric(report, "gpu.idle_cause.host_wait", "idle: host", 0.114, Unit::kShare,
            report::Better::kLower);
  AddMetric(report, "tensor_core.efficiency", "Tensor Core efficiency", 0.655, Unit::kShare,
            report::Better::kHigher);
  AddMetric(report, "tensor_core.share", "Tensor Core share", 0.4, Unit::kShare,
            report::Better::kHigher);
  AddMetric(report, "memory.peak_allocated", "Peak memory", std::monostate{}, Unit::kBytes);
  AddBreakdown(report);
  AddFinding(report);
  report.tables.push_back(IterationsTable());
  AddNamedTables(report, extra_kernels);
  report.absent_tables = {
      {"memory_events", "needs memory events; record with profile_memory=True"}};
  report.remarks = {{"unsteady-selection", "iterations 1 to 5 are steadier than the selection"}};
  report.import = {
      {"events_negative_dur",
       Severity::kRepaired,
       "events that end before they start; taken as zero length",
       3,
       {"traceEvents[12]", "traceEvents[40]"}},
      {"truncated", Severity::kDataLoss, "the file ends early; totals are lower bounds", 1, {}}};
  report.environment = {{"cuda_runtime_version", "12010"}, {"record_shapes", "1"}};
  report.provenance = {{"input", "0123456789abcdef0123456789abcdef"}, {"policy", "recommended"}};
  return report;
}

/// The sample, and a finding for each hostile name.
inline report::Report HostileReport() {
  report::Report report = SampleReport();
  for (const std::string& name : HostileNames()) {
    report::Finding finding;
    finding.rule = finding.key = "test/" + name;
    finding.level = finding.status = report::State::kWarn;
    finding.title = name;
    finding.message = "is " + name + "\x01 done";
    finding.advice = name;
    // A text of a profile is text, whatever it looks like.
    finding.message_parts = {{TextPart::Kind::kText, finding.message, {}, Unit::kText, ""}};
    finding.advice_parts = {{{TextPart::Kind::kText, name, {}, Unit::kText, ""}}};
    report.findings.push_back(finding);
  }
  return report;
}

}  // namespace profgauge::render::testing
