#include "readers/nvprof/import.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "knowledge/launches.h"
#include "readers/cuda/cuda_activity.h"
#include "readers/database/sqlite_table.h"
#include "readers/text/names.h"
#include "readers/text/nvtx_text.h"
#include "readers/times.h"

namespace profgauge::readers::nvprof {
namespace {

// A call of CUPTI by its number. The lists are incomplete: UnknownCalls names other calls "cbid#N".
struct Call {
  std::int64_t cbid;
  std::string_view name;
};

// Sorted by number. Variants for per-thread default streams (_ptds, _ptsz) have the plain name.
constexpr Call kRuntime[] = {
    {1, "cudaDriverGetVersion"},
    {2, "cudaRuntimeGetVersion"},
    {3, "cudaGetDeviceCount"},
    {4, "cudaGetDeviceProperties"},
    {10, "cudaGetLastError"},
    {11, "cudaPeekAtLastError"},
    {13, "cudaLaunch"},
    {16, "cudaSetDevice"},
    {17, "cudaGetDevice"},
    {20, "cudaMalloc"},
    {22, "cudaFree"},
    {31, "cudaMemcpy"},
    {32, "cudaMemcpy2D"},
    {33, "cudaMemcpyToArray"},
    {34, "cudaMemcpy2DToArray"},
    {35, "cudaMemcpyFromArray"},
    {36, "cudaMemcpy2DFromArray"},
    {37, "cudaMemcpyArrayToArray"},
    {38, "cudaMemcpy2DArrayToArray"},
    {39, "cudaMemcpyToSymbol"},
    {40, "cudaMemcpyFromSymbol"},
    {41, "cudaMemcpyAsync"},
    {42, "cudaMemcpyToArrayAsync"},
    {43, "cudaMemcpyFromArrayAsync"},
    {44, "cudaMemcpy2DAsync"},
    {45, "cudaMemcpy2DToArrayAsync"},
    {46, "cudaMemcpy2DFromArrayAsync"},
    {47, "cudaMemcpyToSymbolAsync"},
    {48, "cudaMemcpyFromSymbolAsync"},
    {49, "cudaMemset"},
    {50, "cudaMemset2D"},
    {51, "cudaMemsetAsync"},
    {52, "cudaMemset2DAsync"},
    {126, "cudaThreadSynchronize"},
    {131, "cudaStreamSynchronize"},
    {135, "cudaEventRecord"},
    {137, "cudaEventSynchronize"},
    {138, "cudaEventQuery"},
    {142, "cudaMemset3D"},
    {143, "cudaMemset3DAsync"},
    {144, "cudaMemcpy3D"},
    {145, "cudaMemcpy3DAsync"},
    {147, "cudaStreamWaitEvent"},
    {160, "cudaMemcpyPeer"},
    {161, "cudaMemcpyPeerAsync"},
    {162, "cudaMemcpy3DPeer"},
    {163, "cudaMemcpy3DPeerAsync"},
    {165, "cudaDeviceSynchronize"},
    {211, "cudaLaunchKernel"},
    {214, "cudaLaunchKernel"},
    {215, "cudaMemcpy"},
    {216, "cudaMemcpy2D"},
    {225, "cudaMemcpyAsync"},
    {228, "cudaMemcpy2DAsync"},
    {233, "cudaMemset"},
    {235, "cudaMemsetAsync"},
    {239, "cudaStreamSynchronize"},
    {247, "cudaStreamWaitEvent"},
    {251, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"},
    {269, "cudaLaunchCooperativeKernel"},
    {270, "cudaLaunchCooperativeKernel"},
    {272, "cudaLaunchCooperativeKernelMultiDevice"},
    {284, "cudaLaunchHostFunc"},
    {285, "cudaLaunchHostFunc"},
    {310, "cudaGraphInstantiate"},
    {311, "cudaGraphLaunch"},
    {312, "cudaGraphLaunch"},
    {317, "cudaStreamIsCapturing"},
    {430, "cudaLaunchKernelExC"},
    {431, "cudaLaunchKernelExC"},
};

constexpr Call kDriver[] = {
    {9, "cuDeviceGetAttribute"},
    {17, "cuCtxSynchronize"},
    {115, "cuLaunch"},
    {116, "cuLaunchGrid"},
    {117, "cuLaunchGridAsync"},
    {121, "cuEventSynchronize"},
    {126, "cuStreamSynchronize"},
    {216, "cuMemsetD8Async"},
    {218, "cuMemsetD16Async"},
    {220, "cuMemsetD32Async"},
    {249, "cuMemsetD8"},
    {250, "cuMemsetD16"},
    {251, "cuMemsetD32"},
    {276, "cuMemcpyHtoD"},
    {277, "cuMemcpyHtoDAsync"},
    {278, "cuMemcpyDtoH"},
    {279, "cuMemcpyDtoHAsync"},
    {280, "cuMemcpyDtoD"},
    {281, "cuMemcpyDtoDAsync"},
    {287, "cuMemcpy2D"},
    {289, "cuMemcpy2DAsync"},
    {290, "cuMemcpy3D"},
    {291, "cuMemcpy3DAsync"},
    {295, "cuStreamWaitEvent"},
    {304, "cuCtxGetCurrent"},
    {305, "cuMemcpy"},
    {306, "cuMemcpyAsync"},
    {307, "cuLaunchKernel"},
    {310, "cuPointerGetAttribute"},
    {318, "cuMemcpyPeer"},
    {319, "cuMemcpyPeerAsync"},
    {440, "cuStreamSynchronize"},
    {442, "cuLaunchKernel"},
    {477, "cuLaunchCooperativeKernel"},
    {514, "cuGraphLaunch"},
    {515, "cuGraphLaunch"},
    {652, "cuLaunchKernelEx"},
    {653, "cuLaunchKernelEx"},
};

template <std::size_t n>
std::string_view Find(const Call (&calls)[n], std::int64_t cbid) {
  const auto* found =
      std::lower_bound(std::begin(calls), std::end(calls), cbid,
                       [](const Call& call, std::int64_t number) { return call.cbid < number; });
  return found != std::end(calls) && found->cbid == cbid ? found->name : std::string_view{};
}

}  // namespace

std::string_view RuntimeCallName(std::int64_t cbid) { return Find(kRuntime, cbid); }
std::string_view DriverCallName(std::int64_t cbid) { return Find(kDriver, cbid); }

namespace {

// The columns that all device tables share, in this order before other columns.
enum : std::size_t { kStart, kEnd, kDevice, kStream, kCorrelation, kFirstOwn };

constexpr Wanted kCommonColumns[] = {
    {{"start"}}, {{"end"}}, {{"deviceId"}}, {{"streamId"}}, {{"correlationId"}}};

constexpr std::int64_t kPageable = 1;  // CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE.

// Opens a device table with the common columns, followed by `of_launches` and `own`.
Result<TableScan> OpenDevice(const Import& import, const std::string& table,
                             std::span<const Wanted> of_launches,
                             std::initializer_list<Wanted> own) {
  return TableScan::OpenColumns(*import.database, table,
                                JoinedColumns({kCommonColumns, of_launches, own}));
}

// Fills the common fields. Returns false if the row has no usable time, which is counted. NVProf
// writes zeros for lost records.
bool FillCommon(Import& import, const TableScan& scan, DeviceRow& row) {
  if (scan.Integer(kStart) <= 0 || scan.Integer(kEnd) <= 0) {
    import.builder->log().Add(Counter::events_bad_time);
    return false;
  }
  import.builder->log().Add(Counter::events_read);
  ++import.device_rows;
  row.start = scan.Integer(kStart);
  row.duration = Between(row.start, scan.Integer(kEnd));
  if (row.duration < 0) {
    import.builder->log().Add(Counter::events_negative_dur);
    row.duration = 0;
  }
  row.gpu = scan.Small(kDevice, -1);
  row.stream = scan.Integer(kStream, -1);
  row.correlation = scan.Integer(kCorrelation, -1);
  return true;
}

// The names of kernels by id. Each name is demangled once.
class KernelNames {
 public:
  explicit KernelNames(Import& import) : import_(import) {}
  StringId Of(std::int64_t id) {
    const auto [it, is_new] = known_.try_emplace(id);
    if (!is_new) return it->second;
    const StringId recorded = import_.String(id);
    ProfileBuilder& builder = *import_.builder;
    it->second = builder.Intern(recorded.valid() ? Demangled(builder.Name(recorded))
                                                 : fmt::format("(unnamed kernel {})", id));
    return it->second;
  }

