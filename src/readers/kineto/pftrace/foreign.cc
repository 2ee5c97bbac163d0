#include "readers/kineto/pftrace/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "base/errors.h"
#include "base/text.h"

namespace profgauge::readers::pftrace {
namespace {

// Categories of events that are specific to one writer.
constexpr std::string_view kPyTorch[] = {"cpu_op", "cuda_runtime", "cuda_driver", "user_annotation",
                                         "python_function"};
constexpr std::string_view kRocprofv3[] = {
    "kernel_dispatch", "hip_api",           "hsa_api",        "memory_copy",       "marker_api",
    "rccl_api",        "memory_allocation", "scratch_memory", "counter_collection"};

struct Text {
  Writer writer;
  std::string_view by, help;
};

constexpr std::string_view kOwnProfiler = "record with the framework's own profiler";

constexpr Text kTexts[] = {
    {Writer::kRocprofv3, " by rocprofv3",
     "pass the `*_results.db` that `rocprofv3 --sys-trace -- COMMAND` writes, or record with "
     "`--output-format json`"},
    {Writer::kRocpd, " by rocpd",
     "pass the `*_results.db` that it was converted from, or record one with `rocprofv3 "
     "--sys-trace -- COMMAND`"},
    {Writer::kRocprofSys, " by rocprof-sys",
     "record with `ROCPROFSYS_USE_ROCPD=ON` and pass the `.db`"},
    {Writer::kNeuron, " by neuron-explorer",
     "pass the folder of Parquet files that `neuron-explorer view` writes; up to SDK 2.33 also "
     "JSON of `--output-format json`"},
    {Writer::kRenderStages, " with render stages of no known writer", kOwnProfiler},
    {Writer::kChrome, " in the form of Chrome's events",
     "it is not a profile of a deep-learning program"},
    {Writer::kSystem, " of a system", "it is not a profile of a deep-learning program"},
    {Writer::kUnknown, " by no known writer",
     "record with the framework's own profiler; of one of `neuron-explorer view` pass its Parquet "
     "files"},
};

bool IsAny(std::string_view text, std::span<const std::string_view> of) {
  return std::find(of.begin(), of.end(), text) != of.end();
}

}  // namespace

void Signs::SeeCategory(std::string_view category) {
  if (IsAny(category, kPyTorch)) pytorch_categories = true;
  if (IsAny(category, kRocprofv3)) rocprofv3 = true;
  if (category.starts_with("rocm_") || category.starts_with("rocprofsys") ||
      category.starts_with("amd_smi")) {
    rocprof_sys = true;
  }
}

// Recognizes traces of Perfetto's daemon on a phone or a host.
void Signs::SeeSource(std::string_view name) {
  if (name.starts_with("linux.") || name.starts_with("android.")) system = true;
}

void Signs::SeeTrack(std::string_view name) {
  if (Contains(name, "NeuronCore")) neuron = true;
}

Writer WriterBy(const Signs& signs) {
  if (signs.system) return Writer::kSystem;
  if (signs.rocprof_sys) return Writer::kRocprofSys;
  if (signs.rocprofv3) {
    return signs.process && signs.sizes_as_text ? Writer::kRocpd : Writer::kRocprofv3;
  }
  if (signs.pytorch_stages) return Writer::kPyTorch;
  if (signs.pytorch_categories && !signs.other_stages) return Writer::kPyTorch;
  if (signs.device_slices) return Writer::kPyTorchSlices;
  if (signs.other_stages) return Writer::kRenderStages;
  if (signs.legacy) return Writer::kChrome;
  return signs.neuron ? Writer::kNeuron : Writer::kUnknown;
}

Error ForeignTrace(const std::string& file, Writer writer) {
  const Text* text = std::find_if(std::begin(kTexts), std::end(kTexts),
                                  [&](const Text& row) { return row.writer == writer; });
  if (text == std::end(kTexts)) text = std::end(kTexts) - 1;
  return InputError(
      file, "input/perfetto",
      fmt::format("the file is a binary trace of Perfetto{}, which is not supported", text->by),
      std::string(text->help));
}

}  // namespace profgauge::readers::pftrace
