#include "analysis/classify/double_work.h"

#include <algorithm>
#include <string_view>

#include "analysis/classify/eligibility.h"
#include "analysis/classify/op_arguments.h"

namespace profgauge {

DoubleWork::DoubleWork(const Profile& profile) : profile_(profile) {
  const auto& gpus = profile.gpus;
  applies_ = !gpus.empty() && std::all_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) {
    return HasTensorCoresFor("float64", gpu) == Tri::kNo;
  });
  if (applies_) known_.assign(profile.strings.size(), -1);
  by_name_ = known_;
}

bool DoubleWork::HasNoCores(HostId op) {
  if (!applies_ || !op.valid()) return false;
  const HostTable& host = profile_.host;
  const StringId dtypes = host.input_dtypes[op.value];
  if (!dtypes.valid()) return false;
  std::int8_t& known = known_[dtypes.value];
  if (known < 0) {
    const std::string_view first =
        FirstTensorDtypeOf(profile_.Name(host.name[op.value]),
                           profile_.Name(host.input_shapes[op.value]), profile_.Name(dtypes));
    known = first == "float64" || first == "complex128" ? 1 : 0;
  }
  return known == 1;
}

bool DoubleWork::HasNoCores(DeviceId work) {
  if (!applies_) return false;
  const StringId id = profile_.device.name[work.value];
  if (id.valid() && by_name_[id.value] < 0) {
    const std::string_view name = profile_.Name(id);
    const bool says_so = name.find("dgemm") != name.npos || name.find("zgemm") != name.npos;
    by_name_[id.value] = says_so ? 1 : 0;
  }
  return (id.valid() && by_name_[id.value] == 1) || HasNoCores(profile_.device.op[work.value]);
}

}  // namespace profgauge
