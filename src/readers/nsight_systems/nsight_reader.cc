#include "readers/nsight_systems/nsight_reader.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/hashes.h"
#include "base/sqlite.h"
#include "readers/database/sqlite_table.h"
#include "readers/folders.h"
#include "readers/nsight_systems/api.h"
#include "readers/nsight_systems/cpu.h"
#include "readers/nsight_systems/device.h"
#include "readers/nsight_systems/gpu_metrics.h"
#include "readers/nsight_systems/import.h"
#include "readers/nsight_systems/metadata.h"
#include "readers/nsight_systems/nvtx.h"
#include "readers/nsight_systems/os.h"
#include "readers/nsight_systems/processes.h"
#include "readers/nsight_systems/project.h"

namespace profgauge::readers {
namespace {

constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents, "record with `nsys profile --trace=cuda,nvtx`"},
    {Capability::kHostOps,
     "record with `--trace=cuda,nvtx` and an NVTX range around each operator, in PyTorch inside "
     "torch.autograd.profiler.emit_nvtx()"},
    {Capability::kLaunchLinks, "record with `nsys profile --trace=cuda,nvtx`"},
    {Capability::kShapes, "record inside emit_nvtx(record_shapes=True)"},
    {Capability::kIterationMarkers, "push an NVTX range around each iteration"},
};

/// For profiles with launches but without the launched kernels.
constexpr RecordingHint kNoActivityHints[] = {
    {Capability::kDeviceEvents,
     "launching calls were traced, but no GPU work: use a newer nsys, permit performance counters, "
     "or add `--cuda-flush-interval=1000`"},
    {Capability::kHostOps,
     "record with `--trace=cuda,nvtx` and an NVTX range around each operator, in PyTorch inside "
     "torch.autograd.profiler.emit_nvtx()"},
    {Capability::kShapes, "record inside emit_nvtx(record_shapes=True)"},
    {Capability::kIterationMarkers, "push an NVTX range around each iteration"},
};

bool IsExport(const std::set<std::string>& tables) {
  return std::any_of(tables.begin(), tables.end(), [](const std::string& table) {
    return table == "StringIds" || table == "NVTX_EVENTS" || table == "ANALYSIS_DETAILS" ||
           table.starts_with("TARGET_INFO_");
  });
}

/// True for `nsys export --type jsonlines`: each line is an object whose keys show its kind.
bool IsJsonLines(std::string_view head) {
  constexpr std::string_view kNames[] = {"\"globalTid\"", "\"GlobalTid\"", "\"CudaEvent\"",
                                         "\"CUPTI_ACTIVITY_KIND_"};
  return head.starts_with('{') && head.find("}\n{") != std::string_view::npos &&
         std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
           return head.find(name) != std::string_view::npos;
         });
}

/// True for Nsight Compute, which measures single kernels repeatedly and has no times of a run.
bool IsKernelReport(const std::string& name) { return name.ends_with(".ncu-rep"); }

bool IsReport(const std::string& name) {
  return name.ends_with(".nsys-rep") || name.ends_with(".qdrep");
}

