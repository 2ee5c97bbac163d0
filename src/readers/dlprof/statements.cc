#include "readers/dlprof/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "readers/dlprof/stating.h"
#include "readers/times.h"

namespace profgauge::readers::dlprof {
namespace {

std::optional<double> Real(std::string_view text) {
  double number = 0;
  text = Trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // What no number of a report is, and what a whole number could not hold.
  constexpr double kLargest = 9e18;
  if (error != std::errc{} || end != text.data() + text.size() || !(std::abs(number) < kLargest)) {
    return std::nullopt;
  }
  return number;
}

/// A summary's lines by key, of one block.
class Block {
 public:
  Block(const std::vector<SummaryLine>& lines, std::string_view block) {
    for (const SummaryLine& line : lines) {
      if (line.block == block) rows_.emplace(line.key, &line.cells);
    }
  }
  std::string Text(std::string_view key) const {
    const auto at = rows_.find(key);
    return at == rows_.end() ? std::string{} : fmt::format("{}", fmt::join(*at->second, ","));
  }
  /// Of a line with one value: of two, as a decimal comma makes them, none is known to be it.
  std::optional<double> Number(std::string_view key) const {
    const auto at = rows_.find(key);
    if (at == rows_.end()) return std::nullopt;
    const auto is_given = [](const std::string& cell) { return !Trim(cell).empty(); };
    return std::ranges::count_if(*at->second, is_given) == 1 ? Cell(key, 0) : std::nullopt;
  }
  /// Of a line with several.
  std::optional<double> Cell(std::string_view key, std::size_t cell) const {
    const auto at = rows_.find(key);
    if (at == rows_.end() || cell >= at->second->size()) return std::nullopt;
    return Real((*at->second)[cell]);
  }

