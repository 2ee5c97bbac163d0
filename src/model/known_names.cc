#include "model/known_names.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include "base/parallel.h"

namespace profgauge {
namespace {

struct SignSpec {
  bool at_start = false;  ///< True: names start with a word; false: words may be anywhere.
  std::array<std::string_view, 7> parts;
};

// By Sign.
constexpr std::array<SignSpec, static_cast<std::size_t>(Sign::kCount_)> kSigns = {{
    {false, {"aten::", "at::native", "c10d::", "torch"}},
    {false, {"XlaModule", "XLA GPU module", "PjRt", "jit("}},
    {false, {"TensorRT", "ExecutionContext::enqueue", "myelin"}},
    {false, {"tensorflow::", "tensorflow/", "Eigen::internal"}},
    {false, {"DistributedDataParallel"}},
    {false, {"FullyShardedDataParallel", "FSDP::", "fsdp."}},
    {false, {"StreamBeginCapture", "StreamEndCapture"}},
    {true, {"nccl:", "ncclKernel", "ncclDevKernel"}},
    {true, {"gloo:"}},
    {false, {"DALI", "/dali/", "dali::", "nvidia.dali", "rocAL", "/rocal/", "amd.rocal"}},
    {false, {"XlaLaunch", "XlaCompile", "XlaRun", "xla_run", "xla_compile"}},
    {false, {"_fused_adam", "_fused_sgd", "FusedAdam", "FusedSgd", "FusedSGD"}},
    {true,
     {"CompiledFunction", "Torch-Compiled Region", "triton_poi_", "triton_red_", "triton_per_"}},
}};

const SignSpec& SpecOf(Sign sign) { return kSigns[static_cast<std::size_t>(sign)]; }

bool Has(std::string_view text, const SignSpec& spec) {
  return std::any_of(spec.parts.begin(), spec.parts.end(), [&](std::string_view part) {
    if (part.empty()) return false;
    return spec.at_start ? text.starts_with(part) : text.find(part) != std::string_view::npos;
  });
}

}  // namespace

bool Shows(const Profile& profile, Sign sign) {
  // Searched in parallel, since a profile may have many names, e.g. operands of instructions.
  constexpr std::uint32_t kAtOnce = 1 << 14;
  const std::uint32_t count = profile.strings.size();
  std::atomic<bool> is_found = false;
  ForEachAtOnce(count / kAtOnce + 1, [&](std::size_t part) {
    const auto begin = static_cast<std::uint32_t>(part) * kAtOnce;
    for (std::uint32_t i = begin; i < std::min(count, begin + kAtOnce) && !is_found; ++i) {
      if (Has(profile.strings[StringId{i}], SpecOf(sign))) is_found = true;
    }
  });
  return is_found;
}

std::string_view NameWith(Sign sign) { return SpecOf(sign).parts.front(); }

}  // namespace profgauge
