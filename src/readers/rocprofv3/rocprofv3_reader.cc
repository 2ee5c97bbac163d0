#include "readers/rocprofv3/rocprofv3_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/text.h"
#include "readers/rocprofv3/records.h"
#include "readers/text/json_copy.h"
#include "readers/text/json_rows.h"

namespace profgauge::readers {

namespace rocprofv3 {
namespace {

constexpr RecordingHint kHints[] = {
    {Capability::kDeviceEvents, "record with `rocprofv3 --kernel-trace --memory-copy-trace`"},
    {Capability::kHostOps,
     "record with `rocprofv3 --marker-trace`, the program inside "
     "torch.autograd.profiler.emit_nvtx()"},
    {Capability::kLaunchLinks, "record with `rocprofv3 --hip-trace`"},
    {Capability::kShapes,
     "record with `rocprofv3 --marker-trace`, the program inside emit_nvtx(record_shapes=True)"},
    {Capability::kCallStacks, "rocprofv3 does not record them; PyTorch's profiler does"},
    {Capability::kMemoryEvents, "rocprofv3 does not record allocators, PyTorch's profiler does"},
    {Capability::kIterationMarkers,
     "record with `rocprofv3 --marker-trace` and a roctx range `step N` around each iteration"},
    {Capability::kPython, "rocprofv3 does not record them; PyTorch's profiler does"},
};

/// The begins of the first lines of the tool's CSV tables.
constexpr std::string_view kTables[] = {
    "\"Kind\",\"Agent_Id\"",
    "\"Kind\",\"Operation\"",
    "\"Kind\",\"Direction\"",
    "\"Domain\",\"Function\"",
    "\"Correlation_Id\",\"Dispatch_Id\"",
    "\"Name\",\"Calls\",\"TotalDurationNs\"",
};

class Rocprofv3Reader final : public Reader {
 public:
  std::string_view name() const override { return "rocprofv3"; }
  std::string_view expected() const override { return "rocprofv3's JSON (*_results.json)"; }
  std::span<const std::string_view> suffixes() const override {
    static constexpr std::string_view kSuffixes[] = {".json", ".json.gz"};
    return kSuffixes;
  }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    return Contains(text, "\"rocprofiler-sdk-tool\"") ? Match::kYes : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    ProfileBuilder builder;
    Records records(builder);
    PROFGAUGE_CHECK(ReadJsonRows(source, options, records, builder));
    records.Finish();
    builder.SetHints(Hints());
    builder.source().format = "rocprofv3";
    builder.source().accelerator = "amd";
    builder.source().is_of_any_program = true;
    builder.source().dialect = "JSON";
    PROFGAUGE_TRY(auto profile, builder.Finish());
    // Processes that see one GPU each (ROCR_VISIBLE_DEVICES) may all give it the same number.
    profile.gpus_by_process = true;
    const auto& kinds = profile.device.kind;
    if (std::find(kinds.begin(), kinds.end(), DeviceKind::kMemcpy) == kinds.end()) {
      profile.copies_unknown = kNoCopies;
    }
    if (profile.device.size() + profile.host.size() + profile.api.size() > 0) return profile;
    return Fail(InputError(source.name(), "rocprofv3/no-events",
                           "the rocprofv3 file has no kernels, copies, calls or ranges",
                           std::string(kRecord)));
  }

  std::optional<Error> Refuse(const std::string& path, std::string_view head) const override {
    head = WithoutByteOrderMark(head);
    const bool is_table = std::any_of(std::begin(kTables), std::end(kTables),
                                      [&](auto start) { return head.starts_with(start); });
    if (!is_table) return std::nullopt;
    return InputError(path, "input/rocprof-csv",
                      "the file is a table of rocprof, which has no device properties and ranges",
                      std::string(kRecord));
  }
};

}  // namespace

std::span<const RecordingHint> Hints() { return kHints; }

}  // namespace rocprofv3

std::unique_ptr<Reader> MakeRocprofv3Reader() {
  return std::make_unique<rocprofv3::Rocprofv3Reader>();
}

}  // namespace profgauge::readers

namespace profgauge::readers::rocprofv3 {
namespace {

/// The keys below the root that records.cc reads. Those of node, command and configuration are not
/// copied.
constexpr std::string_view kJsonRoot = "rocprofiler-sdk-tool/";
constexpr std::string_view kPaths[] = {
    "metadata/pid", "metadata/init_time", "metadata/fini_time",
    // Keys of devices.
    "agents/id/handle", "agents/type", "agents/logical_node_type_id", "agents/node_id",
    "agents/product_name", "agents/name", "agents/cu_count", "agents/wave_front_size",
    "agents/mem_banks/size_in_bytes", "agents/max_waves_per_cu", "agents/gfx_target_version",
    // Keys of names.
    "kernel_symbols/kernel_id", "kernel_symbols/formatted_kernel_name",
    "kernel_symbols/kernel_name", "kernel_symbols/arch_vgpr_count", "strings/buffer_records/",
    "strings/marker_api/",
    // Keys of kernels, copies and calls.
    "buffer_records/", "callback_records/counter_collection/"};
/// Names of kernels, and of the program's ranges.
constexpr std::string_view kNames[] = {"kernel_symbols/", "strings/marker_api/"};
/// Lists whose rows have only numbers.
constexpr std::string_view kNumbers[] = {"buffer_records/", "callback_records/"};

template <std::size_t N>
bool IsBelow(std::string_view path, const std::string_view (&lists)[N]) {
  return std::any_of(std::begin(lists), std::end(lists),
                     [&](std::string_view list) { return path.starts_with(list); });
}

std::vector<std::string> Paths() {
  std::vector<std::string> paths;
  for (const std::string_view path : kPaths) paths.push_back(fmt::format("{}{}", kJsonRoot, path));
  return paths;
}

}  // namespace

JsonKeep KeptKeys(const Rename& rename) {
  return {"rocprofv3", Paths(), [&rename](std::string_view path, std::string_view text) {
            path.remove_prefix(std::min(path.size(), kJsonRoot.size()));
            if (IsBelow(path, kNumbers)) return std::string();
            return IsBelow(path, kNames) ? CopiedName(text, rename) : WithoutPaths(text);
          }};
}

}  // namespace profgauge::readers::rocprofv3
