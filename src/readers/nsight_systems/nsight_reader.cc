#include "readers/nsight_systems/nsight_reader.h"

#include <algorithm>
#include <string_view>

#include "base/errors.h"
#include "readers/database/sqlite_file.h"
#include "readers/nsight_systems/import.h"

namespace profgauge::readers {
namespace {

constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents, "record with `nsys profile --trace=cuda,nvtx`"},
    {Capability::kHostOps,
     "record with `--trace=cuda,nvtx` inside torch.autograd.profiler.emit_nvtx()"},
    {Capability::kLaunchLinks, "record with `nsys profile --trace=cuda,nvtx`"},
    {Capability::kShapes, "record inside emit_nvtx(record_shapes=True)"},
    {Capability::kIterationMarkers, "push an NVTX range around each iteration"},
};

/// For recordings with launches and without what they launched.
constexpr RecordingHint kNoActivityHints[] = {
    {Capability::kDeviceEvents,
     "calls that launch work were traced and no work of a GPU: the driver may be newer than nsys, "
     "performance counters not permitted, or the program stopped before its buffers were written "
     "(`nsys profile --cuda-flush-interval=1000`)"},
    {Capability::kHostOps,
     "record with `--trace=cuda,nvtx` inside torch.autograd.profiler.emit_nvtx()"},
    {Capability::kShapes, "record inside emit_nvtx(record_shapes=True)"},
    {Capability::kIterationMarkers, "push an NVTX range around each iteration"},
};

bool IsExport(const std::set<std::string>& tables) {
  return std::any_of(tables.begin(), tables.end(), [](const std::string& table) {
    return table == "StringIds" || table == "NVTX_EVENTS" || table == "ANALYSIS_DETAILS" ||
           table.starts_with("TARGET_INFO_");
  });
}

bool IsReport(const std::string& name) {
  return name.ends_with(".nsys-rep") || name.ends_with(".qdrep");
}

class NsightReader final : public Reader {
 public:
  std::string_view name() const override { return "nsight_systems"; }
  std::string_view expected() const override { return "Nsight Systems' SQLite export (*.sqlite)"; }
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
    builder.SetHints(kHints);
    PROFGAUGE_TRY(auto database, OpenDatabase(source, "nsight_systems", "SQLite export", builder));
    builder.source().is_of_any_program = true;
    nsight::Import import;
    import.database = &database;
    import.builder = &builder;
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
    PROFGAUGE_TRY(Profile profile, builder.Finish());
    if (profile.device.size() + profile.api.size() + profile.host.size() == 0) {
      return Fail(InputError(
          source.name(), "nsight/no-events",
          "the Nsight Systems export holds no kernels, API calls or NVTX ranges",
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

  std::optional<Error> Refuse(const std::string& path, std::string_view) const override {
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
                      "the folder holds reports of Nsight Systems in its own format, which only "
                      "its own tools can read",
                      "export each with `nsys export --type sqlite REPORT.nsys-rep`, then pass the "
                      "folder again");
  }
};

}  // namespace

std::unique_ptr<Reader> MakeNsightReader() { return std::make_unique<NsightReader>(); }

}  // namespace profgauge::readers