 private:
  Import& import_;
  boost::unordered_flat_map<std::int64_t, StringId> known_;
};

// Reads one of the two tables of kernels, and returns its number of rows.
Result<std::size_t> ReadKernels(Import& import, const char* table) {
  PROFGAUGE_TRY(auto scan, OpenDevice(import, table, kCudaLaunchColumns, {{{"name"}}}));
  KernelNames names(import);
  std::size_t rows = 0;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    ++rows;
    DeviceRow row;
    if (!FillCommon(import, scan, row)) return;
    import.kernels.insert(row.correlation);
    row.name = names.Of(scan.Integer(kFirstOwn + std::size(kCudaLaunchColumns), -1));
    const auto sms = import.sms_of.find(row.gpu);
    row.config = import.builder->AddLaunchConfig(
        CudaLaunchConfig(scan, kFirstOwn, sms == import.sms_of.end() ? 0 : sms->second));
    import.builder->AddDevice(row);
  }));
  return rows;
}

/// The last of CUPTI's kinds of copies. Higher kinds exist only in nsys.
constexpr std::int64_t kPeerToPeerCopy = 10;

/// The names that NVProf prints for CUPTI's kinds of copies, which are shorter than those of nsys.
std::string_view CopyNameOf(std::int64_t copy_kind) {
  constexpr std::string_view kNames[] = {
      "[CUDA memcpy]",      "[CUDA memcpy HtoD]", "[CUDA memcpy DtoH]", "[CUDA memcpy HtoA]",
      "[CUDA memcpy AtoH]", "[CUDA memcpy AtoA]", "[CUDA memcpy AtoD]", "[CUDA memcpy DtoA]",
      "[CUDA memcpy DtoD]", "[CUDA memcpy HtoH]", "[CUDA memcpy PtoP]"};
  const bool is_known = copy_kind > 0 && copy_kind < std::ssize(kNames);
  return kNames[is_known ? copy_kind : 0];
}

