#include "readers/nsight_systems/metadata.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/whole.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"
#include "readers/times.h"

namespace profgauge::readers::nsight {
namespace {

Status ReadStrings(Import& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(import.tables, "StringIds", {{{"id"}}, {{"value"}}}));
  return scan.ForEach(
      [&] { import.strings.emplace(scan.Integer(0), import.builder->Intern(scan.Text(1))); });
}

// Reads the GPUs. Exports from 2020 to 2026 have up to three spellings of a column.
Status ReadGpus(Import& import, const char* table) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(import.tables, table,
                                {{{"cuDevice", "id", "deviceId"}},
                                 {{"name"}},
                                 {{"totalMemory", "globalMemoryBytes"}},
                                 {{"smCount", "multiprocessorCount", "numMultiprocessors"}},
                                 {{"computeMajor", "computeCapabilityMajor"}},
                                 {{"computeMinor", "computeCapabilityMinor"}},
                                 {{"threadsPerWarp", "numThreadsPerWarp", "maxWarpSize"}}}));
  return scan.ForEach([&] {
    Gpu gpu;
    gpu.id = scan.Small(0, -1);
    gpu.name = scan.Text(1);
    gpu.memory = scan.Integer(2, -1);
    gpu.sms = scan.Small(3, -1);
    gpu.compute_major = scan.Small(4, -1);
    gpu.compute_minor = scan.Small(5, -1);
    gpu.warp_size = scan.Small(6, -1);
    import.sms_of[gpu.id] = gpu.sms;
    import.builder->AddGpu(std::move(gpu));
  });
}

// Reads which GPU an ordinal of a process means, because CUDA_VISIBLE_DEVICES renumbers GPUs.
Status ReadGpuMapping(Import& import) {
  PROFGAUGE_TRY(auto gpus,
                TableScan::Open(import.tables, "TARGET_INFO_GPU", {{{"id"}}, {{"cuDevice"}}}));
  std::map<std::int64_t, std::int64_t> ordinal_of;
  PROFGAUGE_CHECK(gpus.ForEach([&] {
    if (gpus.IsSet(0) && gpus.IsSet(1)) ordinal_of[gpus.Integer(0)] = gpus.Integer(1);
  }));
  PROFGAUGE_TRY(auto scan, TableScan::Open(import.tables, "TARGET_INFO_CUDA_DEVICE",
                                           {{{"gpuId"}}, {{"cudaId"}}, {{"pid"}}}));
  return scan.ForEach([&] {
    const auto ordinal = ordinal_of.find(scan.Integer(0, -1));
    const std::int64_t gpu = ordinal == ordinal_of.end() ? scan.Integer(0, -1) : ordinal->second;
    import.gpu_of[{scan.Integer(2, -1), scan.Integer(1, -1)}] = Narrow(gpu, -1);
  });
}

// The driver's version with dots: older exports write 515.43.04 as "5154304".
std::string DriverVersion(std::string_view text) {
  const bool is_digits = text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_digits || text.size() < 5) return std::string(text);
  const std::string_view patch = text.substr(5);
  return fmt::format("{}.{}{}{}", text.substr(0, 3), text.substr(3, 2), patch.empty() ? "" : ".",
                     patch);
}

void ReadCaptureSetting(Import& import, std::string_view name, std::string_view value) {
  ImportLog& log = import.builder->log();
  if (name == "PROCESS_0:COLLECT_NVTX_TRACE" && value == "false") {
    log.AddAt(Counter::profiler_warnings,
              "NVTX was not traced, so operators and iterations are unknown; record with "
              "--trace=cuda,nvtx");
  } else if (name == "PROCESS_0:COLLECT_CUDA_TRACE" && value == "false") {
    log.AddAt(Counter::profiler_warnings, "CUDA was not traced; record with --trace=cuda,nvtx");
  }
}

// Reads only these keys of a table of names and values.
Status ReadFacts(Import& import, const char* table,
                 std::initializer_list<std::pair<const char*, const char*>> allowed) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(import.tables, table, {{{"name"}}, {{"value"}}}));
  std::set<std::pair<std::string, std::string>> rows;  // Rows come in any order.
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const bool is_fact = std::any_of(allowed.begin(), allowed.end(),
                                     [&](const auto& each) { return scan.Text(0) == each.first; });
    if (is_fact || scan.Text(0).starts_with("PROCESS_0:COLLECT_")) {
      rows.emplace(scan.Text(0), scan.Text(1));
    }
  }));
  for (const auto& [name, fact] : allowed) {
    for (const auto& [key, value] : rows) {
      if (key == name)
        import.builder->AddFact(fact, key == "NvDriverVersion" ? DriverVersion(value) : value);
    }
  }
  for (const auto& [key, value] : rows) ReadCaptureSetting(import, key, value);
  return {};
}

