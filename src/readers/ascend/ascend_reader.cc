#include "readers/ascend/ascend_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/text.h"
#include "readers/ascend/cluster_steps.h"
#include "readers/ascend/kernel_details.h"
#include "readers/ascend/trace_view.h"
#include "readers/text/csv_rows.h"

namespace profgauge::readers {
namespace ascend {
namespace {

constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents, "record with torch_npu.profiler.ProfilerActivity.NPU"},
    {Capability::kHostOps, "record with torch_npu.profiler.ProfilerActivity.CPU"},
    {Capability::kLaunchLinks, "pass trace_view.json of a profile with ProfilerActivity.CPU"},
    {Capability::kShapes, "record with record_shapes=True"},
    {Capability::kCallStacks, "record with with_stack=True"},
    {Capability::kMemoryEvents,
     "trace_view.json does not contain them (torch_npu writes them to memory_record.csv)"},
    {Capability::kIterationMarkers, "call the profiler's step() after each iteration"},
    {Capability::kPython, "record with with_stack=True"},
};

std::string_view TextOf(std::span<const std::byte> head) {
  return {reinterpret_cast<const char*>(head.data()), head.size()};
}

Error NoEvents(const ByteSource& source, std::string message) {
  return InputError(source.name(), "ascend/no-events", std::move(message),
                    "record with torch_npu.profiler (activities CPU and NPU), then pass "
                    "ASCEND_PROFILER_OUTPUT/trace_view.json");
}

constexpr const char* kClusterTable = "cluster_step_trace_time.csv";

/// Tables of torch_npu that are no profile, by the begin of their first line: totals of operators,
/// calls and steps, and memory. The error for them names the file to pass instead.
constexpr std::string_view kTables[] = {
    "Device_id,OP Type,Core Type",
    "Device_id,Level,API Name",
    "Device_id,Step,Computing",
    "Step,Computing,Communication(Not Overlapped)",
    "Component,Timestamp(us),Total Allocated",
    "Name,Size(KB),Allocation Time(us)",
};

class TraceReader final : public Reader {
 public:
  std::string_view name() const override { return "ascend"; }
  std::string_view expected() const override { return "Ascend's trace_view.json"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".json", ".json.gz"};
    return kSuffixes;
  }

  /// kYes for a document with signs of Ascend, or for a list of events whose times are texts.
  /// Kineto's traces are objects, or lists whose times are numbers.
  Match Sniff(std::span<const std::byte> head) const override {
    const auto text = TextOf(head);
    const auto first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == std::string_view::npos || (text[first] != '[' && text[first] != '{')) {
      return Match::kNo;
    }
    if (!Contains(text, "\"ph\"")) return Match::kNo;
    const bool marked = Contains(text, "\"Ascend Hardware\"") || Contains(text, "\"async_npu\"") ||
                        Contains(text, "\"CANN\"") || Contains(text, "\"Overlap Analysis\"");
    const bool text_times = Contains(text, "\"ts\": \"") || Contains(text, "\"ts\":\"");
    return marked || (text_times && text[first] == '[') ? Match::kYes : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    ProfileBuilder builder;
    TraceView view(builder);
    PROFGAUGE_CHECK(ReadJsonRows(source, options, view, builder));
    view.Finish();
    builder.SetHints(kHints);
    builder.source().format = "ascend";
    builder.source().accelerator = "npu";
    builder.source().dialect = "trace_view.json";
    PROFGAUGE_TRY(auto profile, builder.Finish());
    if (profile.device.size() + profile.host.size() + profile.api.size() > 0) return profile;
    return Fail(NoEvents(source, "the Ascend trace records nothing"));
  }

  std::optional<Error> Refuse(const std::string& path, std::string_view head) const override {
    head = WithoutByteOrderMark(head);
    const bool is_table = std::any_of(std::begin(kTables), std::end(kTables),
                                      [&](auto start) { return head.starts_with(start); });
    if (!is_table) return std::nullopt;
    return InputError(path, "input/ascend-table",
                      "the file is a table of Ascend's profiler with totals of trace_view.json, or "
                      "with memory only",
                      "pass ASCEND_PROFILER_OUTPUT/trace_view.json next to it");
  }

  // With export_type=Db the profiler writes one database. Any of these tables shows it.
  std::optional<Error> RefuseTables(const std::string& path,
                                    const std::set<std::string>& tables) const override {
    if (!tables.contains("CANN_API") && !tables.contains("PYTORCH_API") &&
        !tables.contains("COMPUTE_TASK_INFO")) {
      return std::nullopt;
    }
    return InputError(path, "input/ascend-db",
                      "the file is a database of Ascend's profiler, which is not supported",
                      "write trace_view.json with `python -c \"from torch_npu.profiler.profiler "
                      "import analyse; analyse('DIR')\"` (export_type=Text), or with `msprof "
                      "--export=on --output=DIR`, and pass it");
  }

  // Refuses a folder of several ranks, which has one output folder for each, so that no single
  // OutputsOf() fits. Also refuses raw data, which has no events yet.
  std::optional<Error> RefuseFolder(const std::string& path,
                                    const std::vector<std::string>& names) const override {
    const auto recordings = std::count_if(names.begin(), names.end(), [](const std::string& name) {
      return name.ends_with("_ascend_pt");
    });
    if (recordings > 0) {
      return InputError(
          path, "ascend/recordings",
          fmt::format("the folder has {} of Ascend's profiler, one per rank",
                      recordings == 1 ? "a profile" : fmt::format("{} profiles", recordings)),
          "pass them as the ranks of one run: "
          "DIR/*_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json");
    }
    const bool is_raw = std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with("PROF_") || name.starts_with("device_");
    });
    if (!is_raw) return std::nullopt;
    return InputError(path, "ascend/raw", "the folder contains raw data of Ascend's profiler",
                      "analyze it with `python -c \"from torch_npu.profiler.profiler import "
                      "analyse; analyse('DIR')\"`, then pass ASCEND_PROFILER_OUTPUT");
  }

  std::vector<std::string> OutputsOf(const std::string& folder,
                                     std::vector<std::string>&) const override {
    const auto outputs = std::filesystem::path(folder) / "ASCEND_PROFILER_OUTPUT";
    std::error_code code;
    if (!std::filesystem::is_directory(outputs, code)) return {};
    return {outputs.string()};
  }

  std::string FullerThan(const std::string& name,
                         const std::vector<std::string>& names) const override {
    constexpr const char* kTrace = "trace_view.json";
    const bool found = name == "kernel_details.csv" &&
                       std::find(names.begin(), names.end(), kTrace) != names.end();
    return found ? kTrace : "";
  }

  /// Drops the table of the whole cluster if it is read together with other profiles.
  Status Settle(const std::string&, Run& run) const override {
    const auto is_table = [](const Profile& profile) {
      return profile.source.dialect == kClusterTable;
    };
    if (std::ranges::all_of(run.profiles, is_table)) return {};
    for (const Profile& profile : run.profiles) {
      if (!is_table(profile)) continue;
      run.skipped.push_back(profile.source.path +
                            ": it has totals of all ranks, next to the trace of one rank; pass "
                            "only this file to judge the cluster");
    }
    std::erase_if(run.profiles, is_table);
    return {};
  }
};

