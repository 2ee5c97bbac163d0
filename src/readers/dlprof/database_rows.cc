#include "readers/dlprof/database_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "model/certificate.h"
#include "readers/cuda/cuda_activity.h"
#include "readers/database/sqlite_table.h"
#include "readers/dlprof/database.h"
#include "readers/times.h"

namespace profgauge::readers::dlprof {
namespace {

ThreadId ThreadOf(DatabaseImport& import, std::int64_t process, std::int64_t thread) {
  return import.builder->AddThread(fmt::format("{}", process), fmt::format("{}", thread));
}

/// The length of an event. An event that ends before it starts gets length 0, and is counted.
Ns LengthOf(DatabaseImport& import, std::int64_t start, std::int64_t end) {
  const Ns length = Between(start, end);
  if (length < 0) import.builder->log().Add(Counter::events_negative_dur);
  return std::max<Ns>(0, length);
}

// Quotes a text the way Python does, as the reader of markers expects it.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "'";
}

// The text of an operator's marker as DLProf writes it, as far as the database has its parts.
std::string MarkerOf(const DatabaseOp& op) {
  std::string lines;
  for (std::size_t at = 0; at < op.stack.size();) {
    const std::size_t end = std::min(op.stack.find('\n', at), op.stack.size());
    lines += (lines.empty() ? "" : ", ") + Quoted(op.stack.substr(at, end - at));
    at = end + 1;
  }
  return fmt::format("{{'mod': '', 'op': {}, 'dir': {}, 'traceMarker': [{}], 'funcStack': {}}}",
                     Quoted(op.type), Quoted(op.direction), lines, Quoted(op.name));
}

// Formats "[[32,3],[6]]\n" as "[[32, 3], [6]]".
std::string ShapesOf(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '\n') continue;
    text += c;
    if (c == ',') text += ' ';
  }
  return text.starts_with('[') ? text : std::string{};
}

// Repeats the operator's type once for each shape.
std::string TypesOf(const std::string& type, std::string_view shapes) {
  std::size_t tensors = 0;
  for (std::size_t i = 1; i < shapes.size(); ++i) tensors += shapes[i] == '[' ? 1 : 0;
  std::string text = "[";
  for (std::size_t i = 0; i < tensors; ++i) text += (i == 0 ? "" : ", ") + type;
  return text + "]";
}

// Reverses the lines, because HostTable::call_stack has the innermost frame first.
std::string StackOf(const std::string& lines) {
  std::string stack;
  for (std::size_t end = lines.size(); end > 0;) {
    const std::size_t at = lines.rfind('\n', end - 1);
    const std::size_t begin = at == std::string::npos ? 0 : at + 1;
    stack += (stack.empty() ? "" : ";") + lines.substr(begin, end - begin);
    if (at == std::string::npos) break;
    end = at;
  }
  return stack;
}

Status ReadCalls(DatabaseImport& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "read_only_op_instances",
                                           {{{"read_only_ops_id"}},
                                            {{"cpu_start"}},
                                            {{"cpu_stop"}},
                                            {{"process_id"}},
                                            {{"thread_id"}},
                                            {{"input_shapes_id"}}}));
  ProfileBuilder& builder = *import.builder;
  return scan.ForEach([&] {
    builder.log().Add(Counter::events_read);
    const auto found = import.ops.find(scan.Integer(0, -1));
    if (found == import.ops.end() || !scan.IsSet(1) || !scan.IsSet(2)) {
      builder.log().Add(Counter::events_unreadable);
      return;
    }
    const DatabaseOp& op = found->second;
    HostRow row;
    row.start = scan.Integer(1);
    row.duration = LengthOf(import, row.start, scan.Integer(2));
    if (import.InWindow(row.start) && TimesFit(row.start, row.duration))
      import.cpu_time[found->first] += row.duration;
    if (op.unassociated) return;  // The call is a separate row.
    row.name = builder.Intern(op.type);
    row.thread = ThreadOf(import, scan.Integer(3), scan.Integer(4));
    row.concrete_inputs = builder.Intern(MarkerOf(op));
    const std::string shapes = ShapesOf(import.Text(scan.Integer(5, -1)));
    if (!shapes.empty()) {
      row.input_shapes = builder.Intern(shapes);
      if (!op.data_type.empty()) row.input_dtypes = builder.Intern(TypesOf(op.data_type, shapes));
    }
    if (!op.stack.empty()) row.call_stack = builder.Intern(StackOf(op.stack));
    builder.AddHost(row);
  });
}

