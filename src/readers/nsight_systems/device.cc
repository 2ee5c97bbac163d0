#include <fmt/format.h>

#include <algorithm>

#include "model/lost_names.h"
#include "readers/cuda/cuda_activity.h"
#include "readers/cuda/cuda_names.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/times.h"

namespace profgauge::readers::nsight {
namespace {

// Columns that all device tables share, wanted first and in this order.
enum : std::size_t { kStart, kEnd, kDevice, kStream, kCorrelation, kProcess, kFirstOwn };

constexpr std::int64_t kPageable = 0;  // ENUM_CUDA_MEM_KIND.

// Adds what is common; false when the row has no usable time and was counted.
bool FillCommon(Import& import, const TableScan& scan, DeviceRow& row) {
  if (!scan.IsSet(kStart) || !scan.IsSet(kEnd)) {
    import.builder->log().Add(Counter::events_bad_time);
    return false;
  }
  import.builder->log().Add(Counter::events_read);
  row.start = scan.Integer(kStart);
  row.duration = Between(row.start, scan.Integer(kEnd));
  if (row.duration < 0) {
    import.builder->log().Add(Counter::events_negative_dur);
    row.duration = 0;
  }
  const std::int64_t process = ProcessOf(scan.Integer(kProcess));
  import.cuda_processes.insert(process);
  const std::int64_t device = scan.Integer(kDevice, -1);
  const auto gpu = import.gpu_of.find({process, device});
  row.gpu = gpu == import.gpu_of.end() ? static_cast<std::int32_t>(device) : gpu->second;
  const auto [worked, is_first] =
      import.worked.try_emplace(row.gpu, Span{row.start, row.start + row.duration});
  if (!is_first) {
    worked->second.start = std::min(worked->second.start, row.start);
    worked->second.end = std::max(worked->second.end, row.start + row.duration);
  }
  row.stream = scan.Integer(kStream, -1);
  row.correlation = CorrelationOf(process, scan.Integer(kCorrelation, -1));
  return true;
}

Status ReadKernels(Import& import) {
  constexpr std::size_t kGraphNode = kFirstOwn + 11;
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "CUPTI_ACTIVITY_KIND_KERNEL",
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"deviceId"}},
                                            {{"streamId"}},
                                            {{"correlationId"}},
                                            {{"globalPid"}},
                                            {{"demangledName"}},
                                            {{"shortName"}},
                                            {{"gridX"}},
                                            {{"gridY"}},
                                            {{"gridZ"}},
                                            {{"blockX"}},
                                            {{"blockY"}},
                                            {{"blockZ"}},
                                            {{"registersPerThread"}},
                                            {{"staticSharedMemory"}},
                                            {{"dynamicSharedMemory"}},
                                            {{"graphNodeId"}}}));
  import.builder->ReserveDevice(scan.RowsAtMost());
  DeviceBatch rows;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    DeviceRow row;
    if (!FillCommon(import, scan, row)) return;
    row.name = import.String(scan.Integer(kFirstOwn, -1));
    if (!row.name.valid()) row.name = import.String(scan.Integer(kFirstOwn + 1, -1));
    if (!row.name.valid()) row.name = import.builder->Intern(kUnnamedKernel);
    const auto sms = import.sms_of.find(row.gpu);
    row.config = import.builder->AddLaunchConfig(
        CudaLaunchConfig(scan, kFirstOwn + 2, sms == import.sms_of.end() ? 0 : sms->second));
    import.has_graph_kernels |= scan.Integer(kGraphNode) != 0;
    rows.Add(row, *import.builder);
  }));
  rows.Flush(*import.builder);
  return {};
}

Status ReadCopies(Import& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "CUPTI_ACTIVITY_KIND_MEMCPY",
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"deviceId"}},
                                            {{"streamId"}},
                                            {{"correlationId"}},
                                            {{"globalPid"}},
                                            {{"bytes"}},
                                            {{"copyKind"}},
                                            {{"srcKind"}},
                                            {{"dstKind"}}}));
  return scan.ForEach([&] {
    DeviceRow row;
    if (!FillCommon(import, scan, row)) return;
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
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "CUPTI_ACTIVITY_KIND_MEMSET",
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"deviceId"}},
                                            {{"streamId"}},
                                            {{"correlationId"}},
                                            {{"globalPid"}},
                                            {{"bytes"}}}));
  return scan.ForEach([&] {
    DeviceRow row;
    if (!FillCommon(import, scan, row)) return;
    row.kind = DeviceKind::kMemset;
    row.name = import.builder->Intern(kCudaMemset);
    row.bytes = scan.Integer(kFirstOwn, -1);
    import.builder->AddDevice(row);
  });
}

// With --cuda-graph-trace=graph a graph launch is one opaque piece of device work.
Status ReadGraphs(Import& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"deviceId"}},
                                            {{"streamId"}},
                                            {{"correlationId"}},
                                            {{"globalPid"}},
                                            {{"graphId"}}}));
  LaunchConfig whole;
  whole.is_whole_graph = true;
  return scan.ForEach([&] {
    DeviceRow row;
    if (!FillCommon(import, scan, row)) return;
    row.name = import.builder->Intern(fmt::format("CUDA graph {}", scan.Integer(kFirstOwn, -1)));
    row.config = import.builder->AddLaunchConfig(whole);
    import.builder->log().Add(Counter::graph_kernels_hidden);
    import.has_whole_graphs = true;
    import.builder->AddDevice(row);
  });
}

// Runs whose graphs were recorded in other ways differ in what they count, and in what the
// profiler costs.
void StateGraphs(Import& import) {
  if (!import.has_whole_graphs && !import.has_graph_kernels) return;
  import.builder->AddFact("cuda_graphs", import.has_whole_graphs ? "whole" : "by kernel");
}

Status ReadSyncs(Import& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"deviceId"}},
                                            {{"streamId"}},
                                            {{"correlationId"}},
                                            {{"globalPid"}},
                                            {{"syncType"}}}));
  return scan.ForEach([&] {
    DeviceRow common;
    if (!FillCommon(import, scan, common)) return;
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
  PROFGAUGE_CHECK(read("memory sets", ReadMemsets));
  PROFGAUGE_CHECK(ReadGraphs(import));
  StateGraphs(import);
  return ReadSyncs(import);
}

}  // namespace profgauge::readers::nsight