/// Reads all parts of an export, in the order of their dependencies. `path` is for errors.
Result<Profile> ReadExport(nsight::Import& import, const std::string& path) {
  import.builder->SetHints(kHints);
  import.builder->source().is_of_any_program = true;
  PROFGAUGE_CHECK(nsight::ReadMetadata(import));
  PROFGAUGE_CHECK(nsight::ReadProcesses(import));
  PROFGAUGE_CHECK(nsight::ReadDevice(import));
  PROFGAUGE_CHECK(nsight::ReadApi(import));
  PROFGAUGE_CHECK(nsight::ReadDiagnostics(import));
  PROFGAUGE_CHECK(nsight::ReadNvtx(import));
  nsight::ShareMarkers(import);
  PROFGAUGE_CHECK(nsight::ReadOs(import));
  PROFGAUGE_CHECK(nsight::ReadCpu(import));
  PROFGAUGE_CHECK(nsight::ReadGpuMetrics(import));
  const std::vector<ThreadId> ranks = nsight::ThreadsOfRanks(import);
  PROFGAUGE_TRY(Profile profile, import.builder->Finish());
  if (profile.device.size() + profile.api.size() + profile.host.size() == 0) {
    return Fail(InputError(
        path, "nsight/no-events",
        "the Nsight Systems export has no kernels, API calls or NVTX ranges",
        "record with `nsys profile --trace=cuda,nvtx`, then `nsys export --type sqlite`"));
  }
  const bool has_launch = std::find(profile.api.kind.begin(), profile.api.kind.end(),
                                    ApiKind::kLaunch) != profile.api.kind.end();
  if (has_launch && profile.device.size() == 0) {
    profile.log.AddAt(Counter::profiler_warnings, "kernels were launched, but none was recorded");
    profile.hints = kNoActivityHints;
  }
  profile.gpus_by_process = import.gpu_of.empty();
  for (const ThreadId thread : ranks) {
    profile.communicating.push_back(profile.threads[thread.value].process);
  }
  nsight::ProjectRanges(profile);
  return profile;
}

Result<Profile> ReadFolder(const std::string& path, const std::vector<std::string>& files,
                           const ReadOptions& options) {
  PROFGAUGE_TRY(const nsight::ParquetFolder folder, nsight::OpenParquetFolder(files, options));
  ProfileBuilder builder;
  Source& source = builder.source();
  source.path = path;
  source.format = "nsight_systems";
  source.dialect = "Parquet export";
  source.accelerator = "nvidia";
  source.bytes = folder.bytes;
  source.hash = folder.hash;
  for (const std::string& table : folder.ended) {
    builder.log().Add(Counter::truncated);
    builder.log().AddAt(Counter::rows_unusable, table + ": its file ends early");
  }
  nsight::Import import(folder.tables, builder);
  PROFGAUGE_TRY(Profile profile, ReadExport(import, path));
  profile.facts.emplace_back("parquet_form", folder.form);
  return profile;
}

