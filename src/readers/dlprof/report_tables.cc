// The rows of DLProf's reports as tables of the catalogue.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/metric_id.h"
#include "base/text.h"
#include "base/whole.h"
#include "readers/dlprof/statements.h"
#include "readers/dlprof/stating.h"
#include "readers/times.h"

namespace profgauge::readers::dlprof {
namespace {

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
/// Reports print the total and the average: 1000 ns at 333.3 ns are 3 calls.
Value Calls(std::int64_t total, std::string_view average) {
  const auto mean = RealOf(average);
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
         *device,  // Operators contain none.
         in.columns.Text(row, "TC Eligible") == "yes", TextValue(in.columns.Text(row, "Using TC")),
         TextValue(in.columns.Text(row, "Stack Trace"))});
    return true;
  });
}

/// Total, mean, least and most of each time, in the order of GroupColumns() and OpTypeColumns().
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

// The report has a row for each kernel and operator; the table of kernels adds those of one name.
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

/// "8, 1, 1" of the columns "Grid X" to "Grid Z", as Launches have it.
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
  // DLProf's overhead is the host's time without runtime calls; its operators contain none.
  return {"name",          "operators",  "calls",         "gpu_busy",       "host_total",
          "host_mean",     "host_min",   "host_max",      "device_self",    "device_mean",
          "device_min",    "device_max", "host_self",     "host_self_mean", "host_self_min",
          "host_self_max", "gpu_idle",   "gpu_idle_mean", "gpu_idle_min",   "gpu_idle_max"};
}

std::vector<std::string> AdviceColumns() { return {"problem", "recommendation"}; }

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