// Recognizes the table by its columns, in any order, not by the file's name.
bool IsKernelDetails(std::string_view text) {
  const auto head = text.substr(0, text.find('\n'));
  return Contains(head, "Start Time(us)") && Contains(head, "Duration(us)") &&
         Contains(head, "Accelerator Core");
}

bool IsClusterSteps(std::string_view text) {
  return text.substr(0, text.find('\n')).find("Step,Type,Index,Computing,") !=
         std::string_view::npos;
}

class TableReader final : public Reader {
 public:
  std::string_view name() const override { return "ascend"; }
  std::string_view expected() const override { return "Ascend's kernel_details.csv"; }

  Match Sniff(std::span<const std::byte> head) const override {
    const auto text = TextOf(head);
    return IsKernelDetails(text) || IsClusterSteps(text) ? Match::kYes : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    ProfileBuilder builder;
    KernelDetails kernels(builder);
    ClusterSteps cluster(builder.log());
    PROFGAUGE_CHECK(ReadCsvRows(
        source, options,
        [&](const CsvRow& row) {
          // Only the tables of steps and of kernels get here, and they have no column in common.
          if (row.Text("Type") == "rank" || row.Text("Type") == "stage")
            return cluster.Receive(row);
          kernels.Receive(row);
        },
        builder));
    kernels.Finish();
    builder.SetHints(kHints);
    builder.source().format = "ascend";
    builder.source().accelerator = "npu";
    builder.source().dialect = cluster.empty() ? "kernel_details.csv" : kClusterTable;
    if (cluster.empty()) builder.SetCopiesUnknown("this format has kernels but no copies");
    if (!cluster.empty()) builder.reported() = cluster.Report();
    PROFGAUGE_TRY(auto profile, builder.Finish());
    if (!cluster.empty()) {
      profile.has_timeline = false;
    } else if (profile.device.size() == 0) {
      return Fail(NoEvents(source, "the Ascend table has no kernel"));
      // With rows missing in between, the device's idle time is unknown, so there is no timeline.
    } else if (kernels.is_excerpt()) {
      profile.has_timeline = false;
      profile.no_timeline_because = "needs all kernels: rows of the table are missing";
    }
    return profile;
  }
};

}  // namespace
}  // namespace ascend

std::unique_ptr<Reader> MakeAscendTraceReader() { return std::make_unique<ascend::TraceReader>(); }
std::unique_ptr<Reader> MakeAscendTableReader() { return std::make_unique<ascend::TableReader>(); }

}  // namespace profgauge::readers