class NsightReader final : public Reader {
 public:
  std::string_view name() const override { return "nsight_systems"; }
  std::string_view expected() const override {
    return "Nsight Systems' SQLite or Parquet export (*.sqlite, a folder)";
  }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".sqlite"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte>) const override { return Match::kNo; }
  Match SniffTables(const std::set<std::string>& tables) const override {
    return IsExport(tables) ? Match::kYes : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions&) const override {
    ProfileBuilder builder;
    PROFGAUGE_TRY(auto database, OpenDatabase(source, "nsight_systems", "SQLite export", builder));
    nsight::Import import(database, builder);
    return ReadExport(import, source.name());
  }

  std::string_view CheckFirst(const Source& source) const override {
    if (source.format != name() || !source.dialect.starts_with("Parquet export")) return {};
    return "this format was tested without a parquetdir of nsys: compare kernels, calls, ranges "
           "and kernel names with the same report as `--type sqlite`; `parquet_form` has the "
           "writer of the tables";
  }
  // The folder itself if it has tables, or the folders of tables in it, e.g. one per rank.
  std::vector<std::string> OutputsOf(const std::string& folder,
                                     std::vector<std::string>&) const override {
    return FoldersBelow(folder, [](const std::filesystem::path& below) {
      return AnyNameIn(below, nsight::IsTableName);
    });
  }
  // Makes one profile of each folder with tables, and removes the files from the list, so that no
  // other reader reads them.
  Status ReadParts(std::vector<std::string>& files, const ReadOptions& options,
                   Run& run) const override {
    for (const auto& [folder, all] : ByFolder(files)) {
      std::vector<std::string> tables;
      std::copy_if(all.begin(), all.end(), std::back_inserter(tables),
                   [](const auto& file) { return file.ends_with(".parquet"); });
      const auto is_known = [](const std::string& file) {
        return nsight::IsTableName(std::filesystem::path(file).filename().string());
      };
      if (tables.size() < 2 || std::none_of(tables.begin(), tables.end(), is_known)) continue;
      PROFGAUGE_TRY(auto profile, ReadFolder(folder.empty() ? "." : folder, tables, options));
      run.profiles.push_back(std::move(profile));
      std::erase_if(files, [&](const std::string& file) {
        return std::find(tables.begin(), tables.end(), file) != tables.end();
      });
    }
    return {};
  }

  std::optional<Error> Refuse(const std::string& path, std::string_view head) const override {
    if (head.starts_with("ARROW1") || IsJsonLines(head)) {
      return InputError(
          path, head.starts_with("ARROW1") ? "input/arrow" : "input/nsys-jsonlines",
          head.starts_with("ARROW1")
              ? "the file is an Arrow table, which is not supported"
              : "the file is an export of Nsight Systems as lines of JSON, which is not supported",
          "export the report with `nsys export --type sqlite REPORT.nsys-rep`, then "
          "pass the `.sqlite` file");
    }
    if (nsight::IsTableName(std::filesystem::path(path).filename().string())) {
      return InputError(path, "nsight/one-table",
                        "the file is one table of an export of Nsight Systems as Parquet",
                        "pass its folder");
    }
    if (IsKernelReport(path)) {
      return InputError(
          path, "input/ncu-rep",
          "the file is a report of Nsight Compute, which measures single kernels and has "
          "no times of a run",
          "record the run: `nsys profile -t cuda,nvtx -o REPORT python train.py`, then "
          "`nsys export --type sqlite REPORT.nsys-rep`");
    }
    if (!IsReport(path)) return std::nullopt;
    return InputError(
        path, "input/nsys-rep",
        "the file is a report of Nsight Systems in its own format, which only its "
        "own tools can read",
        "export it with `nsys export --type sqlite " + path + "`, then pass the `.sqlite` file");
  }

  std::optional<Error> RefuseFolder(const std::string& path,
                                    const std::vector<std::string>& names) const override {
    if (std::none_of(names.begin(), names.end(), IsReport)) return std::nullopt;
    return InputError(path, "input/nsys-rep",
                      "the folder has reports of Nsight Systems in its own format, which only "
                      "its own tools can read",
                      "export each with `nsys export --type sqlite REPORT.nsys-rep`, then pass the "
                      "folder again");
  }
};

}  // namespace

std::unique_ptr<Reader> MakeNsightReader() { return std::make_unique<NsightReader>(); }

}  // namespace profgauge::readers

namespace profgauge::readers::nsight {

bool IsTableName(std::string_view file_name) {
  constexpr std::string_view kSuffix = ".parquet";
  if (!file_name.ends_with(kSuffix)) return false;
  const std::string_view table = file_name.substr(0, file_name.size() - kSuffix.size());
  constexpr std::string_view kTables[] = {"StringIds", "NVTX_EVENTS", "ANALYSIS_DETAILS",
                                          "META_DATA_EXPORT", "META_DATA_CAPTURE"};
  return std::find(std::begin(kTables), std::end(kTables), table) != std::end(kTables) ||
         table.starts_with("TARGET_INFO_") || table.starts_with("CUPTI_ACTIVITY_KIND_");
}

Result<ParquetFolder> OpenParquetFolder(std::vector<std::string> files,
                                        const ReadOptions& options) {
  std::sort(files.begin(), files.end());  // The hash depends on the order.
  ParquetFolder folder;
  ContentHash hash;
  for (const std::string& file : files) {
    const std::string name = std::filesystem::path(file).stem().string();
    auto table = parquet::Table::Open(file);
    if (!table) {
      if (table.error().code != "parquet/truncated" || !options.allow_incomplete) {
        return Fail(std::move(table).error());
      }
      folder.ended.push_back(name);
      continue;
    }
    if (folder.form.empty()) folder.form = parquet::FormText(table->footer());
    folder.bytes += table->size();
    PROFGAUGE_TRY(const std::string own, table->Hash());
    hash.Add(name);
    hash.Add(own);
    folder.tables.emplace(name, *std::move(table));
  }
  folder.hash = hash.Hex();
  return folder;
}

}  // namespace profgauge::readers::nsight