// Reads copies. Those in MEMCPY2, between two devices, are peer-to-peer if without a kind.
Status ReadCopies(Import& import, const char* table) {
  PROFGAUGE_TRY(auto scan, OpenDevice(import, table, {},
                                      {{{"bytes"}}, {{"copyKind"}}, {{"srcKind"}}, {{"dstKind"}}}));
  const bool peer = std::string_view(table).ends_with('2');
  return scan.ForEach([&] {
    DeviceRow row;
    if (!FillCommon(import, scan, row)) return;
    const std::int64_t kind = scan.Integer(kFirstOwn + 1, peer ? kPeerToPeerCopy : -1);
    const CudaCopy copy = CudaCopyOf(kind <= kPeerToPeerCopy ? kind : -1);
    row.kind = DeviceKind::kMemcpy;
    row.name = import.builder->Intern(CopyNameOf(kind));
    row.copy = copy.kind;
    row.bytes = scan.Integer(kFirstOwn, -1);
    row.host_memory = CudaHostMemory(copy.kind, scan.Integer(kFirstOwn + 2, -1),
                                     scan.Integer(kFirstOwn + 3, -1), kPageable);
    import.builder->AddDevice(row);
  });
}

Status ReadMemsets(Import& import) {
  PROFGAUGE_TRY(auto scan, OpenDevice(import, "CUPTI_ACTIVITY_KIND_MEMSET", {}, {{{"bytes"}}}));
  return scan.ForEach([&] {
    DeviceRow row;
    if (!FillCommon(import, scan, row)) return;
    row.kind = DeviceKind::kMemset;
    row.name = import.builder->Intern(kCudaMemset);
    row.bytes = scan.Integer(kFirstOwn, -1);
    import.builder->AddDevice(row);
  });
}

