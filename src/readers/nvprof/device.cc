#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "readers/cuda/cuda_activity.h"
#include "readers/database/sqlite_table.h"
#include "readers/nvprof/import.h"
#include "readers/times.h"

namespace profgauge::readers::nvprof {
namespace {

// Columns that all device tables share, wanted first and in this order.
enum : std::size_t { kStart, kEnd, kDevice, kStream, kCorrelation, kFirstOwn };

constexpr Wanted kCommonColumns[] = {
    {{"start"}}, {{"end"}}, {{"deviceId"}}, {{"streamId"}}, {{"correlationId"}}};

constexpr std::int64_t kPageable = 1;  // CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE.

// A device table by the common columns, then `of_launches`, then `own`.
Result<TableScan> OpenDevice(const Import& import, const std::string& table,
                             std::span<const Wanted> of_launches,
                             std::initializer_list<Wanted> own) {
  return TableScan::OpenColumns(*import.database, table,
                                JoinedColumns({kCommonColumns, of_launches, own}));
}

// Adds the common fields; false when the row has no usable time and was counted. NVProf writes
// zeros for records that it lost.
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

// The kernel's name by its id, each worked out once.
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

// Rows read from one of the two kernel tables.
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

/// The last of CUPTI's kinds of copies; those after it are nsys' own.
constexpr std::int64_t kPeerToPeerCopy = 10;

/// NVProf's words for CUPTI's kinds of copies, which it prints shorter than nsys.
std::string_view CopyNameOf(std::int64_t copy_kind) {
  constexpr std::string_view kNames[] = {
      "[CUDA memcpy]",      "[CUDA memcpy HtoD]", "[CUDA memcpy DtoH]", "[CUDA memcpy HtoA]",
      "[CUDA memcpy AtoH]", "[CUDA memcpy AtoA]", "[CUDA memcpy AtoD]", "[CUDA memcpy DtoA]",
      "[CUDA memcpy DtoD]", "[CUDA memcpy HtoH]", "[CUDA memcpy PtoP]"};
  const bool is_known = copy_kind > 0 && copy_kind < std::ssize(kNames);
  return kNames[is_known ? copy_kind : 0];
}

// MEMCPY2 has copies between two devices: peer to peer where no kind is given.
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

// Counters are measured by kernels that run again, one by one.
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
  constexpr std::size_t kLongest = 4096;  // Demangling long hostile names takes its time.
  if (!name.starts_with("_Z") || name.size() > kLongest) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : std::string(name);
}

Status ReadDevice(Import& import) {
  // Runs in which nvprof lets kernels run one by one (--analysis-metrics, --metrics, --events,
  // --concurrent-kernels off) write KERNEL, all others CONCURRENT_KERNEL.
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

}  // namespace profgauge::readers::nvprof