namespace profgauge::readers {
namespace {

std::vector<KeptTable> KeptOfDevices() {
  const std::vector<std::string_view> device = {"start",     "end",        "deviceId",
                                                "contextId", "streamId",   "correlationId",
                                                "globalPid", "graphNodeId"};
  const auto with = [](std::vector<std::string_view> columns,
                       std::initializer_list<std::string_view> more) {
    columns.insert(columns.end(), more);
    return columns;
  };
  return {
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       with(device,
            {"demangledName", "shortName", "launchType", "registersPerThread", "gridX", "gridY",
             "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory"}),
       {"demangledName", "shortName"}},
      {"CUPTI_ACTIVITY_KIND_MEMCPY", with(device, {"bytes", "copyKind", "srcKind", "dstKind"}), {}},
      {"CUPTI_ACTIVITY_KIND_MEMSET", with(device, {"bytes", "memKind"}), {}},
      {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", with(device, {"syncType", "eventId"}), {}},
      {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", with(device, {"graphId", "graphExecId"}), {}},
  };
}

std::vector<KeptTable> KeptOfTheHost() {
  return {
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"},
       {},
       {"nameId"}},
      {"NVTX_EVENTS",
       {"start", "end", "eventType", "rangeId", "category", "color", "text", "globalTid",
        "endGlobalTid", "textId", "domainId", "uint64Value", "int64Value", "doubleValue",
        "uint32Value", "int32Value", "floatValue"},
       {"textId"},
       {},
       {{"text", "name"}}},
      {"OSRT_API", {"start", "end", "globalTid", "nameId", "returnValue"}, {}, {"nameId"}},
      {"PROFILER_OVERHEAD", {"start", "end", "globalTid", "nameId"}, {}, {"nameId"}},
      {"SCHED_EVENTS",
       {"start", "cpu", "isSchedIn", "globalTid", "threadState", "threadBlock"},
       {}},
      {"ENUM_SAMPLING_THREAD_STATE", {"id", "label"}, {}},
      {"ENUM_SCHEDULING_THREAD_BLOCK", {"id", "label"}, {}},
      {"COMPOSITE_EVENTS", {"id", "start", "globalTid"}, {}},
      {"SAMPLING_CALLCHAINS",
       {"id", "symbol", "module", "unresolved", "stackDepth"},
       {"symbol", "module"}},
  };
}

std::vector<KeptTable> KeptOfTheTarget() {
  const std::vector<std::string_view> gpu = {"id",
                                             "deviceId",
                                             "cuDevice",
                                             "name",
                                             "totalMemory",
                                             "globalMemoryBytes",
                                             "smCount",
                                             "multiprocessorCount",
                                             "numMultiprocessors",
                                             "computeMajor",
                                             "computeMinor",
                                             "computeCapabilityMajor",
                                             "computeCapabilityMinor",
                                             "threadsPerWarp",
                                             "numThreadsPerWarp",
                                             "maxWarpSize",
                                             "memoryBandwidth",
                                             "clockRate"};
  return {
      {"GPU_METRICS", {"typeId", "timestamp", "metricId", "value"}, {}},
      {"TARGET_INFO_GPU_METRICS", {"typeId", "typeName", "metricId", "metricName"}, {}},
      {"TARGET_INFO_GPU", gpu, {}},
      {"TARGET_INFO_CUDA_GPU", gpu, {}},
      {"TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"}, {}},
      {"TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, {}},
      {"ANALYSIS_DETAILS", {"globalVid", "duration", "startTime", "stopTime"}, {}},
  };
}

// Copies only known rows of tables of names and values: others have environment and commands.
std::vector<KeptTable> KeptOfTheExport() {
  return {
      {"META_DATA_EXPORT",
       {"name", "value"},
       {},
       {},
       {},
       "name in ('EXPORT_PRODUCT_VERSION', 'EXPORT_SCHEMA_VERSION')"},
      {"EXPORT_META_DATA",
       {"name", "value"},
       {},
       {},
       {},
       "name in ('EXPORT_PRODUCT_VERSION', 'EXPORT_SCHEMA_VERSION')"},
      {"META_DATA_CAPTURE",
       {"name", "value"},
       {},
       {},
       {},
       "name in ('CUDA_GRAPH_TRACE_OPTIONS:MODE', 'PROCESS_0:COLLECT_NVTX_TRACE', "
       "'PROCESS_0:COLLECT_CUDA_TRACE')"},
      {"TARGET_INFO_SYSTEM_ENV",
       {"name", "value"},
       {},
       {},
       {},
       "name in ('CpuCores', 'CpuDescription', 'CudaDriverVersion', 'NvDriverVersion')"},
      {"DIAGNOSTIC_EVENT",
       {"timestamp", "timestampType", "severity", "text", "globalPid"},
       {},
       {},
       {{"text", "phrase"}}},
  };
}

std::vector<KeptTable> AllKept() {
  std::vector<KeptTable> all;
  for (const auto part : {KeptOfDevices, KeptOfTheHost, KeptOfTheTarget, KeptOfTheExport}) {
    for (KeptTable& kept : part()) all.push_back(std::move(kept));
  }
  return all;
}

/// Messages of nsys that are kept. The rest of a diagnostic's text may name files and users.
constexpr std::string_view kPhrases[] = {
    "Not all CUDA events might have been collected.", "is not supported by this build",
    "CUDA profiling might have not been started correctly", "No NVTX events collected."};

Error NotAnExport(const std::string& in) {
  return InputError(in, "scrub/not-an-export",
                    "expected an SQLite export of Nsight Systems, found another database",
                    "for other databases, share a report: `profgauge report PROFILE "
                    "--redact=code`");
}

// True if the file can be read and is no database. For unreadable files, SQLite reports the error.
bool IsOtherFile(const std::string& in) {
  constexpr std::size_t kMagic = 16;
  const auto file = OpenInput(in, Named::kFound);
  return file && file->size() && !IsSqlite(ReadHead(in, kMagic));
}

Status CheckIsExport(const std::string& in) {
  if (IsOtherFile(in)) return Fail(NotAnExport(in));
  PROFGAUGE_TRY(auto source,
                sqlite::Database::Open(in, sqlite::Mode::kImmutable, ErrorKind::kInput));
  PROFGAUGE_TRY(const std::set<std::string> tables, TableNames(source));
  if (!IsExport(tables)) return Fail(NotAnExport(in));
  return {};
}

/// Keeps only the known phrase of a message; a message without one becomes empty.
std::string PhraseOf(std::string_view text) {
  for (const std::string_view phrase : kPhrases) {
    if (text.find(phrase) != std::string_view::npos) return std::string(phrase);
  }
  return {};
}

}  // namespace

bool IsExport(const std::set<std::string>& tables) {
  return tables.contains("StringIds") || tables.contains("NVTX_EVENTS") ||
         tables.contains("TARGET_INFO_GPU");
}

Result<Scrubbed> ScrubExport(const std::string& in, const std::string& out, const Rename& rename) {
  PROFGAUGE_CHECK(CheckIsNew(out));
  PROFGAUGE_CHECK(CheckIsExport(in));
  return CopyTables(in, out, {AllKept(), {{"StringIds"}}, {{"phrase", PhraseOf}}}, rename);
}

}  // namespace profgauge::readers
