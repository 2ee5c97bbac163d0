#include "readers/nvprof/nvprof_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "readers/database/sqlite_table.h"
#include "readers/nvprof/import.h"

namespace profgauge::readers {
namespace nvprof {
namespace {

Status ReadStrings(Import& import) {
  PROFGAUGE_TRY(auto scan,
                TableScan::Open(*import.database, "StringTable", {{{"_id_"}}, {{"value"}}}));
  return scan.ForEach(
      [&] { import.strings.emplace(scan.Integer(0), import.builder->Intern(scan.Text(1))); });
}

Status ReadGpus(Import& import) {
  PROFGAUGE_TRY(auto scan, TableScan::Open(*import.database, "CUPTI_ACTIVITY_KIND_DEVICE",
                                           {{{"id"}},
                                            {{"name"}},
                                            {{"globalMemorySize"}},
                                            {{"numMultiprocessors"}},
                                            {{"computeCapabilityMajor"}},
                                            {{"computeCapabilityMinor"}},
                                            {{"numThreadsPerWarp"}},
                                            {{"maxWarpsPerMultiprocessor"}}}));
  while (true) {
    PROFGAUGE_TRY(const bool more, scan.Next());
    if (!more) return {};
    const auto number = [&](std::size_t column) { return scan.Small(column, -1); };
    Gpu gpu;
    gpu.id = number(0);
    const StringId name = import.String(scan.Integer(1, -1));
    if (name.valid()) gpu.name = import.builder->Name(name);
    gpu.memory = scan.Integer(2, -1);
    gpu.sms = number(3);
    gpu.compute_major = number(4);
    gpu.compute_minor = number(5);
    gpu.warp_size = number(6);
    if (number(6) > 0 && number(7) > 0) gpu.max_threads_per_sm = number(6) * number(7);
    import.sms_of[gpu.id] = gpu.sms;
    import.builder->AddGpu(std::move(gpu));
  }
}

}  // namespace

Status ReadMetadata(Import& import) {
  PROFGAUGE_CHECK(ReadStrings(import));
  PROFGAUGE_TRY(auto version,
                TableScan::Open(*import.database, "Version", {{{"version", "value"}}}));
  PROFGAUGE_TRY(const bool has_version, version.Next());
  if (has_version) {
    import.builder->AddFact("nvprof_schema", fmt::format("{}", version.Integer(0)));
  }
  return ReadGpus(import);
}

}  // namespace nvprof

namespace {

constexpr RecordingHint kHints[] = {
    {Capability::kHostOps,
     "record an NVTX range around each operator, in PyTorch inside "
     "torch.autograd.profiler.emit_nvtx()"},
    {Capability::kLaunchLinks, "record without `--profile-api-trace none`"},
    {Capability::kShapes, "record inside emit_nvtx(record_shapes=True), or with PyProf"},
    {Capability::kIterationMarkers, "push an NVTX range around each iteration"},
};

class NvprofReader final : public Reader {
 public:
  std::string_view name() const override { return "nvprof"; }
  std::string_view expected() const override { return "NVProf's database (*.nvvp)"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".nvvp"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte>) const override { return Match::kNo; }
  // CUPTI's tables without StringTable may be a damaged file. With StringIds they are nsys'.
  Match SniffTables(const std::set<std::string>& tables) const override {
    if (tables.contains("StringTable")) return Match::kYes;
    const bool of_cupti = tables.contains("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL") ||
                          tables.contains("CUPTI_ACTIVITY_KIND_MARKER");
    return of_cupti && !tables.contains("StringIds") ? Match::kMaybe : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions&) const override {
    ProfileBuilder builder;
    builder.SetHints(kHints);
    PROFGAUGE_TRY(auto database, OpenDatabase(source, "nvprof", "SQLite database", builder));
    builder.source().is_of_any_program = true;
    PROFGAUGE_TRY(const bool has_strings, database.HasTable("StringTable"));
    if (!has_strings) {
      return Fail(InputError(source.name(), "nvprof/no-strings",
                             "the NVProf database has no table StringTable, so nothing has a name",
                             "record again with `nvprof -o FILE.nvvp`"));
    }
    nvprof::Import import;
    import.database = &database;
    import.builder = &builder;
    PROFGAUGE_CHECK(nvprof::ReadMetadata(import));
    PROFGAUGE_CHECK(nvprof::ReadDevice(import));
    if (import.device_rows == 0) {
      return Fail(InputError(source.name(), "nvprof/no-gpu-activity",
                             "the NVProf database has no GPU activity, neither kernels nor copies",
                             "was it recorded with --print-api-trace only? Record with "
                             "`nvprof -o FILE.nvvp`, without that option"));
    }
    PROFGAUGE_CHECK(nvprof::ReadApi(import));
    PROFGAUGE_CHECK(nvprof::ReadMarkers(import));
    PROFGAUGE_TRY(auto profile, builder.Finish());
    profile.gpus_by_process = true;  // CUPTI numbers the GPUs visible to a process.
    return profile;
  }

  std::optional<Error> Refuse(const std::string& path, std::string_view head) const override {
    // NVProf's output begins with "==4242== …", that of Nsight Compute with "==PROF== …".
    const std::size_t end = head.find_first_not_of("0123456789", 2);
    if (!head.starts_with("==") || end == 2 ||
        !head.substr(std::min(end, head.size())).starts_with("==")) {
      return std::nullopt;
    }
    return InputError(path, "input/nvprof-log",
                      "the file is text that NVProf printed, not a profile",
                      "record with `nvprof -o FILE.nvvp`");
  }
};

}  // namespace

std::unique_ptr<Reader> MakeNvprofReader() { return std::make_unique<NvprofReader>(); }

}  // namespace profgauge::readers
