// Adds columns of DLProf's table of operators to its other tables. Types of operators get the use
// of Tensor Cores; operators that another table names get their type.

#include "readers/dlprof/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "base/whole.h"
#include "readers/dlprof/stating.h"
#include "readers/times.h"

namespace profgauge::readers::dlprof {
namespace {

ReportedTable* TableOf(std::vector<ReportedTable>& tables, std::string_view id) {
  const auto at = std::ranges::find(tables, id, &ReportedTable::id);
  return at == tables.end() ? nullptr : &*at;
}

/// The cell of a column; absent if the table has no such column.
const Value& CellOf(const ReportedTable& table, const std::vector<Value>& row,
                    std::string_view column) {
  static const Value kAbsent;
  const auto at =
      static_cast<std::size_t>(std::ranges::find(table.columns, column) - table.columns.begin());
  return at < row.size() ? row[at] : kAbsent;
}

std::string TextOf(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

/// Adds the number of kernels that each operator launched, from the table of kernels. Adds nothing
/// if two operators with kernels have the same name, because each would get the kernels of both.
bool AddKernelCounts(const ReportedTable* kernels, ReportedTable& ops) {
  if (kernels == nullptr) return false;
  std::map<std::string, std::int64_t> counts, operators;
  for (const std::vector<Value>& row : ops.rows) ++operators[TextOf(CellOf(ops, row, "name"))];
  for (const std::vector<Value>& row : kernels->rows) {
    const std::string op = TextOf(CellOf(*kernels, row, "op"));
    const auto* calls = std::get_if<std::int64_t>(&CellOf(*kernels, row, "calls"));
    if (calls == nullptr || operators[op] != 1) return false;
    AddTo(counts[op], *calls);
  }
  for (std::vector<Value>& row : ops.rows) {
    row.resize(ops.columns.size());
    const auto at = counts.find(TextOf(CellOf(ops, row, "name")));
    row.emplace_back(at == counts.end() ? std::int64_t{0} : at->second);
  }
  ops.columns.emplace_back("kernels");
  return true;
}

UnitsByType UnitsOf(const ReportedTable& ops) {
  UnitsByType units;
  for (const std::vector<Value>& row : ops.rows) {
    TypeUnits& of = units[TextOf(CellOf(ops, row, "type"))];
    of.is_eligible = of.is_eligible || CellOf(ops, row, "tensor_core_eligible") == Value{true};
    of.uses = of.uses || TextOf(CellOf(ops, row, "uses_tensor_core")) == "yes";
    const auto* kernels = std::get_if<std::int64_t>(&CellOf(ops, row, "kernels"));
    if (kernels != nullptr) AddTo(of.kernels, *kernels);
  }
  return units;
}

struct Joined {
  std::string_view column, of_ops;
};

/// Adds columns of `ops` to those rows of `table` that name an operator in the column `key`.
void Join(const ReportedTable& ops, std::string_view key, std::span<const Joined> columns,
          ReportedTable* table) {
  if (table == nullptr) return;
  std::map<std::string, const std::vector<Value>*> by_name;
  for (const std::vector<Value>& row : ops.rows) {
    by_name.emplace(TextOf(CellOf(ops, row, "name")), &row);
  }
  for (std::vector<Value>& row : table->rows) {
    row.resize(table->columns.size());
    const auto op = by_name.find(TextOf(CellOf(*table, row, key)));
    for (const Joined& joined : columns) {
      row.push_back(op == by_name.end() ? Value{} : CellOf(ops, *op->second, joined.of_ops));
    }
  }
  for (const Joined& joined : columns) table->columns.emplace_back(joined.column);
}

}  // namespace

void AddUnits(const UnitsByType& units, bool has_kernels, ReportedTable& types) {
  for (std::vector<Value>& row : types.rows) {
    row.resize(types.columns.size());
    const auto at = units.find(TextOf(CellOf(types, row, "name")));
    const bool is_known = at != units.end();
    row.push_back(is_known ? Value{at->second.is_eligible} : Value{});
    row.push_back(is_known ? Value{std::string(at->second.uses ? "yes" : "no")} : Value{});
    if (has_kernels) row.push_back(is_known ? Value{at->second.kernels} : Value{});
  }
  types.columns.insert(types.columns.end(), {"tensor_core_eligible", "uses_tensor_core"});
  if (has_kernels) types.columns.emplace_back("kernels");
}

void JoinOps(std::vector<ReportedTable>& tables) {
  ReportedTable* ops = TableOf(tables, "ops");
  if (ops == nullptr) return;
  const bool has_kernels = AddKernelCounts(TableOf(tables, "kernels_by_op"), *ops);
  if (ReportedTable* types = TableOf(tables, "op_types"); types != nullptr) {
    AddUnits(UnitsOf(*ops), has_kernels, *types);
  }
  constexpr Joined kOfKernels[] = {
      {"op_type", "type"}, {"dtype", "dtypes"}, {"tensor_core_eligible", "tensor_core_eligible"}};
  constexpr Joined kOfProducts[] = {{"dtype", "dtypes"}, {"calls", "calls"}};
  Join(*ops, "op", kOfKernels, TableOf(tables, "kernels_by_op"));
  Join(*ops, "name", kOfProducts, TableOf(tables, "tensor_core_ops"));
}

// Converts the rows of DLProf's reports to tables of the catalogue.

namespace {

/// Collects the rows of a table, and adds the table to the profile when destroyed.
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

/// Computes the number of calls from the printed total and average. Only the average is rounded, so
/// the result is exact: 1000 ns at 333.3 ns are 3 calls.
Value Calls(std::int64_t total, std::string_view average) {
  const auto mean = RealOf(average);
  if (!mean || !(*mean > 0)) return {};
  const double calls = std::round(static_cast<double>(total) / *mean);
  // A row has at least one call. A result above any count shows that the average is damaged.
  if (!(calls >= 1) || calls > kMostCalls) return {};
  return static_cast<std::int64_t>(calls);
}
std::string_view Direction(std::string_view direction) {
  if (direction == "fprop") return "forward";
  return direction == "bprop" ? "backward" : direction;
}

struct Reading {
  const Columns& columns;
  const std::vector<Row>& rows;  // Including the title and the head.
  ProfileBuilder& builder;

