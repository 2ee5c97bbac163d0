#include "readers/nsight_systems/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/whole.h"
#include "model/certificate.h"
#include "readers/cuda/cuda_activity.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/times.h"

namespace profgauge::readers::nsight {
namespace {

// The columns that all device tables share, in this order before other columns.
enum : std::size_t { kStart, kEnd, kDevice, kStream, kCorrelation, kProcess, kFirstOwn };

constexpr Wanted kCommonColumns[] = {{{"start"}},    {{"end"}},           {{"deviceId"}},
                                     {{"streamId"}}, {{"correlationId"}}, {{"globalPid"}}};

constexpr std::int64_t kPageable = 0;  // ENUM_CUDA_MEM_KIND.

// Opens a device table with the common columns, followed by `own`.
Result<TableScan> OpenDevice(const Import& import, const std::string& table,
                             std::initializer_list<Wanted> own) {
  return TableScan::OpenColumns(import.tables, table, JoinedColumns({kCommonColumns, own}));
}

// Opens a device table with the common columns, those of launches, and `own`.
Result<TableScan> OpenLaunched(const Import& import, const std::string& table,
                               std::initializer_list<Wanted> own) {
  return TableScan::OpenColumns(import.tables, table,
                                JoinedColumns({kCommonColumns, kCudaLaunchColumns, own}));
}

// Reads the common fields of rows in a device table. Caches process and device, which mostly are
// the same in consecutive rows.
class CommonColumns {
 public:
  CommonColumns(Import& import, const TableScan& scan) : import_(import), scan_(scan) {}

  // Fills the common fields and returns true, or false if the row has no usable time. Counts the
  // row as read or as without a time, and extends the time in which its GPU worked.
  bool Fill(DeviceRow& row) {
    if (!scan_.IsSet(kStart) || !scan_.IsSet(kEnd)) {
      import_.builder->log().Add(Counter::events_bad_time);
      return false;
    }
    import_.builder->log().Add(Counter::events_read);
    row.start = scan_.Integer(kStart);
    row.duration = Between(row.start, scan_.Integer(kEnd));
    if (row.duration < 0) {
      import_.builder->log().Add(Counter::events_negative_dur);
      row.duration = 0;
    }
    const std::int64_t process = ProcessOf(scan_.Integer(kProcess));
    const Span span = {row.start, row.start + row.duration};
    MoveTo(process, scan_.Integer(kDevice, -1), span);
    worked_->start = std::min(worked_->start, span.start);
    worked_->end = std::max(worked_->end, span.end);
    row.gpu = gpu_;
    row.stream = scan_.Integer(kStream, -1);
    row.correlation = CorrelationOf(process, scan_.Integer(kCorrelation, -1));
    return true;
  }
  // The number of streaming multiprocessors of the last row's GPU; 0 if unknown.
  std::int32_t sms() const { return sms_; }

 private:
  // Finds the GPU of a process' CUDA ordinal: the ordinal itself if the export has no mapping.
  void MoveTo(std::int64_t process, std::int64_t device, Span first) {
    if (worked_ != nullptr && process == process_ && device == device_) return;
    process_ = process;
    device_ = device;
    import_.cuda_processes.insert(process);
    const auto gpu = import_.gpu_of.find({process, device});
    gpu_ = gpu == import_.gpu_of.end() ? Narrow(device, -1) : gpu->second;
    worked_ = &import_.worked.try_emplace(gpu_, first).first->second;
    const auto sms = import_.sms_of.find(gpu_);
    sms_ = sms == import_.sms_of.end() ? 0 : sms->second;
  }

  Import& import_;
  const TableScan& scan_;
  std::int64_t process_ = 0, device_ = 0;
  std::int32_t gpu_ = -1, sms_ = 0;
  Span* worked_ = nullptr;  // Null before the first row.
};

Status ReadKernels(Import& import) {
  constexpr std::size_t kName = kFirstOwn + std::size(kCudaLaunchColumns);
  PROFGAUGE_TRY(auto scan, OpenLaunched(import, "CUPTI_ACTIVITY_KIND_KERNEL",
                                        {{{"demangledName"}}, {{"shortName"}}, {{"graphNodeId"}}}));
  import.builder->ReserveDevice(scan.RowsAtMost());
  CommonColumns columns(import, scan);
  DeviceBatch rows;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    DeviceRow row;
    if (!columns.Fill(row)) return;
    row.name = import.String(scan.Integer(kName, -1));
    // Some exports have only the short name, or no name at all.
    if (!row.name.valid()) row.name = import.String(scan.Integer(kName + 1, -1));
    if (!row.name.valid()) row.name = import.builder->Intern(kUnnamedKernel);
    row.config = import.builder->AddLaunchConfig(CudaLaunchConfig(scan, kFirstOwn, columns.sms()));
    import.has_graph_kernels |= scan.Integer(kName + 2) != 0;
    rows.Add(row, *import.builder);
  }));
  rows.Flush(*import.builder);
  return {};
}

