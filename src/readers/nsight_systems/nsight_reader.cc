#include "readers/nsight_systems/nsight_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/content_hash.h"
#include "readers/common/sqlite_table.h"
#include "readers/nsight_systems/import.h"

namespace profgauge::readers {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kMagic = "SQLite format 3\0"sv;
constexpr std::size_t kBlock = std::size_t{1} << 20;

constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents, "record with `nsys profile --trace=cuda,nvtx`"},
    {Capability::kHostOps, "record with `--trace=cuda,nvtx` inside torch.autograd.profiler.emit_nvtx()"},
    {Capability::kLaunchLinks, "record with `nsys profile --trace=cuda,nvtx`"},
    {Capability::kShapes, "record inside emit_nvtx(record_shapes=True)"},
    {Capability::kIterationMarkers, "push an NVTX range around each iteration"},
};

Error InputError(const std::string& file, std::string code, std::string message, std::string help) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = std::move(code);
  error.message = std::move(message);
  error.where.file = file;
  error.notes = {"help: " + std::move(help)};
  return error;
}

bool IsExport(const std::set<std::string>& tables) {
  return std::any_of(tables.begin(), tables.end(), [](const std::string& table) {
    return table == "StringIds" || table == "NVTX_EVENTS" || table == "ANALYSIS_DETAILS" ||
           table.starts_with("TARGET_INFO_");
  });
}

// What another SQLite file is, where its tables tell.
Error NotAnExport(const std::string& file, const std::set<std::string>& tables) {
  if (tables.contains("StringTable")) {
    return InputError(file, "input/nvprof",
                      "the file is a profile of NVProf, a format that is not supported yet",
                      "record with Nsight Systems instead: `nsys profile --trace=cuda,nvtx`");
  }
  if (tables.contains("dictionary") && tables.contains("db_version")) {
    return InputError(file, "input/dlprof",
                      "the file is a database of DLProf, a format that is not supported yet",
                      "give the Nsight Systems export that DLProf was made from");
  }
  return InputError(
      file, "input/sqlite",
      "the SQLite database is no export of Nsight Systems: none of its tables is known",
      "export a report with `nsys export --type sqlite REPORT.nsys-rep`");
}

Status ReadSource(ByteSource& source, Source& out) {
  ContentHash hash;
  std::vector<std::byte> block(kBlock);
  while (true) {
    PROFGAUGE_TRY(const std::size_t got, source.Read(block));
    if (got == 0) break;
    hash.Add({reinterpret_cast<const char*>(block.data()), got});
    out.bytes += got;
  }
  out.path = source.name();
  out.format = "nsight_systems";
  out.dialect = "SQLite export";
  out.hash = hash.Hex();
  return {};
}

class NsightReader final : public Reader {
 public:
  std::string_view name() const override { return "nsight_systems"; }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    return text.starts_with(kMagic) ? Match::kYes : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions&) const override {
    if (source.name() == "-" || source.compressed()) {
      return Fail(InputError(source.name(), "input/sqlite-stream",
                             "an SQLite database must be a plain file",
                             "write it to a file, uncompressed, and pass its name"));
    }
    ProfileBuilder builder;
    builder.SetHints(kHints);
    PROFGAUGE_CHECK(ReadSource(source, builder.source()));
    PROFGAUGE_TRY(auto database, sqlite::Database::Open(source.name(), sqlite::Mode::kImmutable,
                                                        ErrorKind::kInput));
    PROFGAUGE_TRY(const std::set<std::string> tables, TableNames(database));
    if (!IsExport(tables)) return Fail(NotAnExport(source.name(), tables));
    nsight::Import import;
    import.database = &database;
    import.builder = &builder;
    PROFGAUGE_CHECK(nsight::ReadMetadata(import));
    PROFGAUGE_CHECK(nsight::ReadDevice(import));
    PROFGAUGE_CHECK(nsight::ReadApi(import));
    PROFGAUGE_CHECK(nsight::ReadNvtx(import));
    PROFGAUGE_TRY(Profile profile, builder.Finish());
    if (profile.device.size() + profile.api.size() + profile.host.size() == 0) {
      return Fail(InputError(
          source.name(), "nsight/no-events",
          "the Nsight Systems export holds no kernels, API calls or NVTX ranges",
          "record with `nsys profile --trace=cuda,nvtx`, then `nsys export --type sqlite`"));
    }
    return profile;
  }
};

}  // namespace

std::unique_ptr<Reader> MakeNsightReader() { return std::make_unique<NsightReader>(); }

}  // namespace profgauge::readers