 private:
  std::map<std::string_view, const Row*> rows_;
};

void StateSystem(const Block& system, ProfileBuilder& builder) {
  const std::pair<const char*, const char*> facts[] = {
      {"CPU Model", "cpu_model"},          {"GPU Driver Version", "nvidia_driver_version"},
      {"Framework", "framework"},          {"CUDA Version", "cuda_version"},
      {"cuDNN Version", "cudnn_version"},  {"NSys Version", "nsight_systems_version"},
      {"DLProf Version", "dlprof_version"}};
  for (const auto& [key, fact] : facts) {
    if (std::string value = system.Text(key); !value.empty()) builder.AddFact(fact, value);
  }
  // "A100, A100": one cell in JSON, one for each in CSV. Where there are more GPUs than names, the
  // others are of the last name if all are of one.
  constexpr double kMost = 1024;
  const std::string text = system.Text("GPU Name(s)");
  std::vector<std::string_view> names;
  for (std::string_view rest = text; !rest.empty();) {
    const auto comma = rest.find(',');
    names.push_back(Trim(rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  const auto is_first = [&names](std::string_view name) { return name == names.front(); };
  const double count = std::min(system.Number("GPU Count").value_or(0), kMost);
  if (!names.empty() && std::all_of(names.begin(), names.end(), is_first)) {
    while (static_cast<double>(names.size()) < count) names.push_back(names.front());
  }
  for (std::size_t id = 0; id < names.size(); ++id) {
    Gpu gpu;
    gpu.id = static_cast<std::int32_t>(id);
    gpu.name = names[id];
    builder.AddGpu(std::move(gpu));
  }
}

/// Whether the file counts kernels and has none.
bool HasNoKernels(const Block& kernels) {
  const auto count = kernels.Cell("All kernels", 2);
  const auto time = kernels.Cell("All kernels", 0);
  return count && time && *count == 0 && *time == 0;
}

/// Whether DLProf told operators apart: without markers all kernels are of one operator, and what
/// it calls efficiency has all kernels below it.
bool TellsOperators(const Block& system, const Block& ops) {
  const std::string framework = system.Text("Framework");
  const auto count = ops.Cell("All ops", 2);
  return !(count && *count <= 1 && (framework.empty() || framework == "UNKNOWN"));
}

void StateIdle(double utilization, double memory, Stating& state) {
  const std::optional<double> busy[] = {utilization, memory};
  std::string why = WhyTooMuch(busy);
  if (utilization < 0 || memory < 0) why = "DLProf states a time below 0 of kernels or copies";
  if (!why.empty()) return state.None(metric::kGpuIdleMean, std::move(why));
  state.Percent(metric::kGpuIdleMean, std::max(0.0, 100 - utilization - memory),
                ": the rest of kernels and memory operations");
}

// Its shares of the time leave nothing out and overlap nowhere: what is neither kernel nor memory
// operation is time in which nothing runs.
void StateBusy(const Block& summary, Stating& state) {
  const auto utilization = summary.Number("GPU Utilization %");
  const auto memory = summary.Number("Memory Duration %");
  // Up to 0.16 idle time itself was printed.
  if (const auto idle = summary.Number("GPU Idle %")) {
    state.Percent(metric::kGpuUtilizationMean, 100 - *idle);
    state.Percent(metric::kGpuIdleMean, *idle);
  } else {
    state.Percent(metric::kGpuUtilizationMean, utilization);
    if (utilization && memory) StateIdle(*utilization, *memory, state);
  }
  state.Percent(metric::kBreakdownTensorCoreKernel,
                summary.Number("Tensor Core Kernel Duration %"));
  state.Percent(metric::kBreakdownOtherKernel, summary.Number("Non-Tensor Core Kernel Duration %"));
  state.Percent(metric::kBreakdownMemcpy, memory, "; with memory sets");
}

void StateEfficiency(const Block& summary, bool tells_operators, Stating& state) {
  const auto efficiency = summary.Number("Tensor Core Kernel Utilization %");
  if (tells_operators) {
    state.Percent(metric::kTensorCoreEfficiency, efficiency);
  } else if (efficiency) {
    state.None(metric::kTensorCoreEfficiency,
               "DLProf told no operators apart, so what it calls efficiency is of all kernels: "
               "see tensor_core.share");
  }
}

/// Why the summary's shares of the time cannot all be right; empty where they can.
std::string WhyNoShares(const Block& summary) {
  std::vector<std::optional<double>> shares;
  for (const char* part : {"Tensor Core Kernel", "Non-Tensor Core Kernel", "Memory", "Dataloader",
                           "IO", "CPU", "Other"}) {
    shares.push_back(summary.Number(fmt::format("{} Duration %", part)));
  }
  return WhyTooMuch(shares);
}

void StateShares(const Block& summary, bool has_kernels, Stating& state) {
  // Which of them is wrong nothing says.
  if (const std::string why = WhyNoShares(summary); !why.empty()) {
    return state.None(kSharesOfTime, why);
  }
  if (has_kernels) StateBusy(summary, state);
  state.Percent(metric::kBreakdownDataloader, summary.Number("Dataloader Duration %"));
  state.Percent(metric::kDataloaderExposedShare, summary.Number("Dataloader Duration %"));
  state.Percent(metric::kBreakdownCpu, summary.Number("CPU Duration %"), "; with runtime calls");
  state.Percent(metric::kBreakdownIo, summary.Number("IO Duration %"));
  state.Percent(metric::kBreakdownOther, summary.Number("Other Duration %"));
}

void StateTimes(const Block& summary, bool has_kernels, bool tells_operators, Stating& state) {
  state.Whole(metric::kProfileWallTime, summary.Number("Wall Clock Time (ns)"));
  if (has_kernels) {
    StateEfficiency(summary, tells_operators, state);
  } else {
    state.None(kSharesOfDevice, kNoDeviceWork);
  }
  StateShares(summary, has_kernels, state);
}

void StateIterations(const Block& iterations, Stating& state) {
  const auto aggregated = iterations.Number("Aggregated Iterations");
  if (!aggregated || *aggregated <= 0) return;  // Simple mode has none.
  // What was recorded; the metrics are of the aggregated ones alone.
  state.Iterations(iterations.Number("Total Iterations"), iterations.Number("Start Iteration"),
                   iterations.Number("Stop Iteration"));
  state.Fact("iteration_start", iterations.Number("Start Iteration"));
  state.Fact("iteration_stop", iterations.Number("Stop Iteration"));
  state.Whole(metric::kProfileIterations, aggregated);
  state.Time(metric::kIterationTimeMean, iterations.Number("Average Iteration Time (ns)"));
  state.Time(metric::kIterationTimeStddev, iterations.Number("Iteration Time Standard Deviation"));
}

void StateOperators(const Block& ops, Stating& state) {
  const auto all = ops.Cell("All ops", 0);
  const auto used = ops.Cell("Ops using TC", 0);
  const auto not_used = ops.Cell("Ops eligible for TC but not using", 0);
  if (!all || !used || !not_used || !(*all > 0)) return;
  state.Share(metric::kTensorCoreEligibleShare, (*used + *not_used) / *all);
}

void StateKernels(const Block& kernels, Stating& state) {
  const auto using_time = kernels.Cell("Kernels using TC", 0);
  const auto other_time = kernels.Cell("All other kernels", 0);
  if (!using_time || !other_time || *using_time < 0 || *other_time < 0) return;
  state.Whole(metric::kProfileKernelTime, *using_time + *other_time);
  if (*using_time + *other_time > 0) {
    state.Share(metric::kTensorCoreShare, *using_time / (*using_time + *other_time));
  }
}

/// The rows of a table under construction.
class Rows {
 public:
  Rows(ProfileBuilder& builder, const char* table, std::vector<std::string> columns)
      : builder_(builder), table_{table, std::move(columns), {}} {}
  void Add(std::vector<Value> row) { table_.rows.push_back(std::move(row)); }
  ~Rows() { builder_.reported().tables.push_back(std::move(table_)); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

 private:
  ProfileBuilder& builder_;
  ReportedTable table_;
};

Value TextValue(std::string_view text) { return text.empty() ? Value{} : Value{std::string(text)}; }
Value NumberValue(std::optional<std::int64_t> number) { return number ? Value{*number} : Value{}; }
constexpr double kMostCalls = 1e15;

/// The average is rounded, the count is not.
Value Calls(std::int64_t total, std::string_view average) {
  const auto mean = Real(average);
  if (!mean || !(*mean > 0)) return {};
  const double calls = std::round(static_cast<double>(total) / *mean);
  // A row is there because of a call; a number beyond any count is a damaged average.
  if (!(calls >= 1) || calls > kMostCalls) return {};
  return static_cast<std::int64_t>(calls);
}
std::string_view Direction(std::string_view direction) {
  if (direction == "fprop") return "forward";
  return direction == "bprop" ? "backward" : direction;
}

struct Reading {
  const Columns& columns;
  const std::vector<Row>& rows;  // With title and head.
  ProfileBuilder& builder;

  /// A time of a row; none where it is no number, or one that no time is.
  std::optional<std::int64_t> Time(const Row& row, std::string_view column) const {
    const auto time = columns.Integer(row, column);
    return time && *time >= 0 ? time : std::nullopt;
  }

  /// Calls `use` with each data row; one that it refuses is counted.
  template <class Use>
  void ForEach(const Use& use) const {
    for (std::size_t i = 2; i < rows.size(); ++i) {
      if (rows[i].size() <= 1) continue;  // A blank line at the end.
      builder.log().Add(use(rows[i]) ? Counter::events_read : Counter::events_unreadable);
    }
  }
};

void StateOps(const Reading& in) {
  Rows table(in.builder, "ops",
             {"name", "type", "direction", "dtypes", "calls", "host_total", "device_total",
              "tensor_core_eligible", "uses_tensor_core", "call_stack"});
  in.ForEach([&](const Row& row) {
    const auto calls = in.columns.Integer(row, "No. Calls");
    const auto host = in.Time(row, "Total CPU Time");
    const auto device = in.Time(row, "Total GPU Time");
    if (!calls || !host || !device) return false;
    table.Add(
        {TextValue(in.columns.Text(row, "Op Name")), TextValue(in.columns.Text(row, "Op Type")),
         TextValue(Direction(in.columns.Text(row, "Direction"))),
         TextValue(in.columns.Text(row, "Data Type")), *calls, *host, *device,
         in.columns.Text(row, "TC Eligible") == "yes", TextValue(in.columns.Text(row, "Using TC")),
         TextValue(in.columns.Text(row, "Stack Trace"))});
    return true;
  });
}

void StateTypes(const Reading& in) {
  Rows table(in.builder, "op_types", {"name", "operators", "calls"});
  in.ForEach([&](const Row& row) {
    const auto ops = in.columns.Integer(row, "# Ops");
    const auto calls = in.columns.Integer(row, "# Calls");
    if (!ops || !calls) return false;
    table.Add({TextValue(in.columns.Text(row, "Op Type")), *ops, *calls});
    return true;
  });
}

struct KernelTotal {
  std::int64_t calls = 0;
  Ns time = 0, min = 0, max = 0;
  bool uses_tensor_cores = false;
};

void StateKernelRows(const Reading& in) {
  std::map<std::string, KernelTotal> totals;
  {
    Rows by_op(in.builder, "kernels_by_op",
               {"name", "op", "uses_tensor_core", "calls", "time", "mean", "min", "max"});
    in.ForEach([&](const Row& row) {
      const auto time = in.Time(row, "Total GPU Time");
      const auto least = in.Time(row, "Min GPU Time");
      const auto most = in.Time(row, "Max GPU Time");
      if (!time || !least || !most) return false;
      const Value calls = Calls(*time, in.columns.Text(row, "Avg GPU Time"));
      const auto* count = std::get_if<std::int64_t>(&calls);
      const std::string name(in.columns.Text(row, "Kernel Name"));
      by_op.Add({name, TextValue(in.columns.Text(row, "Op Name")),
                 TextValue(in.columns.Text(row, "Uses TC")), calls, *time,
                 count == nullptr ? Value{} : Value{*time / *count}, *least, *most});
      KernelTotal& total = totals[name];
      total.min = total.calls == 0 ? *least : std::min(total.min, *least);
      total.max = std::max(total.max, *most);
      AddTo(total.calls, count == nullptr ? 1 : *count);
      AddTo(total.time, *time);
      total.uses_tensor_cores |= in.columns.Text(row, "Uses TC") == "yes";
      return true;
    });
  }
  Rows kernels(in.builder, "kernels",
               {"name", "uses_tensor_core", "calls", "time", "mean", "min", "max"});
  Ns sum = 0;
  for (const auto& [name, total] : totals) {
    AddTo(sum, total.time);
    kernels.Add({name, std::string(total.uses_tensor_cores ? "yes" : "no"), total.calls, total.time,
                 total.time / total.calls, total.min, total.max});
  }
  in.builder.reported().metrics.push_back(
      {metric::kProfileKernelTime, sum, "sum of DLProf's kernel report"});
}

void StateTensorCores(const Reading& in) {
  Rows table(in.builder, "tensor_core_ops", {"name", "verdict", "time", "tensor_core_time"});
  Ns using_time = 0, all_time = 0;
  in.ForEach([&](const Row& row) {
    const auto time = in.Time(row, "Total GPU Time");
    const auto used = in.Time(row, "TC GPU Time");
    if (!time || !used) return false;
    AddTo(using_time, *used);
    AddTo(all_time, *time);
    table.Add({TextValue(in.columns.Text(row, "Op Name")),
               std::string(*used > 0 ? "using" : "unknown"), *time, *used});
    return true;
  });
  if (all_time == 0) return;
  Stating(in.builder, "sums of DLProf's Tensor Core report")
      .Share(metric::kTensorCoreEfficiency,
             static_cast<double>(using_time) / static_cast<double>(all_time));
}

void StateLaunches(const Reading& in) {
  Rows table(in.builder, "launches",
             {"gpu", "name", "kind", "op", "call_start", "call_time", "start", "time",
              "uses_tensor_core"});
  in.ForEach([&](const Row& row) {
    const auto start = in.columns.Integer(row, "GPU Start Time");
    const auto time = in.Time(row, "GPU Duration");
    if (!start || !time) return false;
    table.Add({NumberValue(in.columns.Integer(row, "Device ID")),
               TextValue(in.columns.Text(row, "Kernel Name")), std::string("kernel"),
               TextValue(in.columns.Text(row, "Op Name")),
               NumberValue(in.columns.Integer(row, "API Call Start")),
               NumberValue(in.columns.Integer(row, "API Call Time")), *start, *time,
               TextValue(in.columns.Text(row, "Uses TC"))});
    return true;
  });
}

void StateGroups(const Reading& in) {
  Rows table(in.builder, "op_groups", GroupColumns());
  in.ForEach([&](const Row& row) {
    const auto device = in.Time(row, "Total GPU Time");
    if (!device) return false;
    const auto number = [&](std::string_view name) {
      return NumberValue(in.columns.Integer(row, name));
    };
    std::vector<Value> cells = {TextValue(in.columns.Text(row, "Name")),
                                number("Num Calls Aggregated"), number("Num TC Eligible Ops"),
                                number("Num Ops Using TC")};
    for (const char* what : {"CPU Time", "GPU Time", "CPU Overhead", "GPU Idle"}) {
      cells.push_back(number(fmt::format("Total {}", what)));
      // The average has a fraction.
      const auto mean = Real(in.columns.Text(row, fmt::format("Avg {}", what)));
      cells.push_back(mean ? Value{static_cast<std::int64_t>(std::llround(*mean))} : Value{});
      for (const char* end : {"Min", "Max"}) {
        cells.push_back(number(fmt::format("{} {}", end, what)));
      }
    }
    table.Add(std::move(cells));
    return true;
  });
}

void StateAdvice(const Reading& in) {
  Rows table(in.builder, "dlprof_advice", AdviceColumns());
  in.ForEach([&](const Row& row) {
    table.Add({TextValue(in.columns.Text(row, "Problem")),
               TextValue(in.columns.Text(row, "Recommendation"))});
    return true;
  });
}

/// Columns that a report cannot do without.
std::vector<std::string_view> Needed(ReportKind kind) {
  switch (kind) {
    case ReportKind::kDetailed:
      return {"Op Name", "Op Type", "No. Calls", "Total CPU Time", "Total GPU Time"};
    case ReportKind::kIteration:
      return {"Kernel Name", "GPU Start Time", "GPU Duration"};
    case ReportKind::kKernel:
      return {"Kernel Name", "Total GPU Time", "Min GPU Time", "Max GPU Time"};
    case ReportKind::kTensorCore:
      return {"Op Name", "Total GPU Time", "TC GPU Time"};
    case ReportKind::kGroupOp:
      return {"Name", "Total GPU Time"};
    case ReportKind::kOpType:
      return {"Op Type", "# Ops", "# Calls"};
    case ReportKind::kExpertSystems:
      return {"Problem", "Recommendation"};
    case ReportKind::kSummary:
      break;
  }
  return {};
}

Error HeaderError(const std::string& file, ReportKind kind, std::string_view missing,
                  const Row& head) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = "dlprof/header";
  error.message =
      fmt::format("the head of DLProf's {} report is not recognised: expected the column `{}`",
                  KindName(kind), missing);
  error.where.file = file;
  error.where.line = 2;
  error.notes = {
      fmt::format("note: found {}", PrintableShort(fmt::format("{}", fmt::join(head, ", ")), 160)),
      "help: DLProf 0.10 to 1.8 are known; write the reports again with one of them"};
  return error;
}

}  // namespace

std::vector<std::string> GroupColumns() {
  return {"name",         "calls",      "operators_eligible", "operators_using", "host_total",
          "host_mean",    "host_min",   "host_max",           "device_total",    "device_mean",
          "device_min",   "device_max", "overhead",           "overhead_mean",   "overhead_min",
          "overhead_max", "gpu_idle",   "gpu_idle_mean",      "gpu_idle_min",    "gpu_idle_max"};
}

std::vector<std::string> AdviceColumns() { return {"problem", "recommendation"}; }

std::string Note(const std::string& version) {
  return version.empty() ? "as DLProf reported it"
                         : fmt::format("as DLProf {} reported it", version);
}

void StateSummary(const std::vector<SummaryLine>& lines, ProfileBuilder& builder) {
  const Block system(lines, "System Config");
  StateSystem(system, builder);
  Stating state(builder, Note(system.Text("DLProf Version")));
  state.Whole(metric::kProfileGpus, system.Number("GPU Count"));
  state.Whole(metric::kProfileGpusListed, system.Number("GPU Count"));
  const Block ops(lines, "All Ops"), kernels(lines, "All Kernels");
  const bool has_kernels = !HasNoKernels(kernels);
  const bool tells_operators = TellsOperators(system, ops);
  StateTimes(Block(lines, "Summary Report"), has_kernels, tells_operators, state);
  StateIterations(Block(lines, "Iterations"), state);
  if (has_kernels && tells_operators) StateOperators(ops, state);
  if (has_kernels) StateKernels(kernels, state);
  builder.log().Add(Counter::events_read, lines.size());
}

Status StateReport(ReportKind kind, const std::vector<Row>& rows, ProfileBuilder& builder) {
  const Row head = rows.size() > 1 ? rows[1] : Row{};
  const Columns columns(head);
  for (const std::string_view name : Needed(kind)) {
    if (!columns.Has(name)) {
      return Fail(HeaderError(builder.source().path, kind, name, head));
    }
  }
  const Reading in{columns, rows, builder};
  switch (kind) {
    case ReportKind::kDetailed:
      StateOps(in);
      break;
    case ReportKind::kIteration:
      StateLaunches(in);
      break;
    case ReportKind::kKernel:
      StateKernelRows(in);
      break;
    case ReportKind::kTensorCore:
      StateTensorCores(in);
      break;
    case ReportKind::kOpType:
      StateTypes(in);
      break;
    case ReportKind::kGroupOp:
      StateGroups(in);
      break;
    case ReportKind::kExpertSystems:
      StateAdvice(in);
      break;
    case ReportKind::kSummary:  // Has no rows of one kind: StateSummary().
      break;
  }
  return {};
}

}  // namespace profgauge::readers::dlprof