Status ReadSyncs(Import& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                           {{{"start"}}, {{"end"}}, {{"streamId"}}, {{"type"}}}));
  return scan.ForEach([&] {
    if (scan.Integer(0) <= 0 || scan.Integer(1) < scan.Integer(0)) {
      import.builder->log().Add(Counter::events_bad_time);
      return;
    }
    import.builder->log().Add(Counter::events_read);
    StreamRow row;
    row.start = scan.Integer(0);
    row.duration = Between(row.start, scan.Integer(1));
    row.stream = scan.Integer(2, -1);
    row.name = import.builder->Intern(CudaSyncName(scan.Integer(3, -1)));
    import.builder->AddSync(row);
  });
}

// Counts values of hardware counters, measured by running kernels again, one by one.
Status ReadCounters(Import& import) {
  for (const char* const table :
       {"CUPTI_ACTIVITY_KIND_METRIC_INSTANCE", "CUPTI_ACTIVITY_KIND_METRIC",
        "CUPTI_ACTIVITY_KIND_EVENT_INSTANCE", "CUPTI_ACTIVITY_KIND_EVENT",
        "CUPTI_ACTIVITY_KIND_PC_SAMPLING"}) {
    PROFGAUGE_TRY(auto scan, OpenDevice(import, table, {}, {{{"_id_"}}}));
    PROFGAUGE_TRY(const bool any, scan.Next());
    if (any) import.CountSerialized(table, 1);
  }
  return {};
}

}  // namespace

std::string Demangled(std::string_view name) {
  constexpr std::size_t kLongest = 4096;  // Limits the time for hostile names.
  if (!name.starts_with("_Z") || name.size() > kLongest) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : std::string(name);
}

Status ReadDevice(Import& import) {
  // nvprof writes KERNEL if kernels run one by one (--analysis-metrics, --metrics, --events,
  // --concurrent-kernels off), otherwise CONCURRENT_KERNEL.
  const TableLoss kernels(import.builder->log());
  PROFGAUGE_TRY(const std::size_t concurrent,
                ReadKernels(import, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"));
  if (concurrent == 0) {
    PROFGAUGE_TRY(const std::size_t serialized, ReadKernels(import, "CUPTI_ACTIVITY_KIND_KERNEL"));
    if (serialized > 0) import.CountSerialized("CUPTI_ACTIVITY_KIND_KERNEL", serialized);
  }
  PROFGAUGE_CHECK(ReadCounters(import));
  kernels.Tell("kernels");
  const TableLoss copies(import.builder->log());
  PROFGAUGE_CHECK(ReadCopies(import, "CUPTI_ACTIVITY_KIND_MEMCPY"));
  PROFGAUGE_CHECK(ReadCopies(import, "CUPTI_ACTIVITY_KIND_MEMCPY2"));
  copies.Tell("copies");
  const TableLoss sets(import.builder->log());
  PROFGAUGE_CHECK(ReadMemsets(import));
  sets.Tell("memsets");
  return ReadSyncs(import);
}

namespace {

// Columns of calls.
enum : std::size_t {
  kCallStart,
  kCallEnd,
  kProcess,
  kThread,
  kCallCorrelation,
  kCbid,
  kReturnValue
};

// Calls with an unknown number. If many of them share ids with kernels, all of these calls count as
// launches, and one without a kernel has lost its kernel.
class UnknownCalls {
 public:
  void Add(std::int64_t cbid, const ApiRow& row) { calls_[cbid].push_back(row); }
  void Finish(Import& import) {
    for (auto& [cbid, rows] : calls_) {
      const StringId name = import.builder->Intern(fmt::format("cbid#{}", cbid));
      const ApiKind kind = Launches(import, rows) ? ApiKind::kLaunch : ApiKind::kOther;
      for (ApiRow& row : rows) {
        row.name = name;
        row.kind = kind;
        import.builder->AddApi(row);
      }
    }
  }

 private:
  static bool Launches(const Import& import, const std::vector<ApiRow>& rows) {
    const auto launching = std::count_if(rows.begin(), rows.end(), [&](const ApiRow& row) {
      return row.correlation >= 0 && import.kernels.contains(row.correlation);
    });
    return launching > 0 && launching >= knowledge::kLaunchesLaunchingShare.Of(std::ssize(rows));
  }
  std::map<std::int64_t, std::vector<ApiRow>> calls_;
};

// Fills all fields except name and kind. False if the row has no usable time (counted).
bool FillCall(Import& import, const TableScan& scan, ApiRow& row) {
  if (scan.Integer(kCallStart) <= 0 || scan.Integer(kCallEnd) <= 0) {
    import.builder->log().Add(Counter::events_bad_time);
    return false;
  }
  import.builder->log().Add(Counter::events_read);
  row.start = scan.Integer(kCallStart);
  row.duration = std::max<Ns>(0, Between(row.start, scan.Integer(kCallEnd)));
  row.thread = ThreadOf(import, scan.Integer(kProcess), scan.Integer(kThread));
  row.correlation = scan.Integer(kCallCorrelation, -1);
  import.processes.insert(scan.Integer(kProcess));
  return true;
}

Status ReadCalls(Import& import, const char* table, std::string_view (*name_of)(std::int64_t)) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, table,
                                           {{{"start"}},
                                            {{"end"}},
                                            {{"processId"}},
                                            {{"threadId"}},
                                            {{"correlationId"}},
                                            {{"cbid"}},
                                            {{"returnValue"}}}));
  UnknownCalls unknown;
  PROFGAUGE_CHECK(scan.ForEach([&] {
    ApiRow row;
    if (!FillCall(import, scan, row)) return;
    const std::int64_t cbid = scan.Integer(kCbid, -1);
    const std::string_view name = name_of(cbid);
    if (CudaCallFailed(name, scan.Integer(kReturnValue))) {
      import.builder->log().AddAt(Counter::api_errors,
                                  name.empty() ? fmt::format("cbid#{}", cbid) : std::string(name));
    }
    if (name.empty()) return unknown.Add(cbid, row);
    row.name = import.builder->Intern(name);
    row.kind = ApiKindOf(name);
    import.builder->AddApi(row);
  }));
  unknown.Finish(import);
  return {};
}