// Reads the start and end of the capture. Times count from the session's start.
Status ReadCaptureWindow(Import& import) {
  import.builder->CountFromSession();
  PROFGAUGE_TRY(auto window, TableScan::Open(import.tables, "ANALYSIS_DETAILS",
                                             {{{"startTime"}}, {{"stopTime"}}}));
  PROFGAUGE_TRY(const bool has_window, window.Next());
  if (has_window && window.Integer(1) > window.Integer(0)) {
    import.builder->SetSpan(window.Integer(0), Between(window.Integer(0), window.Integer(1)));
    import.capture_end = window.Integer(1);
  }
  PROFGAUGE_TRY(auto start, TableScan::Open(import.tables, "TARGET_INFO_SESSION_START_TIME",
                                            {{{"utcEpochNs"}}}));
  PROFGAUGE_TRY(const bool has_start, start.Next());
  if (has_start) import.builder->SetClockOffset(start.Integer(0));
  return {};
}

// The processes that mark ranges.
Result<std::set<std::int64_t>> RangeProcesses(const Import& import) {
  std::set<std::int64_t> processes;
  PROFGAUGE_TRY(auto ranges, TableScan::Open(import.tables, "NVTX_EVENTS", {{{"globalTid"}}}));
  PROFGAUGE_CHECK(ranges.ForEach([&] { processes.insert(ProcessOf(ranges.Integer(0))); }));
  return processes;
}

// Counts each process's loss. A process without CUDA and ranges, beside one that uses CUDA, is a
// helper, whose loss does not matter. A process with ranges may have lost all of its CUDA events.
//
//   lossy process       uses CUDA    marks ranges    counted as
//   training            yes          any             dropped events
//   its data loader     no           no              a warning
//   one that lost all   no           yes             dropped events
Status AddLossyProcesses(Import& import, const std::set<std::int64_t>& lossy) {
  if (lossy.empty()) return {};
  PROFGAUGE_TRY(const std::set<std::int64_t> marking, RangeProcesses(import));
  ImportLog& log = import.builder->log();
  for (const std::int64_t process : lossy) {
    const bool is_helper = process != 0 && !import.cuda_processes.empty() &&
                           !import.cuda_processes.contains(process) && !marking.contains(process);
    if (is_helper) {
      log.AddAt(Counter::profiler_warnings, "CUDA events of a process without any may be missing");
    } else {
      log.AddAt(Counter::events_dropped, "nsys: not all CUDA events might have been collected");
    }
  }
  return {};
}

}  // namespace

ThreadId ThreadOf(Import& import, std::int64_t global_tid) {
  const auto [it, is_new] = import.threads.try_emplace(global_tid);
  if (is_new) {
    it->second = import.builder->AddThread(fmt::format("{}", ProcessOf(global_tid)),
                                           fmt::format("{}", ThreadNumberOf(global_tid)));
  }
  return it->second;
}

Status ReadMetadata(Import& import) {
  PROFGAUGE_CHECK(ReadStrings(import));
  PROFGAUGE_CHECK(ReadGpus(import, "TARGET_INFO_GPU"));
  if (import.sms_of.empty()) PROFGAUGE_CHECK(ReadGpus(import, "TARGET_INFO_CUDA_GPU"));
  PROFGAUGE_CHECK(ReadGpuMapping(import));
  for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    PROFGAUGE_CHECK(ReadFacts(import, table,
                              {{"EXPORT_PRODUCT_VERSION", "nsight_systems_version"},
                               {"EXPORT_SCHEMA_VERSION", "nsight_systems_schema"}}));
  }
  PROFGAUGE_CHECK(ReadFacts(import, "META_DATA_CAPTURE", {}));
  PROFGAUGE_CHECK(ReadFacts(import, "TARGET_INFO_SYSTEM_ENV",
                            {{"CpuDescription", "cpu_model"},
                             {"CpuCores", "cpu_cores"},
                             {"CudaDriverVersion", "cuda_driver_version"},
                             {"NvDriverVersion", "nvidia_driver_version"}}));
  return ReadCaptureWindow(import);
}

// Counts diagnostics by known texts. They are not shown, because they may name files and users.
Status ReadDiagnostics(Import& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(import.tables, "DIAGNOSTIC_EVENT",
                                           {{{"severity"}}, {{"text"}}, {{"globalPid"}}}));
  ImportLog& log = import.builder->log();
  std::set<std::int64_t> lossy;  // Processes with lost events; 0: the process is unknown.
  PROFGAUGE_CHECK(scan.ForEach([&] {
    const std::string_view text = scan.Text(1);
    const auto says = [text](std::string_view phrase) {
      return text.find(phrase) != std::string_view::npos;
    };
    if (says("Not all CUDA events might have been collected")) {
      lossy.insert(ProcessOf(scan.Integer(2)));
    } else if (says("is not supported by this build")) {
      log.AddAt(Counter::profiler_warnings,
                "nsys does not support the installed CUDA driver; update nsys");
    } else if (says("CUDA profiling might have not been started correctly")) {
      log.AddAt(Counter::profiler_warnings, "CUDA profiling might have not been started correctly");
    } else if (says("No NVTX events collected")) {
      log.AddAt(Counter::profiler_warnings,
                "no NVTX events collected, so operators and iterations are unknown");
    } else if (scan.Integer(0) >= 2) {
      log.Add(Counter::profiler_warnings);
    }
  }));
  return AddLossyProcesses(import, lossy);
}

}  // namespace profgauge::readers::nsight