Status ReadCopies(Import& import) {
  PROFGAUGE_TRY(auto scan, OpenDevice(import, "CUPTI_ACTIVITY_KIND_MEMCPY",
                                      {{{"bytes"}}, {{"copyKind"}}, {{"srcKind"}}, {{"dstKind"}}}));
  CommonColumns columns(import, scan);
  return scan.ForEach([&] {
    DeviceRow row;
    if (!columns.Fill(row)) return;
    const CudaCopy copy = CudaCopyOf(scan.Integer(kFirstOwn + 1, -1));
    row.kind = DeviceKind::kMemcpy;
    row.name = import.builder->Intern(copy.name);
    row.copy = copy.kind;
    row.bytes = scan.Integer(kFirstOwn, -1);
    row.host_memory = copy.migrates ? HostMemory::kManaged
                                    : CudaHostMemory(copy.kind, scan.Integer(kFirstOwn + 2, -1),
                                                     scan.Integer(kFirstOwn + 3, -1), kPageable);
    import.builder->AddDevice(row);
  });
}

Status ReadMemsets(Import& import) {
  PROFGAUGE_TRY(auto scan, OpenDevice(import, "CUPTI_ACTIVITY_KIND_MEMSET", {{{"bytes"}}}));
  CommonColumns columns(import, scan);
  return scan.ForEach([&] {
    DeviceRow row;
    if (!columns.Fill(row)) return;
    row.kind = DeviceKind::kMemset;
    row.name = import.builder->Intern(kCudaMemset);
    row.bytes = scan.Integer(kFirstOwn, -1);
    import.builder->AddDevice(row);
  });
}

// Reads graph launches. With --cuda-graph-trace=graph, each launch is one row without its kernels.
Status ReadGraphs(Import& import) {
  PROFGAUGE_TRY(auto scan, OpenDevice(import, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {{{"graphId"}}}));
  LaunchConfig whole;
  whole.is_whole_graph = true;
  CommonColumns columns(import, scan);
  return scan.ForEach([&] {
    DeviceRow row;
    if (!columns.Fill(row)) return;
    row.name = import.builder->Intern(fmt::format("CUDA graph {}", scan.Integer(kFirstOwn, -1)));
    row.config = import.builder->AddLaunchConfig(whole);
    import.builder->log().Add(Counter::graph_kernels_hidden);
    import.has_whole_graphs = true;
    import.builder->AddDevice(row);
  });
}

// Adds a fact on how graphs were recorded. Runs that differ in this differ in their counts and in
// the profiler's overhead.
void StateGraphs(Import& import) {
  if (!import.has_whole_graphs && !import.has_graph_kernels) return;
  import.builder->AddFact("cuda_graphs", import.has_whole_graphs ? "whole" : "by kernel");
}

Status ReadSyncs(Import& import) {
  PROFGAUGE_TRY(auto scan,
                OpenDevice(import, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {{{"syncType"}}}));
  CommonColumns columns(import, scan);
  return scan.ForEach([&] {
    DeviceRow common;
    if (!columns.Fill(common)) return;
    StreamRow row;
    row.start = common.start;
    row.duration = common.duration;
    row.gpu = common.gpu;
    row.stream = common.stream;
    row.name = import.builder->Intern(CudaSyncName(scan.Integer(kFirstOwn, -1)));
    import.builder->AddSync(row);
  });
}

}  // namespace

Status ReadDevice(Import& import) {
  const auto read = [&](std::string_view what, Status (*rows)(Import&)) -> Status {
    const TableLoss loss(import.builder->log());
    PROFGAUGE_CHECK(rows(import));
    loss.Tell(what);
    return {};
  };
  PROFGAUGE_CHECK(read("kernels", ReadKernels));
  PROFGAUGE_CHECK(read("copies", ReadCopies));
  PROFGAUGE_CHECK(read("memsets", ReadMemsets));
  PROFGAUGE_CHECK(ReadGraphs(import));
  StateGraphs(import);
  return ReadSyncs(import);
}

}  // namespace profgauge::readers::nsight