// Reads the BLOB with a range's thread: the process as a little-endian number of 32 bits, then the
// thread with 64 bits.
//
//   objectId   | process: 4 bytes | thread: 8 bytes |       shorter ones: -1
std::pair<std::int64_t, std::int64_t> ThreadOfBlob(std::string_view blob) {
  std::int32_t process = -1;
  std::int64_t thread = -1;
  if (blob.size() >= 4) std::memcpy(&process, blob.data(), 4);
  if (blob.size() >= 12) std::memcpy(&thread, blob.data() + 4, 8);
  return {process, thread};
}

// Reads CUPTI's overhead on threads of the program: buffers, instrumentation, resources.
// Compilations by the driver are no overhead.
Status ReadOverhead(Import& import) {
  enum OverheadKind : std::int64_t { kBufferFlush = 2 << 16, kResource = 4 << 16 };
  enum ObjectKind : std::int64_t { kOfThread = 2 };
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(
          *import.database, "CUPTI_ACTIVITY_KIND_OVERHEAD",
          {{{"start"}}, {{"end"}}, {{"overheadKind"}}, {{"objectKind"}}, {{"objectId"}}}));
  return scan.ForEach([&] {
    const std::int64_t kind = scan.Integer(2);
    if (kind < kBufferFlush || kind > kResource || scan.Integer(3) != kOfThread) return;
    if (scan.Integer(0) <= 0 || scan.Integer(1) <= 0) return;
    const auto [process, thread] = ThreadOfBlob(scan.Text(4));
    const auto known = import.threads.find({process, thread & 0xffff'ffff});
    if (known == import.threads.end()) return;  // The profiler's threads delay nothing.
    CpuSpan span;
    span.start = scan.Integer(0);
    span.duration = std::max<Ns>(0, Between(span.start, scan.Integer(1)));
    span.thread = known->second;
    span.name = import.builder->Intern("CUPTI");
    import.builder->AddProfilerOverhead(span);
  });
}

enum MarkerFlag : std::int64_t { kBegin = 2, kFinish = 4 };

/// A begin or end of a range. Rows have no order; at equal times the begin precedes the end.
struct Marker {
  Ns time = 0;
  std::int64_t id = 0, flags = 0;
  StringId name, domain;
  ThreadId thread;
};

struct OpenRange {
  Ns start = 0;
  StringId name, domain;
  ThreadId thread;
};

std::string TextOf(const Import& import, StringId id) {
  return std::string(import.builder->Name(id));
}

HostRow RowOf(Import& import, const OpenRange& open, Ns end) {
  ProfileBuilder& builder = *import.builder;
  HostRow row;
  row.start = open.start;
  row.duration = Between(open.start, end);
  if (row.duration < 0) {
    builder.log().Add(Counter::events_negative_dur);
    row.duration = 0;
  }
  const RangeText range = ParseRangeText(TextOf(import, open.name), TextOf(import, open.domain));
  AddTexts(range, builder, row);
  row.kind = range.kind == RangeKind::kOp                ? HostKind::kOp
             : range.kind == RangeKind::kIterationMarker ? HostKind::kIterationMarker
                                                         : HostKind::kAnnotation;
  row.thread = open.thread;
  row.sequence = range.sequence;
  row.backward = range.is_backward;
  builder.log().Add(Counter::events_read);
  return row;
}

void AddRange(Import& import, const OpenRange& open, Ns end, OpenMarkers& markers,
              std::vector<HostRow>& rows) {
  rows.push_back(RowOf(import, open, end));
  const HostRow& row = rows.back();
  if (row.kind == HostKind::kIterationMarker) markers.AddStart(row, TextOf(import, open.name));
}

// Adds a range without an end. It lasts at most to the last marker.
void AddUnclosed(Import& import, const OpenRange& open, Ns last, OpenMarkers& markers,
                 std::vector<HostRow>& rows) {
  import.builder->log().Add(Counter::ranges_not_closed);
  const HostRow row = RowOf(import, open, last);
  if (row.kind != HostKind::kIterationMarker) return rows.push_back(row);
  const std::string name = TextOf(import, open.name);
  markers.AddStart(row, name);
  markers.AddOpen(row, name);
}

// Copies the arguments and the call stack of an operator from the range that PyProf puts around it,
// and the stack to the gradient of the same number:
//
//     torch.matmul [[700, 200], [200, 600]] net.py:12
//       mm, seq = 72
//     MmBackward, seq = 72
//       mm
//
// So both mm have the line of matmul, and the first has its arguments. A gradient does not get
// them, because its arguments differ and its kernels follow from the forward operator.
void ShareArguments(std::vector<HostRow>& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      return std::tuple(rows[i].thread.value, rows[i].start, -rows[i].duration, i);
    };
    return key(a) < key(b);
  });
  const auto end_of = [](const HostRow& row) { return row.start + row.duration; };
  // Calls `visit_row(around, row)` for each operator, with the ranges around it, the outermost
  // first.
  const auto visit = [&](const auto& visit_row) {
    std::vector<const HostRow*> around;
    for (const std::size_t i : order) {
      HostRow& row = rows[i];
      while (!around.empty() && (around.back()->thread.value != row.thread.value ||
                                 end_of(*around.back()) < end_of(row))) {
        around.pop_back();
      }
      if (row.kind == HostKind::kOp) visit_row(around, row);
      around.push_back(&row);
    }
  };
  const auto take_stack = [](const std::vector<const HostRow*>& around, HostRow& row) {
    for (auto outer = around.rbegin(); outer != around.rend() && !row.call_stack.valid(); ++outer) {
      row.call_stack = (*outer)->call_stack;
    }
  };
  visit([&](const std::vector<const HostRow*>& around, HostRow& row) {
    if (row.backward) return;
    take_stack(around, row);
    if (row.input_shapes.valid()) return;
    const auto outer = std::find_if(around.rbegin(), around.rend(), [](const HostRow* range) {
      return range->kind == HostKind::kOp;
    });
    if (outer == around.rend()) return;
    row.input_shapes = (*outer)->input_shapes;
    row.input_dtypes = (*outer)->input_dtypes;
  });
  boost::unordered_flat_map<std::int64_t, const HostRow*> forward;
  for (const HostRow& row : rows) {
    if (row.kind == HostKind::kOp && !row.backward && row.sequence >= 0 && row.call_stack.valid()) {
      forward.try_emplace(row.sequence, &row);
    }
  }
  for (HostRow& row : rows) {
    if (!row.backward) continue;
    const auto own = forward.find(row.sequence);
    if (own != forward.end() && !row.call_stack.valid()) row.call_stack = own->second->call_stack;
  }
  visit(take_stack);
}

