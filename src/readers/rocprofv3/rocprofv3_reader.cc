#include "readers/rocprofv3/rocprofv3_reader.h"

#include <utility>

#include "readers/rocprofv3/records.h"
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
    {Capability::kMemoryEvents, "rocprofv3 does not record allocators; PyTorch's profiler does"},
    {Capability::kIterationMarkers,
     "record with `rocprofv3 --marker-trace` and a roctx range `step N` around each iteration"},
    {Capability::kPython, "rocprofv3 does not record them; PyTorch's profiler does"},
};

class Rocprofv3Reader final : public Reader {
 public:
  std::string_view name() const override { return "rocprofv3"; }

  Match Sniff(std::span<const std::byte> head) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    return text.find("\"rocprofiler-sdk-tool\"") != std::string_view::npos ? Match::kYes
                                                                           : Match::kNo;
  }

  Result<Profile> Read(ByteSource& source, const ReadOptions& options) const override {
    ProfileBuilder builder;
    Records records(builder);
    PROFGAUGE_CHECK(ReadJsonRows(source, options, records, builder));
    records.Finish();
    builder.SetHints(kHints);
    builder.source().format = "rocprofv3";
    builder.source().dialect = "JSON";
    PROFGAUGE_TRY(auto profile, builder.Finish());
    if (profile.device.size() + profile.host.size() + profile.api.size() > 0) return profile;
    Error error;
    error.kind = ErrorKind::kInput;
    error.code = "rocprofv3/no-events";
    error.message = "the rocprofv3 file holds no kernels, copies, calls or ranges";
    error.where.file = source.name();
    error.notes.emplace_back(
        "help: record with `rocprofv3 --sys-trace --output-format json -- COMMAND`");
    return Fail(std::move(error));
  }
};

}  // namespace
}  // namespace rocprofv3

std::unique_ptr<Reader> MakeRocprofv3Reader() {
  return std::make_unique<rocprofv3::Rocprofv3Reader>();
}

}  // namespace profgauge::readers