// The columns of all tables with calls. Each table has some of them.
enum : std::size_t {
  kOp,
  kCall,
  kName,
  kApiStart,
  kApiStop,
  kProcess,
  kThread,
  kGpuStart,
  kGpuStop,
  kDevice,
  kLongName,
  kGrid,
  kBlock,
  kBytes,
  kCopyKind
};

Result<TableScan> OpenCalls(DatabaseImport& import, const char* table) {
  return TableScan::Open(*import.database, table,
                         {{{"read_only_ops_id"}},
                          {{"op_instance"}},
                          {{"name_id"}},
                          {{"api_start"}},
                          {{"api_stop"}},
                          {{"process_id"}},
                          {{"thread_id"}},
                          {{"gpu_start"}},
                          {{"gpu_stop"}},
                          {{"device_id"}},
                          {{"long_name_id"}},
                          {{"grid_id"}},
                          {{"block_id"}},
                          {{"num_bytes"}},
                          {{"copy_kind"}}});
}

// Adds the call of a row and, if `device` is set, starts the row of its device work.
class CallRows {
 public:
  explicit CallRows(DatabaseImport& import) : import_(import) {}

  void AddCall(const TableScan& scan, std::string_view name, std::int64_t correlation) {
    ApiRow row;
    row.start = scan.Integer(kApiStart);
    row.duration = LengthOf(import_, row.start, scan.Integer(kApiStop));
    const auto [known, is_new] = names_.try_emplace(std::string(name));
    if (is_new) known->second = AddApiName(name, *import_.builder);
    std::tie(row.name, row.kind) = known->second;
    row.thread = ThreadOf(import_, scan.Integer(kProcess), scan.Integer(kThread));
    row.correlation = correlation;
    import_.builder->AddApi(row);
    import_.builder->log().Add(Counter::events_read);
  }

  DeviceRow Device(const TableScan& scan, DeviceKind kind, std::int64_t correlation) {
    DeviceRow row;
    row.kind = kind;
    row.start = scan.Integer(kGpuStart);
    row.duration = LengthOf(import_, row.start, scan.Integer(kGpuStop));
    row.gpu = scan.Small(kDevice, -1);
    row.stream = 0;  // The database has no streams.
    row.correlation = correlation;
    import_.builder->log().Add(Counter::events_read);
    if (import_.InWindow(scan.Integer(kApiStart)) && TimesFit(row.start, row.duration)) {
      import_.work[{scan.Integer(kOp), scan.Integer(kCall)}].push_back(
          {row.start, row.start + row.duration});
    }
    return row;
  }

  std::int64_t NextCorrelation() { return ++correlation_; }

 private:
  DatabaseImport& import_;
  std::map<std::string, std::pair<StringId, ApiKind>> names_;
  std::int64_t correlation_ = 0;
};

using Dimensions = std::map<std::int64_t, std::array<std::int32_t, 3>>;

Result<Dimensions> ReadDimensions(DatabaseImport& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "read_only_grid_block",
                                           {{{"id"}}, {{"x"}}, {{"y"}}, {{"z"}}}));
  Dimensions dimensions;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    for (std::size_t i = 0; i < 3; ++i) {
      dimensions[scan.Integer(0)][i] = scan.Small(i + 1, 0);
    }
  }));
  return dimensions;
}

// The database has no streams, so all kernels of a device are on one stream and may overlap there.
Status ReadKernels(DatabaseImport& import, CallRows& rows) {
  PROFGAUGE_TRY(const Dimensions dimensions, ReadDimensions(import));
  PROFGAUGE_TRY(auto scan, OpenCalls(import, "read_only_kernels"));
  import.builder->StreamsMayOverlap();
  return scan.ForEach([&] {
    ++import.kernels;
    const std::int64_t correlation = rows.NextCorrelation();
    rows.AddCall(scan, "cudaLaunchKernel", correlation);
    DeviceRow row = rows.Device(scan, DeviceKind::kKernel, correlation);
    const std::string& long_name = import.Text(scan.Integer(kLongName, -1));
    const std::string& name = import.Text(scan.Integer(kName, -1));
    row.name = import.builder->Intern(!long_name.empty() ? long_name
                                      : !name.empty()    ? name
                                                         : kUnnamedKernel);
    LaunchConfig config;
    const auto take = [&](std::size_t column, std::int32_t(&sizes)[3]) {
      const auto found = dimensions.find(scan.Integer(column, -1));
      if (found != dimensions.end()) std::copy_n(found->second.begin(), 3, sizes);
    };
    take(kGrid, config.grid);
    take(kBlock, config.block);
    row.config = import.builder->AddLaunchConfig(config);
    import.builder->AddDevice(row);
    if (import.InWindow(scan.Integer(kApiStart)) && TimesFit(row.start, row.duration)) {
      import.kernel_time[{scan.Integer(kOp), scan.Integer(kName)}] += row.duration;
    }
  });
}