// Reads all markers into memory and sorts them: begin and end of a range are two rows in any order.
Result<std::vector<Marker>> MarkersInOrder(Import& import) {
  std::vector<Marker> markers;
  PROFGAUGE_TRY(
      auto scan,
      TableScan::Open(
          *import.database, "CUPTI_ACTIVITY_KIND_MARKER",
          {{{"flags"}}, {{"timestamp"}}, {{"id"}}, {{"objectId"}}, {{"name"}}, {{"domain"}}}));
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const auto [process, thread] = ThreadOfBlob(scan.Text(3));
    markers.push_back({scan.Integer(1), scan.Integer(2), scan.Integer(0),
                       import.String(scan.Integer(4)), import.String(scan.Integer(5)),
                       ThreadOf(import, process, thread)});
  }));
  std::stable_sort(markers.begin(), markers.end(), [](const Marker& a, const Marker& b) {
    return std::tuple(a.time, a.id, a.flags) < std::tuple(b.time, b.id, b.flags);
  });
  return markers;
}

}  // namespace

ThreadId ThreadOf(Import& import, std::int64_t process, std::int64_t thread) {
  const std::int64_t number = thread & 0xffff'ffff;
  const auto [it, is_new] = import.threads.try_emplace({process, number});
  if (is_new) {
    it->second = import.builder->AddThread(fmt::format("{}", process), fmt::format("{}", number));
  }
  return it->second;
}

