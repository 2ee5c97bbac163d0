#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/classify/arguments.h"
#include "analysis/classify/eligibility.h"
#include "analysis/device/tensor_cores.h"

namespace profgauge {
namespace {

// PyTorch's own operators are known, all of them: one that is not listed as a product is none.
bool IsKnownOp(std::string_view name) {
  const std::string_view op = WithoutPythonModule(name);
  return op.size() != name.size() || op.starts_with("aten::") || op.starts_with("prim::") ||
         op.starts_with("c10d::");
}

}  // namespace

std::vector<Tri> EligibleKernels(const Profile& profile, const KernelClasses& classes) {
  const DeviceTable& device = profile.device;
  std::vector<Tri> eligible(device.size(), Tri::kNo);
  std::vector<std::int8_t> known(profile.strings.size(), -1);
  DoubleWork doubles(profile);
  VectorProducts vectors(profile);
  for (std::size_t i = 0; i < device.size(); ++i) {
    if (device.kind[i] != DeviceKind::kKernel || classes[i].collective) continue;
    if (classes[i].tensor_core == Tri::kYes) {
      eligible[i] = Tri::kYes;
      continue;
    }
    if (profile.IsWholeGraph(i) && classes[i].rule == 0) {
      eligible[i] = Tri::kUnknown;
      continue;
    }
    if (doubles.HasNoCores(DeviceId{static_cast<std::uint32_t>(i)})) continue;
    if (vectors.Has(device.op[i])) continue;
    const bool multiplies = IsEligibleKernel(classes[i], profile.Name(device.name[i]));
    const HostId op = device.op[i];
    if (!op.valid() || !profile.host.name[op.value].valid()) {
      eligible[i] = multiplies ? Tri::kYes : Tri::kUnknown;
      continue;
    }
    const StringId name = profile.host.name[op.value];
    std::int8_t& answer = known[name.value];
    if (answer < 0) {
      const std::string_view text = profile.Name(name);
      answer = static_cast<std::int8_t>(IsEligibleOp(text) ? Tri::kYes
                                        : IsKnownOp(text)  ? Tri::kNo
                                                           : Tri::kUnknown);
    }
    const Tri by_op = static_cast<Tri>(answer);
    // A compiled function, whatever its name, exists for its matmuls.
    eligible[i] = multiplies                                       ? Tri::kYes
                  : by_op == Tri::kUnknown && classes[i].rule != 0 ? Tri::kNo
                                                                   : by_op;
  }
  return eligible;
}

}  // namespace profgauge
