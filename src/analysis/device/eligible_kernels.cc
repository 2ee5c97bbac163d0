#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/classify/arguments.h"
#include "analysis/classify/eligibility.h"
#include "analysis/device/tensor_cores.h"

namespace profgauge::analysis::device {
namespace {

// PyTorch's own operators are known, all of them: one that is not listed as a product is none.
bool IsKnownOp(std::string_view name) {
  const std::string_view op = classify::WithoutPythonModule(name);
  return op.size() != name.size() || op.starts_with("aten::") || op.starts_with("prim::") ||
         op.starts_with("c10d::");
}

}  // namespace

std::vector<classify::Tri> EligibleKernels(const Profile& profile,
                                           const classify::KernelClasses& classes) {
  const DeviceTable& device = profile.device;
  std::vector<classify::Tri> eligible(device.size(), classify::Tri::kNo);
  std::vector<std::int8_t> known(profile.strings.size(), -1);
  classify::DoubleWork doubles(profile);
  classify::VectorProducts vectors(profile);
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] != DeviceKind::kKernel || classes[i].collective) continue;
    if (classes[i].tensor_core == classify::Tri::kYes) {
      eligible[i] = classify::Tri::kYes;
      continue;
    }
    if (profile.IsWholeGraph(i) && classes[i].rule == 0) {
      eligible[i] = classify::Tri::kUnknown;
      continue;
    }
    if (doubles.HasNoCores(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    if (vectors.Has(device.op[i])) continue;
    const bool multiplies = classify::IsEligibleKernel(classes[i], profile.Name(device.name[i]));
    const HostId op = device.op[i];
    if (!op.valid() || !profile.host.name[op.value].valid()) {
      eligible[i] = multiplies ? classify::Tri::kYes : classify::Tri::kUnknown;
      continue;
    }
    const StringId name = profile.host.name[op.value];
    std::int8_t& answer = known[name.value];
    if (answer < 0) {
      const std::string_view text = profile.Name(name);
      answer = static_cast<std::int8_t>(classify::IsEligibleOp(text) ? classify::Tri::kYes
                                        : IsKnownOp(text)            ? classify::Tri::kNo
                                                                     : classify::Tri::kUnknown);
    }
    const classify::Tri by_op = static_cast<classify::Tri>(answer);
    // A compiled function, whatever its name, exists for its matmuls.
    eligible[i] = multiplies                                                 ? classify::Tri::kYes
                  : by_op == classify::Tri::kUnknown && classes[i].rule != 0 ? classify::Tri::kNo
                                                                             : by_op;
  }
  return eligible;
}

}  // namespace profgauge::analysis::device