Status ReadMemory(DatabaseImport& import, CallRows& rows, const char* table, DeviceKind kind) {
  PROFGAUGE_TRY(auto scan, OpenCalls(import, table));
  return scan.ForEach([&] {
    ++import.copies;
    const std::int64_t correlation = rows.NextCorrelation();
    rows.AddCall(scan, import.Text(scan.Integer(kName, -1)), correlation);
    DeviceRow row = rows.Device(scan, kind, correlation);
    row.bytes = scan.Integer(kBytes, -1);
    const CudaCopy copy = CudaCopyOf(scan.Integer(kCopyKind, -1));
    if (kind == DeviceKind::kMemcpy) row.copy = copy.kind;
    row.name = import.builder->Intern(kind == DeviceKind::kMemset ? kCudaMemset : copy.name);
    import.builder->AddDevice(row);
  });
}

Status ReadOtherCalls(DatabaseImport& import, CallRows& rows, const char* table) {
  PROFGAUGE_TRY(auto scan, OpenCalls(import, table));
  return scan.ForEach([&] { rows.AddCall(scan, import.Text(scan.Integer(kName, -1)), -1); });
}

// Reads the iterations in order: the window of the aggregation and, if there are several, markers.
Status ReadIterations(DatabaseImport& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "iteration_list",
                                           {{{"iter_value"}}, {{"start_time"}}, {{"stop_time"}}},
                                           {"aggr_id", {import.aggregation.id}}));
  std::map<std::int64_t, Span> iterations;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    iterations[scan.Integer(0)] = {scan.Integer(1), scan.Integer(2)};
  }));
  if (iterations.empty()) return {};
  const auto first = iterations.find(import.aggregation.start);
  const auto last = iterations.find(import.aggregation.stop);
  import.aggregation.window = {
      first == iterations.end() ? iterations.begin()->second.start : first->second.start,
      last == iterations.end() ? iterations.rbegin()->second.end : last->second.end};
  // A profile without iterations gets one, from the profiler's start to the last event. This is
  // DLProf's wall clock, and the base of its shares.
  const ThreadId thread = import.builder->AddThread("DLProf", "iterations");
  const bool is_stated = first != iterations.end() && last != iterations.end();
  for (const auto& [number, span] : iterations) {
    // The others are not part of what it sums up.
    if (is_stated && (number < first->first || number > last->first)) continue;
    HostRow row;
    row.start = span.start;
    row.duration = LengthOf(import, span.start, span.end);
    row.name = import.builder->Intern(fmt::format("iteration {}", number));
    row.kind = HostKind::kIterationMarker;
    row.thread = thread;
    import.builder->AddHost(row);
  }
  return {};
}

}  // namespace

Status ReadDatabaseRows(DatabaseImport& import) {
  import.builder->CountFromSession();
  PROFGAUGE_CHECK(ReadIterations(import));
  PROFGAUGE_CHECK(ReadCalls(import));
  CallRows rows(import);
  PROFGAUGE_CHECK(ReadKernels(import, rows));
  PROFGAUGE_CHECK(ReadMemory(import, rows, "read_only_memcpys", DeviceKind::kMemcpy));
  PROFGAUGE_CHECK(ReadMemory(import, rows, "read_only_memsets", DeviceKind::kMemset));
  PROFGAUGE_CHECK(ReadOtherCalls(import, rows, "read_only_cuda_syncs"));
  PROFGAUGE_CHECK(ReadOtherCalls(import, rows, "read_only_cuda_calls"));
  if (import.kernels == 0) {
    import.builder->log().AddAt(
        Counter::profiler_warnings,
        "the DLProf database has no kernels: the profile contained no CUDA activity");
  }
  return {};
}

}  // namespace profgauge::readers::dlprof