Status ReadApi(Import& import) {
  PROFGAUGE_CHECK(ReadCalls(import, "CUPTI_ACTIVITY_KIND_RUNTIME", RuntimeCallName));
  PROFGAUGE_CHECK(ReadCalls(import, "CUPTI_ACTIVITY_KIND_DRIVER", DriverCallName));
  if (import.processes.size() > 1) {
    import.builder->log().AddAt(
        Counter::profiler_warnings,
        "several processes in one file: NVProf does not assign kernels to processes");
  }
  return ReadOverhead(import);
}

//   id 1 begin at 10, id 2 begin at 12, id 2 end at 15, id 1 end at 20
//
// gives the ranges [12, 15) and [10, 20). A range that ends on another thread is counted and left
// out, as it cannot nest. Marks, and ends without a begin, are counted as ignored.
Status ReadMarkers(Import& import) {
  PROFGAUGE_TRY(const auto rows, MarkersInOrder(import));
  boost::unordered_flat_map<std::int64_t, OpenRange> open;
  OpenMarkers markers;
  std::vector<HostRow> ranges;
  const Ns last = rows.empty() ? 0 : std::max<Ns>(0, rows.back().time);
  for (const Marker& marker : rows) {
    const auto found = open.find(marker.id);
    if (marker.flags == kBegin && marker.time > 0) {
      open[marker.id] = {marker.time, marker.name, marker.domain, marker.thread};
    } else if (marker.flags == kFinish && found != open.end()) {
      if (found->second.thread == marker.thread) {
        AddRange(import, found->second, marker.time, markers, ranges);
      } else {
        import.builder->log().Add(Counter::ranges_across_threads);
      }
      open.erase(found);
    } else {
      import.builder->log().Add(Counter::events_ignored_kind);
    }
  }
  std::vector<std::pair<std::int64_t, OpenRange>> unclosed(open.begin(), open.end());
  std::sort(unclosed.begin(), unclosed.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [id, range] : unclosed) AddUnclosed(import, range, last, markers, ranges);
  ShareArguments(ranges);
  for (const HostRow& row : ranges) import.builder->AddHost(row);
  markers.Finish(*import.builder);
  return {};
}

}  // namespace profgauge::readers::nvprof
