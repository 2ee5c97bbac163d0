#include "readers/detect.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/input_error.h"
#include "readers/builtin.h"
#include "readers/cuda/sqlite_file.h"
#include "readers/cuda/sqlite_table.h"
#include "readers/xla/wire.h"

namespace profgauge {
namespace {

using std::string_view_literals::operator""sv;

/// A kind of file that is often given by mistake.
struct Lookalike {
  std::string_view start;
  std::string_view code;
  std::string_view message;
  std::string_view help;
};

constexpr Lookalike kLookalikes[] = {
    {"version https://git-lfs"sv, "input/lfs-pointer",
     "the file is a Git LFS pointer, not the profile itself", "fetch it with `git lfs pull`"},
    {"PK\x03\x04"sv, "input/zip", "the file is a zip archive, not a profile",
     "checkpoints of PyTorch, .npz and .xlsx files are such archives; if a profile is "
     "inside, "
     "unpack it"},
    {"=="sv, "input/nvprof-log", "the file is text that NVProf printed, not a profile",
     "record with `nvprof -o FILE.nvvp`"},
    {"\xFF\xFE"sv, "input/utf16", "the file is text in UTF-16, expected UTF-8",
     "PowerShell's `>` converts text; copy the original file, or convert it with "
     "`iconv -f UTF-16 -t UTF-8`"},
    {"\xFE\xFF"sv, "input/utf16", "the file is text in UTF-16, expected UTF-8",
     "PowerShell's `>` converts text; copy the original file, or convert it with "
     "`iconv -f UTF-16 -t UTF-8`"},
    {"{\0"sv, "input/utf16", "the file is text in UTF-16, expected UTF-8",
     "convert it with `iconv -f UTF-16LE -t UTF-8`"},
    {"PAR1"sv, "neuron/parquet", "the file is a Parquet table, which is not read",
     "write it as CSV with `duckdb -c \"COPY (FROM 'Instruction.parquet') TO "
     "'Instruction.csv'\"` for each table, then pass the folder; or export the profile with "
     "`neuron-explorer view -n MODEL.neff -s PROFILE.ntff --output-format json --output-file "
     "profile.json`"},
    {"[\0"sv, "input/utf16", "the file is text in UTF-16, expected UTF-8",
     "convert it with `iconv -f UTF-16LE -t UTF-8`"},
};

/// Tables of other tools, by how their first line begins. They lack what their JSON has.
struct TableHead {
  std::string_view start;
  bool ascend;
};
constexpr TableHead kTables[] = {
    {"\"Kind\",\"Agent_Id\""sv, false},
    {"\"Kind\",\"Operation\""sv, false},
    {"\"Kind\",\"Direction\""sv, false},
    {"\"Domain\",\"Function\""sv, false},
    {"\"Correlation_Id\",\"Dispatch_Id\""sv, false},
    {"\"Name\",\"Calls\",\"TotalDurationNs\""sv, false},
    {"Device_id,OP Type,Core Type"sv, true},
    {"Device_id,Level,API Name"sv, true},
    {"Device_id,Step,Computing"sv, true},
    {"Step,Computing,Communication(Not Overlapped)"sv, true},
    {"Component,Timestamp(us),Total Allocated"sv, true},
    {"Name,Size(KB),Allocation Time(us)"sv, true},
};

std::optional<Error> KnownTable(const std::string& path, std::string_view text);

/// Names of the raw files of a Neuron capture of a system.
constexpr std::string_view kNeuronRaw[] = {"ntrace.pb", "trace_info.pb", "cpu_util.pb",
                                           "host_mem.pb"};

bool IsNeuronRaw(const std::string& path) {
  return std::any_of(std::begin(kNeuronRaw), std::end(kNeuronRaw),
                     [&](std::string_view name) { return path.ends_with(name); });
}

/// Words near the beginning of XProf's pages: sums that TensorBoard draws.
constexpr std::string_view kXprofWords[] = {"\"cols\""sv, "\"byCategory\""sv, "\"byProgram\""sv,
                                            "\"podStatsSequence\""sv, "\"hloModule\""sv};
constexpr std::size_t kNearBeginning = 512;

bool IsXprofPage(std::string_view text) {
  text = text.substr(0, kNearBeginning);
  return std::any_of(std::begin(kXprofWords), std::end(kXprofWords), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

/// Perfetto's traces are packets, each a message under field number 1.
bool IsPerfetto(const std::string& path, std::string_view text) {
  for (const std::string_view suffix : {".pftrace", ".perfetto-trace", ".perfetto"}) {
    if (path.ends_with(suffix)) return true;
  }
  readers::xla::WireReader packets(text);
  int count = 0;
  while (packets.Next() && packets.field() == 1 && !packets.Bytes().empty()) {
    readers::xla::WireReader fields(packets.Bytes());
    while (fields.Next()) continue;
    if (!fields.ok()) return false;
    ++count;
  }
  return count >= 3;
}

std::optional<Error> KnownTable(const std::string& path, std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto found = std::find_if(std::begin(kTables), std::end(kTables),
                                  [&](const TableHead& t) { return text.starts_with(t.start); });
  if (found == std::end(kTables)) return std::nullopt;
  if (found->ascend) {
    return InputError(path, "input/ascend-table",
                      "the file is a table of Ascend's profiler, which sums up what "
                      "trace_view.json holds, or says it of memory alone",
                      "pass ASCEND_PROFILER_OUTPUT/trace_view.json beside it");
  }
  return InputError(path, "input/rocprof-csv",
                    "the file is a table of rocprofv3, which lacks the device's properties and the "
                    "ranges",
                    "record with `rocprofv3 --sys-trace --output-format json -- COMMAND`");
}

// What an SQLite file is, where its tables tell.
Error UnknownDatabase(const std::string& file, const std::set<std::string>& tables) {
  const auto is_rocpd = [](const std::string& table) { return table.starts_with("rocpd_"); };
  if (std::any_of(tables.begin(), tables.end(), is_rocpd)) {
    return InputError(file, "input/rocpd",
                      "the file is a database of rocprofv3 (rocpd), which is not read",
                      "record with `rocprofv3 --sys-trace --output-format json -- COMMAND`");
  }
  if (tables.contains("CANN_API") || tables.contains("PYTORCH_API") ||
      tables.contains("COMPUTE_TASK_INFO")) {
    return InputError(file, "input/ascend-db",
                      "the file is a database of Ascend's profiler, which is not read",
                      "write trace_view.json with `python -c \"from torch_npu.profiler.profiler "
                      "import analyse; analyse('DIR')\"` (export_type=Text), or with `msprof "
                      "--export=on --output=DIR`, and pass it");
  }
  return InputError(file, "input/sqlite",
                    "the SQLite database is no profile: none of its tables is known",
                    "export a report of Nsight Systems with `nsys export --type sqlite "
                    "REPORT.nsys-rep`, or record with `nvprof -o FILE.nvvp`");
}

Result<const Reader*> FindDatabaseReader(const std::string& path, bool compressed) {
  if (path == "-" || compressed) {
    return Fail(InputError(path, "input/sqlite-stream", "an SQLite database must be a plain file",
                           "write it to a file, uncompressed, and pass its name"));
  }
  PROFGAUGE_TRY(auto database,
                sqlite::Database::Open(path, sqlite::Mode::kImmutable, ErrorKind::kInput));
  PROFGAUGE_TRY(const std::set<std::string> tables, readers::TableNames(database));
  const Reader* best = nullptr;
  Match best_match = Match::kNo;
  for (const auto& reader : BuiltinReaders()) {
    const Match match = reader->SniffTables(tables);
    if (match <= best_match) continue;
    best_match = match;
    best = reader.get();
  }
  if (best == nullptr) return Fail(UnknownDatabase(path, tables));
  return best;
}

}  // namespace

Result<const Reader*> FindReader(const std::string& path, std::span<const std::byte> head,
                                 bool compressed) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (readers::IsSqlite(text)) return FindDatabaseReader(path, compressed);
  const Reader* best = nullptr;
  Match best_match = Match::kNo;
  for (const auto& reader : BuiltinReaders()) {
    const auto match = reader->Sniff(head);
    if (match > best_match) {
      best_match = match;
      best = reader.get();
    }
  }
  for (const auto& lookalike : kLookalikes) {
    if (!text.starts_with(lookalike.start) || best_match == Match::kYes) continue;
    return Fail(InputError(path, std::string(lookalike.code), std::string(lookalike.message),
                           std::string(lookalike.help)));
  }
  if (best_match != Match::kYes) {
    if (auto table = KnownTable(path, text)) return Fail(std::move(*table));
  }
  if (best_match != Match::kYes && IsXprofPage(text)) {
    return Fail(InputError(path, "input/xprof",
                           "the file is a page of XProf, which holds sums for drawing only",
                           "pass the `.xplane.pb` that it was made from "
                           "(plugins/profile/<time>/<host>.xplane.pb)"));
  }
  if (best != nullptr) return best;
  if (IsPerfetto(path, text)) {
    return Fail(InputError(
        path, "input/perfetto", "the file is a binary trace of Perfetto, made for drawing",
        "export the profile itself: `neuron-explorer view -n MODEL.neff -s PROFILE.ntff "
        "--output-format json --output-file profile.json`, `rocprofv3 --sys-trace --output-format "
        "json -- COMMAND`, or pass the `.xplane.pb` of JAX"));
  }
  if (path.ends_with(".ntff") || path.ends_with(".neff")) {
    return Fail(InputError(path, path.ends_with(".ntff") ? "neuron/ntff" : "neuron/neff",
                           "the file is in Neuron's own format, which only its own tools can read",
                           "export the profile with `neuron-explorer view -n MODEL.neff -s "
                           "PROFILE.ntff --output-format json --output-file profile.json`, then "
                           "pass `profile.json`"));
  }
  if (IsNeuronRaw(path)) {
    return Fail(
        InputError(path, "neuron/raw",
                   "the file is a part of a raw capture of Neuron, which only its own tools "
                   "can read",
                   "export the capture with `neuron-explorer view -d DIR "
                   "--output-format json`, then pass `system_profile.json` and the "
                   "`device_profile_model_*.json` beside it"));
  }
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep")) {
    return Fail(InputError(path, "input/nsys-rep",
                           "the file is a report of Nsight Systems in its own format, which only "
                           "its own tools can read",
                           "export it with `nsys export --type sqlite " + path +
                               "`, then pass the "
                               "`.sqlite` file"));
  }
  return Fail(InputError(path, "input/unknown", "the file is no profile of a known format",
                         "expected a trace of the PyTorch profiler (*.pt.trace.json or "
                         "*.pt.trace.json.gz), an SQLite export of Nsight Systems, a profile of "
                         "NVProf, PyProf's net.dict, an XPlane file of JAX or TensorFlow "
                         "(*.xplane.pb), JSON of rocprofv3 (*_results.json), trace_view.json of "
                         "Ascend, AWS Neuron's JSON or summary, or a database or report of "
                         "DLProf"));
}

}  // namespace profgauge