  /// A time of a row; nothing if the cell is no number or negative.
  std::optional<std::int64_t> Time(const Row& row, std::string_view column) const {
    const auto time = columns.Integer(row, column);
    return time && *time >= 0 ? time : std::nullopt;
  }

  /// Calls `use` with each row of data, and counts rows that it refuses.
  template <class Use>
  void ForEach(const Use& use) const {
    for (std::size_t i = 2; i < rows.size(); ++i) {
      if (rows[i].size() <= 1) continue;  // A blank line at the end.
      builder.log().Add(use(rows[i]) ? Counter::events_read : Counter::events_unreadable);
    }
  }
};

void StateOps(const Reading& in) {
  Rows table(
      in.builder, "ops",
      {"name", "type", "direction", "dtypes", "calls", "host_total", "host_self", "device_total",
       "device_self", "tensor_core_eligible", "uses_tensor_core", "call_stack"});
  in.ForEach([&](const Row& row) {
    const auto calls = in.columns.Integer(row, "No. Calls");
    const auto host = in.Time(row, "Total CPU Time");
    const auto device = in.Time(row, "Total GPU Time");
    if (!calls || !host || !device) return false;
    table.Add(
        {TextValue(in.columns.Text(row, "Op Name")), TextValue(in.columns.Text(row, "Op Type")),
         TextValue(Direction(in.columns.Text(row, "Direction"))),
         TextValue(in.columns.Text(row, "Data Type")), *calls, *host,
         NumberValue(in.Time(row, "Total CPU Overhead")), *device,
         *device,  // Operators contain no others.
         in.columns.Text(row, "TC Eligible") == "yes", TextValue(in.columns.Text(row, "Using TC")),
         TextValue(in.columns.Text(row, "Stack Trace"))});
    return true;
  });
}

/// Adds total, mean, minimum and maximum of each time, as in GroupColumns() and OpTypeColumns().
void AddTimes(const Reading& in, const Row& row, std::vector<Value>& cells) {
  const auto add = [&](const std::string& column) {
    cells.push_back(NumberValue(in.Time(row, column)));
  };
  for (const char* what : {"CPU Time", "GPU Time", "CPU Overhead", "GPU Idle"}) {
    add(fmt::format("Total {}", what));
    // The average has a fraction.
    const auto mean = in.columns.Real(row, fmt::format("Avg {}", what));
    cells.push_back(NumberValue(mean ? Nearest(*mean) : std::nullopt));
    for (const char* end : {"Min", "Max"}) add(fmt::format("{} {}", end, what));
  }
}

void StateTypes(const Reading& in) {
  Rows table(in.builder, "op_types", OpTypeColumns());
  in.ForEach([&](const Row& row) {
    const auto ops = in.columns.Integer(row, "# Ops");
    const auto calls = in.columns.Integer(row, "# Calls");
    if (!ops || !calls) return false;
    std::vector<Value> cells = {TextValue(in.columns.Text(row, "Op Type")), *ops, *calls,
                                NumberValue(in.Time(row, "Total GPU Time"))};
    AddTimes(in, row, cells);
    table.Add(std::move(cells));
    return true;
  });
}

struct KernelTotal {
  std::int64_t calls = 0;
  Ns time = 0, min = 0, max = 0;
  bool uses_tensor_cores = false;
};

// Reports the rows, one for each pair of kernel and operator, and their sums by kernel name.
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

/// Joins the columns "Grid X" to "Grid Z" as "8, 1, 1", the form used for launches.
Value SizesOf(const Reading& in, const Row& row, std::string_view what) {
  std::string text;
  for (const char* axis : {"X", "Y", "Z"}) {
    const auto size = in.columns.Integer(row, fmt::format("{} {}", what, axis));
    if (!size || *size <= 0) return {};
    text += fmt::format("{}{}", text.empty() ? "" : ", ", *size);
  }
  return text;
}

void StateLaunches(const Reading& in) {
  Rows table(in.builder, "launches",
             {"gpu", "name", "kind", "op", "call_start", "call_time", "start", "time",
              "uses_tensor_core", "iteration", "grid", "block"});
  in.ForEach([&](const Row& row) {
    const auto start = in.columns.Integer(row, "GPU Start Time");
    const auto time = in.Time(row, "GPU Duration");
    if (!start || !time) return false;
    table.Add({NumberValue(in.columns.Integer(row, "Device ID")),
               TextValue(in.columns.Text(row, "Kernel Name")), std::string("kernel"),
               TextValue(in.columns.Text(row, "Op Name")),
               NumberValue(in.columns.Integer(row, "API Call Start")),
               NumberValue(in.columns.Integer(row, "API Call Time")), *start, *time,
               TextValue(in.columns.Text(row, "Uses TC")),
               NumberValue(in.columns.Integer(row, "Iteration")), SizesOf(in, row, "Grid"),
               SizesOf(in, row, "Block")});
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
    AddTimes(in, row, cells);
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

/// The columns that a report must have.
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
  error.message = fmt::format("the head of DLProf's {} report is unknown: expected the column `{}`",
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

std::vector<std::string> OpTypeColumns() {
  // DLProf's overhead is the host's time without runtime calls, as operators contain no others.
  return {"name",          "operators",  "calls",         "gpu_busy",       "host_total",
          "host_mean",     "host_min",   "host_max",      "device_self",    "device_mean",
          "device_min",    "device_max", "host_self",     "host_self_mean", "host_self_min",
          "host_self_max", "gpu_idle",   "gpu_idle_mean", "gpu_idle_min",   "gpu_idle_max"};
}

std::vector<std::string> AdviceColumns() { return {"problem", "recommendation"}; }

std::vector<std::string> AggregationColumns() {
  return {"number", "first", "last", "iterations", "wall_time", "is_shown", "has_same_iterations"};
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
    case ReportKind::kSummary:  // StateSummary() reads it: its rows are of several kinds.
      break;
  }
  return {};
}

namespace {

/// The lines of one block of a summary, by key.
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
  /// The value of a line with one value; unknown if a decimal comma splits it into two cells.
  std::optional<double> Number(std::string_view key) const {
    const auto at = rows_.find(key);
    if (at == rows_.end()) return std::nullopt;
    const auto is_given = [](const std::string& cell) { return !Trim(cell).empty(); };
    return std::ranges::count_if(*at->second, is_given) == 1 ? Cell(key, 0) : std::nullopt;
  }
  /// The value at a position of a line with several values.
  std::optional<double> Cell(std::string_view key, std::size_t cell) const {
    const auto at = rows_.find(key);
    if (at == rows_.end() || cell >= at->second->size()) return std::nullopt;
    return RealOf((*at->second)[cell]);
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
  // In JSON the text "A100, A100" is one cell; in CSV each GPU has a cell. If there are more GPUs
  // than names and all names are equal, the other GPUs get the same name.
  constexpr double kMostGpus = 1024;
  const std::string text = system.Text("GPU Name(s)");
  std::vector<std::string_view> names;
  for (std::string_view rest = text; !rest.empty();) {
    const auto comma = rest.find(',');
    names.push_back(Trim(rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  const auto is_first = [&names](std::string_view name) { return name == names.front(); };
  const double count = std::min(system.Number("GPU Count").value_or(0), kMostGpus);
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

/// True if the file has a count of kernels and it is 0.
bool HasNoKernels(const Block& kernels) {
  const auto count = kernels.Cell("All kernels", 2);
  const auto time = kernels.Cell("All kernels", 0);
  return count && time && *count == 0 && *time == 0;
}

/// True if DLProf recognized operators. Without markers it assigns all kernels to one operator,
/// whose "efficiency" has all kernels in the denominator.
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

// Neither the time of kernels nor that of memory operations is idle time: DLProf's shares cover the
// time without gaps and overlaps.
void StateBusy(const Block& summary, Stating& state) {
  const auto utilization = summary.Number("GPU Utilization %");
  const auto memory = summary.Number("Memory Duration %");
  // Versions up to 0.16 print the idle time.
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
  state.Percent(metric::kBreakdownMemcpy, memory, "; with memsets");
}

void StateEfficiency(const Block& summary, bool tells_operators, Stating& state) {
  const auto efficiency = summary.Number("Tensor Core Kernel Utilization %");
  if (tells_operators) {
    state.Percent(metric::kTensorCoreEfficiency, efficiency);
  } else if (efficiency) {
    state.None(metric::kTensorCoreEfficiency,
               "DLProf did not separate operators, so its efficiency covers all "
               "kernels; see the share of Tensor Core time");
  }
}

/// Why the summary's shares of time cannot all be right; empty if they can.
std::string WhyNoShares(const Block& summary) {
  std::vector<std::optional<double>> shares;
  for (const char* part : {"Tensor Core Kernel", "Non-Tensor Core Kernel", "Memory", "Dataloader",
                           "IO", "CPU", "Other"}) {
    shares.push_back(summary.Number(fmt::format("{} Duration %", part)));
  }
  return WhyTooMuch(shares);
}

void StateShares(const Block& summary, bool has_kernels, Stating& state) {
  // If the shares contradict each other, it is unknown which one is wrong, so all are absent.
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
  if (!aggregated || *aggregated <= 0) return;  // Simple mode has no such value.
  // These are the recorded iterations. Metrics cover only the aggregated iterations.
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

}  // namespace

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

}  // namespace profgauge::readers::dlprof
